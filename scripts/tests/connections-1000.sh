#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="1,000 clients connect, share the server fairly, and are back within 20 s after it has restarted"
TIMEOUT=150

requires() { need_ours && kernel_has kunit; }

CLIENTS=1000
# Seconds; measured: 4.5, and 17 beside four other builds
BACK=20

test() {
	local results=$OUT/$TEST_NAME-many.ktap line
	trace_ends
	only_suite rpcrdma_echo_many
	suites many many=$CLIENTS "back=$((BACK * SLOW))"
	while read -r line; do log "$line"; done < <(sed -nE 's/^ *# (.*(calls|clients).*)/\1/p' "$results")
	assert_eq "cases" 3 "$(count '^ *ok .*(served|share|back)$' <"$results")"
}

cleanup() { all_suites; }
