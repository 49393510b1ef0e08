# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# The latency of each stage of an RPC, measured in a guest.

CALLS=100

# latency: scripts/trace/latency while CALLS times 8 KiB are written; every call has to be in each
# histogram.
latency() {
	local out=$OUT/latency.txt sends stage
	snapshot
	limit 60 "$RPCRDMA_TOP/scripts/trace/latency" "$BASH" -c "
		for ((i = 0; i < $CALLS; i++)); do '$IOTOOL' write $MNT/f \$((i * 8192)) 8192 1 direct || exit 1; done" >$out
	sends=$(delta sends)
	log "$sends calls"
	assert_ge "calls" "$sends" $CALLS
	for stage in 'network.and.server' 'registering.and.posting' 'ending.access.to.memory' \
		'waiting.for.credit.or.connection' 'reading.chunks.and.waiting.for.a.thread' 'nfsd' \
		'building.and.posting.the.reply'; do
		assert_eq "calls in the histogram of $stage" "$sends" "$(calls $stage $out)"
	done
	refute "lost events" grep -q 'were lost' $out
	assert_eq "instances that are left" 0 "$(find /sys/kernel/tracing/instances -mindepth 1 -maxdepth 1 | wc -l)"
}

# calls STAGE FILE: the sum over a histogram's lines.
calls() {
	awk -v stage="^(client|server): $1:" '
		/^[a-z]/ { on = $0 ~ stage }
		on && /\|/ { split($0, half, "|"); n = split(half[1], word, " "); sum += word[n] }
		END { print sum + 0 }' $2
}
