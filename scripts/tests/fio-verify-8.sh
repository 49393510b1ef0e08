#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="8 concurrent fio writers, then readers, random blocks of 512 bytes to 256 KiB, verified"
TIMEOUT=120

requires() { have fio; }

test() {
	nfsd_start 16
	for v in 3 4.1; do
		nfs_mount $v
		fio_verify 8 4m
		nfs_umount
	done
}
