#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="version 1 configures connections: limits are asked for before anything else, and WRITEs of NFSv3 are padded"
VARIANTS="rdma padded"
TARGET=guest-long
TIMEOUT=180
VERSIONS=any
AUTOLOAD=n

# rdma: the Connection Configuration Protocol between our sides: asked before anything else on each
# connection of version 1, refused without harm
requires_rdma() { need_ours && need_extensions conf; }

# sent_refused SENT REFUSED: what the client has counted, all of it answered
sent_refused() {
	assert_eq "CONF_RDMA sent" "$1" "$(ours_stat client conf_sent)"
	assert_eq "of these refused" "$2" "$(ours_stat client conf_refused)"
	assert_eq "and answered with limits" $(($1 - $2)) "$(ours_stat client conf_answered)"
	assert_eq "not answered" 0 "$(ours_stat client conf_unanswered)"
	assert_eq "received by the server" $(($1 - $2)) "$(ours_stat server conf_calls)"
}

# round CLIENT_ARGS SERVER_ARGS VERSION... : load the modules, start the server, mount with each
# version of NFS, and call "wanted" each time.
round() {
	local v
	log "client $1, server $2"
	transport_load "$1" "$2"
	sysctl -qw sunrpc.rdma_max_inline_write=8192 sunrpc.rdma_max_inline_read=8192
	sysctl -qw sunrpc.svc_rdma.max_req_size=$SIZE
	nfsd_start
	for v in "${@:3}"; do
		nfs_mount "$v"
		basic_files "$v"
		wanted
		nfs_umount
	done
	nfsd_stop
	transport_unload
}

test_rdma() {
	SIZE=4096
	wanted() {
		assert_eq version 1 "$(of client 'c["rpcrdma_version"]')"
		assert_eq "longest call" $SIZE "$(of client 'c["inline_send"]')"
		assert_eq "longest reply" $SIZE "$(of client 'c["inline_recv"]')"
		assert_eq "version 1" "$(ours_stat client connects)" "$(ours_stat client connects_v1)"
		sent_refused "$(ours_stat client connects)" 0
		assert_eq "what the server sends" $SIZE "$(of server 'c["inline_send"]')"
	}
	round "max_version=1 connection_configuration=Y" "" $NFS_VERSIONS
	SIZE=8192
	round "max_version=1 connection_configuration=Y" "" 4.2
	log "after an offer of version 2 was refused, on the same connection"
	SIZE=4096
	round "max_version=2 connection_configuration=Y" "max_version=1" 3 4.2

	wanted() {
		assert_eq "longest call" $SIZE "$(of client 'c["inline_send"]')"
		assert_eq "longest reply" $SIZE "$(of client 'c["inline_recv"]')"
		assert_eq "CONF_RDMA refused" "$(ours_stat client connects)" "$(ours_stat client conf_refused)"
		sent_refused "$(ours_stat client connects)" "$(ours_stat client conf_refused)"
	}
	round "max_version=1 connection_configuration=Y" "connection_configuration=N" 3 4.2

	wanted() { sent_refused 0 0; }
	round "max_version=1" "" 4.2
	round "max_version=2 connection_configuration=Y" "" 4.2
}

# padded: padded WRITEs of NFSv3 (RDMA_MSGP): every size arrives intact, most of them in a page of
# their own, and nothing else is padded
requires_padded() { need_ours && need_extensions conf msgp; }

# padded CLIENT_PADDING SERVER_ALIGNMENT MAX: load, serve and mount with these settings, inline
# messages of MAX bytes, and write every size.
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
	DIRECT=$(ours_stat server msgp_direct)
	MOVED=$(ours_stat server msgp_moved)
	assert_eq "padded calls received" "$CALLS" "$(ours_stat server msgp_calls)"
	assert_eq "refused" 0 "$(ours_stat server err_chunk_sent)"
	assert_eq "bad replies" 0 "$(xprt_stat bad_reply)"
}

finish() {
	nfs_umount
	nfsd_stop
	transport_unload
}

test_padded() {
	local before
	padded 512 512 4096
	assert_ge "padded calls" "$CALLS" 100
	assert_ge "passed in their page" "$DIRECT" 50
	before=$(ours_stat client calls_padded)
	nfs_umount
	nfs_mount 4.2
	all_sizes direct
	assert_eq "padded calls of NFSv4" "$before" "$(ours_stat client calls_padded)"
	finish

	log "data that is longer than the page, or begins behind its start"
	padded 1024 512 8192
	assert_ge "padded calls" "$CALLS" 400
	assert_ge "passed in their page" "$DIRECT" 100
	assert_ge "made contiguous" "$MOVED" 1
	finish
	log "what the server alone wants is not padded"
	padded 0 512 4096
	assert_eq "padded calls" 0 "$CALLS"
	finish
}
