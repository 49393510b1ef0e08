#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the latency of each stage of an RPC, by perf and bpftrace: every call is in each histogram"
KERNELS="x86"
TARGET=guest-trace
TIMEOUT=240

requires() { need_ours && have perf bpftrace; }

test() {
	nfsd_start
	nfs_mount 3
	assert "a first write" "$IOTOOL" write $MNT/f 0 4096 1 direct
	latency perf
	latency bpftrace
}
