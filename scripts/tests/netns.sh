#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="in a network namespace without an RDMA device a mount fails plainly, and the namespace goes away afterwards"

test() {
	local out rc=0
	nfsd_start
	ip netns add lonely
	ip netns exec lonely ip link set lo up
	mkdir -p $MNT
	out=$(limit 60 ip netns exec lonely mount -t nfs -o "$(mount_opts 4.1)" 127.0.0.1:/ $MNT 2>&1) || rc=$?
	log "status $rc: $out"
	[ $rc -ne 0 ] || fail "mounted"
	[ -n "$out" ] || fail "no error message"
	ip netns del lonely
	log "the first namespace is not disturbed"
	nfs_mount 4.1
	basic_files 4.1
}
