#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="trace points on client and server: the latency of each stage of an RPC, and completion ids"
KERNELS="uml x86"
TIMEOUT=120

requires() { need_ours; }

CALLS=100

# latency: run scripts/trace/latency while 8 KiB are written CALLS times. Every call must be in each
# histogram. The server traces a reply after posting it, which can be after the program has ended.
latency() {
	local out=$OUT/latency.txt sends stage
	snapshot
	limit 60 "$RPCRDMA_TOP/scripts/trace/latency" "$BASH" -c "
		for ((i = 0; i < $CALLS; i++)); do '$IOTOOL' write $MNT/f \$((i * 8192)) 8192 1 direct || exit 1; done
		sleep 0.5" >$out
	sends=$(delta sends)
	log "$sends calls"
	assert_ge "calls" "$sends" $CALLS
	for stage in 'network.and.server' 'registering.and.posting' 'ending.access.to.memory' \
		'waiting.for.credit.or.connection' 'reading.chunks.and.waiting.for.a.thread' 'nfsd' \
		'building.and.posting.the.reply'; do
		assert_eq "calls in the histogram of $stage" "$sends" "$(calls $stage $out)"
	done
	refute "lost events" grep -q 'were lost' $out
	assert_eq "instances that are left" 1 "$(find /sys/kernel/tracing/instances -mindepth 1 -maxdepth 1 | wc -l)"
}

# calls STAGE FILE: print the sum over a histogram's lines.
calls() {
	awk -v stage="^(client|server): $1:" '
		/^[a-z]/ { on = $0 ~ stage }
		on && /\|/ { split($0, half, "|"); n = split(half[1], word, " "); sum += word[n] }
		END { print sum + 0 }' $2
}

EVENTS="xprtrdma/xprtrdma_send xprtrdma/xprtrdma_reply xprtrdma/xprtrdma_wc_send
	svcrdma/svc_rdma_received svcrdma/svc_rdma_sent svcrdma/svc_rdma_wc_send svcrdma/svc_rdma_wc_read"

# ids EVENT: print "CQ CID" of each such event, in order.
ids() {
	sed -n "s/.* $1: .*cq\.id=\([0-9]*\) cid=\([0-9]*\) .*/\1 \2/p" "$TEST_TMP/trace"
}

# has EVENT COUNT: check that at least this number of events was seen, each with ids.
has() {
	local seen
	seen=$(grep -c " $1: " "$TEST_TMP/trace")
	assert_ge "$1" "$seen" "$2"
	assert_eq "$1 with ids" "$seen" "$(ids "$1" | wc -l)"
}

# completes POSTED COMPLETED: check that each completion, except the first, has the ids of a posted
# Work Request. The server traces a Work Request after posting it, when it may already have
# completed.
completes() {
	refute "$2 of what was never posted" grep -vxF -f <(ids $1) <(ids $2 | tail -n +2)
}

test() {
	local instance=/sys/kernel/tracing/instances/completions event
	nfsd_start
	nfs_mount 3
	assert "a first write" "$IOTOOL" write $MNT/f 0 4096 1 direct
	mkdir $instance
	for event in $EVENTS; do echo 1 >$instance/events/$event/enable; done
	latency
	echo 0 >$instance/tracing_on
	cat $instance/trace >"$TEST_TMP/trace"
	rmdir $instance
	cp "$TEST_TMP/trace" "$OUT/completions.txt"

	for event in xprtrdma_send xprtrdma_reply svc_rdma_received svc_rdma_sent; do has $event $CALLS; done
	for event in xprtrdma_wc_send svc_rdma_wc_send svc_rdma_wc_read; do has $event 1; done
	completes xprtrdma_send xprtrdma_wc_send
	completes svc_rdma_sent svc_rdma_wc_send
}
