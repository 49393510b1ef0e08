#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="adapters that refuse Work Requests, have few regions, are removed at any moment, or cannot be used"
VARIANTS="posts regions gone refused"
TARGET=adapters
TIMEOUT=150

PARAMETERS=/sys/module/rpcrdma_adapter/parameters

need_adapter() {
	have fio && need_ours || return
	[ "${ADAPTER+x}" ] || { echo "the device has no habits of adapters (--adapter)"; return 1; }
}
requires() { need_adapter; }

# posts: the adapter refuses Work Requests, also in the middle of a chain. Connections are
# established again, and the data is correct.
test_posts() {
	local v
	nfsd_start 8
	for v in 3 4.1; do
		nfs_mount $v
		fio_start 4 2m
		echo 200 >$PARAMETERS/post_fails
		poll_for 60 connected_again || true
		echo 0 >$PARAMETERS/post_fails
		works_within $RECOVERY
		fio_finish $((RECOVERY + 60 * SLOW))
		log "version $v: $(xprt_stat connects) connections, longest request $LONGEST ms"
		assert_ge "connections" "$(xprt_stat connects)" 2
		nfs_umount
	done
}
connected_again() { [ "$(xprt_stat connects)" -ge 6 ] || fio_ended; }

# regions: the device has fewer memory regions than the calls in flight need. Calls wait for regions
# of other calls. If the server has no other calls, it closes the connection, and the client's
# regions become free.
test_regions() {
	local v
	nfsd_start 8
	echo 24 >$PARAMETERS/mrs
	for v in 3 4.1; do
		nfs_mount $v
		fio_verify 4 1m
		log "version $v: $(xprt_stat connects) connections"
		nfs_umount
	done
	echo 0 >$PARAMETERS/mrs
}

# gone: the device is removed at each verb and completion of both sides, from mount to unmount. The
# mount may fail. Once mounted, I/O continues when the device is back, and the data is correct.
test_gone() {
	local at job removed=0
	nfsd_start 8
	for ((at = 1; ; at += at / 4 + 1)); do
		echo $at >$PARAMETERS/remove_after
		mounted_io $at &
		job=$!
		await "the device is gone, or step $at never comes" $((60 * SLOW)) gone_or_over
		! rdma_present || break
		removed=$((removed + 1))
		sleep 0.2
		rdma_up
		assert "what was mounted goes on, step $at" wait $job
	done
	echo 0 >$PARAMETERS/remove_after
	assert "no removal" wait $job
	assert_ge "removals" $removed 15
}
# The removal can take longer than the mount that fails because of it.
gone_or_over() { ! rdma_present || { [ -z "$(jobs -r)" ] && [ "$(<$PARAMETERS/remove_after)" != 0 ]; }; }

# mounted_io SEED: mount, write and read inline and with chunks, unmount.
mounted_io() {
	nfs_try_mount 4.1 >$TEST_TMP/mount.out 2>&1 || return 0
	for size in 100 100000; do
		"$IOTOOL" write $MNT/$size 0 $size $1 direct || return
		"$IOTOOL" check $MNT/$size 0 $size $1 direct || return
	done
	nfs_umount
}

# refused: mount fails, and the log names the resource that the device lacks.
requires_refused() {
	need_adapter || return
	[[ $ADAPTER == *profile=mana* ]] || { echo "the adapter can be used"; return 1; }
}

test_refused() {
	nfsd_start
	! nfs_try_mount 3 retry=0 || fail "mounted without memory regions"
	assert "the log says why" logged "xprtrdma: $RDMA_DEV cannot be used: it has 0 pages per fast registration, 16 are needed"
}
