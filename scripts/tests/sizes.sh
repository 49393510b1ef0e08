#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="0 bytes to 1 MiB + 1, buffered and direct, aligned and not, around the inline thresholds"
VARIANTS="v3 v42"
KERNELS_v42="uml x86"
TIMEOUT=90

test() {
	nfsd_start
	case $VARIANT in v3) nfs_mount 3 ;; v42) nfs_mount 4.2 ;; esac
	all_sizes
	all_sizes direct
	around 4096
	around 1024
	assert_eq "bad replies" 0 "$(xprt_stat bad_reply)"
}
