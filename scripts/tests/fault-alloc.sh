#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="allocations of either side fail under load, and connections break: data is right, nothing hangs or leaks"
KERNELS="uml x86"
VERSIONS=any
TIMEOUT=240

requires() { have fio && need_ours && need_faults failslab fail_page_alloc fail_sunrpc; }

# faults near our own code: the peer notices when the connection ends
test() {
	nfsd_start 8
	faulty xprtrdma failslab 10 $NEAR $RECOVERY
	faulty svcrdma failslab 2 $NEAR $RECOVERY
	faulty xprtrdma fail_page_alloc 10 $DEEP $RECOVERY_UNTOLD
	faulty svcrdma fail_page_alloc 10 $DEEP $RECOVERY_UNTOLD
	faulty xprtrdma failslab 2 $DEEP $RECOVERY_UNTOLD
	faulty svcrdma failslab 1 $DEEP $RECOVERY_UNTOLD
}

# faulty MODULE KIND PERCENT DEPTH SECONDS: connections break as well, since little is
# allocated on one that lasts.
faulty() {
	local seen begin faulty_ms
	nfs_mount 4.1
	fio_start 4 1m
	begin=$(now_ms)
	disconnects_on client 1
	# shellcheck disable=SC2046
	fault_on $2 $3 $(text_of $1) $4
	poll_for 30 enough $2 || true
	faults_off
	faulty_ms=$(($(now_ms) - begin))
	works_within $5
	fio_finish $(($5 + 60 * SLOW))
	seen=$(faults_seen $2)
	log "$1, $2, $3 %: $seen faults, $(faults_seen fail_sunrpc) disconnects, longest request $LONGEST ms"
	assert_ge "faults" $seen 1
	assert_le "milliseconds of the longest request" $LONGEST $((faulty_ms + $5 * 1000))
	nfs_umount
}
enough() { [ "$(faults_seen $1)" -ge 20 ] || fio_ended; }

cleanup() { faults_off; }
