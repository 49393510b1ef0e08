#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="more large I/O than a Send Queue holds completes, with the most and with the fewest slots and credits"
KERNELS="uml x86"
TIMEOUT=120

requires() { have fio && need_ours; }

test() {
	local run starved
	nfs_state
	limits 16384 16384
	starved=$(starved)
	for run in 1 2 3 4 5; do
		large 64
		# The Send Queue fills before the limit on pages in replies only if Work Requests
		# gather few pages; a slow kernel has fewer calls in flight.
		[[ ${ADAPTER:-} == *profile=worst* ]] && [ "$SLOW" -eq 1 ] || break
		[ "$(starved)" -eq "$starved" ] || break
		assert "calls wait for the server's Send Queue" [ $run -lt 5 ]
	done
	limits 4 4
	large 16
}

starved() { sysctl -n sunrpc.svc_rdma.rdma_stat_sq_starve; }

# limits SLOTS CREDITS: set the limits of new mounts and connections.
limits() {
	nfsd_stop
	sysctl -qw sunrpc.rdma_slot_table_entries=$1 sunrpc.svc_rdma.max_requests=$2 || fail "cannot set the limits"
	EXPORT_SIZE=200M nfsd_start 64
}

# large JOBS: write and read 1 MiB each at the same time.
large() {
	nfs_mount 3 rsize=1048576,wsize=1048576
	fio_jobs l "$1" 2m --bs=1m --rw=randwrite --direct=1
	fio_finish $((60 * SLOW))
	nfs_umount
}

cleanup() { sysctl -qw sunrpc.rdma_slot_table_entries=128 sunrpc.svc_rdma.max_requests=64; }
