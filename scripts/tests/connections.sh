#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="many connections: 1,000 clients share the server and survive its restart; idle ones take little memory"
VARIANTS="1000 memory"
TIMEOUT=150
TIMEOUT_memory=30

# 1000: 1,000 clients connect, share the server fairly, and are served again within 20 s after it
# restarts.
requires_1000() { need_ours && kernel_has kunit; }

CLIENTS=1000
# Seconds; measured: 4.5, and 17 beside four other builds
BACK=20

test_1000() {
	local results=$OUT/$TEST_NAME-many.ktap line
	trace_ends
	only_suite rpcrdma_echo_many
	suites many many=$CLIENTS "back=$((BACK * SLOW))"
	while read -r line; do log "$line"; done < <(sed -nE 's/^ *# (.*(calls|clients).*)/\1/p' "$results")
	assert_eq "cases" 3 "$(count '^ *ok .*(served|share|back)$' <"$results")"
}

cleanup_1000() { all_suites; }

# memory: idle connections use little memory on both sides together, with payloads of 1 MiB. Not run
# with KASAN, which keeps freed memory.
requires_memory() { ! grep -qw kasan_init /proc/kallsyms || { echo "KASAN takes memory of its own"; return 1; }; }

CONNECTIONS=16
# KiB; measured: 599, of which soft-RoCE's queues take 250, and 9,016 with the transport of Linux
# 7.3
MOST=650

# Free KiB, including the pages in per-processor lists
free_memory() {
	drop_caches
	awk '$1 == "MemFree:" { free = $2 } $1 == "count:" { free += 4 * $2 } END { print free }' \
		/proc/meminfo /proc/zoneinfo
}

test_memory() {
	local before each
	largest_payload() { echo 1048576 >/proc/fs/nfsd/max_block_size; }
	nfsd_start
	# The first mount makes allocations that all mounts share.
	nfs_mount 3
	nfs_umount
	before=$(free_memory)
	nfs_mount 3 noac,nconnect=$CONNECTIONS
	for _ in $(seq $CONNECTIONS); do stat $MNT >/dev/null; done
	xprt_read
	assert_eq "connections" $CONNECTIONS ${#XPRT_LINES[@]}
	each=$(((before - $(free_memory)) / CONNECTIONS))
	log "a connection takes $each KiB"
	[ "$TRANSPORT" != ours ] || assert_ge "KiB per connection, at most $MOST" $MOST $each
	nfs_umount
}
