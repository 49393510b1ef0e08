# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Soft-RoCE: on a dummy netdev when one guest is both hosts, on the private link when there are two.

ADDR4=10.0.0.1 ADDR6=fd00::1 RDMA_NETDEV=d0
if [ "${GUEST_SIDE:-single}" != single ]; then
	# left is the server, right the client
	ADDR4=10.1.0.1 ADDR6=fd01::1
	RDMA_NETDEV=eth0
fi

# net_up: addresses and rxe0, if they are not there yet.
net_up() {
	ip link set lo up
	if [ "${GUEST_SIDE:-single}" = single ] && ! [ -d /sys/class/net/d0 ]; then
		modprobe -q dummy || true
		ip link show dummy0 >/dev/null 2>&1 && ip link del dummy0
		ip link add d0 type dummy
		ip link set d0 mtu 9000 up
		ip addr add 10.0.0.1/24 dev d0
		ip -6 addr add fd00::1/64 dev d0 nodad 2>/dev/null || true
	fi
	modprobe rdma_rxe
	[ -d /sys/class/infiniband/rxe0 ] || rdma_up
}

# rdma_up, rdma_down: the RDMA device comes and goes; the netdev stays.
rdma_up() {
	rdma link add rxe0 type rxe netdev "$RDMA_NETDEV"
	wait_for 5 grep -qs ACTIVE /sys/class/infiniband/rxe0/ports/1/state || fail "rxe0 is not active"
	wait_for 5 rdma_has_gid || fail "rxe0 has no GID for $ADDR4"
}
rdma_down() { rdma link delete rxe0; }
rdma_has_gid() { grep -qs ffff: /sys/class/infiniband/rxe0/ports/1/gids/*; }

# rdma_objects: how many cm_id, qp, cq, pd and mr of kernel users there are, apart from the MAD layer's own.
rdma_objects() {
	[ -d /sys/class/infiniband/rxe0 ] || { echo 0; return; }
	local k n=0
	for k in cm_id qp cq pd mr; do
		n=$((n + $(rdma resource show "$k" 2>/dev/null | grep -v 'comm \[ib_core\]' | grep -vc 'comm \[ib_\(core\|sa\|mad\|cm\)\]\|type GSI\|type SMI' || true)))
	done
	echo $n
}
