#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="loading our modules beside the in-tree rpcrdma fails with one clear line that says what to do"
AUTOLOAD=n

requires() { need_ours; }

# refused MODULE: insmod fails, and the kernel log has one error line from it naming rpcrdma
# and a way out.
refused() {
	local lines
	mark_dmesg
	refute "$1 loads beside rpcrdma" timeout 10 insmod "$(module_file "$1")"
	lines=$(dmesg_since_mark | grep "$1" | grep -i rpcrdma | count .)
	log "$(dmesg_since_mark | grep "$1")"
	assert_eq "lines in the log about it" 1 "$lines"
	assert "the line says what to do" grep -qiE 'rmmod|modprobe' <(dmesg_since_mark | grep "$1")
	refute "$1 is loaded" module_loaded "$1"
}

test() {
	limit 10 modprobe rpcrdma
	limit 10 insmod "$(module_file rpcrdma_core)"
	refused xprtrdma
	refused svcrdma
	TRANSPORT=intree nfsd_start
	nfs_mount 4.1
	basic_files 4.1
	nfs_umount
	server_down
	limit 10 rmmod rpcrdma
	log "and the other way round"
	transport_load
	mark_dmesg
	timeout 10 modprobe rpcrdma || true
	nfsd_start
	nfs_mount 4.1
	basic_files 4.1
	nfs_umount
	server_down
	if module_loaded rpcrdma; then timeout 10 rmmod rpcrdma || fail "rpcrdma does not unload"; fi
	mark_dmesg
}
