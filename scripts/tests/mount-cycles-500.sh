#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="500 mounts and unmounts, all versions, a file read in each; nothing accumulates"
TIMEOUT=150

test() {
	local i v vs objects=''
	read -ra vs <<<"$VERSIONS"
	nfsd_start
	echo data >$EXPORT/f
	for ((i = 0; i < 500; i++)); do
		v=${vs[i % 4]}
		nfs_try_mount "$v" || fail "mount $i, version $v"
		[ "$(cat $MNT/f)" = data ] || fail "cycle $i: wrong data"
		timeout -k 2 30 umount $MNT || fail "unmount $i"
		if [ $i -eq 50 ]; then
			await "connections closed" 20 few_objects 40
			objects=$(rdma_objects)
		fi
	done
	await "no more RDMA objects than after 50 cycles" 20 few_objects $((objects + 10))
}
few_objects() { [ "$(rdma_objects)" -le "$1" ]; }
