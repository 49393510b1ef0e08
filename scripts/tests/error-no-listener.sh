#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="mounting from a server without an RDMA listener, or at a wrong port, fails with a plain error within seconds"
KERNELS="uml x86"

# refused WHAT VERSION PORT
refused() {
	local begin took out rc=0
	begin=$(now_ms)
	out=$(PORT=$3 MOUNT_LIMIT=30 nfs_try_mount "$2" 2>&1) || rc=$?
	took=$(($(now_ms) - begin))
	log "$1 version $2: status $rc after $took ms: $out"
	[ $rc -ne 0 ] || fail "$1: mounted"
	assert "an error message" grep -qiE 'refused|timed out|unreachable|not respond|no such|incorrect' <<<"$out"
	[ "$TRANSPORT" = intree ] || assert_le "milliseconds" $took $((20000 * ${SLOW:-1}))
}

test() {
	nfsd_start_tcp
	refused "no listener" 4.2 20049
	refused "no listener" 3 20049
	nfsd_stop
	nfsd_start
	refused "wrong port" 4.2 20050
	nfs_mount 4.2
	basic_files 4.2
}
