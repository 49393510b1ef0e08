#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the server uses the version that it is allowed; with 2, a WRITE of 4 KiB needs no RDMA Read, and larger buffers take more"
KERNELS="uml x86"
VERSIONS=any
TIMEOUT=120
AUTOLOAD=n

requires() {
	[ "$TRANSPORT" = ours ] || { echo "the kernel's own transport has no version 2"; return 1; }
}

# server_says NAME VALUE: assert that this is what the server says of the one connection.
server_says() { assert_eq "$1" "$2" "$(conn_values server "$1")"; }

# round VERSION CLIENT_ARGS SERVER_ARGS: load the modules, start the server, and mount with
# 4.2 and then 3; call "wanted" with each.
round() {
	local v
	transport_load "$2" "$3"
	nfsd_start 2
	for v in 4.2 3; do
		log "NFS $v: $2, $3"
		nfs_mount $v
		server_says rpcrdma_version "$1"
		wanted
		nfs_umount
	done
	nfsd_stop
	transport_unload
}

# write_reads BYTES: number of RDMA Reads that the server needs for a WRITE.
write_reads() {
	local before
	before=$(ours_stat server reads_posted)
	"$IOTOOL" write $MNT/f 0 "$1" 1 direct >/dev/null || fail "direct write of $1"
	"$IOTOOL" check $EXPORT/f 0 "$1" 1 >/dev/null || fail "$1 bytes on the server"
	echo $(($(ours_stat server reads_posted) - before))
}

test() {
	log "a server that may not: version 1 on the same connection"
	wanted() {
		assert_ge "ERR_VERS sent" "$(ours_stat server err_vers_sent)" 1
		assert_eq "CONNPROPs sent" 0 "$(ours_stat server connprops_sent)"
		assert_eq "connections made" 1 "$(xprt_stat connects)"
		assert_ge "Reads for a WRITE of 4 KiB" "$(write_reads 4096)" 1
	}
	round 1 max_version=2 max_version=1

	log "a client that may not"
	wanted() {
		assert_eq "errors sent" 0 "$(ours_stat server errors_sent)"
		assert_eq "CONNPROPs received" 0 "$(ours_stat server connprops_received)"
	}
	round 1 max_version=1 max_version=2

	log "both may"
	wanted() {
		assert_ge "CONNPROPs received" "$(ours_stat server connprops_received)" 1
		server_says peer_props.recv_size 5120
		server_says inline_recv 5120
		assert_eq "errors sent" 0 "$(ours_stat server errors_sent)"
		assert_eq "Reads for a WRITE of 4 KiB" 0 "$(write_reads 4096)"
		assert_ge "Reads for a WRITE of 8 KiB" "$(write_reads 8192)" 1
	}
	round 2 max_version=2 max_version=2

	log "larger buffers"
	wanted() {
		server_says inline_recv 16384
		assert_eq "Reads for a WRITE of 8 KiB" 0 "$(write_reads 8192)"
	}
	round 2 max_version=2 "max_version=2 receive_buffer_size=16384"

	log "a client with large buffers: long replies are inline"
	wanted() {
		local n
		server_says peer_props.recv_size 65536
		"$IOTOOL" write $EXPORT/g 0 65536 2 >/dev/null
		for n in 4096 20000 32768 60000; do
			assert "READ of $n" "$IOTOOL" check $MNT/g 0 $n 2 direct
		done
		assert_eq "errors sent" 0 "$(ours_stat server errors_sent)"
		assert_eq "bytes written to Reply chunks" 0 "$(ours_stat server reply_bytes)"
		assert_ge "gathered replies" "$(ours_stat server mapped_replies)" 1
	}
	round 2 "max_version=2 receive_buffer_size=65536" ""

	log "smaller ones than there may be"
	wanted() {
		server_says inline_recv 4096
		assert_ge "Reads for a WRITE of 4 KiB" "$(write_reads 4096)" 1
	}
	round 2 max_version=2 "receive_buffer_size=1000"
}
