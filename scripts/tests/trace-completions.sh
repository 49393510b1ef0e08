#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="completion ids in trace points: what completes was posted with the same ids, at client and server"
KERNELS="uml x86"
TIMEOUT=120
EVENTS="xprtrdma/xprtrdma_send xprtrdma/xprtrdma_reply xprtrdma/xprtrdma_wc_send
	svcrdma/svc_rdma_received svcrdma/svc_rdma_sent svcrdma/svc_rdma_wc_send svcrdma/svc_rdma_wc_read"

requires() { need_ours; }

# ids EVENT: "CQ CID" of each such event, in order.
ids() {
	sed -n "s/.* $1: .*cq\.id=\([0-9]*\) cid=\([0-9]*\) .*/\1 \2/p" "$TEST_TMP/trace"
}

# has EVENT COUNT: so many were seen, or more, each with ids.
has() {
	local seen
	seen=$(grep -c " $1: " "$TEST_TMP/trace")
	assert_ge "$1" "$seen" "$2"
	assert_eq "$1 with ids" "$seen" "$(ids "$1" | wc -l)"
}

# completes POSTED COMPLETED: each completion that was seen has the ids of something posted before
# it, and no other one is between the two.
completes() {
	awk -v posted="$1:" -v completed="$2:" '
		function id() { match($0, /cq\.id=[0-9]+ cid=[0-9]+/); return substr($0, RSTART, RLENGTH) }
		index($0, posted) { on[id()]++ }
		index($0, completed) { if (!on[id()]) bad++; else n++; delete on[id()] }
		END { print n + 0, bad + 0 }' "$TEST_TMP/trace" >"$TEST_TMP/ends"
	log "$1, $2: $(cat "$TEST_TMP/ends")"
	assert_eq "$2 that nothing was posted for" 0 "$(cut -d' ' -f2 "$TEST_TMP/ends")"
	assert_ge "$2 with the ids of $1" "$(cut -d' ' -f1 "$TEST_TMP/ends")" 1
}

test() {
	local tracefs=/sys/kernel/tracing instance event i
	nfsd_start
	nfs_mount 3
	instance=$tracefs/instances/completions
	mkdir $instance
	for event in $EVENTS; do
		for field in cq_id completion_id; do
			assert "$event has $field" grep -q "field:u32 $field;" $tracefs/events/$event/format
		done
		echo 1 >$instance/events/$event/enable
	done
	for ((i = 0; i < 100; i++)); do
		assert "a write" "$IOTOOL" write $MNT/f $((i * 8192)) 8192 1 direct
	done
	echo 0 >$instance/tracing_on
	cat $instance/trace >"$TEST_TMP/trace"
	rmdir $instance
	cp "$TEST_TMP/trace" "$OUT/completions.txt"

	has xprtrdma_send 100
	has xprtrdma_reply 100
	has xprtrdma_wc_send 1
	has svc_rdma_received 100
	has svc_rdma_sent 100
	has svc_rdma_wc_send 1
	has svc_rdma_wc_read 1
	completes xprtrdma_send xprtrdma_wc_send
	log "Receives of the client: $(ids xprtrdma_reply | sort -u | wc -l), of the server: $(ids svc_rdma_received | sort -u | wc -l)"
	assert_ge "Receives of the client" "$(ids xprtrdma_reply | sort -u | wc -l)" 2
	assert_ge "Receives of the server" "$(ids svc_rdma_received | sort -u | wc -l)" 2
	assert_eq "completion queues of the client" 1 "$(ids xprtrdma_send | cut -d' ' -f1 | sort -u | wc -l)"
	# It is traced when it is posted, and may have completed by then.
	refute "svc_rdma_wc_send of what was never posted" \
		grep -vxF -f <(ids svc_rdma_sent) <(ids svc_rdma_wc_send | tail -n +2)
}

cleanup() { rmdir /sys/kernel/tracing/instances/completions 2>/dev/null || true; }
