#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a peer that counts has never more RDMA Reads to answer than it serves at a time: 1, 2, 3, 5 or 16, of our server and of our client"
TIMEOUT=240
VERSIONS=any

requires() {
	[ "${PROVIDER:-rxe}" = siw ] || { echo "needs siw: the peer speaks iWARP"; return 1; }
	need_ours
}

test() {
	local depth
	nfsd_start
	head -c 200000 /dev/urandom >$EXPORT/data
	VERSION_BEFORE=$(cat /sys/module/xprtrdma/parameters/max_version)
	offer_version 1
	for depth in 1 2 3 5 16; do
		server_counted $depth
		client_counted $depth
	done
}

# server_counted DEPTH: the peer is a client, and our server reads its calls.
server_counted() {
	assert "our server, $1 at a time" limit 60 python3 "$here/lib/iwarp.py" call $ADDR4 20049 "$1" >$TEST_TMP/call
	log "our server, $1 at a time: $(cat $TEST_TMP/call)"
	used "$1" $TEST_TMP/call
}

# client_counted DEPTH: the peer is a server, and our client reads its replies.
client_counted() {
	# What the peer before this one has said is not waited for.
	: >$TEST_TMP/serve
	python3 "$here/lib/iwarp.py" serve 20050 "$1" 2049 >$TEST_TMP/serve &
	PEER_PID=$!
	await "the peer listens" 20 grep -q listening $TEST_TMP/serve
	PORT=20050 nfs_mount 3 rsize=65536
	assert "the same data" cmp $EXPORT/data $MNT/data
	nfs_umount
	await "the peer has ended" 20 peer_gone
	wait $PEER_PID || fail "our client, $1 at a time: $(cat $TEST_TMP/serve)"
	PEER_PID=
	log "our client, $1 at a time: $(tail -1 $TEST_TMP/serve)"
	used "$1" $TEST_TMP/serve
}

peer_gone() { ! kill -0 "$PEER_PID" 2>/dev/null; }

# used DEPTH FILE: at least half of what it may have outstanding was.
used() {
	assert_ge "most outstanding" "$(sed -n 's/^most \([0-9]*\).*/\1/p' "$2")" $((($1 + 1) / 2))
}

cleanup() {
	[ -z "${PEER_PID:-}" ] || kill "$PEER_PID" 2>/dev/null || true
	[ -z "${VERSION_BEFORE:-}" ] || echo "$VERSION_BEFORE" >/sys/module/xprtrdma/parameters/max_version
}
