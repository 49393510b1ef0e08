# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A capture of one connection, within one guest: sourced by scripts/demo-guest, decoded on the
# host by scripts/show/negotiation.

# NOTE is for scripts/demo-guest.
# shellcheck disable=SC2034

CAPTURE=/run/out/negotiation.pcap
CAPTURE_CLIENT=10.2.0.1 CAPTURE_SERVER=10.2.0.2

# capture_link: soft-RoCE on both ends of a virtual cable, v0 the client's and v1 the server's.
# What the kernel sends from one of its own addresses to another never reaches a cable, so rules
# in front of those for local addresses send it there; what comes out is local, as usual.
capture_link()
{
	local dev

	ip link add v0 type veth peer name v1 || return 1
	ip addr add $CAPTURE_CLIENT/24 dev v0 || return 1
	ip addr add $CAPTURE_SERVER/24 dev v1 || return 1
	for dev in v0 v1; do
		echo 1 >/proc/sys/net/ipv4/conf/$dev/accept_local
		ip link set $dev mtu 4400 up || return 1
	done
	echo 0 | tee /proc/sys/net/ipv4/conf/{all,v0,v1}/rp_filter
	ip route add $CAPTURE_SERVER dev v0 src $CAPTURE_CLIENT table 101 || return 1
	ip route add $CAPTURE_CLIENT dev v1 src $CAPTURE_SERVER table 102 || return 1
	ip rule add pref 1 iif v1 to $CAPTURE_SERVER lookup local || return 1
	ip rule add pref 2 iif v0 to $CAPTURE_CLIENT lookup local || return 1
	ip rule add pref 3 to $CAPTURE_SERVER lookup 101 || return 1
	ip rule add pref 4 to $CAPTURE_CLIENT lookup 102 || return 1
	ip rule add pref 5 lookup local && ip rule del pref 0 || return 1
	rdma link add rxe1 type rxe netdev v0 || return 1
	rdma link add rxe2 type rxe netdev v1 || return 1
	NOTE="rxe1 on v0, rxe2 on v1"
}

# capture_traffic: a mount, and enough of 8 KiB for both sides to ask for larger Receives.
capture_traffic()
{
	SERVER=$CAPTURE_SERVER nfs_mount 4.2 || return 1
	dd if="$SRC"/file of="$MNT"/captured bs=8k count=50 oflag=direct || return 1
	dd if="$MNT"/captured of=/dev/null bs=8k iflag=direct || return 1
	rm "$MNT"/captured
	nfs_umount
}

# capture_connection: all of this while dumpcap writes what goes over the cable.
capture_connection()
{
	local pid status

	dumpcap -q -i v0 -s 0 -f "udp port 4791" -w "$CAPTURE" 2>/run/dumpcap &
	pid=$!
	await "the capture runs" 10 grep -q '^File:' /run/dumpcap
	capture_traffic
	status=$?
	# Packets are written in blocks, after a second at most.
	sleep 2
	kill -INT $pid
	wait $pid
	cat /run/dumpcap
	NOTE="$(stat -c %s "$CAPTURE") bytes"
	[ -s "$CAPTURE" ] && return "$status"
}

capture_remove()
{
	rdma link del rxe1 && rdma link del rxe2 && ip link del v0
}

capture_steps()
{
	step "a cable between two soft-RoCE devices" capture_link
	step "NFSv4.2: one connection captured" capture_connection
	OVER=ours
	outage_step
	step "the cable is removed" capture_remove
}
