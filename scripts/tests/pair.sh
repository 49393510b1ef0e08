#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="two guests: links that lose, damage, reorder and delay packets or are cut; clients that vanish"
VARIANTS="damage killed outage"
TARGET=guest-long
TARGET_damage=guest-damage
GUESTS=2
VANISHES_killed=right
VERSIONS=any
ALLOW_damage="sw/rxe/rxe_comp.c:[0-9]+ (at )?rxe_completer"
TIMEOUT=240
TIMEOUT_killed=180
TIMEOUT_outage=300

requires() { have tc && kernel_has sch_netem; }

# killed: a client's guest is killed, with a busy connection, an idle one, and one with a callback
# in flight. The server releases all of them within 45 s.
requires_killed() { need_ours; }

left_killed() {
	local begin
	nfs_state
	# nfsd ends the client's state, with an unreturned delegation, a lease time after the
	# client's last message. The lease time is longer than the limit of this test, so the end of
	# the state cannot be the reason that the connection is released.
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
	# Slower kernels get no extra time, because tunables.rst promises this limit.
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

open_connections() { ctl list --side server --json | field 'sum(c["state"] == "connected" for c in d)'; }
released_not() { counters_leak | grep -v '^svcrdma: listeners ' || true; }
all_released() { [ -z "$(released_not)" ]; }

# damage: packets between two guests are damaged, reordered, delayed and lost. The data is intact,
# and I/O never stops for long. If a packet in the middle is missing, soft-RoCE's completer can fail
# a Work Request without setting an error, and warns. The Queue Pair fails, and the client
# reconnects.

# Names, and netem's arguments for both guests' interfaces.
DAMAGES="none|
corrupt|corrupt 1%
reorder|delay 10ms reorder 25% 50%
jitter|delay 20ms 10ms
loss|loss 5%"
# For figures that can be compared with those in testing.rst, use 20 s.
DAMAGE_SECONDS=5
# The longest recovery of a client (tunables.rst), and the operations, which may be repeated
STALL_LIMIT=60

left_damage() {
	nfsd_start
	meet serving
	each_damage
}

right_damage() {
	meet serving
	nfs_mount 4.1
	each_damage
}

# each_damage: measure with each kind of damage, in both guests at the same time.
each_damage() {
	local name args
	while IFS='|' read -r name args; do
		meet "$name" 90
		# shellcheck disable=SC2086
		[ -z "$args" ] || tc qdisc add dev eth0 root netem $args
		[ "$GUEST_SIDE" = left ] || damage_measured "$name"
		meet "$name-measured" 180
		link_mend
		meet "$name-over" 90
	done <<<"$DAMAGES"
}

damage_measured() {
	local before
	before=$(xprt_stat connects)
	io_start 65536 "$1"-{1..4}
	sleep $DAMAGE_SECONDS
	io_end
	log "damage $1: $(io_count) operations, $(($(xprt_stat connects) - before)) reconnections, longest operation $LONGEST ms"
	assert_ge "operations with damage $1" "$(io_count)" 4
	assert_le "longest operation with damage $1 (ms)" "$LONGEST" $((STALL_LIMIT * 1000 * SLOW))
}

# outage: after short outages of a link under load, I/O continues about a second after the link is
# back, whatever the duration of the outage. In-tree does not recover after its interface was down.
requires_outage() { need_ours && have tc && kernel_has sch_netem; }

# Kinds of outages, and their seconds
OUTAGES="cut 1
cut 3
cut 10
cut 22
cut 40
down 1
down 10
carrier 10"
# Milliseconds for which I/O may stop after the link is back, until the next attempt to connect, or
# until soft-RoCE or ARP repeats a packet
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
	sleep "$1"
	link_mend
}
left_outage_down() { meet "$n-loaded"; }
left_outage_carrier() { meet "$n-loaded"; }

right_outage_cut() { stalls "$1" link_cut link_mend; }
# eth0 is a bridge, which has no carrier without a port.
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

# stalls SECONDS BREAK MEND: check the duration of the longest operation.
stalls() {
	local connects
	connects=$(xprt_stat connects)
	io_start 4096 f
	await "load runs" 20 io_more 3
	meet "$n-loaded"
	$2
	sleep "$1"
	$3
	wait_for 40 io_more $(($(io_count) + 2)) || fail "I/O does not go on"
	io_end
	log "$what for $1 s: $(($(xprt_stat connects) - connects)) reconnections, longest operation $LONGEST ms"
	[ "$LONGEST" -le $((1000 * $1 + EXTRA * SLOW)) ] || late="$late, $what for $1 s: $LONGEST ms"
}
