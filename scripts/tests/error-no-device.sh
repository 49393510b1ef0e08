#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="without an RDMA device a mount fails with a plain error within seconds; nfsd's listener starts or says why not"

test() {
	local begin took out rc=0
	nfsd_start_tcp
	rdma_down
	log "listener without a device: $(sh -c 'echo rdma 20049 >/proc/fs/nfsd/portlist && echo started' 2>&1)"
	begin=$(now_ms)
	out=$(nfs_try_mount 4.2 2>&1) || rc=$?
	took=$(($(now_ms) - begin))
	log "status $rc after $took ms: $out"
	[ $rc -ne 0 ] || fail "mounted without a device"
	[ -n "$out" ] || fail "no error message"
	[ "$TRANSPORT" = intree ] || assert_le "milliseconds" $took $((20000 * ${SLOW:-1}))
	log "the device comes back"
	rdma_up
	grep -q 'rdma 20049' /proc/fs/nfsd/portlist || echo rdma 20049 >/proc/fs/nfsd/portlist
	nfs_mount 4.2
	basic_files 4.2
}

cleanup() { rdma_present || rdma_up; }
