#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="our client asks the in-tree server for its limits, which does not know the program: the mount works as without"
GUESTS=2
VERSIONS=any
TIMEOUT=120
TRANSPORT_LEFT=intree
TRANSPORT_RIGHT=ours

requires() { need_extensions conf; }

left() {
	nfsd_start 8
	meet ready
	meet finished 100
}

right() {
	local v
	echo Y >/sys/module/xprtrdma/parameters/connection_configuration
	meet ready
	SERVER=$ADDR4
	for v in $NFS_VERSIONS; do
		nfs_mount "$v"
		bulk_copy "$v" 2
		assert_eq "longest call" 4096 "$(conn_values client inline_send)"
		assert_eq "longest reply" 4096 "$(conn_values client inline_recv)"
		nfs_umount
	done
	echo N >/sys/module/xprtrdma/parameters/connection_configuration
	assert_eq "CONF_RDMA sent" "$(ours_stat client connects)" "$(ours_stat client conf_sent)"
	assert_eq "and refused" "$(ours_stat client connects)" "$(ours_stat client conf_refused)"
	assert_eq "connections that failed" 0 "$(ours_stat client connects_failed)"
	assert_eq "connections lost" 0 "$(ours_stat client disconnects)"
	meet finished
}
