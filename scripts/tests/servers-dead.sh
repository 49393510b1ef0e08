#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="208 transports whose servers cannot be resolved delay no other mount, and return when their servers do"
TARGET=guest-long
VERSIONS=any
TIMEOUT=120

SERVERS=13 TRANSPORTS=16
ALL=$((SERVERS * TRANSPORTS))

requires() { need_ours && need_rxe "each server address needs a GID"; }

# addresses add|del: those of the servers. Without them, the interface asks for them in vain.
addresses() {
	local i
	for ((i = 1; i <= SERVERS; i++)); do
		limit 10 ip addr "$1" 10.0.1.$i/32 dev "$RDMA_NETDEV"
	done
}

all_gids() { [ "$(grep -hs ffff: "/sys/class/infiniband/$RDMA_DEV"/ports/1/gids/* | wc -l)" -gt $SERVERS ]; }

# readers: more operations of each mount than it has transports, which take turns.
readers() {
	local i n
	for ((i = 1; i <= SERVERS; i++)); do
		for ((n = 0; n < 2 * TRANSPORTS; n++)); do
			cat "$MNT-$i/$n" >/dev/null &
			PIDS+=($!)
		done
	done
}

all_try() { [ "$(ours_stat client connects_repeated)" -ge $((before + 2 * ALL)) ]; }

test() {
	local i before start PIDS=()

	nfsd_start
	for ((i = 0; i < 2 * TRANSPORTS; i++)); do
		echo hello >$EXPORT/$i
	done
	ip link set "$RDMA_NETDEV" arp on
	ip route add 10.0.1.0/24 dev "$RDMA_NETDEV"
	addresses add
	await "GIDs of the addresses" 20 all_gids
	for ((i = 1; i <= SERVERS; i++)); do
		SERVER=10.0.1.$i nfs_mount 3 noac,nconnect=$TRANSPORTS $MNT-$i
	done
	before=$(ours_stat client connects_repeated)
	addresses del
	readers
	await "all transports try in vain" 40 all_try
	start=$(now_ms)
	nfs_mount 3
	assert_le "ms for a mount of another server" $(($(now_ms) - start)) $((3000 * SLOW))
	addresses add
	for i in "${PIDS[@]}"; do
		assert "an operation ends" wait "$i"
	done
	umount_all
}
