#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="100 mounts wait for a server that was stopped: all of them go on seconds after it has started"
TARGET=guest-long
GUESTS=2
VERSIONS=any
TIMEOUT=300

MOUNTS=100
# Seconds: the longest delay after a refusal (tunables.rst), and the work of 100 connections
LIMIT=5

left() {
	local i
	for ((i = 1; i <= MOUNTS; i++)); do ip addr add 10.77.0.$i/16 dev eth0; done
	nfsd_start 16
	head -c 4096 /dev/urandom >$EXPORT/f
	meet serving
	meet mounted 100
	nfsd_stop
	meet stopped
	meet waiting
	# Long enough for the longest delay
	elapses 5
	nfsd_again 16
	echo "$EPOCHREALTIME" >/run/shared/started
	meet started
	meet measured 100
}

# Each address is a server of its own to NFSv3.
right() {
	local i
	ip addr add 10.77.200.1/16 dev eth0
	meet serving
	for ((i = 1; i <= MOUNTS; i++)); do SERVER=10.77.0.$i nfs_mount 3 '' $MNT-$i; done
	meet mounted 100
	meet stopped
	for ((i = 1; i <= MOUNTS; i++)); do read_once $MNT-$i & done
	meet waiting
	meet started
	wait
	assert_eq "mounts that go on" $MOUNTS "$(wc -l <$TEST_TMP/ends)"
	log "the last one goes on after $(took) ms"
	assert_le "milliseconds" "$(took)" $((LIMIT * 1000 * SLOW))
	meet measured
}

read_once() {
	limit 100 dd if="$1/f" of=/dev/null iflag=direct bs=4096 count=1 status=none || return 0
	echo "$EPOCHREALTIME" >>$TEST_TMP/ends
}

# took: milliseconds from the start of the server to the end of the last read
took() { sort -n $TEST_TMP/ends | awk -v t="$(cat /run/shared/started)" 'END { printf "%d", 1000 * ($1 - t) }'; }

cleanup() {
	local i
	for ((i = 1; i <= MOUNTS; i++)); do ip addr del 10.77.0.$i/16 dev eth0 2>/dev/null || true; done
	ip addr del 10.77.200.1/16 dev eth0 2>/dev/null || true
}
