#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="two guests: data, delegations and settings between hosts; links that lose, damage, reorder and delay packets or are cut; clients that vanish"
VARIANTS="cm-lost conf cut damage data delegation killed loss many outage"
TARGET=guest-long
TARGET_delegation=""
TARGET_conf=""
TARGET_damage=guest-damage
GUESTS=2
VANISHES_killed=right
VERSIONS=any
VERSIONS_data=same
VERSIONS_delegation=same
ALLOW_loss="sw/rxe/rxe_comp.c:[0-9]+ rxe_completer"
ALLOW_damage="sw/rxe/rxe_comp.c:[0-9]+ rxe_completer"
TIMEOUT=240
TIMEOUT_delegation=60
TIMEOUT_conf=120
TIMEOUT_many=300
TIMEOUT_killed=180
TIMEOUT_loss=180
TIMEOUT_cut=150
TIMEOUT_outage=300
TIMEOUT_cm_lost=90
KERNELS_cm_lost="uml x86"
TRANSPORT_LEFT_data=ours
TRANSPORT_LEFT_conf=intree
TRANSPORT_RIGHT_data=ours
TRANSPORT_RIGHT_conf=ours

# data: our client and server in two guests: same data, inline thresholds 1024 and 4096, Remote
# Invalidation on and off
left_data() { interop_left; }
right_data() { interop_right; }

# delegation: a delegation held by the client of one guest is recalled over RDMA when the other
# guest's client writes
left_delegation() {
	recall_serve
	if [ "$TRANSPORT" = ours ]; then assert_ge "callbacks sent" "$(ours_stat server callbacks_sent)" 1; fi
}

right_delegation() {
	meet serving
	recall_hold
	if [ "$TRANSPORT" = ours ]; then assert_ge "callbacks answered" "$(ours_stat client bc_replies)" 1; fi
}

# conf: our client asks the in-tree server for its limits, which does not know the program: the
# mount works as without
requires_conf() { need_extensions conf; }

left_conf() {
	nfsd_start 8
	meet ready
	meet finished 100
}

right_conf() {
	local v
	echo Y >/sys/module/xprtrdma/parameters/connection_configuration
	meet ready
	SERVER=$ADDR4
	for v in $NFS_VERSIONS; do
		nfs_mount "$v"
		bulk_copy "$v" 2
		assert_eq "longest call" 4096 "$(conn_values client inline_send)"
		assert_eq "longest reply" 4096 "$(conn_values client inline_recv)"
		nfs_umount
	done
	echo N >/sys/module/xprtrdma/parameters/connection_configuration
	assert_eq "CONF_RDMA sent" "$(ours_stat client connects)" "$(ours_stat client conf_sent)"
	assert_eq "and refused" "$(ours_stat client connects)" "$(ours_stat client conf_refused)"
	assert_eq "connections that failed" 0 "$(ours_stat client connects_failed)"
	assert_eq "connections lost" 0 "$(ours_stat client disconnects)"
	meet finished
}

# many: 100 mounts wait for a server that was stopped: all of them go on seconds after it has
# started
MOUNTS=100
# Seconds: the longest delay after a refusal (tunables.rst), and the work of 100 connections
LIMIT=5

left_many() {
	local i
	for ((i = 1; i <= MOUNTS; i++)); do ip addr add 10.77.0.$i/16 dev eth0; done
	nfsd_start 16
	head -c 4096 /dev/urandom >$EXPORT/f
	meet serving
	meet mounted 100
	nfsd_stop
	meet stopped
	meet waiting
	# Long enough for the longest delay
	elapses 5
	nfsd_again 16
	echo "$EPOCHREALTIME" >/run/shared/started
	meet started
	meet measured 100
}

# Each address is a server of its own to NFSv3.
right_many() {
	local i
	ip addr add 10.77.200.1/16 dev eth0
	meet serving
	for ((i = 1; i <= MOUNTS; i++)); do SERVER=10.77.0.$i nfs_mount 3 '' $MNT-$i; done
	meet mounted 100
	meet stopped
	for ((i = 1; i <= MOUNTS; i++)); do read_once $MNT-$i & done
	meet waiting
	meet started
	wait
	assert_eq "mounts that go on" $MOUNTS "$(wc -l <$TEST_TMP/ends)"
	log "the last one goes on after $(took) ms"
	assert_le "milliseconds" "$(took)" $((LIMIT * 1000 * SLOW))
	meet measured
}

read_once() {
	limit 100 dd if="$1/f" of=/dev/null iflag=direct bs=4096 count=1 status=none || return 0
	echo "$EPOCHREALTIME" >>$TEST_TMP/ends
}

# took: milliseconds from the start of the server to the end of the last read
took() { sort -n $TEST_TMP/ends | awk -v t="$(cat /run/shared/started)" 'END { printf "%d", 1000 * ($1 - t) }'; }

# Nothing may be sent to an address without a route: soft-RoCE's Queue Pair 1 does not recover from
# a message of the CM that it cannot send, and the guest connects to nothing any more.
cleanup_many() {
	local i
	umount_all
	meet unmounted-many
	nfsd_stop
	await "no connection is left" 10 counters_balanced
	meet closed
	for ((i = 1; i <= MOUNTS; i++)); do ip addr del 10.77.0.$i/16 dev eth0 2>/dev/null || true; done
	ip addr del 10.77.200.1/16 dev eth0 2>/dev/null || true
}

# killed: a client's guest is killed, with a busy connection, an idle one, and one with a callback
# in flight: the server releases all of them in 45 s
requires_killed() { need_ours; }

left_killed() {
	local begin
	nfs_state
	# nfsd alone ends a delegation that is not returned, a lease time after it last heard
	# of the client. That is longer than the test allows for the release, so that it is not
	# the end of the client's state that releases the connection.
	echo 50 >/proc/fs/nfsd/nfsv4leasetime
	nfsd_start
	echo first >$EXPORT/delegated
	meet serving
	meet busy 90
	assert "a delegation was given" delegation_held
	assert_eq "connections" 3 "$(open_connections)"
	meet killed
	begin=$SECONDS
	# nfsd checks its clients once per lease time
	limit 110 sh -c "echo second >$EXPORT/delegated" &
	# no extra time on slower kernels: tunables.rst promises this
	poll_for 45 all_released || fail "not released: $(released_not)"
	log "released after $((SECONDS - begin)) s"
	assert_ge "callbacks sent" "$(ours_stat server callbacks_sent)" 1
	assert "the file can be written" wait $!
	log "written after $((SECONDS - begin)) s"
	nfs_mount 4.1
	assert_eq "another client is served" second "$(cat $MNT/delegated)"
}

right_killed() {
	meet serving
	nfs_mount 4.1 "" $TEST_TMP/delegated
	open_with_delegation $TEST_TMP/delegated/delegated
	SERVER=$PEER6 PROTO=rdma6 nfs_mount 3 "" $TEST_TMP/idle
	nfs_mount 3
	while :; do dd if=/dev/zero of=$MNT/busy bs=256k count=100 oflag=direct status=none; done &
	await "load runs" 20 [ -s $MNT/busy ]
	meet busy
	meet killed
	vanish
}

open_connections() { conn_values server | count '^state connected'; }
released_not() { counters_leak | grep -v '^svcrdma: listeners ' || true; }
all_released() { [ -z "$(released_not)" ]; }

# loss: one packet in a hundred lost each way between two guests: data intact
# If a packet is missing in the middle, soft-RoCE's completer may fail a Work Request without
# setting an error, and warns. The Queue Pair ends, and the client reconnects.

requires_loss() { have tc && kernel_has sch_netem; }

left_loss() {
	nfsd_start
	tc qdisc add dev eth0 root netem loss 1%
	meet serving
	meet finished 170
	tc qdisc del dev eth0 root
}

right_loss() {
	local v
	meet serving
	tc qdisc add dev eth0 root netem loss 1%
	for v in 3 4.1; do
		nfs_mount $v
		pair_files $v
		bulk_copy $v 4
		nfs_umount
	done
	tc qdisc del dev eth0 root
	meet finished
}

cleanup_loss() { tc qdisc del dev eth0 root 2>/dev/null || true; }

# damage: packets between two guests are damaged, reordered, delayed and lost: data intact, I/O
# never stops for long
# soft-RoCE's completer, as in pair-loss

requires_damage() { have tc && kernel_has sch_netem; }

# Names, and netem's arguments for both guests' interfaces.
DAMAGES="none|
corrupt|corrupt 1%
reorder|delay 10ms reorder 25% 50%
jitter|delay 20ms 10ms
loss|loss 5%"
# 20 s gives figures that can be compared with those in testing.rst.
DAMAGE_SECONDS=5 WORKERS=4
# The longest recovery of a client (tunables.rst), and the work itself, which may be repeated.
STALL_LIMIT=60

left_damage() {
	nfsd_start
	meet serving
	each_damage damaged_side 180
}

right_damage() {
	meet serving
	nfs_mount 4.1
	each_damage damage_measured
}

# each_damage FUNCTION [ARGS]: run it with each kind of damage, in both guests at the same
# time.
each_damage() {
	local name args
	while IFS='|' read -r name args; do
		meet "$name" 90
		# shellcheck disable=SC2086
		[ -z "$args" ] || tc qdisc add dev eth0 root netem $args
		"$1" "$name" "${@:2}"
		link_mend
		meet "$name-over" 90
	done <<<"$DAMAGES"
}

damaged_side() {
	meet "$1-measured" "$2"
}

damage_measured() {
	local i pids=() before worst=0 ops=0 n ms
	before=$(xprt_stat connects)
	for ((i = 0; i < WORKERS; i++)); do
		damage_worker "$1" $i >"$TEST_TMP/worker-$i" &
		pids+=($!)
	done
	for i in "${pids[@]}"; do assert "data with damage $1" wait $i; done
	for ((i = 0; i < WORKERS; i++)); do
		read -r n ms <"$TEST_TMP/worker-$i"
		ops=$((ops + n))
		[ "$ms" -le $worst ] || worst=$ms
	done
	log "damage $1: $ops operations, $(($(xprt_stat connects) - before)) reconnections, longest operation $worst ms"
	assert_ge "operations with damage $1" $ops $WORKERS
	assert_le "longest operation with damage $1 (ms)" $worst $((STALL_LIMIT * 1000 * SLOW))
	meet "$1-measured" 90
}

# damage_worker NAME NUMBER: write, and read it back; print the number of operations and the
# milliseconds of the longest.
damage_worker() {
	local end=$((SECONDS + DAMAGE_SECONDS)) n=0 worst=0 begin ms f=$MNT/$1-$2
	while [ $SECONDS -lt $end ]; do
		begin=$(now_ms)
		"$IOTOOL" write "$f" 0 65536 $n direct >&2 || return 1
		"$IOTOOL" check "$f" 0 65536 $n direct >&2 || return 1
		ms=$(($(now_ms) - begin))
		[ $ms -le $worst ] || worst=$ms
		n=$((n + 1))
	done
	echo $n $worst
}

cleanup_damage() { link_mend; }

# cut: the link is cut silently while a client only waits for a reply: both sides notice it in
# time, and the client continues
requires_cut() { need_ours && have tc && kernel_has sch_netem; }

left_cut() {
	local begin
	nfsd_start
	echo data >$EXPORT/f
	meet serving
	meet mounted 90
	# a call that needs mountd makes nfsd wait
	assert "mountd stops" kill -STOP "$(pidof rpc.mountd)"
	limit 10 exportfs -f
	meet stopped
	meet waiting
	link_cut
	meet cut
	begin=$SECONDS
	# the call, which nfsd has deferred, holds the connection
	kill -CONT "$(pidof rpc.mountd)"
	# no extra time on slower kernels: tunables.rst promises this
	poll_for 45 released || fail "not released: $(counters_leak)"
	log "released after $((SECONDS - begin)) s"
	meet noticed
	link_mend
	meet mended
	meet finished 90
}

right_cut() {
	local reader before begin
	meet serving
	nfs_mount 3 actimeo=0
	assert_eq "data" data "$(cat $MNT/f)"
	meet mounted
	meet stopped
	before=$(ours_stat client replies)
	stat $MNT/f >/dev/null &
	reader=$!
	await "the call was sent" 10 call_waits
	# the Send has been acknowledged, and so has a probe
	await "a probe was answered" 20 probed_twice
	assert_eq "replies since" "$before" "$(ours_stat client replies)"
	assert_eq "lost connections" 0 "$(ours_stat client disconnects)"
	meet waiting
	link_cut
	meet cut
	begin=$SECONDS
	poll_for 15 vanished || fail "the client has not noticed that its server is gone"
	log "noticed after $((SECONDS - begin)) s"
	meet noticed 90
	link_mend
	meet mended
	begin=$SECONDS
	assert "the waiting process goes on" within 35 tail --pid=$reader -s 0.1 -f /dev/null
	log "goes on after $((SECONDS - begin)) s"
	assert_eq "data afterwards" data "$(cat $MNT/f)"
	meet finished
}

released() { [ "$(ours_stat server conns_destroyed)" = "$(ours_stat server conns_created)" ]; }
call_waits() { [ "$(ours_stat client sends_created)" -gt "$(ours_stat client replies)" ]; }
probed_twice() { [ "$(ours_stat client probes_sent)" -ge 2 ]; }
vanished() { [ "$(ours_stat client conns_vanished)" -ge 1 ]; }

cleanup_cut() {
	kill -CONT "$(pidof rpc.mountd)" 2>/dev/null || true
	link_mend
}

# outage: short outages of a link under load: I/O goes on about a second after the link is back,
# whatever the outage has lasted
# In-tree does not come back after its interface was down.
requires_outage() { need_ours && have tc && kernel_has sch_netem; }

# What is done to the link, and for how many seconds
OUTAGES="cut 1
cut 3
cut 10
cut 22
cut 40
down 1
down 10
carrier 10"
# Milliseconds for which I/O may stop after the link is back: until the next try to connect,
# or until soft-RoCE or ARP repeat a packet.
EXTRA=1500

left_outage() {
	nfsd_start
	meet serving
	each_outage
}

right_outage() {
	local late=''
	meet serving
	nfs_mount 4.1
	each_outage
	[ -z "$late" ] || fail "more than $EXTRA ms longer than the outage${late}"
}

each_outage() {
	local n=0 what length
	while read -r what length; do
		n=$((n + 1))
		meet "$n-begin" 90
		"${GUEST_SIDE}_outage_$what" "$length"
		meet "$n-end" 90
	done <<<"$OUTAGES"
}

left_outage_cut() {
	meet "$n-loaded"
	link_cut
	elapses "$1"
	link_mend
}
left_outage_down() { meet "$n-loaded"; }
left_outage_carrier() { meet "$n-loaded"; }

right_outage_cut() { stalls "$1" link_cut link_mend; }
# eth0 is a bridge; without a port it has no carrier.
right_outage_carrier() {
	port=$(ls /sys/class/net/eth0/brif)
	stalls "$1" "ip link set $port nomaster" port_back
}
port_back() { ip link set "$port" master eth0; }
right_outage_down() { stalls "$1" "ip link set eth0 down" link_up; }
link_up() {
	ip link set eth0 up
	ip -6 addr add fd01::2/64 dev eth0 nodad 2>/dev/null || true
}

# stalls SECONDS BREAK MEND: how long the longest operation takes.
stalls() {
	local worker worst connects
	rm -f $TEST_TMP/enough $TEST_TMP/ops
	connects=$(xprt_stat connects)
	writes_and_reads 4096 &
	worker=$!
	await "load runs" 20 more_than 3
	meet "$n-loaded"
	$2
	elapses "$1"
	$3
	wait_for 40 goes_on "$(wc -l <$TEST_TMP/ops)" || fail "I/O does not go on"
	touch $TEST_TMP/enough
	assert "data is right" wait $worker
	worst=$(sort -n $TEST_TMP/ops | tail -1 | cut -d' ' -f1)
	log "$what for $1 s: $(($(xprt_stat connects) - connects)) reconnections, longest operation $worst ms"
	[ $worst -le $((1000 * $1 + EXTRA * SLOW)) ] || late="$late, $what for $1 s: $worst ms"
}
more_than() { [ -f $TEST_TMP/ops ] && [ "$(wc -l <$TEST_TMP/ops)" -gt "$1" ]; }
goes_on() { more_than $(($1 + 2)); }

# writes_and_reads BYTES: write and read again and again, until there is enough; note the milliseconds
# that each took, and when it ended.
writes_and_reads() {
	local n=0 begin end
	until [ -e $TEST_TMP/enough ]; do
		n=$((n + 1))
		begin=$(now_ms)
		"$IOTOOL" write $MNT/f 0 $1 $n direct || return 1
		"$IOTOOL" check $MNT/f 0 $1 $n direct || return 1
		end=$(now_ms)
		echo "$((end - begin)) $end" >>$TEST_TMP/ops
	done
}

cleanup_outage() {
	touch $TEST_TMP/enough
	link_mend
	[ -z "${port:-}" ] || port_back
	link_up
}

# cm-lost: the first CM REQ, REP or RTU is lost, of a mount and of a reconnection under load: no attempt
# fails, and the client tries again after a second
requires_cm_lost() { have tc && kernel_has sch_ingress && kernel_has cls_u32 && kernel_has act_gact; }

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

left_cm_lost() {
	nfsd_start
	meet serving
	each_message nothing_left
}

right_cm_lost() {
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
	[ "$(ours_stat server conns_created)" = $(($(ours_stat server conns_destroyed) + 1)) ]
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
	writes_and_reads 65536 &
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

cleanup_cm_lost() { tc qdisc del dev eth0 clsact 2>/dev/null || true; }
