#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the latency of each stage of an RPC: every call is in each histogram, at client and server"
KERNELS="uml x86"
TIMEOUT=120

requires() { need_ours; }

test() {
	nfsd_start
	nfs_mount 3
	assert "a first write" "$IOTOOL" write $MNT/f 0 4096 1 direct
	latency
}
