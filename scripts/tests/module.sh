#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="modules in use stay, ours do not load beside the in-tree one, and they can be loaded and unloaded again and again"
VARIANTS="busy conflict reload"
KERNELS_reload="uml x86"
AUTOLOAD=n
AUTOLOAD_busy=y
TIMEOUT_reload=90

# busy: modules in use cannot be unloaded, and the attempt disturbs nothing
test_busy() {
	local m
	nfsd_start
	nfs_mount 4.1
	echo before >$MNT/f
	refute "client module unloads while mounted" timeout 10 rmmod "$(client_module)"
	refute "server module unloads while nfsd listens" timeout 10 rmmod "$(server_module)"
	if [ "$TRANSPORT" = ours ]; then
		refute "codec unloads under its users" timeout 10 rmmod rpcrdma_core
	fi
	for m in "$(client_module)" "$(server_module)"; do
		assert "$m is still there" module_loaded "$m"
	done
	assert_eq "data" before "$(cat $EXPORT/f)"
	echo after >$MNT/g
	assert_eq "new data" after "$(cat $EXPORT/g)"
	basic_files 4.1
}

# conflict: loading our modules beside the in-tree rpcrdma fails with one clear line that says
# what to do
requires_conflict() { need_ours; }

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

test_conflict() {
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

# reload: the modules are loaded, used and unloaded four times over, in either order of client and
# server
test_reload() {
	local i
	for ((i = 0; i < 4; i++)); do
		transport_load
		nfsd_start 2
		nfs_mount 4.2
		echo $i >$MNT/f
		assert_eq "data" $i "$(cat $EXPORT/f)"
		nfs_umount
		nfsd_stop
		wait_for 10 counters_balanced || fail "leak in round $i: $(counters_leak)"
		if [ "$TRANSPORT" = ours ] && [ $((i % 2)) = 1 ]; then
			assert "client's module unloads first" wait_for 10 unload_one xprtrdma
		fi
		transport_unload
	done
}
