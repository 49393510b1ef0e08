# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Captures of the RDMA traffic between two guests, and calls that use every kind of chunk.

# capture_begin FILE: start capturing; capture_end FILE stops it.
capture_begin() {
	# What another capture has said is not waited for.
	: >$TEST_TMP/dumpcap.log
	dumpcap -q -i eth0 -s 0 -B 32 -f "udp port 4791" -w "$1" >$TEST_TMP/dumpcap.log 2>&1 &
	CAPTURE_PID=$!
	await "the capture runs" 10 grep -q 'File:' $TEST_TMP/dumpcap.log
}

# capture_end FILE: stop it, once all packets are in the file; they are written in blocks,
# after a second at most.
capture_end() {
	await "the capture is complete" 20 capture_complete "$1"
	kill -INT $CAPTURE_PID
	wait $CAPTURE_PID || true
}

# offer_version N: the highest one that this client offers from now on
offer_version() { echo "$1" >/sys/module/xprtrdma/parameters/max_version || fail "cannot set max_version"; }

# capture_complete FILE: whether it has stopped growing.
capture_complete() {
	local size
	size=$(stat -c %s "$1")
	sleep 2
	[ "$(stat -c %s "$1")" = "$size" ]
}

# captured_traffic: two mounts and calls with each kind of chunk; sets COUNTED[...] to what
# the client has counted.
captured_traffic() {
	local i t
	nfs_mount 3
	snapshot
	assert "small write" "$IOTOOL" write $MNT/small 0 100 1 direct
	for ((i = 0; i < 4; i++)); do
		assert "write" "$IOTOOL" write $MNT/f $((i * 65536)) 65536 2 direct
		assert "read" "$IOTOOL" check $MNT/f $((i * 65536)) 65536 2 direct
	done
	mkdir $MNT/dir
	(cd $MNT/dir && seq -f 'some-name-of-a-certain-length-%g' 100 | xargs touch)
	# Long replies: the first ones are predicted to be short.
	for ((i = 0; i < 4; i++)); do
		drop_caches
		assert_eq "names" 100 "$(ls $MNT/dir | wc -l)"
	done
	t=$(head -c 3950 /dev/zero | tr '\0' x | sed 's:x\{200\}:&/:g' | head -c 3950)
	assert symlink ln -s "$t" $MNT/long
	assert "inline, more than a packet" "$IOTOOL" write $MNT/small 0 3000 3 direct
	COUNTED=()
	count_delta
	nfs_umount
	log "and a long call"
	nfs_mount 4.2
	snapshot
	touch $MNT/xattr
	assert setfattr setfattr -n user.big -v "$(head -c 15000 /dev/urandom | base64 -w 0)" $MNT/xattr
	count_delta
	nfs_umount
}

declare -A COUNTED
count_delta() {
	local name
	for name in read_chunks write_chunks reply_chunks nomsg_calls; do
		COUNTED[$name]=$((${COUNTED[$name]:-0} + $(delta $name)))
	done
}

# dissect FILE FILTER FIELD...: these fields of a capture, as tshark decodes it, one line per
# packet, separated by semicolons. NFS itself is left out, because tshark does not reassemble
# the data of a READ whose reply came by Send With Invalidate.
dissect() {
	local cap=$1 filter=$2 fields=() f lua=$RPCRDMA_TOP/scripts/wireshark/rpcrdma2.lua
	shift 2
	for f; do fields+=(-e "$f"); done
	WIRESHARK_PLUGIN_DIR=/nonexistent limit 60 tshark -X lua_script:$lua -r $cap --disable-protocol nfs -Y "$filter" -T fields -E separator=\; -E aggregator=, "${fields[@]}" 2>>$TEST_TMP/tshark.err
}
