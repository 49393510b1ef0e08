#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the interface goes down for 10 s under load and comes back: the writer continues in time and ends well, data intact"
VERSIONS=any
TIMEOUT=120

# in-tree never recovers: soft-RoCE's QP1 is dead after a CM message was sent while the link is down
requires() { need_ours && need_rxe "siw is on top of TCP, which goes on when the link is back"; }

test() {
	local writer before
	nfsd_start
	nfs_mount 4.1
	head -c 4194304 /dev/urandom >$TEST_TMP/src
	writes &
	writer=$!
	await "load runs" 20 [ -s $EXPORT/f.1 ]
	ip link set d0 down
	elapses 10
	before=$(written)
	assert "the writer is not done" kill -0 $writer
	d0_up
	poll_for $RECOVERY goes_on $before || fail "the writer does not go on"
	touch $TEST_TMP/enough
	assert "the writer ends well" wait $writer
	same_data "on the server" $EXPORT
	drop_caches
	same_data "read back" $MNT
	assert_ge "connections" "$(xprt_stat connects)" 2
}

# writes: file after file, until there is enough.
writes() {
	local n=0
	while [ ! -e $TEST_TMP/enough ]; do
		n=$((n + 1))
		limit 80 dd if=$TEST_TMP/src of=$MNT/f.$n bs=64k oflag=direct status=none || return 1
	done
}

# written: bytes on the server.
written() { cat $EXPORT/f.* | wc -c; }
goes_on() { [ "$(written)" -gt $1 ]; }

# same_data WHERE DIRECTORY: all files are whole.
same_data() {
	local file sum
	sum=$(sum_of $TEST_TMP/src)
	for file in $2/f.*; do
		assert_eq "checksum $1 of ${file##*/}" "$sum" "$(sum_of $file)"
	done
}

cleanup() {
	touch $TEST_TMP/enough
	ip link set d0 up
}
