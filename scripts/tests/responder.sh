#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # pid, of responder_up
DESCRIPTION="our client mounts from hostile servers that tamper with answers, or stop answering"
VARIANTS="random stops"
TARGET=fuzz-guest
KERNELS="uml x86"
PROGRAMS="responder"
VERSIONS=any
TIMEOUT=900

requires() { need_ours; }

# With a responder that tampers with its answers, our client may get errors. It must not hang or
# crash, or leave memory accessible.
test_random() {
	peers_up
	: >/run/mounts
	batches responder_batch 3
	log "$(wc -l </run/mounts) mounts of the bad server"
	# Without a mount, there was no answer to tamper with.
	assert "mounts" [ -s /run/mounts ]
}

responder_batch() {
	local versions=(3 4.2 3 4.1 4.0) version i bad=0
	version=${versions[$1 % 5]}
	offer_version $((1 + $1 % 2))
	responder_up -s "${FUZZ_SEED:-1}" -b "$1" || { cat /run/responder; return 1; }
	for i in 1 2; do
		in_time 90 a_round "$version,soft,timeo=$((7 * SLOW)),retrans=1" || { bad=1; break; }
	done
	[ $bad = 0 ] || log "a mount of version $version does not come to an end: $(show_stuck; mount | grep $BAD)"
	kill -TERM "$pid" 2>/dev/null
	wait "$pid" || bad=1
	grep -v listening /run/responder
	[ $bad = 0 ]
}

# a_round VERSION: mount, use the mount, unmount by force.
a_round() {
	local try
	for try in 1 2 3; do
		mount_bad "$1" timeout -k 1 $((10 * SLOW)) 2>/dev/null && break
	done
	mountpoint -q $BAD || return 0
	echo "$try" >>/run/mounts
	use_it
	umount -f $BAD 2>/dev/null
	! mountpoint -q $BAD || umount $BAD
}

# use_it: transfer data in every possible way, partly in the background, so many calls are in
# flight.
use_it() {
	local i
	for i in 1 2; do
		attempt dd if=$BAD/data of=/dev/null bs=64k iflag=direct &
		attempt dd if=/dev/zero of=$BAD/bad-$i bs=40k count=4 oflag=direct &
	done
	attempt dd if=$BAD/data of=/dev/null bs=3001 count=3 iflag=direct
	attempt dd if=/run/data of=$BAD/bad-3 bs=3001 count=5 oflag=direct
	attempt ls -l $BAD/names
	attempt cat $BAD/link
	attempt readlink $BAD/link
	attempt cp /run/data $BAD/bad-4
	attempt cmp /run/data $BAD/data
	attempt ln -sf "$(printf 'x%.0s' {1..900})" $BAD/bad-5
	attempt rm -f $BAD/bad-4
	wait
}

# attempt COMMAND...: run a command that may fail, but must end.
attempt() { timeout -k 1 $((4 * SLOW)) "$@" >/dev/null 2>&1; }

# Cases so far, and failed cases. A case is a function that runs in a subshell, which exits when a
# command fails.
n=0 failed=

# one DESCRIPTION COMMAND...: run a case. Each server has a new port, for which the client has no
# remembered state.
one() {
	local status
	n=$((n + 1)) BAD_PORT=$((BAD_PORT + 1))
	cp /sys/kernel/debug/xprtrdma/stats /run/before
	set +e
	(
		set -eE
		trap 'log "command failed: $BASH_COMMAND"' ERR
		"${@:2}"
	)
	status=$?
	set -e
	if [ $status -eq 0 ] && all_well; then
		log "ok $n $1"
		return
	fi
	log "not ok $n $1"
	counters_log
	sed 's/^/# responder: /' /run/responder
	failed+=" $1;"
	peers_down
}

# grown NAME: print the growth of a client counter since the case began.
grown() { echo $(($(ours_stat client "$1") - $(sed -n "s/^$1 //p" /run/before))); }

# grew NAME NUMBER: check the growth of a client counter.
grew() { assert_eq "growth of $1" "$2" "$(grown "$1")"; }

# up WHAT: start a server that refuses WHAT.
up() {
	v1_before=$(grown connects_v1) v2_before=$(grown connects_v2)
	responder_up -r "$1" || fail "the responder does not come up: $(cat /run/responder)"
}

# says TEXT: wait until the responder prints it.
says() { wait_for 120 grep -q "$1" /run/responder || fail "not \"$1\": $(cat /run/responder)"; }

# down: stop the responder; set $refused to the number of refusals.
down() {
	kill -TERM "$pid"
	wait "$pid" || fail "the responder: $(cat /run/responder)"
	refused=$(sed -n 's/^# refused \([0-9]*\) times/\1/p' /run/responder)
	[ "${refused:-0}" -gt 0 ] || fail "nothing was refused"
}

# is_version N: check the version of the mount's connection.
is_version() {
	local v1=$(($(grown connects_v1) - v1_before)) v2=$(($(grown connects_v2) - v2_before))
	case $1 in
	1) [ $v1 -gt 0 ] && [ $v2 -eq 0 ] ;;
	2) [ $v2 -gt 0 ] && [ $v1 -eq 0 ] ;;
	esac || fail "not version $1: $v1 connections of version 1, $v2 of version 2"
}

# all_data: check that data arrives unchanged in every way. No read is at the end of a file, because
# the responder cannot distinguish a reply without data from a reply with one byte.
all_data() {
	dd if=/run/data of=$BAD/direct bs=16k oflag=direct status=none
	cmp /run/data $EXPORT/direct
	dd if=$BAD/direct of=/run/copy bs=32k count=2 iflag=direct status=none
	cmp /run/data /run/copy
	dd if=/run/data of=$BAD/odd bs=3001 oflag=direct status=none
	cmp /run/data $EXPORT/odd
	dd if=$BAD/odd of=/run/copy bs=20001 count=4 iflag=direct status=none
	cmp /run/data /run/copy
	[ "$(ls $BAD/names)" = "$(ls $EXPORT/names)" ] || fail "directory"
	cp $BAD/data /run/copy
	cmp /run/data /run/copy
}

# timely_data VERSION: all_data within 30 seconds
timely_data() {
	is_version "$1"
	in_time 30 all_data
}

# falls_back WHAT VERSION: the client uses version 1 on the next connection, and makes no other
# offer for a while.
falls_back() {
	up "$1"
	in_time 30 mount_bad "$2"
	timely_data 1
	umount $BAD
	down
	[ "$refused" -eq 1 ] || fail "offered $refused times"
	grew fallbacks_remembered 1
}

# asked_again VERSION: with a server that does not answer, the client uses version 1. Because the
# server may have been busy, the next mount offers version 2 again.
asked_again() {
	local i
	up silently
	for i in 1 2; do
		in_time 30 mount_bad "$1"
		timely_data 1
		umount $BAD
	done
	down
	[ "$refused" -eq 2 ] || fail "offered $refused times"
	grew offers_unanswered 2
	grew fallbacks_remembered 0
}

# waits_for VERSION: the client waits for a server that announces version 2. No attempt fails, and
# the version does not change.
waits_for() {
	up slowly
	in_time 20 mount_bad "$1,noac,lookupcache=none"
	echo $ADDR4 >"$(echo /sys/kernel/sunrpc/xprt-switches/switch-*/xprt-*-rdma/dstaddr)"
	in_time 20 stat $BAD/data >/dev/null
	is_version 2
	umount $BAD
	down
	[ "$refused" -eq 1 ] || fail "slow $refused times"
	grew connects_failed 0
}

# lets_go: killed processes end although the server receives no more messages, because the adapter
# runs out of retries or a probe times out. They end before the connection counts as stalled.
lets_go() {
	local reader walker
	up receives
	in_time 20 mount_bad 3,noac,lookupcache=none
	ls $BAD/names >/dev/null 2>&1 &
	reader=$!
	says "a call is held"
	(for i in {1..200}; do stat "$BAD/nothing-$i" || :; done >/dev/null 2>&1) &
	walker=$!
	says "all Receives"
	# Let the reply arrive.
	sleep 1
	kill_quietly $reader $walker
	pkill -9 -P $walker || :
	pkill -9 -x stat || :
	wait_for 22 gone $reader || fail "the reader is not gone: $(cat /proc/$reader/stack)"
	wait_for 1 grew_any disconnects
	grew stalls 0
	in_time 20 cmp /run/data $BAD/data
	umount $BAD
	down
}

grew_any() { [ "$(grown "$1")" -gt 0 ]; }

# goes_silent OPTIONS [WHAT]: mount from a server that stops answering at the call of $reader.
goes_silent() {
	up "${2:-replies}"
	in_time 20 mount_bad "$1"
	ls $BAD/names >/dev/null 2>&1 &
	reader=$!
	says "no more replies"
}

# kill_quietly PID...: kill them without a report from the shell.
kill_quietly() {
	disown "$@"
	kill -9 "$@"
}

# look_up: start 40 processes, $pids, each of which waits for one reply.
look_up() {
	local i
	pids=()
	for i in {1..40}; do
		stat "$BAD/names/a-file-with-a-name-that-is-not-short-$i" >/dev/null 2>/run/error &
		pids+=($!)
	done
}

# looked_up SECONDS [PID...]: check that all of them succeed, and that the processes PID have ended.
looked_up() {
	local p
	wait_for "$1" gone "${@:2}" "${pids[@]}" || fail "calls do not go on: $(show_stuck)"
	for p in "${pids[@]}"; do wait "$p" || fail "a call has failed: $(cat /run/error)"; done
}

# comes_back VERSION: more calls than credits wait when the connection ends. The next connection
# begins with one credit.
comes_back() {
	local reader pids
	goes_silent "$1,noac,lookupcache=none" connection
	look_up
	looked_up 30 "$reader"
	wait "$reader" || fail "the first call has failed"
	grew disconnects 1
	umount $BAD
	down
}

# goes_on VERSION: the server's adapter answers probes, but the server answers no call. Killed
# processes end immediately. Later calls find no credit, and continue on the next connection, which
# has one credit until the first reply.
goes_on() {
	local reader pids
	goes_silent "$1,noac,lookupcache=none"
	look_up
	says "no more credits"
	kill_quietly "$reader" "${pids[@]}"
	wait_for 5 gone "$reader" "${pids[@]}" || fail "processes that were killed are not gone"
	grew calls_abandoned 32
	look_up
	looked_up 100
	grew stalls 1
	grew conns_vanished 0
	grew_any probes_sent || fail "no probe was sent"
	in_time 20 cmp /run/data $BAD/data
	umount $BAD
	down
}

early() { [ "$(grown replies_early)" -ge "$1" ]; }

# churn: read and write until /run/enough exists.
churn() {
	local f=$BAD/churn-$BASHPID
	until [ -e /run/enough ]; do
		case $((RANDOM % 4)) in
		0) dd if=/run/data of="$f" bs=16k count=2 oflag=direct ;;
		1) dd if=$BAD/data of=/dev/null bs=64k count=1 iflag=direct ;;
		2) stat $BAD/names ;;
		3) ls $BAD/names ;;
		esac || :
	done >/dev/null 2>&1
}

# storms VERSION: the server answers calls as fast as possible, before they are sent and after, with
# success, errors and garbage. Calls may fail. When the server behaves again, everything works.
storms() {
	local pids=() i
	rm -f /run/enough
	up early
	in_time 20 mount_bad "$1,noac,lookupcache=none,soft,timeo=50,retrans=1"
	for i in {1..24}; do churn & pids+=($!); done
	wait_for 60 early 30 || fail "only $(grown replies_early) answers were early"
	: >/run/enough
	# While the server answers each check of the lease with an error, NFS repeats the check, and OPENs
	# wait for it.
	kill -USR1 "$pid"
	wait_for 60 gone "${pids[@]}" || fail "processes do not end: $(show_stuck)"
	wait_for 10 works || fail "the mount does not work again"
	in_time 20 umount $BAD
	down
}

works() { (set -e; all_data); }
negotiating() { of client 'c["state"]' | grep -qw negotiating; }
nothing_left() { ! counters_leak | grep -q '^xprtrdma: \(qps\|deferred_ids\) '; }

# removed [cut]: the device is removed before the server has answered the offer, or after the link
# was cut. Nothing waits for the server, and the next mount works.
removed() {
	local mounter remover
	up silently
	mount_bad 4.2 >/run/mounting 2>&1 &
	mounter=$!
	wait_for 10 negotiating || fail "the client does not negotiate"
	[ -z "${1:-}" ] || ip link set d0 down
	rdma_down &
	remover=$!
	# The responder, too, has objects of the device, which it must destroy.
	wait_for 10 nothing_left || fail "the client holds the device"
	down
	wait_for 20 gone "$remover" || fail "the device is not removed: $(cat "/proc/$remover/stack")"
	ip link set d0 up
	rdma_up
	wait_for 60 gone "$mounter" || fail "the mount does not end: $(cat "/proc/$mounter/stack")"
	! mountpoint -q $BAD || umount $BAD
	# An unanswered offer says nothing about the server here.
	grew fallbacks_remembered 0
}

# Each case uses one NFS version, because versions differ for the transport only in message sizes.
test_stops() {
	peers_up
	offer_version 2
	one "early" storms 4.2
	one "rudely" falls_back rudely 4.2
	one "silently" asked_again 4.2
	one "slowly" waits_for 3
	one "removed while negotiating" removed
	one "removed while negotiating, cut off" removed cut
	one "connection" comes_back 3
	one "replies" goes_on 3
	offer_version 1
	one "connection, version 1" comes_back 3
	one "receives" lets_go
	[ -z "$failed" ] || fail "$failed"
}
