#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the interface goes down for 10 s under load and comes back: the writer continues in time and ends well, data intact"
VERSIONS=any
TIMEOUT=120

# in-tree never recovers: soft-RoCE's QP1 is dead after a CM message was sent while the link is down
requires() { need_ours && need_rxe "siw is on top of TCP, which goes on when the link is back"; }

test() {
	local writer end before
	nfsd_start
	nfs_mount 4.1
	head -c 33554432 /dev/urandom >$TEST_TMP/src
	limit 80 dd if=$TEST_TMP/src of=$MNT/f bs=64k oflag=direct status=none &
	writer=$!
	await "load runs" 20 [ -s $EXPORT/f ]
	ip link set d0 down
	end=$((SECONDS + 10))
	await "10 s without the link" 15 past $end
	before=$(stat -c %s $EXPORT/f)
	ip link set d0 up
	ip -6 addr add fd00::1/64 dev d0 nodad 2>/dev/null || true
	poll_for $RECOVERY goes_on $writer $before || fail "the writer does not go on"
	assert "the writer ends well" wait $writer
	assert_eq "checksum on the server" "$(sum_of $TEST_TMP/src)" "$(sum_of $EXPORT/f)"
	drop_caches
	assert_eq "checksum read back" "$(sum_of $TEST_TMP/src)" "$(sum_of $MNT/f)"
	assert_ge "connections" "$(xprt_stat connects)" 2
}
goes_on() { ! kill -0 $1 2>/dev/null || [ "$(stat -c %s $EXPORT/f)" -gt $2 ]; }
past() { [ $SECONDS -ge "$1" ]; }

cleanup() { ip link set d0 up; }
