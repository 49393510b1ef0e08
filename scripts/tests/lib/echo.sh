# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# The suites of the module rpcrdma_echo: an RPC service and its clients.

SUITE_FILTER=/sys/module/kunit/parameters/filter_glob
TRACING=/sys/kernel/tracing

# trace_ends: trace why connections end, and which tasks run, to distinguish a transport that waits
# from a machine that stalls.
trace_ends() {
	local event
	mountpoint -q $TRACING || mount -t tracefs tracefs $TRACING
	echo 8192 >$TRACING/buffer_size_kb
	for event in $TRACING/events/{{xprtrdma,svcrdma}/*{_state,_cm_event,_wc_error},ib_cma/*} \
		$TRACING/events/{sched/sched_switch,timer/timer_expire_entry}; do
		event+=/enable
		[ ! -e "$event" ] || echo 1 >"$event"
	done
}

# only_suite SUITE: run only this suite until all_suites. KUnit waits uninterruptibly, for minutes
# in a long case. The filter must not end with a newline.
only_suite() {
	printf %s "$1" >$SUITE_FILTER
	sysctl -qw kernel.hung_task_timeout_secs=300
}

all_suites() {
	printf '*' >$SUITE_FILTER
	sysctl -qw kernel.hung_task_timeout_secs=60
}

# suites NAME ARGUMENT...: run the suites, and keep their output and the counters. If a case failed,
# log why the last connections ended.
suites() {
	local results=$OUT/$TEST_NAME-$1.ktap
	# shellcheck disable=SC2086 # may be no argument
	insmod "$(module_file rpcrdma_echo)" ${ECHO_LONGEST:-} "${@:2}"
	cat /sys/kernel/debug/kunit/rpcrdma_echo*/results >"$results"
	rmmod rpcrdma_echo
	log "$1: $(count '^ *ok' <"$results") cases passed"
	if grep '^ *not ok' "$results"; then
		cat $TRACING/trace >"$OUT/$TEST_NAME-$1.trace"
		grep -E '_(state|cm_event|wc_error|cma):' "$OUT/$TEST_NAME-$1.trace" | tail -n 60
		cat "$results"
		fail "$1: a case failed"
	fi
	assert_ge "cases" "$(count '^ *ok' <"$results")" 1
	# Connections end in the background.
	wait_for 10 counters_balanced || fail "$1: $(counters_leak)"
}
