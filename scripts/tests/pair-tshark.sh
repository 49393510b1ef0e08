#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="tshark's dissector agrees with every message of version 1 between two guests: types, chunk lists, credits, nothing malformed"
GUESTS=2
VERSIONS=any
TIMEOUT=120

requires() { have dumpcap tshark; }

# answered FILE: FILE has source, XID and PSN of messages in the order of the capture. Print
# the number of calls without a later reply, of calls that the adapter has sent again (with
# the same PSN), and of those among the latter without a later reply.
answered() {
	awk -F\; -v self="$SELF" '
		$1 == self && (($2, $3) in seen) { again++; last[$2] = NR; next }
		$1 == self { seen[$2, $3] = 1; call[$2] = NR }
		$1 != self { reply[$2] = NR }
		END {
			for (x in call) if (reply[x] < call[x]) none++
			for (x in last) if (reply[x] < last[x]) late++
			print none + 0, again + 0, late + 0
		}' "$1"
}

left() {
	nfsd_start
	meet serving
	meet captured 120
}

right() {
	local cap=/run/shared/rpcordma.pcap out=$TEST_TMP/messages
	meet serving
	if [ "$TRANSPORT" = ours ]; then offer_version 1; fi
	capture_begin $cap
	captured_traffic
	capture_end $cap
	meet captured

	dissect $cap rpcordma ip.src rpcordma.version rpcordma.msg_type rpcordma.flow_control rpcordma.reads_count rpcordma.writes_count \
		rpcordma.reply_count rpcordma.position >$out
	log "$(wc -l <$out) messages; client counted read ${COUNTED[read_chunks]} write ${COUNTED[write_chunks]} nomsg ${COUNTED[nomsg_calls]}"
	assert_ge "messages" "$(wc -l <$out)" 50
	dissect $cap rpcordma ip.src rpcordma.xid infiniband.bth.psn >$TEST_TMP/xids
	log "calls without a reply, sent again by the adapter, and that after the reply: $(answered $TEST_TMP/xids)"
	assert_eq "calls without a reply behind them" 0 "$(answered $TEST_TMP/xids | cut -d' ' -f1)"
	assert_eq "malformed" 0 "$(dissect $cap 'rpcordma && _ws.malformed' frame.number | wc -l)"
	assert_eq "messages of another version than 1" 0 "$(awk -F\; '$2 != 1' $out | wc -l)"
	assert_eq "messages that grant or ask for no credit" 0 "$(awk -F\; '$4 == 0' $out | wc -l)"
	assert_eq "message types other than MSG and NOMSG" 0 "$(awk -F\; '$3 != 0 && $3 != 1' $out | wc -l)"
	assert_ge "messages with Read chunks" "$(awk -F\; -v s="$SELF" '$1 == s && $5 > 0' $out | wc -l)" 4
	assert_ge "messages with Write chunks, both directions" "$(awk -F\; '$6 > 0' $out | wc -l)" 8
	assert_ge "calls with a Reply chunk" "$(awk -F\; -v s="$SELF" '$1 == s && $7 > 0' $out | wc -l)" 1
	assert_ge "RDMA_NOMSG replies" "$(awk -F\; -v s="$PEER" '$1 == s && $3 == 1' $out | wc -l)" 1
	assert_eq "replies with a Read list" 0 "$(awk -F\; -v s="$PEER" '$1 == s && $5 > 0' $out | wc -l)"
	assert_ge "tshark sees each WRITE's Read chunk" "$(awk -F\; -v s="$SELF" '$1 == s && $5 > 0' $out | wc -l)" \
		"$((COUNTED[read_chunks] > 4 ? 4 : COUNTED[read_chunks]))"
	assert_eq "long calls" "${COUNTED[nomsg_calls]}" "$(awk -F\; -v s="$SELF" '$1 == s && $3 == 1' $out | wc -l)"
	cp $out "$OUT/tshark.txt"
}
