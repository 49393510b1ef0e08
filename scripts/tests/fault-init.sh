#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="each allocation while the client's module loads fails once: loading fails, or does without it; nothing is left behind"
KERNELS="uml x86"
TIMEOUT=60
AUTOLOAD=n

requires() { need_ours && need_faults failslab fail_page_alloc; }

# Not the server's module: it creates a slab cache, and the kernel prints a backtrace if that
# fails.
test() {
	local m
	for m in sunrpc rdma_cm; do limit 20 modprobe $m; done
	limit 20 insmod "$(module_file rpcrdma_core)" || fail "cannot load rpcrdma_core"
	# shellcheck disable=SC2046
	each_allocation "loading xprtrdma" unload $(text_of_initcalls) insmod "$(module_file xprtrdma)"
	faults_off
	transport_load
	nfsd_start 2
	nfs_mount 4.2
	basic_files 4.2
}
unload() { limit 20 rmmod xprtrdma || fail "cannot unload xprtrdma"; }

cleanup() { faults_off; }
