#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="tshark's dissector agrees with every message between two guests: types, chunk lists, credits, nothing malformed"
GUESTS=2
TIMEOUT=120

requires() { have dumpcap tshark; }

left() {
	nfsd_start
	meet serving
	meet captured 120
}

right() {
	local cap=/run/shared/rpcordma.pcap out=$TEST_TMP/messages i t read_chunks write_chunks nomsg
	meet serving
	dumpcap -q -i eth0 -s 0 -B 32 -f "udp port 4791" -w $cap >$TEST_TMP/dumpcap.log 2>&1 &
	local dumpcap=$!
	await "the capture runs" 10 grep -q 'File:' $TEST_TMP/dumpcap.log
	nfs_mount 3
	snapshot
	assert "small write" "$IOTOOL" write $MNT/small 0 100 1 direct
	for ((i = 0; i < 4; i++)); do
		assert "write" "$IOTOOL" write $MNT/f $((i * 65536)) 65536 2 direct
		assert "read" "$IOTOOL" check $MNT/f $((i * 65536)) 65536 2 direct
	done
	mkdir $MNT/dir
	(cd $MNT/dir && seq -f 'some-name-of-a-certain-length-%g' 100 | xargs touch)
	drop_caches
	assert_eq "names" 100 "$(ls $MNT/dir | wc -l)"
	t=$(head -c 3950 /dev/zero | tr '\0' x | sed 's:x\{200\}:&/:g' | head -c 3950)
	assert symlink ln -s "$t" $MNT/long
	read_chunks=$(delta read_chunks) nomsg=$(delta nomsg_calls) write_chunks=$(delta write_chunks)
	nfs_umount
	log "and a long call"
	nfs_mount 4.2
	snapshot
	touch $MNT/xattr
	assert setfattr setfattr -n user.big -v "$(head -c 15000 /dev/urandom | base64 -w 0)" $MNT/xattr
	read_chunks=$((read_chunks + $(delta read_chunks))) nomsg=$((nomsg + $(delta nomsg_calls)))
	nfs_umount
	# packets reach the file in blocks, after a second at most
	await "the capture is complete" 20 settled $cap
	kill -INT $dumpcap
	wait $dumpcap || true
	meet captured

	# tshark does not put READ's data back together when a reply came by Send With Invalidate: NFS itself is left out
	limit 60 tshark -r $cap --disable-protocol nfs -Y rpcordma -T fields -E separator=/s -E aggregator=, \
		-e ip.src -e rpcordma.version -e rpcordma.msg_type -e rpcordma.flow_control \
		-e rpcordma.reads_count -e rpcordma.writes_count -e rpcordma.reply_count -e rpcordma.position >$out 2>$TEST_TMP/tshark.err
	log "$(wc -l <$out) messages; client counted read $read_chunks write $write_chunks nomsg $nomsg"
	assert_ge "messages" "$(wc -l <$out)" 50
	assert_eq "malformed" 0 "$(limit 60 tshark -r $cap --disable-protocol nfs -Y 'rpcordma && _ws.malformed' 2>/dev/null | wc -l)"
	assert_eq "messages of another version than 1" 0 "$(awk '$2 != 1' $out | wc -l)"
	assert_eq "messages that grant or ask for no credit" 0 "$(awk '$4 == 0' $out | wc -l)"
	assert_eq "message types other than MSG and NOMSG" 0 "$(awk '$3 != 0 && $3 != 1' $out | wc -l)"
	assert_ge "messages with Read chunks" "$(awk -v s="$SELF" '$1 == s && $5 > 0' $out | wc -l)" 4
	assert_ge "messages with Write chunks, both directions" "$(awk '$6 > 0' $out | wc -l)" 8
	assert_ge "calls with a Reply chunk" "$(awk -v s="$SELF" '$1 == s && $7 > 0' $out | wc -l)" 1
	assert_ge "RDMA_NOMSG replies" "$(awk -v s="$PEER" '$1 == s && $3 == 1' $out | wc -l)" 1
	assert_eq "replies with a Read list" 0 "$(awk -v s="$PEER" '$1 == s && $5 > 0' $out | wc -l)"
	assert_ge "tshark sees each WRITE's Read chunk" "$(awk -v s="$SELF" '$1 == s && $5 > 0' $out | wc -l)" "$((read_chunks > 4 ? 4 : read_chunks))"
	assert_eq "long calls" "$nomsg" "$(awk -v s="$SELF" '$1 == s && $3 == 1' $out | wc -l)"
	cp $out "$OUT/tshark.txt"
}

# settled FILE: it does not grow any more
settled() {
	local size
	size=$(stat -c %s "$1")
	sleep 2
	[ "$(stat -c %s "$1")" = "$size" ]
}
