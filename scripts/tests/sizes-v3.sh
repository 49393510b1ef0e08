#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="0 bytes to 1 MiB + 1, buffered and direct, aligned and not, around the inline thresholds, version 3"
TIMEOUT=90

test() {
	nfsd_start
	nfs_mount 3
	all_sizes
	all_sizes direct
	around 4096
	around 1024
	assert_eq "bad replies" 0 "$(xprt_stat bad_reply)"
}
