#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the RDMA device is removed while mounting and under load: nothing hangs; it returns and the mount goes on working"
TARGET=guest-long
VERSIONS=any
TIMEOUT=150

test() {
	local i writer
	nfsd_start
	log "removed during mounts"
	for ((i = 0; i < 5; i++)); do
		nfs_try_mount 4.1 >$TEST_TMP/mount.out 2>&1 &
		local mounter=$!
		rdma_down
		wait $mounter || true
		if mountpoint -q $MNT; then
			# mounted first, device gone afterwards: it must still unmount once the
			# device is back
			rdma_up
			nfs_umount
		else
			rdma_up
		fi
	done
	log "removed under load"
	nfs_mount 4.1
	limit 120 dd if=/dev/zero of=$MNT/load bs=256k count=200 oflag=direct status=none &
	writer=$!
	await "load runs" 10 [ -s $EXPORT/load ]
	rdma_down
	refute "device is still there" rdma_present
	rdma_up
	assert "the writer finishes" wait $writer
	assert_eq "size on the server" 52428800 "$(stat -c %s $EXPORT/load)"
	basic_files 4.1
}

cleanup() { rdma_present || rdma_up; }
