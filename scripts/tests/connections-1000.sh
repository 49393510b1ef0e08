#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="1,000 clients connect, share the server fairly, and are back within 20 s after it has restarted"
TIMEOUT=150

requires() { need_ours && kernel_has kunit; }

CLIENTS=1000
# Seconds; measured: 4.5, and 17 beside four other builds
BACK=20
FILTER=/sys/module/kunit/parameters/filter_glob

test() {
	local results=$OUT/$TEST_NAME.ktap line
	# The filter must not end in a newline.
	printf rpcrdma_echo_many >$FILTER
	sysctl -qw kernel.hung_task_timeout_secs=300
	insmod "$(module_file rpcrdma_echo)" many=$CLIENTS "back=$((BACK * SLOW))"
	cat /sys/kernel/debug/kunit/rpcrdma_echo_many/results >"$results"
	rmmod rpcrdma_echo
	while read -r line; do log "$line"; done < <(sed -nE 's/^ *# (.*(calls|clients).*)/\1/p' "$results")
	if [ "$(count '^ *ok .*(served|share|back)$' <"$results")" -lt 3 ]; then
		cat "$results"
		fail "a case failed"
	fi
	wait_for 30 counters_balanced || fail "$(counters_leak)"
}

cleanup() {
	printf '*' >$FILTER
	sysctl -qw kernel.hung_task_timeout_secs=60
}
