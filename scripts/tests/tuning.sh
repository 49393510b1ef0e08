#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="operations of 8 and 16 KiB need no chunks once both sides' Receives have grown, and they stay so until the connection ends"
TARGET=guest-long
TIMEOUT=300
AUTOLOAD=n

requires() {
	need_ours || return 1
	[ "$MAX_VERSION" -ge 2 ] || { echo "version 1 has no properties"; return 1; }
}

BASE=5120
LARGE=18432
# What the client can send inline: an adapter with few gather entries (siw has 6) is not enough for
# 16 KiB, which are four pages and what surrounds them.
SEND=16384
PEER=$LARGE
if [ "${PROVIDER:-rxe}" = siw ]; then
	SEND=8192
	PEER=9216
fi

# conn NAME: a value of the connection, as the client has it
conn() { conn_values client "$1"; }
conn_is() { [ "$(conn "$1")" = "$2" ]; }
sizes_are() { conn_is own_props.recv_size "$1" && conn_is peer_props.recv_size "$2"; }
small() { sizes_are $BASE $BASE && [ "$(conn memory.receives)" = $(($(conn receives) * BASE)) ]; }

# io SIZE COUNT SEED: write, and compare on both sides
io() {
	assert "writes of $1 bytes" "$IOTOOL" blocks-write $MNT/f "$1" "$2" "$3" direct
	assert "the server's bytes" "$IOTOOL" blocks-check $EXPORT/f "$1" "$2" "$3"
	assert "reads of $1 bytes" "$IOTOOL" blocks-check $MNT/f "$1" "$2" "$3" direct
}

# grows: operations of 16 KiB, or as much as can be sent inline, until both sides' Receives are large
grows() {
	SEED=$((${SEED:-100} + 1))
	io $SEND 50 $SEED
	assert "reads" "$IOTOOL" blocks-check $MNT/r 16384 50 9 direct
	sizes_are $LARGE $PEER
}

chunks() {
	assert_eq "Read list entries for $3" "$1" "$(delta read_chunks)"
	assert_eq "segments of Write chunks for $3" "$2" "$(delta write_chunks)"
}

# once: small, grow, use
once() {
	local n
	log "before: $(conn receives) Receives, $(conn memory.receives) bytes"
	await "small Receives" 20 small
	snapshot
	io 8192 4 1
	io 16384 4 2
	chunks 8 8 "8 writes, 8 reads, small Receives"

	await "growing" 60 grows
	log "during: $(conn receives) Receives, $(conn memory.receives) bytes"
	snapshot
	for n in 1 2 3 4 5 6 7 8 9 10; do
		io 8192 10 $n
		io $SEND 10 $n
		assert "reads" "$IOTOOL" blocks-check $MNT/r 16384 10 9 direct
	done
	chunks 0 0 "200 writes, 300 reads, large Receives"
	assert_ge "bytes of Receives" "$(conn memory.receives)" $(($(conn receives) * LARGE * 3 / 4))
	assert_eq "long calls" 0 "$(delta nomsg_calls)"
	assert_eq "Reply chunks" 0 "$(delta reply_chunks)"
}

test() {
	local c interval=$((4000 * SLOW))
	transport_load tuning_interval=$interval tuning_interval=$interval
	nfsd_start
	"$IOTOOL" blocks-write $EXPORT/r 16384 50 9
	nfs_mount 4.2
	log "one connection"
	once
	log "idle, then busy with small operations"
	sleep $((interval / 1000 + 1))
	io 4096 20 5
	sizes_are $LARGE $PEER || fail "sizes have changed"
	nfs_umount
	nfs_mount 4.2
	log "another one"
	await "growing" 60 grows
	assert_ge "growths" "$(ours_stat client recvs_grown)" 2
	assert_ge "requests to the server" "$(ours_stat client tuning_asked)" 2
	for c in props_bad props_unexpected resprops_bad changes_refused updprops_ignored resizes_failed \
		messages_ignored replies_bad errors_received; do
		assert_eq "client's $c" 0 "$(ours_stat client $c)"
	done
	assert_eq "connections made" 1 "$(xprt_stat connects)"
	nfs_umount
}
