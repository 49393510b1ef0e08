#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="allocations of either side fail while mounting: mounts succeed or fail with an error, and work afterwards"
KERNELS="uml x86"
VERSIONS=any
TIMEOUT=150

requires() { need_ours && need_faults failslab fail_page_alloc; }

test() {
	local m
	nfsd_start
	echo data >$EXPORT/f
	for m in xprtrdma svcrdma; do
		mounts $m failslab 4 10
		mounts $m fail_page_alloc 10 6
	done
	nfs_mount 4.1
	works_within $RECOVERY
	nfs_umount
}

# mounts MODULE KIND PERCENT ROUNDS
mounts() {
	local i good=0
	for ((i = 0; i < $4; i++)); do
		# shellcheck disable=SC2046
		fault_on $2 $3 $(text_of $1) $DEEP
		if MOUNT_LIMIT=$RECOVERY_UNTOLD nfs_try_mount $((3 + i % 2)) >$TEST_TMP/mount.out 2>&1; then
			good=$((good + 1))
			assert_eq "data" data "$(cat $MNT/f)"
			faults_off
			nfs_umount
		else
			faults_off
			[ -s $TEST_TMP/mount.out ] || fail "a mount failed without a word"
		fi
		seen=$((seen + $(faults_seen $2)))
	done
	log "$1, $2: $seen faults, $good of $4 mounts succeeded"
	assert_ge "faults" $seen 1
	seen=0
}
seen=0

cleanup() { faults_off; }
