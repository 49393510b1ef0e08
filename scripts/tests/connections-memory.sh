#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="memory of idle connections, both sides together, with payloads of 1 MiB"
TIMEOUT=30

# KASAN keeps what is freed.
requires() { ! grep -qw kasan_init /proc/kallsyms || { echo "KASAN takes memory of its own"; return 1; }; }

CONNECTIONS=16
# KiB; measured: 664, and 8,535 with the transport of Linux 7.3. soft-RoCE's queues take 400 of it.
MOST=750

largest_payload() { echo 1048576 >/proc/fs/nfsd/max_block_size; }

free_memory() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	awk '$1 == "MemFree:" { print $2 }' /proc/meminfo
}

test() {
	local before each
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
