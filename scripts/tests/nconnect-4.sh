#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="nconnect=4: four connections, all used, data right"

four() {
	local n line
	fio_verify 8 1m
	basic_files "$1"
	xprt_read
	assert_eq "connections in mountstats" 4 ${#XPRT_LINES[@]}
	for line in "${XPRT_LINES[@]}"; do
		read -ra n <<<"$line"
		assert_ge "receives of one connection" "${n[6]}" 10
	done
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
