#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the latency of each stage of an RPC, by tracefs, or by perf and bpftrace: every call is in each histogram, at client and server"
VARIANTS="latency tools"
KERNELS="uml x86"
KERNELS_tools="x86"
TARGET_tools=guest-trace
TIMEOUT=120
TIMEOUT_tools=240

requires() { need_ours; }
requires_tools() { need_ours && have perf bpftrace; }

test() {
	nfsd_start
	nfs_mount 3
	assert "a first write" "$IOTOOL" write $MNT/f 0 4096 1 direct
	if [ "$VARIANT" = tools ]; then
		latency perf
		latency bpftrace
	else
		refute "a means that does not exist" "$RPCRDMA_TOP/scripts/trace/latency" --with nothing true 2>/dev/null
		latency tracefs
	fi
}
