#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="modules in use cannot be unloaded, do not load beside in-tree, and unload in either order"
VARIANTS="busy conflict"
KERNELS_busy="uml x86"
AUTOLOAD_conflict=n

requires() { need_ours; }

# busy: modules in use cannot be unloaded, and the attempt has no effect. Here the client's module
# is unloaded first; after other tests, the server's.
test_busy() {
	local m
	nfsd_start
	nfs_mount 4.1
	echo before >$MNT/f
	for m in xprtrdma svcrdma rpcrdma_core; do
		refute "$m unloads while mounted and served" timeout 10 rmmod $m
		assert "$m is still there" module_loaded $m
	done
	assert_eq "data" before "$(cat $EXPORT/f)"
	echo after >$MNT/g
	assert_eq "new data" after "$(cat $EXPORT/g)"
	basic_files 4.1
	nfs_umount
	nfsd_stop
	wait_for 10 counters_balanced || fail "leak: $(counters_leak)"
	await "the client's module unloads first" 10 unload_one xprtrdma
}

# conflict: loading our modules beside the in-tree rpcrdma fails with one line that says what to do.

# refused MODULE: check that insmod fails, and that the module logs one line that names rpcrdma and
# a command.
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

test_conflict() {
	limit 10 modprobe rpcrdma
	limit 10 insmod "$(module_file rpcrdma_core)"
	refused xprtrdma
	refused svcrdma
	nfsd_start
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
