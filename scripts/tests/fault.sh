#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="failing allocations and breaking connections under load, while mounting and while loading: no hang, leak or wrong data"
VARIANTS="alloc callback disconnect init mount"
KERNELS="uml x86"
VERSIONS=any
VERSIONS_init=same
AUTOLOAD_init=n
TIMEOUT=180
TIMEOUT_alloc=240
TIMEOUT_disconnect=150
TIMEOUT_init=90

requires() { have fio && need_ours && need_faults failslab fail_page_alloc fail_sunrpc; }

# alloc: allocations of either side fail under load, and connections break. The data is correct, and
# nothing hangs or leaks. With faults near our own code, the peer notices when the connection ends.
test_alloc() {
	nfsd_start 8
	faulty xprtrdma failslab 10 $NEAR $RECOVERY
	faulty svcrdma failslab 2 $NEAR $RECOVERY
	faulty xprtrdma fail_page_alloc 10 $DEEP $RECOVERY_UNTOLD
	faulty svcrdma fail_page_alloc 10 $DEEP $RECOVERY_UNTOLD
	faulty xprtrdma failslab 2 $DEEP $RECOVERY_UNTOLD
	faulty svcrdma failslab 1 $DEEP $RECOVERY_UNTOLD
}

# faulty MODULE KIND PERCENT DEPTH SECONDS: also break connections, because a connection that lasts
# allocates little.
faulty() {
	nfs_mount 4.1
	fio_start 4 1m
	disconnects_on client 1
	# shellcheck disable=SC2046
	fault_on $2 $3 $(text_of $1) $4
	recovers $2 $5
	log "$1, $2, $3 %: $(faults_seen $2) faults, $(faults_seen fail_sunrpc) disconnects, longest request $LONGEST ms"
	assert_ge "faults" "$(faults_seen $2)" 1
	nfs_umount
}

# recovers KIND SECONDS: check that enough faults happen under fio's load, and that everything works
# within this time after them.
recovers() {
	local begin faulty_ms
	begin=$(now_ms)
	wait_for 30 enough $1 || true
	faults_off
	faulty_ms=$(($(now_ms) - begin))
	works_within $2
	fio_finish $(($2 + 60 * SLOW))
	assert_le "milliseconds of the longest request" $LONGEST $((faulty_ms + $2 * 1000))
}
enough() { [ "$(faults_seen $1)" -ge 20 ] || fio_ended; }

# callback: the connection breaks while a callback is sent. The delegation is recalled nevertheless,
# and the other client's write continues.
test_callback() {
	nfs_state
	# A delegation that cannot be recalled is revoked after the lease time.
	echo 20 >/proc/fs/nfsd/nfsv4leasetime
	nfsd_start
	other_client_up
	echo first >$EXPORT/f
	nfs_mount 4.1
	open_with_delegation $MNT/f
	assert "the server lists it" delegation_held
	disconnects_on client 100
	fault_set fail_sunrpc times=6
	ip netns exec other timeout -k 2 $((RECOVERY + 40)) sh -c "echo second >$OTHER/f" || fail "the other client's write did not go through"
	assert_eq "messages at which connections were still to break" 0 "$(cat $FAULTS/fail_sunrpc/times)"
	faults_off
	exec 5<&-
	assert_eq "the new data" second "$(cat $MNT/f)"
	assert_ge "callbacks" "$(ours_stat server callbacks_sent)" 1
	other_client_down
}

# disconnect: sunrpc breaks connections under load, on either side. Each recovers in time, and the
# data is correct.
test_disconnect() {
	local v side
	nfsd_start 8
	for v in 3 4.1; do
		for side in client server both; do
			breaking $v $side
		done
	done
}

# breaking VERSION SIDE: break connections of this version on this side.
breaking() {
	nfs_mount $1
	fio_start 4 2m
	disconnects_on $2 4
	recovers fail_sunrpc $RECOVERY
	log "version $1, $2: $(faults_seen fail_sunrpc) disconnects, $(xprt_stat connects) connections, longest request $LONGEST ms"
	assert_ge "disconnects" "$(faults_seen fail_sunrpc)" 3
	assert_ge "connections" "$(xprt_stat connects)" 2
	nfs_umount
}

# init: each allocation while the client's module loads fails once. Loading fails or succeeds
# without the allocation, and leaves nothing behind. The server's module is not tested, because the
# kernel prints a backtrace if creating its slab cache fails.
test_init() {
	local m
	for m in sunrpc rdma_cm; do limit 20 modprobe $m; done
	limit 20 insmod "$(module_file rpcrdma_core)" || fail "cannot load rpcrdma_core"
	# shellcheck disable=SC2046
	each_allocation "loading xprtrdma" unload $(text_of_initcalls) insmod "$(module_file xprtrdma)"
	faults_off
	transport_load
	nfsd_start 2
	nfs_mount 4.2
	basic_files 4.2
}
unload() { limit 20 rmmod xprtrdma || fail "cannot unload xprtrdma"; }

# mount: allocations of either side, or of the adapter's driver for a Queue Pair, fail while
# mounting. Mounts succeed or fail with an error, and work afterwards.
test_mount() {
	local m range
	nfsd_start
	echo data >$EXPORT/f
	for m in xprtrdma svcrdma; do
		range=$(text_of $m)
		mounts $m "$range" failslab 4 10
		mounts $m "$range" fail_page_alloc 10 6
	done
	# soft-RoCE never flushes the Receives of a Queue Pair for which this function has failed.
	range=$(text_of_function rdma_rxe rxe_qp_from_attr)
	mounts "Queue Pairs" "$range" failslab 25 12
	nfs_mount 4.1
	works_within $RECOVERY
	nfs_umount
}

# mounts WHAT RANGE KIND PERCENT ROUNDS: mount with a few faults each. With permanent faults, a
# mount that has connected once would try forever.
mounts() {
	local i good=0 seen=0 MANY=8
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
}
