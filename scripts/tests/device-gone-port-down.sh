#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the RDMA device is removed with its port down, connections in every state on both sides: nothing waits for the port"
TARGET=guest-long
VERSIONS=any
TIMEOUT=420

requires() { need_ours && need_frozen; }

# Removing the device destroys every CM identifier; without a port, none of them may wait for it.
REMOVAL=30

test() {
	local how state
	for how in netdev_deleted link_down; do
		for state in idle busy deferred connecting; do
			log "$state, $how"
			removed_while $state $how
		done
	done
}

# removed_while STATE HOW: bring a mount to STATE, remove the device and add it again; the
# mount works.
removed_while() {
	nfsd_start 1 crossmnt
	frozen_up
	nfs_mount 4.1
	echo x >$MNT/file
	reach_$1
	thaw_later &
	$2
	await "device is gone" 5 [ ! -d /sys/class/infiniband/rxe0 ]
	[ -d /sys/class/net/d0 ] || netdev_up
	ip link set d0 up
	ip -6 addr add fd00::1/64 dev d0 nodad 2>/dev/null || true
	rdma_up
	for job in $(jobs -p); do
		await "what was under way ends" $((RECOVERY + 60)) gone $job
	done
	wait
	works_within $RECOVERY
	umount_all
	nfsd_stop
	limit 10 umount $EXPORT/frozen
}

# A call that nfsd is working on holds its connection. The removal waits for it, but not for
# the port.
thaw_later() {
	wait_for 3 false || true
	fsfreeze -u $EXPORT/frozen 2>/dev/null || true
}
gone() { ! kill -0 $1 2>/dev/null; }

netdev_deleted() { limit $REMOVAL ip link del d0; }
link_down() {
	ip link set d0 down
	limit $REMOVAL rdma link delete rxe0
}
netdev_up() {
	ip link add d0 type dummy
	ip link set d0 mtu 9000 up
	ip addr add 10.0.0.1/24 dev d0
}

reach_idle() { :; }
reach_busy() {
	dd if=/dev/zero of=$MNT/load bs=256k count=100 oflag=direct status=none &
	await "load runs" 20 [ -s $EXPORT/load ]
}

# Of a connection that ended with its port down, only the CM identifier is left, and waits.
reach_deferred() {
	nfs_mount 3 "" $MNT.2
	ip link set d0 down
	limit 40 umount -i $MNT.2
	await "the identifier waits" 10 waiting
}
waiting() { [ "$(ours_stat client deferred_ids_created)" -gt "$(ours_stat client deferred_ids_destroyed)" ]; }

# The only thread of nfsd writes to a frozen file system: a connect request waits to be accepted.
reach_connecting() {
	block_thread
	nfs_try_mount 4.0 "" $MNT.2 >$TEST_TMP/second.out 2>&1 &
	await "a client connects" 20 connecting
}
cleanup() {
	fsfreeze -u $EXPORT/frozen 2>/dev/null || true
	[ -d /sys/class/net/d0 ] || netdev_up
	ip link set d0 up
	[ -d /sys/class/infiniband/rxe0 ] || rdma_up
	umount_all
	nfsd_stop
	umount $EXPORT/frozen 2>/dev/null || true
}
