#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the client's interface goes down for 10 s under load and comes back: the writer ends well, data intact"
GUESTS=2
TIMEOUT=180

# in-tree never recovers: soft-RoCE's QP1 is dead after a CM message sent while the link is down
requires() { need_ours; }

left() {
	nfsd_start
	meet serving
	meet finished 170
}

right() {
	meet serving
	nfs_mount 4.1
	head -c 16777216 /dev/urandom >$TEST_TMP/src
	limit 150 dd if=$TEST_TMP/src of=$MNT/f bs=64k oflag=direct status=none &
	local writer=$!
	await "load runs" 20 [ -s $MNT/f ]
	ip link set eth0 down
	local end=$((SECONDS + 10))
	await "10 s without the link" 15 eval "[ \$SECONDS -ge $end ]"
	ip link set eth0 up
	ip -6 addr add "$SELF6/64" dev eth0 nodad 2>/dev/null || true
	assert "the writer ends well" wait $writer
	drop_caches
	assert_eq "checksum" "$(sum_of $TEST_TMP/src)" "$(sum_of $MNT/f)"
	meet finished
}
