#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="an adapter that does not post what it should, one that cannot be used, and how adapters are measured"
VARIANTS="posts regions refused measured"
TARGET=adapters
TARGET_measured=""
TIMEOUT=150
TIMEOUT_measured=90

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

# measured: scripts/bench/adapters measures a mount, and tells what it measures
ADAPTERS=${BASH_SOURCE[0]%/*}/../bench/adapters

requires_measured() { have fio python3; }

test_measured() {
	local out=$TEST_TMP/adapters.txt json=$TEST_TMP/adapters.json
	nfsd_start 4
	nfs_mount 4.2
	limit 60 "$ADAPTERS" --seconds 1 --rounds 1 --size 8m --json "$json" "$MNT" >"$out"
	log "$(<"$out")"
	assert "the transport is named" grep -q "^# $([ "$TRANSPORT" = ours ] && echo ours || echo in-tree), 1 rounds" "$out"
	assert_eq "jobs with operations" 7 "$(python3 -c '
import json, sys
jobs = json.load(open(sys.argv[1]))["jobs"].values()
print(sum(job["ops/s"] > 0 and job["99% us"] > 0 for job in jobs))' "$json")"
	assert "no files are left" [ ! -e "$MNT/job.0" ]
	fails_with "is not on an NFS mount" "$ADAPTERS" "$TEST_TMP"
	nfs_umount
}

# fails_with TEXT COMMAND...
fails_with() {
	local said
	! said=$("${@:2}" 2>&1) || fail "$2 succeeded"
	[[ $said == *"$1"* ]] || fail "$2: $said"
}
