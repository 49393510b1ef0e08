# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# The RDMA device, soft-RoCE or siw: on a dummy netdev if one guest is both hosts, on the private
# link with two guests.

ADDR4=10.0.0.1 ADDR6=fd00::1 RDMA_NETDEV=d0
PROVIDER=${PROVIDER:-rxe}
RDMA_DEV=${PROVIDER}0
if [ "${GUEST_SIDE:-single}" != single ]; then
	# left is the server, right the client
	ADDR4=10.1.0.1 ADDR6=fd01::1
	RDMA_NETDEV=eth0
fi

# net_up: set up addresses and the RDMA device, unless they exist.
net_up() {
	ip link set lo up
	if [ "${GUEST_SIDE:-single}" = single ] && ! [ -d /sys/class/net/d0 ]; then
		modprobe -q dummy || true
		ip link show dummy0 >/dev/null 2>&1 && ip link del dummy0
		d0_add
	fi
	case $PROVIDER in
	rxe) modprobe rdma_rxe ;;
	*) modprobe "$PROVIDER" ;;
	esac
	rdma_present || rdma_up
	adapter_up
}

# d0_add: add d0.
d0_add() {
	ip link add d0 mtu 9000 type dummy
	ip addr add 10.0.0.1/24 dev d0
	d0_up
}

# d0_up: set d0 up, and restore the IPv6 address that it lost while down.
d0_up() {
	ip link set d0 up
	ip -6 addr add fd00::1/64 dev d0 nodad 2>/dev/null || true
}

# adapter_up: replace the RDMA device with one that has the habits in ADAPTER.
adapter_up() {
	if [ -z "${ADAPTER+x}" ] || module_loaded rpcrdma_adapter; then return 0; fi
	# shellcheck disable=SC2086
	limit 20 insmod "$(module_file rpcrdma_adapter)" $ADAPTER || fail "cannot load rpcrdma_adapter"
	rdma_down
	rdma_up
}

# rdma_up, rdma_down: add and remove the RDMA device; the netdev stays.
rdma_up() {
	rdma link add "$RDMA_DEV" type "$PROVIDER" netdev "$RDMA_NETDEV"
	wait_for 5 grep -qs ACTIVE "/sys/class/infiniband/$RDMA_DEV/ports/1/state" || fail "$RDMA_DEV is not active"
	wait_for 5 rdma_has_gid || fail "$RDMA_DEV has no GID for $ADDR4"
}
rdma_down() { limit 30 rdma link delete "$RDMA_DEV"; }
rdma_present() { [ -d "/sys/class/infiniband/$RDMA_DEV" ]; }

# rdma_has_gid: succeed if the device has a GID for our address. iWARP needs no GID, because it
# finds the device by its interface.
rdma_has_gid() { [ "$PROVIDER" = siw ] || grep -qs ffff: "/sys/class/infiniband/$RDMA_DEV"/ports/1/gids/*; }

# need_rxe REASON: requires() helper for tests that need soft-RoCE.
need_rxe() { [ "${PROVIDER:-rxe}" = rxe ] || { echo "needs soft-RoCE: $1"; return 1; }; }

# rdma_objects: print "cm_id N cq N ..." of the device, without objects whose number changes by
# itself. Prints nothing without a device.
rdma_objects() {
	local line
	line=$(rdma resource show 2>/dev/null | grep "$RDMA_DEV:")
	line=${line#*"$RDMA_DEV": }
	echo "${line%% ctx*}"
}

# capture_begin INTERFACE FILE: start to capture soft-RoCE's packets.
capture_begin() {
	# Discard the output of an earlier capture.
	: >$TEST_TMP/dumpcap.log
	dumpcap -q -i "$1" -s 0 -B 32 -f "udp port 4791" -w "$2" >$TEST_TMP/dumpcap.log 2>&1 &
	CAPTURE_PID=$!
	await "the capture runs" 10 grep -q 'File:' $TEST_TMP/dumpcap.log
}

# capture_end FILE: stop the capture when all packets are in the file. They are written in blocks,
# after at most a second.
capture_end() {
	await "the capture is complete" 20 capture_complete "$1"
	kill -INT $CAPTURE_PID
	wait $CAPTURE_PID || true
}

# capture_complete FILE: succeed if the file has stopped growing.
capture_complete() {
	local size
	size=$(stat -c %s "$1")
	sleep 2
	[ "$(stat -c %s "$1")" = "$size" ]
}
