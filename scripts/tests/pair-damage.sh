#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="packets between two guests are damaged, reordered, delayed and lost: data intact, I/O never stops for long"
GUESTS=2
TARGET=guest-damage
VERSIONS=any
# soft-RoCE's completer, as in pair-loss
ALLOW="sw/rxe/rxe_comp.c:[0-9]+ rxe_completer"
TIMEOUT=240

requires() { have tc && kernel_has sch_netem; }

# Names, and netem's arguments for both guests' interfaces.
DAMAGES="none|
corrupt|corrupt 1%
reorder|delay 10ms reorder 25% 50%
jitter|delay 20ms 10ms
loss|loss 5%"
# 20 s gives figures that can be compared with those in testing.rst.
DAMAGE_SECONDS=5 WORKERS=4
# The longest recovery of a client (tunables.rst), and the work itself, which may be repeated.
STALL_LIMIT=60

left() {
	nfsd_start
	meet serving
	each_damage damaged_side 180
}

right() {
	meet serving
	nfs_mount 4.1
	each_damage damage_measured
}

# each_damage FUNCTION [ARGS]: run it with each kind of damage, in both guests at the same
# time.
each_damage() {
	local name args
	while IFS='|' read -r name args; do
		meet "$name" 90
		# shellcheck disable=SC2086
		[ -z "$args" ] || tc qdisc add dev eth0 root netem $args
		"$1" "$name" "${@:2}"
		link_mend
		meet "$name-over" 90
	done <<<"$DAMAGES"
}

damaged_side() {
	meet "$1-measured" "$2"
}

damage_measured() {
	local i pids=() before worst=0 ops=0 n ms
	before=$(xprt_stat connects)
	for ((i = 0; i < WORKERS; i++)); do
		damage_worker "$1" $i >"$TEST_TMP/worker-$i" &
		pids+=($!)
	done
	for i in "${pids[@]}"; do assert "data with damage $1" wait $i; done
	for ((i = 0; i < WORKERS; i++)); do
		read -r n ms <"$TEST_TMP/worker-$i"
		ops=$((ops + n))
		[ "$ms" -le $worst ] || worst=$ms
	done
	log "damage $1: $ops operations, $(($(xprt_stat connects) - before)) reconnections, longest operation $worst ms"
	assert_ge "operations with damage $1" $ops $WORKERS
	assert_le "longest operation with damage $1 (ms)" $worst $((STALL_LIMIT * 1000 * SLOW))
	meet "$1-measured" 90
}

# damage_worker NAME NUMBER: write, and read it back; print the number of operations and the
# milliseconds of the longest.
damage_worker() {
	local end=$((SECONDS + DAMAGE_SECONDS)) n=0 worst=0 begin ms f=$MNT/$1-$2
	while [ $SECONDS -lt $end ]; do
		begin=$(now_ms)
		"$IOTOOL" write "$f" 0 65536 $n direct >&2 || return 1
		"$IOTOOL" check "$f" 0 65536 $n direct >&2 || return 1
		ms=$(($(now_ms) - begin))
		[ $ms -le $worst ] || worst=$ms
		n=$((n + 1))
	done
	echo $n $worst
}

cleanup() { link_mend; }
