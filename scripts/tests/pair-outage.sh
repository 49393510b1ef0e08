#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="short outages of a link under load: I/O goes on about a second after the link is back, whatever the outage has lasted"
TARGET=guest-long
GUESTS=2
VERSIONS=any
TIMEOUT=300

# In-tree does not come back after its interface was down.
requires() { need_ours && have tc && kernel_has sch_netem; }

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

left() {
	nfsd_start
	meet serving
	each_outage
}

right() {
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
		"${GUEST_SIDE}_$what" "$length"
		meet "$n-end" 90
	done <<<"$OUTAGES"
}

left_cut() {
	meet "$n-loaded"
	link_cut
	elapses "$1"
	link_mend
}
left_down() { meet "$n-loaded"; }
left_carrier() { meet "$n-loaded"; }

right_cut() { stalls "$1" link_cut link_mend; }
# eth0 is a bridge; without a port it has no carrier.
right_carrier() {
	port=$(ls /sys/class/net/eth0/brif)
	stalls "$1" "ip link set $port nomaster" port_back
}
port_back() { ip link set "$port" master eth0; }
right_down() { stalls "$1" "ip link set eth0 down" link_up; }
link_up() {
	ip link set eth0 up
	ip -6 addr add fd01::2/64 dev eth0 nodad 2>/dev/null || true
}

# stalls SECONDS BREAK MEND: how long the longest operation takes.
stalls() {
	local worker worst connects
	rm -f $TEST_TMP/enough $TEST_TMP/ops
	connects=$(xprt_stat connects)
	writes_and_reads &
	worker=$!
	await "load runs" 20 more_than 3
	meet "$n-loaded"
	$2
	elapses "$1"
	$3
	wait_for 40 goes_on "$(wc -l <$TEST_TMP/ops)" || fail "I/O does not go on"
	touch $TEST_TMP/enough
	assert "data is right" wait $worker
	worst=$(sort -n $TEST_TMP/ops | tail -1)
	log "$what for $1 s: $(($(xprt_stat connects) - connects)) reconnections, longest operation $worst ms"
	[ $worst -le $((1000 * $1 + EXTRA * SLOW)) ] || late="$late, $what for $1 s: $worst ms"
}
more_than() { [ -f $TEST_TMP/ops ] && [ "$(wc -l <$TEST_TMP/ops)" -gt "$1" ]; }
goes_on() { more_than $(($1 + 2)); }

# writes_and_reads: write and read again and again; print the milliseconds that each took.
writes_and_reads() {
	local i=0 begin
	until [ -e $TEST_TMP/enough ]; do
		i=$((i + 1))
		begin=$(now_ms)
		"$IOTOOL" write $MNT/f 0 4096 $i direct || return 1
		"$IOTOOL" check $MNT/f 0 4096 $i direct || return 1
		echo $(($(now_ms) - begin)) >>$TEST_TMP/ops
	done
}

cleanup() {
	touch $TEST_TMP/enough
	link_mend
	[ -z "${port:-}" ] || port_back
	link_up
}
