#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="version 2 with larger buffers; a server whose version changes; hints of both sides"
VARIANTS="2-server mixed"
KERNELS="uml x86"
KERNELS_mixed=uml
VERSIONS=any
AUTOLOAD=n
AUTOLOAD_mixed=y
TIMEOUT=120

requires() { need_ours; }

# 2-server: with version 2, a WRITE of 4 KiB needs no RDMA Read; larger buffers allow larger WRITEs.

# server_says NAME VALUE: check an attribute of the server's only connection.
server_says() { assert_eq "$1" "$2" "$(of server "c$1")"; }

# hints SERVER_S CLIENT_S: check the hint that each side has received.
hints() {
	assert_eq "the server's hint" "$1" "$(of client 'c["peer_hint"]')"
	assert_eq "the client's hint" "$2" "$(of server 'c["peer_hint"]')"
}

# round CLIENT_ARGS SERVER_ARGS: load the modules, start the server, and mount with 4.2 and then 3;
# call "wanted" with each.
round() {
	local v
	transport_load "max_version=2 $1" "$2"
	nfsd_start 2
	for v in 4.2 3; do
		log "NFS $v: $1, $2"
		nfs_mount $v
		wanted
		nfs_umount
	done
	nfsd_stop
	transport_unload
}

# write_reads BYTES: print the number of RDMA Reads that the server needs for a WRITE.
write_reads() {
	local before
	before=$(ours_stat server reads_posted)
	"$IOTOOL" write $MNT/f 0 "$1" 1 direct >/dev/null || fail "direct write of $1"
	"$IOTOOL" check $EXPORT/f 0 "$1" 1 >/dev/null || fail "$1 bytes on the server"
	echo $(($(ours_stat server reads_posted) - before))
}

test_2_server() {
	wanted() {
		hints v2 v2
		assert_eq "connections of version 1" 0 "$(ours_stat client connects_v1)"
		server_says '["peer_props"]["recv_size"]' 5120
		server_says '["inline_recv"]' 5120
		assert_eq "Reads for a WRITE of 4 KiB" 0 "$(write_reads 4096)"
		assert_ge "Reads for a WRITE of 8 KiB" "$(write_reads 8192)" 1
	}
	round "" ""

	log "larger buffers"
	wanted() {
		server_says '["inline_recv"]' 16384
		assert_eq "Reads for a WRITE of 8 KiB" 0 "$(write_reads 8192)"
	}
	round "" receive_buffer_size=16384

	log "a client with large buffers: long replies are inline"
	wanted() {
		local n
		server_says '["peer_props"]["recv_size"]' 65536
		"$IOTOOL" write $EXPORT/g 0 65536 2 >/dev/null
		for n in 4096 20000 32768 60000; do
			assert "READ of $n" "$IOTOOL" check $MNT/g 0 $n 2 direct
		done
		assert_eq "bytes written to Reply chunks" 0 "$(ours_stat server reply_bytes)"
		assert_ge "gathered replies" "$(ours_stat server mapped_replies)" 1
	}
	round receive_buffer_size=65536 ""
}

# mixed: the client follows a server that changes its version under load.

# A mount under load, whose server supports first version 1, then 2, then 1
test_mixed() {
	local v
	nfsd_start
	offer_version 2
	server_version 1
	nfs_mount 4.2
	assert "version 1 to begin with" is_version 1
	hints none v2
	assert_ge "ERR_VERS sent" "$(ours_stat server err_vers_sent)" 1
	assert_eq "connections made for that" 1 "$(xprt_stat connects)"
	io_start 1048576 load
	for v in 2 1 2; do
		await "load runs" 20 io_more "$(io_count)"
		server_version $v
		nfsd_stop
		nfsd_again
		await "a connection of version $v" 30 is_version $v
		log "followed to version $v"
	done
	io_end
	nfs_umount
}
server_version() { echo "$1" >/sys/module/svcrdma/parameters/max_version; }
# is_version N: check the version of the mount's only connection.
is_version() { [ "$(of client 'c.get("rpcrdma_version")')" = "$1" ]; }
