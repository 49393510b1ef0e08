#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="tshark's dissector sees RDMA_MSGP for the padded WRITEs of NFSv3 between two guests, with alignment and threshold, and for nothing else"
GUESTS=2
VERSIONS=any
TIMEOUT=120

requires() { need_ours && need_extensions conf msgp && have dumpcap tshark; }

left() {
	echo 512 >/sys/module/svcrdma/parameters/receive_alignment
	nfsd_start
	meet serving
	meet captured 120
	assert_ge "data passed in its page" "$(ours_stat server msgp_direct)" 1
}

right() {
	local cap=/run/shared/padded.pcap out=$TEST_TMP/messages i
	meet serving
	offer_version 1
	echo Y >/sys/module/xprtrdma/parameters/connection_configuration
	sysctl -qw sunrpc.rdma_inline_write_padding=512
	capture_begin $cap
	nfs_mount 3
	for i in 1 512 513 1024 2047 3000 3584 3600 4096 65536; do
		for _ in 1 2 3 4; do
			assert "write $i" "$IOTOOL" write $MNT/f$i 0 $i $i direct
		done
		assert "read $i" "$IOTOOL" check $MNT/f$i 0 $i $i direct
	done
	nfs_umount
	capture_end $cap
	meet captured

	dissect $cap rpcordma ip.src rpcordma.msg_type rpcordma.rdma_align rpcordma.rdma_thresh >$out
	assert_ge "messages" "$(wc -l <$out)" 50
	assert_eq "malformed" 0 "$(dissect $cap 'rpcordma && _ws.malformed' frame.number | wc -l)"
	assert_ge "padded calls" "$(ours_stat client calls_padded)" 20
	assert_ge "RDMA_MSGP in the capture" "$(awk -F\; -v s="$SELF" '$1 == s && $2 == 2' $out | wc -l)" "$(ours_stat client calls_padded)"
	assert_eq "with another alignment or threshold" 0 "$(awk -F\; '$2 == 2 && ($3 != 512 || $4 != 512)' $out | wc -l)"
	assert_eq "RDMA_MSGP of the server" 0 "$(awk -F\; -v s="$PEER" '$1 == s && $2 == 2' $out | wc -l)"
}
