#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="one packet in a hundred lost each way between two guests: data intact"
TARGET=guest-long
GUESTS=2
VERSIONS=any
# If a packet is missing in the middle, soft-RoCE's completer may fail a Work Request without
# setting an error, and warns. The Queue Pair ends, and the client reconnects.
ALLOW="sw/rxe/rxe_comp.c:[0-9]+ rxe_completer"
TIMEOUT=180

requires() { have tc && kernel_has sch_netem; }

left() {
	nfsd_start
	tc qdisc add dev eth0 root netem loss 1%
	meet serving
	meet finished 170
	tc qdisc del dev eth0 root
}

right() {
	local v
	meet serving
	tc qdisc add dev eth0 root netem loss 1%
	for v in 3 4.1; do
		nfs_mount $v
		pair_files $v
		bulk_copy $v 4
		nfs_umount
	done
	tc qdisc del dev eth0 root
	meet finished
}

cleanup() { tc qdisc del dev eth0 root 2>/dev/null || true; }
