#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="tshark's dissector agrees with every message between two guests: types, properties, chunk lists, credits, nothing malformed"
GUESTS=2
VERSIONS=any
TIMEOUT=240

# captured_traffic: mount twice, and make calls with each kind of chunk.
captured_traffic() {
	local i
	nfs_mount 3
	assert "small write" "$IOTOOL" write $MNT/small 0 100 1 direct
	for ((i = 0; i < 4; i++)); do
		assert "write" "$IOTOOL" write $MNT/f $((i * 65536)) 65536 2 direct
		assert "read" "$IOTOOL" check $MNT/f $((i * 65536)) 65536 2 direct
	done
	mkdir $MNT/dir
	(cd $MNT/dir && seq -f 'some-name-of-a-certain-length-%g' 100 | xargs touch)
	# Long replies; the client predicts that the first ones are short.
	for ((i = 0; i < 4; i++)); do
		drop_caches
		assert_eq "names" 100 "$(ls $MNT/dir | wc -l)"
	done
	assert symlink ln -s "$(long_path 3950)" $MNT/long
	assert "inline, more than a packet" "$IOTOOL" write $MNT/small 0 3000 3 direct
	nfs_umount
	log "and a long call"
	nfs_mount 4.2
	touch $MNT/xattr
	assert setfattr setfattr -n user.big -v "v$(head -c 15000 /dev/urandom | base64 -w 0)" $MNT/xattr
	nfs_umount
}

# dissect FILE FIELD...: print these fields of each NFS over RDMA packet of a capture as tshark decodes
# it, one line per packet, separated by semicolons. NFS is not decoded, because tshark does not
# reassemble the data of a READ whose reply was a Send With Invalidate.
dissect() {
	local cap=$1 fields=() f dir=$RPCRDMA_TOP/scripts/wireshark
	shift
	for f; do fields+=(-e "$f"); done
	WIRESHARK_PLUGIN_DIR=/nonexistent limit 60 $dir/unprivileged tshark -X lua_script:$dir/rpcrdma2.lua -r $cap --disable-protocol nfs -Y 'rpcrdma2 || rpcordma' -T fields -E separator=\; -E aggregator=, "${fields[@]}" 2>>$TEST_TMP/tshark.err
}

left() {
	nfsd_start
	meet serving
	meet captured 120
}

requires() { need_ours && need_extensions pulled && have dumpcap tshark; }

right() {
	local cap=/run/shared/rpcrdma2.pcap all=$TEST_TMP/packets out=$TEST_TMP/messages
	meet serving
	offer_version 2
	echo 104 >/sys/module/xprtrdma/parameters/service_type
	capture_begin eth0 $cap
	captured_traffic
	capture_end $cap
	meet captured

	echo 0 >/sys/module/xprtrdma/parameters/service_type
	dissect $cap ip.src rpcrdma2.htype rpcrdma2.flags rpcrdma2.credit rpcrdma2.inv_handle rpcrdma2.reads_count \
		rpcrdma2.writes_count rpcrdma2.reply_count rpcrdma2.handle rpcrdma2.prop.rbsiz rpcrdma2.prop.remote_inv frame.len \
		rpc.msgtyp rpcrdma2.xid ip.dsfield.dscp rpcrdma2.fragments rpcordma rpcrdma2.malformed rpcrdma2.unknown \
		rpcrdma2.failed rpcrdma2.inconsistent _ws.malformed _ws.expert.message >$all
	cp $all "$OUT/tshark.txt"
	awk -F\; '$14' $all >$out
	log "$(wc -l <$out) messages"
	assert_ge "messages" "$(wc -l <$out)" 50
	assert_eq "DSCP of both sides' messages" 26 "$(cut -d\; -f15 $out | sort -u)"
	nothing_wrong
	negotiated
	only_messages
	chunks
	replies_read_by_client
}

# lines CONDITION: count the messages in $out for which it is true; s is the server's address, c the
# client's.
lines() { awk -F\; -v c="$SELF" -v s="$PEER" "$1" $out | wc -l; }

nothing_wrong() {
	assert_ge "messages of several packets" "$(lines '$16 > 1')" 1
	assert_eq "packets with something wrong" "" "$(awk -F\; '$18 $19 $20 $21 $22' $all | head -5)"
	assert_eq "messages of version 1" 0 "$(awk -F\; '$17' $all | wc -l)"
}

# Each connection begins with the client's CONNPROP, alone, and then the server's answer.
negotiated() {
	local n size hint='\x7b\x9e\x50\xd4\x01\x02\x00\x00cel-09\x00\x00'
	n=$(lines '$1 == c && $2 == 5')
	assert_eq "connections, one for each mount" 2 "$n"
	assert_eq "CONNPROPs of the server's" "$n" "$(lines '$1 == s && $2 == 5')"
	assert_eq "first message of the capture" "$SELF;5" "$(head -1 $out | cut -d\; -f1-2)"
	assert_eq "CONNPROPs that the server's does not follow at once" 0 \
		"$(awk -F\; -v c="$SELF" -v s="$PEER" 'asked && !($1 == s && $2 == 5) { bad++ } { asked = $1 == c && $2 == 5 } END { print bad + 0 }' $out)"
	# An Ethernet frame has 58 bytes around the payload of a Send.
	assert_eq "first messages that are too long" 0 "$(lines '$1 == c && $2 == 5 && $12 > 58 + 1024')"
	size=$(cat /sys/module/xprtrdma/parameters/receive_buffer_size)
	assert_eq "the client's Receive Buffer Size" "$n" "$(lines "\$1 == c && \$2 == 5 && \$10 == $size")"
	assert_eq "the client's remote invalidation" "$n" "$(lines '$1 == c && $2 == 5 && $11 == 1')"
	# The CM may have repeated a message.
	assert_ge "version hints of both sides" "$(LC_ALL=C grep -aoP "$hint" $cap | wc -l)" $((2 * n))
}

# Check types, flags and credits of messages that carry RPCs.
only_messages() {
	assert_eq "types other than MSG, NOMSG, DONE and CONNPROP" 0 "$(lines '$2 != 0 && $2 != 1 && $2 != 3 && $2 != 5')"
	assert_eq "MSGs whose flags are not the RPC's msg_type" 0 "$(lines '$2 == 0 && $3 != "0x0000000" $13')"
	assert_eq "other messages with wrong flags" 0 "$(lines '$2 != 0 && $3 != ($1 == s ? "0x00000001" : "0x00000000")')"
	assert_eq "messages that grant or ask for no credit" 0 "$(lines '$4 == 0')"
}

# Check chunk lists, and the handle to invalidate.
chunks() {
	assert_ge "calls with Read chunks" "$(lines '$1 == c && $6 > 0')" 4
	assert_ge "messages with Write chunks, both directions" "$(lines '$7 > 0')" 8
	assert_ge "calls with a Reply chunk" "$(lines '$1 == c && $8 > 0')" 1
	assert_ge "NOMSG replies" "$(lines '$1 == s && $2 == 1')" 1
	assert_ge "long calls" "$(lines '$1 == c && $2 == 1')" 1
	assert_eq "calls with chunks whose handle to invalidate is none of theirs" 0 \
		"$(lines '$1 == c && $9 != "" && index("," $9 ",", "," $5 ",") == 0')"
	assert_eq "calls without chunks that name a handle" 0 "$(lines '$1 == c && $2 == 0 && $9 == "" && $5 != "0x00000000"')"
	assert_eq "replies without a Read list that name a handle" 0 "$(lines '$1 == s && ($2 == 0 || $2 == 1) && $6 == 0 && $5 != "0x00000000"')"
}

# Check replies in the server's Read chunks: no Reply chunk, and then one RDMA2_DONE for each.
replies_read_by_client() {
	assert_ge "replies with a Read list" "$(lines '$1 == s && $6 > 0')" 1
	assert_eq "those that are not NOMSG, or have a Reply chunk" 0 "$(lines '$1 == s && $6 > 0 && ($2 != 1 || $8 > 0)')"
	assert_eq "those whose handle to invalidate is none of theirs" 0 \
		"$(lines '$1 == s && $6 > 0 && index("," $9 ",", "," $5 ",") == 0')"
	assert_eq "DONEs of the server's" 0 "$(lines '$1 == s && $2 == 3')"
	assert_eq "replies without a DONE, and DONEs without a reply" 0 \
		"$(awk -F\; -v s="$PEER" '$1 == s && $6 > 0 { due[$14]++ } $2 == 3 { due[$14]-- } END { for (x in due) n += due[x] != 0; print n + 0 }' $out)"
}
