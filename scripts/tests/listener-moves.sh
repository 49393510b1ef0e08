#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a listener bound to one address: its device is removed and returns, a bond fails over; it listens again, and a mount continues to work"
TARGET=guest-long
VERSIONS=any
KERNELS="uml x86"
TIMEOUT=150

requires() { need_ours && have python3; }

# bound_to ADDRESS: start nfsd with one listener that is bound to ADDRESS.
bound_to() {
	nfsd_stop
	limit 10 python3 "$here/lib/genl.py" listen "$1" 20049
	grep -q "rdma 20049" /proc/fs/nfsd/portlist || fail "no listener: $(cat /proc/fs/nfsd/portlist)"
	echo 4 >/proc/fs/nfsd/threads
	grace_ends
}

moved() { [ "$(ours_stat server listeners_moved)" -ge "$1" ]; }

mounts() {
	nfs_mount 4.1
	echo hello >$MNT/f
	nfs_umount
}

# bond_up: create a bond of two interfaces, one of which is active at a time, and a soft-RoCE
# device on top.
bond_up() {
	local i

	ip link add bond7 type bond mode active-backup fail_over_mac active miimon 50
	for i in b1 b2; do
		ip link add $i type dummy
		ip link set $i master bond7
	done
	ip link set bond7 up
	ip addr add 10.2.0.1/24 dev bond7
	rdma link add rxe7 type rxe netdev bond7
	await "rxe7 has a GID" 10 grep -qs ffff: /sys/class/infiniband/rxe7/ports/1/gids/*
}

failover() {
	local moves

	log "a bond fails over"
	bond_up
	bound_to 10.2.0.1
	moves=$(ours_stat server listeners_moved)
	SERVER=10.2.0.1 nfs_mount 4.1
	busy_while fails_over $((moves + 1))
	nfs_umount
	SERVER=10.2.0.1 mounts
}

fails_over() {
	local lost

	lost=$(ours_stat client disconnects)
	echo b2 >/sys/class/net/bond7/bonding/active_slave
	await "it listens again" 10 moved "$1"
	await "the client's connection has ended" 10 ended $((lost + 1))
}
ended() { [ "$(ours_stat client disconnects)" -ge "$1" ]; }

# busy_while COMMAND...: write to the mount before, during and after COMMAND; all data
# arrives.
busy_while() {
	local writer

	head -c 8M /dev/urandom >$TEST_TMP/data
	write_to before 256k
	(until [ -e $TEST_TMP/happened ]; do write_to meanwhile 4k; done) &
	writer=$!
	await "something was written" 30 [ -s $EXPORT/meanwhile ]
	"$@"
	: >$TEST_TMP/happened
	assert "the writer ends" limit $((RECOVERY + 60)) tail --pid=$writer -s 0.1 -f /dev/null
	assert "what was written meanwhile" wait $writer
	write_to after 256k
	drop_caches
	assert "what is read" cmp $TEST_TMP/data $MNT/meanwhile
}

# write_to FILE SIZE: write the data, SIZE bytes at a time.
write_to() {
	dd if=$TEST_TMP/data of=$MNT/$1 bs=$2 oflag=direct status=none || fail "writing $1"
	assert "what was written, $1" cmp $TEST_TMP/data $EXPORT/$1
}

test() {
	local moves

	nfsd_start
	bound_to $ADDR4
	mounts
	moves=$(ours_stat server listeners_moved)
	log "the device is removed and returns"
	rdma_down
	rdma_up
	await "it listens again" 10 moved $((moves + 1))
	mounts
	if kernel_has bonding && [ "$PROVIDER" = rxe ]; then failover; else log "no failover here"; fi
}

cleanup() {
	nfsd_stop
	rdma_present || rdma_up
	rdma link delete rxe7 2>/dev/null
	ip link del bond7 2>/dev/null
	ip link del b1 2>/dev/null
	ip link del b2 2>/dev/null
	true
}
