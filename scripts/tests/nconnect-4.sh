#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="nconnect=4: four connections, all used, data right"

four() {
	local n
	fio_verify 8 1m
	basic_files "$1"
	n=$(xprt_lines | count .)
	assert_eq "connections in mountstats" 4 "$n"
	assert_eq "connections that were used" 4 "$(xprt_lines | awk '$8 > 10' | wc -l)"
}

test() {
	local v
	nfsd_start
	for v in 3 4.1; do
		nfs_mount $v nconnect=4
		four $v
		nfs_umount
	done
}
