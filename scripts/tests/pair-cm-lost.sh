#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the first CM REQ, REP or RTU is lost, of a mount and of a reconnection under load: no attempt fails, and the client tries again after a second"
TARGET=guest-long
GUESTS=2
KERNELS="uml x86"
VERSIONS=any
TIMEOUT=90

requires() { have tc && kernel_has sch_ingress && kernel_has cls_u32 && kernel_has act_gact; }

# Message, receiving side, attribute, and minimum and maximum delay, in milliseconds, that its
# loss adds (tunables.rst): our client finds out after a second, and looks five times a second.
# In-tree waits for the CM, which on RoCE sends a REQ again after 4.6 s, and a REP after 4.096 s
# (4.096 us * 2^20). The minima allow for clocks of 100 Hz. A lost RTU adds none: the client may
# send as soon as it has sent it.
if [ "${TRANSPORT:-ours}" = ours ]; then
	MESSAGES="REQ left 0x10 950 1350
REP right 0x13 950 1350
RTU left 0x14 0 0"
else
	MESSAGES="REQ left 0x10 4500 4600
REP right 0x13 4050 4600
RTU left 0x14 0 0"
fi

left() {
	nfsd_start
	meet serving
	each_message nothing_left
}

right() {
	meet serving
	each_message connects
	refute "a message about a server that does not answer" grep -E 'not responding|timed out' < <(dmesg_since_mark)
}

# each_message COMMAND: run it with each message lost, first of a mount, then of a
# reconnection.
each_message() {
	local message receiver attribute least most what
	while read -r message receiver attribute least most; do
		for what in mounts reconnects; do
			[ "$GUEST_SIDE" != "$receiver" ] || drop_first
			meet "$message-$what"
			"$1"
			meet "$message-$what-done"
			[ "$GUEST_SIDE" != "$receiver" ] || dropped_one
			meet "$message-$what-seen"
		done
		[ "$GUEST_SIDE" = left ] || nfs_umount
	done <<<"$MESSAGES"
}

# nothing_left: a try that the client has given up leaves nothing at our server.
nothing_left() {
	meet "$message-$what-connected"
	[ "$TRANSPORT" = ours ] || return 0
	await "one connection" 10 one_connection
}
one_connection() {
	[ "$(ours_stat server conns_created)" = $(($(ours_stat server conns_destroyed) + 1)) ] &&
		[ "$(ours_stat server connreqs_created)" = "$(ours_stat server connreqs_destroyed)" ]
}

# drop_first: drop the first $message (and the third one) that arrives at eth0. It is a MAD of
# management class 7 to Queue Pair 1, behind the headers of IPv4 (20 bytes), UDP (8), BTH (12)
# and DETH (8). A REQ counts if it is for the server's port. It is dropped on arrival because
# soft-RoCE ends the Queue Pair if a packet is dropped before it has left.
drop_first() {
	local port=()
	[ "$message" != REQ ] || port=(match u16 20049 0xffff at 86)
	tc qdisc add dev eth0 clsact
	tc filter add dev eth0 ingress protocol ip pref 1 u32 match ip protocol 17 0xff match ip dport 4791 0xffff \
		match u32 1 0x00ffffff at 32 match u8 7 0xff at 49 match u16 "$attribute" 0xffff at 64 "${port[@]}" \
		action drop random determ pass 2
	assert_eq "of $message seen, dropped" "0 0" "$(seen_dropped)"
}

# dropped_one: assert that the message passed the second time, and that there was no third.
dropped_one() {
	await "$message was sent again" 10 sent_twice
	assert_eq "of $message seen, dropped" "2 1" "$(seen_dropped)"
	tc qdisc del dev eth0 clsact
}

# seen_dropped: number of such messages, and how many of them were dropped.
seen_dropped() { tc -s filter show dev eth0 ingress | sed -n 's/.*Sent [0-9]* bytes \([0-9]*\) pkt (dropped \([0-9]*\),.*/\1 \2/p'; }
sent_twice() { [[ $(seen_dropped) == "2 "* ]]; }

# connects: connect by $what, which sets $took; no attempt fails, and it takes no longer than
# tunables.rst says.
connects() {
	local failed=0 took
	[ "$TRANSPORT" != ours ] || failed=$(ours_stat client connects_failed)
	"$what"
	log "$what without the first $message: $took ms"
	[ "$TRANSPORT" != ours ] || assert_eq "attempts that failed" "$failed" "$(ours_stat client connects_failed)"
	assert_ge "milliseconds without the first $message" $took "$least"
	# the delay of the retransmission, and time for everything else
	assert_le "milliseconds without the first $message" $took $((most + 3000 * SLOW))
	meet "$message-$what-connected"
}

mounts() {
	local begin
	begin=$(now_ms)
	nfs_mount 4.1
	took=$(($(now_ms) - begin))
	assert_eq "connections" 1 "$(xprt_stat connects)"
}

# reconnects: end the connection by giving sunrpc the server's address again. $took is the time
# from then to the end of the longest of the operations that ended later, which may have begun a
# little earlier or later.
reconnects() {
	local worker ops lost
	rm -f $TEST_TMP/enough $TEST_TMP/ops
	writes_and_reads &
	worker=$!
	await "load runs" 20 [ -s $TEST_TMP/ops ]
	lost=$(now_ms)
	echo "$PEER" >"$(echo /sys/kernel/sunrpc/xprt-switches/switch-*/xprt-*-rdma/dstaddr)"
	await "the connection is there again" 20 connected_again
	ops=$(wc -l <$TEST_TMP/ops)
	await "load goes on" 20 more_than "$ops"
	touch $TEST_TMP/enough
	assert "data is right" wait $worker
	assert_eq "connections" 2 "$(xprt_stat connects)"
	took=$(($(awk -v lost="$lost" '$2 >= lost' $TEST_TMP/ops | sort -n | awk 'END { print $2 }') - lost))
}
connected_again() { [ "$(xprt_stat connects)" -ge 2 ]; }
more_than() { [ "$(wc -l <$TEST_TMP/ops)" -gt "$1" ]; }

# writes_and_reads: write and read again and again; print the milliseconds that each took, and
# when it ended.
writes_and_reads() {
	local n=0 begin end
	until [ -e $TEST_TMP/enough ]; do
		n=$((n + 1))
		begin=$(now_ms)
		"$IOTOOL" write $MNT/f 0 65536 $n direct || return 1
		"$IOTOOL" check $MNT/f 0 65536 $n direct || return 1
		end=$(now_ms)
		echo "$((end - begin)) $end" >>$TEST_TMP/ops
	done
}

cleanup() { tc qdisc del dev eth0 clsact 2>/dev/null || true; }
