#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # pid, of responder_up
DESCRIPTION="our client mounts hostile servers: those that tamper with answers, refuse, stop, or say which versions they have"
VARIANTS="random refusals stops hints"
TARGET=fuzz-guest
KERNELS="uml x86"
PROGRAMS="responder"
VERSIONS=any
TIMEOUT=900

requires() { need_ours; }

# Against a responder that tampers with its answers, our client may get errors; it may not hang, nor
# crash, nor leave memory accessible.
test_random() {
	peers_up
	: >/run/mounts
	batches responder_batch 3
	log "$(wc -l </run/mounts) mounts of the bad server"
	# Otherwise the responder has tried nothing.
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

# a_round VERSION: mount, use, unmount by force
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

# use_it: move data in every possible way, some in the background, so that many calls are in flight
# at the same time
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

# attempt COMMAND...: it may fail, but must end
attempt() { timeout -k 1 $((4 * SLOW)) "$@" >/dev/null 2>&1; }

CLIENT=/sys/kernel/debug/xprtrdma/stats
# Cases so far, and those that have failed. A case is a function that runs in a shell of its own: any
# command that fails ends it.
n=0 failed=

# one DESCRIPTION COMMAND...: a case; the next server has another port, so that the client has not remembered anything
# about it
one() {
	local status
	n=$((n + 1)) BAD_PORT=$((BAD_PORT + 1))
	cp $CLIENT /run/before
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

# grown NAME: how much one of the client's counters has grown since the case began
grown() {
	echo $(($(sed -n "s/^$1 //p" $CLIENT) - $(sed -n "s/^$1 //p" /run/before)))
}

# grew NAME NUMBER: check that
grew() {
	local is
	is=$(grown "$1")
	[ "$is" -eq "$2" ] || fail "$1 has grown by $is, not $2"
}

# up WHAT [OPTION...]: start a server that refuses WHAT, or nothing
up() {
	v1_before=$(grown connects_v1) v2_before=$(grown connects_v2)
	responder_up ${1:+-r "$1"} "${@:2}" || fail "the responder does not come up: $(cat /run/responder)"
}

# says TEXT: the server prints it in time
says() {
	wait_for 120 grep -q "$1" /run/responder || fail "not \"$1\": $(cat /run/responder)"
}

# down: stop it; sets $refused to the number of refusals
down() {
	kill -TERM "$pid"
	wait "$pid" || fail "the responder: $(cat /run/responder)"
	refused=$(sed -n 's/^# refused \([0-9]*\) times/\1/p' /run/responder)
	[ -n "${1:-}" ] || [ "${refused:-0}" -gt 0 ] || fail "nothing was refused"
}

# is_version N: of the mount
is_version() {
	local v1=$(($(grown connects_v1) - v1_before)) v2=$(($(grown connects_v2) - v2_before))
	case $1 in
	1) [ $v1 -gt 0 ] && [ $v2 -eq 0 ] ;;
	2) [ $v2 -gt 0 ] && [ $v1 -eq 0 ] ;;
	esac || fail "not version $1: $v1 connections of version 1, $v2 of version 2"
}

# visit WHAT OPTIONS COMMAND...: mount a server that refuses WHAT, run COMMAND, unmount
visit() {
	up "$1"
	in_time 20 mount_bad "$2"
	"${@:3}"
	umount $BAD
	down
}

same_names() {
	[ "$(ls $BAD/names)" = "$(ls $EXPORT/names)" ] || fail "directory"
}

# all_data: data arrives unchanged in every way. Nothing is read at the end of a file: the responder cannot tell a
# reply without data from one with a byte of it.
all_data() {
	dd if=/run/data of=$BAD/direct bs=16k oflag=direct status=none
	cmp /run/data $EXPORT/direct
	dd if=$BAD/direct of=/run/copy bs=32k count=2 iflag=direct status=none
	cmp /run/data /run/copy
	dd if=/run/data of=$BAD/odd bs=3001 oflag=direct status=none
	cmp /run/data $EXPORT/odd
	dd if=$BAD/odd of=/run/copy bs=20001 count=4 iflag=direct status=none
	cmp /run/data /run/copy
	same_names
	cp $BAD/data /run/copy
	cmp /run/data /run/copy
}

# timely_data [VERSION]: the same in_time 30 seconds
timely_data() {
	[ -z "${1:-}" ] || is_version "$1"
	in_time 30 all_data
}

# eio TEXT COMMAND...: an error, not a hang
eio() {
	if in_time 20 "${@:2}" 2>/run/error; then fail "$1 succeeds"; fi
	grep -q "Input/output error" /run/error || fail "not EIO: $(cat /run/error)"
}

# recovers WHAT VERSION: the user notices nothing
recovers() {
	visit "$1" "$2" timely_data
	grew calls_resent "$refused"
}

# fails_once WHAT: an error, and the next operation works
fails_once() {
	visit "$1" 3 eio_read
}

eio_read() {
	eio "the read" dd if=$BAD/data of=/dev/null bs=64k count=1 iflag=direct status=none
	in_time 20 stat $BAD/data >/dev/null
}

# no_reads VERSION: what the server would have to read fails at once, and everything else works
no_reads() {
	visit depth "$1" eio_write
}

eio_write() {
	eio "the long write" dd if=/run/data of=$BAD/long bs=16k count=1 oflag=direct status=none
	in_time 20 dd if=/run/data of=$BAD/short bs=512 count=1 oflag=direct status=none
	cmp -n 512 /run/data $EXPORT/short
	in_time 20 cmp /run/data $BAD/data
	same_names
}

# falls_back WHAT VERSION: the client uses version 1 on the next connection, and makes no other offer for a while
falls_back() {
	up "$1"
	in_time 30 mount_bad "$2"
	timely_data 1
	umount $BAD
	down
	[ "$refused" -eq 1 ] || fail "offered $refused times"
	grew fallbacks_remembered 1
}

# asked_again VERSION: with a server that does not answer, the client uses version 1; but as the server may have been
# busy, the next mount offers version 2 again
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

# waits_for VERSION: the client waits for a server that has answered before: no attempt fails, and the version
# stays the same
waits_for() {
	visit slowly "$1,noac,lookupcache=none" reconnected
	[ "$refused" -eq 1 ] || fail "slow $refused times"
	grew connects_failed 0
}

reconnected() {
	echo $ADDR4 >"$(echo /sys/kernel/sunrpc/xprt-switches/switch-*/xprt-*-rdma/dstaddr)"
	in_time 20 stat $BAD/data >/dev/null
	is_version 2
}

# undisturbed [VERSION]: timely_data without a lost connection. Later the server may be gone before the client has closed
# the connection of a file system that is unmounted.
undisturbed() {
	timely_data "$@"
	grew disconnects 0
}

# stays VERSION: the connection survives a server that invalidates the handle of the roundup
stays() { visit roundup "$1" undisturbed; }

# answered WHAT VERSION COUNT: messages without an RPC get their answers, COUNT of them, and disturb no call
answered() {
	visit "$1" "$2" undisturbed 2
	[ "$refused" -eq "$3" ] || fail "$refused answers, not $3"
}

# not_done VERSION: an RDMA2_DONE is refused by a client that has not said that it understands the type
not_done() {
	local read_replies=/sys/module/xprtrdma/parameters/read_replies old
	old=$(cat $read_replies)
	# shellcheck disable=SC2064
	trap "echo $old >$read_replies" EXIT
	echo 0 >$read_replies
	answered "done" "$1" 3
}

# lets_go: killed processes end, though the server receives no more messages, and before the connection is found to be
# stalled: the adapter runs out of retries, or a probe times out
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
	# Let the reply arrive
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

grew_any() {
	[ "$(grown "$1")" -gt 0 ]
}

# goes_silent OPTIONS [WHAT]: mount a server that answers no calls, from the one on for which $reader waits
goes_silent() {
	up "${2:-replies}"
	in_time 20 mount_bad "$1"
	ls $BAD/names >/dev/null 2>&1 &
	reader=$!
	says "no more replies"
}

# kill_quietly PID...: kill them; the shell is not to report that
kill_quietly() {
	disown "$@"
	kill -9 "$@"
}

# look_up: start 40 processes, $pids, that wait for one reply each
look_up() {
	local i
	pids=()
	for i in {1..40}; do
		stat "$BAD/names/a-file-with-a-name-that-is-not-short-$i" >/dev/null 2>/run/error &
		pids+=($!)
	done
}

# looked_up SECONDS [PID...]: all of them have succeeded, and those of PID have ended
looked_up() {
	local p
	wait_for "$1" gone "${@:2}" "${pids[@]}" || fail "calls do not go on: $(show_stuck)"
	for p in "${pids[@]}"; do wait "$p" || fail "a call has failed: $(cat /run/error)"; done
}

# comes_back VERSION: more calls than credits wait when the connection ends; the next connection begins with one credit
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

# goes_on VERSION: the server's adapter answers probes, but the server answers no call. Killed processes end at once;
# later calls find no credit, and continue on the next connection, with one credit until there is a reply
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

# forced VERSION: umount -f does not wait for replies
forced() {
	local reader
	goes_silent "$1,timeo=50,retrans=1"
	in_time 30 umount -f $BAD 2>/run/error || :
	wait_for 10 gone "$reader" || fail "the reader is not gone: $(cat "/proc/$reader/stack")"
	! mountpoint -q $BAD || in_time 30 umount -f $BAD
	down
}

# ahead VERSION: calls that wait for a credit are answered, though they were not sent. They go on waiting, processes
# that are killed meanwhile end at once, and the others get the right answers when there is a credit
ahead() {
	local reader pids
	up ahead
	in_time 20 mount_bad "$1,noac,lookupcache=none"
	ls $BAD/names >/run/names 2>/dev/null &
	reader=$!
	says "a call is held"
	look_up
	sleep 1
	kill -USR2 "$pid"
	says "answered ahead"
	wait_for 20 early 20 || fail "$(grown replies_early) calls were answered before they were sent"
	kill_quietly "${pids[@]:20}"
	wait_for 5 gone "${pids[@]:20}" || fail "processes that were killed are not gone: $(show_stuck)"
	kill -USR1 "$pid"
	pids=("${pids[@]:0:20}")
	looked_up 30 "$reader"
	[ "$(cat /run/names)" = "$(ls $EXPORT/names)" ] || fail "directory"
	umount $BAD
	down
}

early() {
	[ "$(grown replies_early)" -ge "$1" ]
}

# churn: read and write all the time, until there is /run/enough
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

# storm VERSION: calls are answered as fast as possible, before they are sent and after, with success, errors and junk.
# Each of them may fail. When the server behaves again, everything works
storm() {
	local pids=() i
	rm -f /run/enough
	up storm
	in_time 20 mount_bad "$1,noac,lookupcache=none,soft,timeo=50,retrans=1"
	for i in {1..24}; do churn & pids+=($!); done
	wait_for 60 early 30 || fail "only $(grown replies_early) answers were early"
	: >/run/enough
	wait_for 60 gone "${pids[@]}" || fail "processes do not end: $(show_stuck)"
	kill -USR1 "$pid"
	wait_for 10 works || fail "the mount does not work again"
	in_time 20 umount $BAD
	down
}

works() {
	(set -e; all_data)
}

negotiating() {
	conn_values client state | grep -qw negotiating
}

nothing_left() {
	! counters_leak | grep -q '^xprtrdma: \(qps\|deferred_ids\) '
}

# removed [cut]: the device is removed while the server has not answered the offer, or the link is cut first; nothing
# waits for either, and the next mount works
removed() {
	local mounter remover
	up silently
	mount_bad 4.2 >/run/mounting 2>&1 &
	mounter=$!
	wait_for 10 negotiating || fail "the client does not negotiate"
	[ -z "${1:-}" ] || ip link set d0 down
	rdma_down &
	remover=$!
	# The responder has objects of the device, too, which are its own to destroy.
	wait_for 10 nothing_left || fail "the client holds the device"
	down
	wait_for 20 gone "$remover" || fail "the device is not removed: $(cat "/proc/$remover/stack")"
	ip link set d0 up
	rdma_up
	wait_for 60 gone "$mounter" || fail "the mount does not end: $(cat "/proc/$mounter/stack")"
	! mountpoint -q $BAD || umount $BAD
	# That the offer was not answered says nothing of the server.
	grew fallbacks_remembered 0
}

# takes WHAT VERSION [MOST]: every answer with up to MOST bytes is taken for what it is
takes() {
	visit "$1" "$2" odd_data "${3:-16383}" "$1-$2"
	[ "$refused" -ge 10 ] || fail "few odd answers: $refused"
	grew replies_bad 0
}

# odd_data MOST NAME: data of all lengths up to MOST, and symbolic links, on files of that name
odd_data() {
	cp /run/odd "$EXPORT/odd-$2"
	python3 - $BAD $EXPORT "$@" <<-'EOT'
		import mmap, os, sys
		bad, export, most, name = sys.argv[1:]
		odd = open("/run/odd", "rb").read()
		file = os.open(f"{bad}/odd-{name}", os.O_RDONLY | os.O_DIRECT)
		for length in 1, 2, 3, 4, 5, 7, 511, 512, 513, 1021, 3001, 3002, 3003, 4093, 4095, 4097, 8190, 16383:
		    for at in range(0, 3 * length, length) if length <= int(most) else ():
		        copy = mmap.mmap(-1, 16384)
		        got = os.preadv(file, [memoryview(copy)[:length]], at)
		        if copy[:got] != odd[at:at + length]:
		            sys.exit(f"# {length} bytes at {at}: {got} came, or not the right ones")
		for length in *range(1, 13), 901, 902, 903, 1021, 1022, 1023:
		    link = f"link-{name}-{length}"
		    if not os.path.lexists(f"{export}/{link}"):
		        os.symlink(odd[:length], f"{export}/{link}")
		    if os.readlink(f"{bad}/{link}").encode() != odd[:length]:
		        sys.exit(f"# link of {length} bytes")
	EOT
}

# Version hints (Documentation/protocol.rst) of a server: of our version 2, of another one, of version 1; an unknown
# format, one that is cut off, and something else
declare -A HINT=(
	["version 2"]=7b9e50d40102000063656c2d30390000
	["another version 2"]=7b9e50d401020000696574662d303700
	["version 1"]=7b9e50d4010100000000000000000000
	["a new format"]=7b9e50d4ff020000696574662d303700
	["a part"]=7b9e50d4
	["noise"]=9d1cf3770102d53a63656c2d30390000ffffffffffffffffff
)

# told HINT MODE VERSION OFFERS HINTS [WHAT]: with a server that sends HINT, and refuses WHAT, the first connection has
# VERSION, after OFFERS offers of version 2; our client has sent a hint on HINTS connections
told() {
	local parameter=/sys/module/xprtrdma/parameters/negotiate
	echo "$2" >$parameter
	# shellcheck disable=SC2064
	trap "echo probe >$parameter" EXIT
	up "${6:-}" -p "${HINT[$1]}"
	in_time 20 mount_bad 4.2
	timely_data "$3"
	umount $BAD
	down any
	grep -qx "# $4 offers on 1 connections, $5 with a hint" /run/responder ||
		fail "not $4 offers, 1 connection, $5 hints: $(tail -1 /run/responder)"
	grew offers_unanswered 0
}

# late MODE: a server that says that it has version 2 is waited for, on its first connection, too
late() {
	told "version 2" "$1" 2 1 1 late
	grew fallbacks_remembered 0
	grew connects_failed 0
}

# believed: a server that has dropped connections on offers is offered version 2 all the same as soon as it says that
# it has it
believed() {
	falls_back rudely 4.2
	told "version 2" probe 2 1 1
}

# Each with one version of NFS: to the transport they differ in the sizes of messages only.
test_refusals() {
	peers_up
	offer_version 2
	one "reads" recovers reads 3
	one "writes" recovers writes 4.2
	one "segments" recovers segments 3
	one "write-size" recovers write-size 4.2
	one "inline" recovers inline 3
	one "chunks" fails_once chunks
	one "always" fails_once always
	one "depth" no_reads 4.2
	one "roundup" stays 3
	one "done" not_done 4.2
	one "requests" answered requests 4.2 12
	one "unasked" answered unasked 4.2 1
	# The responder cannot send more than 4 KiB, though the client expects no chunk to be used for that.
	one "odd-inline, version 2" takes odd-inline 4.2 3003
	offer_version 1
	one "odd-inline" takes odd-inline 3
	one "odd-write" takes odd-write 3
	one "odd-read" takes odd-read 4.2
	# NFSv3 has no reply with data in a Reply chunk.
	one "odd-reply" takes odd-reply 4.2
	[ -z "$failed" ] || fail "$failed"
}

test_stops() {
	peers_up
	offer_version 2
	one "ahead" ahead 3
	one "storm" storm 4.2
	one "silently" asked_again 4.2
	one "slowly" waits_for 3
	one "removed while negotiating" removed
	one "removed while negotiating, cut off" removed cut
	one "connection" comes_back 3
	one "replies" goes_on 3
	one "replies, umount -f" forced 4.2
	offer_version 1
	one "connection, version 1" comes_back 3
	one "receives" lets_go
	[ -z "$failed" ] || fail "$failed"
}

test_hints() {
	peers_up
	local mode what
	offer_version 2
	for mode in probe hint; do
		one "says version 2, negotiate=$mode" told "version 2" $mode 2 1 1
		one "says version 2, answers late, negotiate=$mode" late $mode
		for what in "another version 2" "version 1"; do
			one "says $what, negotiate=$mode" told "$what" $mode 1 0 1
		done
	done
	for what in "a new format" "a part" "noise"; do
		one "says $what, negotiate=probe" told "$what" probe 2 1 1
		one "says $what, negotiate=hint" told "$what" hint 1 0 1
	done
	for what in "version 2" "noise"; do
		one "says $what, negotiate=off" told "$what" off 1 0 0
	done
	one "says version 2 after having dropped a connection" believed
	[ -z "$failed" ] || fail "$failed"
}

cleanup() { peers_down; }
