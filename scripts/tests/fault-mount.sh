#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="allocations of either side, or of the adapter for its Queue Pair, fail while mounting: mounts succeed or fail with an error, and work afterwards"
KERNELS="uml x86"
VERSIONS=any
TIMEOUT=180

requires() { need_ours && need_faults failslab fail_page_alloc; }

test() {
	local m range
	nfsd_start
	echo data >$EXPORT/f
	for m in xprtrdma svcrdma; do
		range=$(text_of $m)
		mounts $m "$range" failslab 4 10
		mounts $m "$range" fail_page_alloc 10 6
	done
	# soft-RoCE never flushes the Receives of a Queue Pair for which this has failed.
	range=$(text_of_function rdma_rxe rxe_qp_from_attr)
	mounts "Queue Pairs" "$range" failslab 25 12
	nfs_mount 4.1
	works_within $RECOVERY
	nfs_umount
}

# mounts WHAT RANGE KIND PERCENT ROUNDS
mounts() {
	local i good=0
	for ((i = 0; i < $5; i++)); do
		# shellcheck disable=SC2086
		fault_on $3 $4 $2 $DEEP
		if MOUNT_LIMIT=$RECOVERY_UNTOLD nfs_try_mount $((3 + i % 2)) >$TEST_TMP/mount.out 2>&1; then
			good=$((good + 1))
			assert_eq "data" data "$(cat $MNT/f)"
			faults_off
			nfs_umount
		else
			faults_off
			[ -s $TEST_TMP/mount.out ] || fail "a mount failed without a word"
		fi
		seen=$((seen + $(faults_seen $3)))
	done
	log "$1, $3: $seen faults, $good of $5 mounts succeeded"
	assert_ge "faults" $seen 1
	seen=0
}
seen=0

cleanup() { faults_off; }
