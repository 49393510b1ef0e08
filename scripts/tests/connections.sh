#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="many connections: 1,000 clients share the server and survive its restart; idle ones take little memory"
VARIANTS="1000 memory"
TIMEOUT=150
TIMEOUT_memory=30

# 1000: 1,000 clients connect, share the server fairly, and are back within 20 s after it has
# restarted
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

# memory: that of idle connections, both sides together, with payloads of 1 MiB. KASAN keeps what is
# freed.
requires_memory() { ! grep -qw kasan_init /proc/kallsyms || { echo "KASAN takes memory of its own"; return 1; }; }

CONNECTIONS=16
# KiB; measured: 599, and 9,016 with the transport of Linux 7.3. soft-RoCE's queues take 250 of it.
MOST=650

# KiB; the pages in lists of a processor are free, too.
free_memory() {
	drop_caches
	awk '$1 == "MemFree:" { free = $2 } $1 == "count:" { free += 4 * $2 } END { print free }' \
		/proc/meminfo /proc/zoneinfo
}

test_memory() {
	local before each
	largest_payload() { echo 1048576 >/proc/fs/nfsd/max_block_size; }
	nfsd_start
	# What the first mount allocates for all of them
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
