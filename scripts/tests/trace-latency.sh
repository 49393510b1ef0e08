#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the latency of each stage of an RPC, by tracefs, perf and bpftrace: every call is in each histogram, at client and server"
KERNELS="uml x86"
TIMEOUT=120

CALLS=100

requires() { need_ours && [ -e /sys/kernel/tracing/events ] || { echo "no tracefs"; return 1; }; }

test() {
	local with tried=0
	nfsd_start
	nfs_mount 3
	assert "a first write" "$IOTOOL" write $MNT/f 0 4096 1 direct
	refute "a program that does not exist" "$RPCRDMA_TOP/scripts/trace/latency" --with nothing true 2>/dev/null
	for with in tracefs perf bpftrace; do
		usable $with || continue
		latency $with
		tried=$((tried + 1))
	done
	assert_ge "means that were tried" $tried 1
}

# usable NAME: perf and bpftrace need a kernel with perf events, and that is not UML's.
usable() {
	[ "$1" = tracefs ] && return 0
	if ! command -v "$1" >/dev/null; then
		log "$1 is not installed: not tried"
		return 1
	fi
	if [ ! -e /proc/sys/kernel/perf_event_paranoid ]; then
		log "this kernel has no perf events: $1 not tried"
		return 1
	fi
}

# latency NAME: with this means. Each WRITE of 8 KiB has a Read chunk.
latency() {
	local with=$1 out=$OUT/latency-$1.txt sends stage
	snapshot
	limit 60 "$RPCRDMA_TOP/scripts/trace/latency" --with $with "$BASH" -c "
		for ((i = 0; i < $CALLS; i++)); do '$IOTOOL' write $MNT/f \$((i * 8192)) 8192 1 direct || exit 1; done" >$out
	sends=$(delta sends)
	log "$with: $sends calls"
	assert_ge "calls" "$sends" $CALLS
	for stage in 'network.and.server' 'registering.and.posting' 'ending.access.to.memory' \
		'waiting.for.credit.or.connection' 'reading.chunks.and.waiting.for.a.thread' 'nfsd' \
		'building.and.posting.the.reply'; do
		assert_eq "$with: calls in the histogram of $stage" "$sends" "$(calls $stage $out)"
	done
	refute "lost events" grep -q 'were lost' $out
	assert_eq "instances that are left" 0 "$(find /sys/kernel/tracing/instances -mindepth 1 -maxdepth 1 | wc -l)"
}

# calls STAGE FILE: the sum over a histogram's lines.
calls() {
	awk -v stage="^(@|client: |server: )$1:" '
		/^[@a-z]/ { on = $0 ~ stage }
		on && /\|/ { split($0, half, "|"); n = split(half[1], word, " "); sum += word[n] }
		END { print sum + 0 }' $2
}
