#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="servers and clients of either version: each pair agrees, and a server that changes its version is followed under load"
TIMEOUT=120
VERSIONS=any

requires() { need_ours; }

set_max() { echo "$2" >"/sys/module/$1/parameters/max_version"; }
# version_now: version of the mount's one connection.
version_now() { conn_values client rpcrdma_version; }
restart() {
	nfsd_stop
	nfsd_again
}

test() {
	local client server want
	nfsd_start
	for client in 1 2; do
		for server in 1 2; do
			want=$((client < server ? client : server))
			set_max xprtrdma $client
			set_max svcrdma $server
			nfs_mount 4.2
			log "client $client, server $server: $(version_now)"
			assert_eq "version of client $client with server $server" $want "$(version_now)"
			basic_files 4.2
			nfs_umount
		done
	done
	follow
}

# A mount under load, whose server has first version 1, then 2, then 1.
follow() {
	local v w
	set_max xprtrdma 2
	set_max svcrdma 1
	head -c 4194304 /dev/urandom >$TEST_TMP/src
	nfs_mount 4.2
	assert_eq "version to begin with" 1 "$(version_now)"
	write_on &
	w=$!
	for v in 2 1 2; do
		await "load runs" 20 [ -s $EXPORT/load ]
		set_max svcrdma $v
		restart
		await "a connection of version $v" 30 is_version $v
		log "followed to version $v"
	done
	touch $TEST_TMP/enough
	assert "the writer finishes" wait $w
	assert_eq "checksum on the server" "$(sum_of $TEST_TMP/src)" "$(sum_of $EXPORT/load)"
	drop_caches
	assert_eq "checksum read back" "$(sum_of $TEST_TMP/src)" "$(sum_of $MNT/load)"
	nfs_umount
}
# write_on: write the same file again and again until told to stop.
write_on() {
	while [ ! -e $TEST_TMP/enough ]; do
		limit 60 dd if=$TEST_TMP/src of=$MNT/load bs=64k oflag=direct status=none || return
	done
}
is_version() { [ "$(version_now)" = "$1" ]; }
