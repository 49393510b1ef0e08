#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="callbacks of version 2, dissected: F_RESPONSE tells their direction, and each call has its reply"
GUESTS=2
TIMEOUT=120

requires() { need_ours && need_extensions pulled && have dumpcap tshark; }

left() {
	recall_serve
	meet captured 120
}

right() {
	local cap=/run/shared/callback.pcap out=$TEST_TMP/messages calls
	meet serving
	offer_version 2
	capture_begin $cap
	recall_hold
	nfs_umount
	capture_end $cap
	meet captured

	dissect $cap "rpcrdma2.htype == 0" ip.src rpc.msgtyp rpcrdma2.flags rpcrdma2.credit rpcrdma2.reads_count rpcrdma2.writes_count \
		rpcrdma2.reply_count rpcrdma2.xid >$out
	cp $out "$OUT/tshark-callback.txt"
	calls=$(awk -F\; -v s="$PEER" '$1 == s && $2 == 0' $out | wc -l)
	log "$(wc -l <$out) messages, $calls calls of the server's"
	assert_ge "calls of the server's" $calls 1
	assert_eq "replies of the client's" $calls "$(awk -F\; -v c="$SELF" '$1 == c && $2 == 1' $out | wc -l)"
	assert_eq "XIDs of both" "$(awk -F\; -v s="$PEER" '$1 == s && $2 == 0 { print $8 }' $out | sort)" \
		"$(awk -F\; -v c="$SELF" '$1 == c && $2 == 1 { print $8 }' $out | sort)"
	assert_eq "messages whose flags are not the RPC's msg_type" 0 "$(awk -F\; '$3 != "0x0000000" $2' $out | wc -l)"
	assert_eq "callbacks without credits, or with chunks" 0 \
		"$(awk -F\; -v s="$PEER" '($1 == s) == ($2 == 0) && ($4 == 0 || $5 + $6 + $7)' $out | wc -l)"
	assert_eq "malformed messages" 0 "$(dissect $cap rpcrdma2.malformed frame.number | wc -l)"
}
