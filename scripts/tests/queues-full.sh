#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="more large I/O than a Send Queue holds, with the most slots and credits, then with the fewest: all of it is done"
KERNELS="uml x86"
TIMEOUT=120

requires() { have fio && need_ours; }

test() {
	local starved
	nfs_state
	starved=$(sysctl -n sunrpc.svc_rdma.rdma_stat_sq_starve)
	limits 16384 16384
	large 64
	starved=$(($(sysctl -n sunrpc.svc_rdma.rdma_stat_sq_starve) - starved))
	log "waits for the server's Send Queue: $starved"
	# a slow kernel does not keep so many requests in flight; with iWARP, the queue has
	# room for all regions
	[ "$SLOW" -gt 1 ] || [ "$PROVIDER" != rxe ] || assert_ge "waits for the server's Send Queue" $starved 1
	limits 4 4
	large 16
}

# limits SLOTS CREDITS: for mounts and connections made from now on.
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
