#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="sunrpc breaks connections under load, from either side: each recovers in time, data is right"
KERNELS="uml x86"
VERSIONS=any
TIMEOUT=150

requires() { have fio && need_ours && need_faults fail_sunrpc; }

test() {
	local v side
	nfsd_start 8
	for v in 3 4.1; do
		for side in client server both; do
			breaking $v $side
		done
	done
}

# breaking VERSION SIDE
breaking() {
	local begin faulty_ms
	nfs_mount $1
	fio_start 4 2m
	begin=$(now_ms)
	disconnects_on $2 4
	poll_for 30 enough || true
	faults_off
	faulty_ms=$(($(now_ms) - begin))
	works_within $RECOVERY
	fio_finish $((RECOVERY + 60 * SLOW))
	log "version $1, $2: $(faults_seen fail_sunrpc) disconnects, $(xprt_stat connects) connections, longest request $LONGEST ms"
	assert_ge "disconnects" "$(faults_seen fail_sunrpc)" 3
	assert_ge "connections" "$(xprt_stat connects)" 2
	assert_le "milliseconds of the longest request" $LONGEST $((faulty_ms + RECOVERY * 1000))
	nfs_umount
}
enough() { [ "$(faults_seen fail_sunrpc)" -ge 20 ] || fio_ended; }

cleanup() { faults_off; }
