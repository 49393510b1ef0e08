#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="500 mounts and unmounts, all versions, a file read in each; nothing accumulates"
TARGET=guest-long
VERSIONS=any
TIMEOUT=150

test() {
	local after50
	nfsd_start
	echo data >$EXPORT/f
	nfs_mount 3
	nfs_umount
	cycles 50
	after50=$(rdma_object_count)
	cycles 450
	log "RDMA objects after 50 cycles $after50, after 500 $(rdma_object_count)"
	await "no more RDMA objects than after 50 cycles" 20 few_objects $((after50 + 10))
	if [ "$TRANSPORT" = ours ]; then
		assert_ge "connections made" "$(ours_stat client connects)" 500
		await "the client keeps no connection" 20 client_idle
	fi
}

# cycles N: mount and unmount N times, a quarter of them with each version.
cycles() {
	local a=addr=$ADDR4,proto=rdma,port=20049
	assert "$1 cycles" limit 140 "$IOTOOL" mount-cycles "$1" $MNT f data \
		"$ADDR4:$EXPORT" nfs "$a,vers=3,nolock,mountaddr=$ADDR4,mountproto=tcp,mountport=20048" \
		"$ADDR4:/" nfs4 "$a,vers=4.0,clientaddr=$ADDR4" \
		"$ADDR4:/" nfs4 "$a,vers=4.1,clientaddr=$ADDR4" \
		"$ADDR4:/" nfs4 "$a,vers=4.2,clientaddr=$ADDR4"
}
few_objects() { [ "$(rdma_object_count)" -le "$1" ]; }
client_idle() { [ "$(ours_stat client conns_created)" = "$(ours_stat client conns_destroyed)" ]; }
