#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the version that connections have: what either side allows, a server that changes, hints of both sides"
VARIANTS="2-server mixed"
KERNELS="uml x86"
KERNELS_mixed=uml
VERSIONS=any
AUTOLOAD=n
AUTOLOAD_mixed=y
TIMEOUT=120

# 2-server: the server uses the version that it is allowed; with 2, a WRITE of 4 KiB needs no RDMA
# Read, and larger buffers take more
requires_2_server() { need_ours; }

# server_says NAME VALUE: assert that this is what the server says of the one connection.
server_says() { assert_eq "$1" "$2" "$(of server "c$1")"; }

# hints SERVER_S CLIENT_S: what each side has been told.
hints() {
	assert_eq "the server's hint" "$1" "$(of client 'c["peer_hint"]')"
	assert_eq "the client's hint" "$2" "$(of server 'c["peer_hint"]')"
}

# round VERSION CLIENT_ARGS SERVER_ARGS: load the modules, start the server, and mount with
# 4.2 and then 3; call "wanted" with each.
round() {
	local v
	transport_load "$2" "$3"
	nfsd_start 2
	for v in 4.2 3; do
		log "NFS $v: $2, $3"
		nfs_mount $v
		server_says '["rpcrdma_version"]' "$1"
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

test_2_server() {
	log "a server that may not: version 1 on the same connection"
	wanted() {
		hints none v2
		assert_ge "ERR_VERS sent" "$(ours_stat server err_vers_sent)" 1
		assert_eq "CONNPROPs sent" 0 "$(ours_stat server connprops_sent)"
		assert_eq "connections made" 1 "$(xprt_stat connects)"
		assert_ge "Reads for a WRITE of 4 KiB" "$(write_reads 4096)" 1
	}
	round 1 max_version=2 max_version=1

	log "a client that may not"
	wanted() {
		assert_eq "errors sent" 0 "$(ours_stat server errors_sent)"
		hints v2 none
		assert_eq "CONNPROPs received" 0 "$(ours_stat server connprops_received)"
	}
	round 1 max_version=1 max_version=2

	log "both may"
	wanted() {
		hints v2 v2
		assert_eq "connections of version 1" 0 "$(ours_stat client connects_v1)"
		assert_ge "CONNPROPs received" "$(ours_stat server connprops_received)" 1
		server_says '["peer_props"]["recv_size"]' 5120
		server_says '["inline_recv"]' 5120
		assert_eq "errors sent" 0 "$(ours_stat server errors_sent)"
		assert_eq "Reads for a WRITE of 4 KiB" 0 "$(write_reads 4096)"
		assert_ge "Reads for a WRITE of 8 KiB" "$(write_reads 8192)" 1
	}
	round 2 max_version=2 max_version=2

	log "larger buffers"
	wanted() {
		server_says '["inline_recv"]' 16384
		assert_eq "Reads for a WRITE of 8 KiB" 0 "$(write_reads 8192)"
	}
	round 2 max_version=2 "max_version=2 receive_buffer_size=16384"

	log "a client with large buffers: long replies are inline"
	wanted() {
		local n
		server_says '["peer_props"]["recv_size"]' 65536
		"$IOTOOL" write $EXPORT/g 0 65536 2 >/dev/null
		for n in 4096 20000 32768 60000; do
			assert "READ of $n" "$IOTOOL" check $MNT/g 0 $n 2 direct
		done
		assert_eq "errors sent" 0 "$(ours_stat server errors_sent)"
		assert_eq "bytes written to Reply chunks" 0 "$(ours_stat server reply_bytes)"
		assert_ge "gathered replies" "$(ours_stat server mapped_replies)" 1
	}
	round 2 "max_version=2 receive_buffer_size=65536" ""
}

# mixed: a server that changes its version is followed under load
requires_mixed() { need_ours; }

set_max() { echo "$2" >"/sys/module/$1/parameters/max_version"; }
# version_now: version of the mount's one connection.
version_now() { of client 'c.get("rpcrdma_version")'; }

# A mount under load, whose server has first version 1, then 2, then 1.
test_mixed() {
	local v w
	nfsd_start
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
		nfsd_stop
		nfsd_again
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
