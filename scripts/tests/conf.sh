#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="version 1 with CONF_RDMA: limits are exchanged first; only NFSv3 WRITEs are padded, and all sizes arrive intact"
TARGET=guest-long
TIMEOUT=180
VERSIONS=any
AUTOLOAD=n

requires() { need_ours && need_extensions conf msgp; }

# configured: check that each connection has asked for limits and got an answer.
configured() {
	local n
	n=$(ours_stat client connects_v1)
	assert_eq "connections of version 2" 0 "$(ours_stat client connects_v2)"
	assert_eq "CONF_RDMA answered with limits" $n "$(ours_stat client conf_answered)"
	assert_eq "received by the server" $n "$(ours_stat server conf_calls)"
}

# padded CLIENT_PADDING SERVER_ALIGNMENT MAX: load the modules, serve and mount with these settings
# and inline messages of MAX bytes, and write every size.
padded() {
	log "padding $1, alignment $2, messages of $3 bytes"
	transport_load "max_version=1 connection_configuration=Y" "receive_alignment=$2"
	sysctl -qw sunrpc.rdma_inline_write_padding="$1" sunrpc.rdma_max_inline_write="$3"
	sysctl -qw sunrpc.svc_rdma.max_req_size="$3"
	nfsd_start
	nfs_mount 3
	all_sizes
	all_sizes direct
	around 1024
	around 4096
	basic_files 3
	CALLS=$(ours_stat client calls_padded)
	assert_eq "padded calls received" "$CALLS" "$(ours_stat server msgp_calls)"
	assert_eq "refused" 0 "$(ours_stat server errors_sent)"
	assert_eq "bad replies" 0 "$(xprt_stat bad_reply)"
	configured
}

finish() {
	nfs_umount
	nfsd_stop
	transport_unload
}

test() {
	local before
	padded 512 512 4096
	assert_ge "padded calls" "$CALLS" 80
	before=$(ours_stat client calls_padded)
	nfs_umount
	nfs_mount 4.2
	all_sizes direct
	assert_eq "padded calls of NFSv4" "$before" "$(ours_stat client calls_padded)"
	configured
	finish

	log "data that is longer than a page; an alignment smaller than allowed"
	padded 1024 512 8192
	assert_eq "longest call" 8192 "$(of client 'c["inline_send"]')"
	assert_ge "padded calls" "$CALLS" 160
	finish
	log "what the server alone wants is not padded"
	padded 0 512 4096
	assert_eq "padded calls" 0 "$CALLS"
	finish
}
