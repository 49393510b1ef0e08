#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="an adapter that does not post what it should, and one that cannot be used"
VARIANTS="posts regions refused"
TARGET=adapters
TIMEOUT=150

PARAMETERS=/sys/module/rpcrdma_adapter/parameters

need_adapter() {
	[ "${ADAPTER+x}" ] || { echo "the device has no habits of adapters (--adapter)"; return 1; }
}

# posts: Work Requests are refused, also in the middle of a chain: connections are made again, and
# data is right
requires_posts() { have fio && need_ours && need_adapter; }

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

cleanup_posts() { [ ! -e $PARAMETERS ] || echo 0 >$PARAMETERS/post_fails; }

# regions: the device has fewer memory regions than calls in flight need. The client's calls wait for
# one, and the server's for those of others. If there are no others, the connection ends, and gives
# back the client's regions.
requires_regions() { requires_posts; }

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
}

cleanup_regions() { [ ! -e $PARAMETERS ] || echo 0 >$PARAMETERS/mrs; }

# refused: mount fails, and the log says what the device lacks
requires_refused() {
	need_ours && need_adapter || return
	[[ $ADAPTER == *profile=mana* ]] || { echo "the adapter can be used"; return 1; }
}

test_refused() {
	nfsd_start
	! nfs_try_mount 3 retry=0 || fail "mounted without memory regions"
	assert "the log says why" logged "xprtrdma: $RDMA_DEV cannot be used: it has 0 pages per fast registration, 16 are needed"
}
