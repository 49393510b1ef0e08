#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the server says why connections have ended: by the client and nfsd's end; by nfsd, for want of memory, and a client that vanished (rxe); by a removed device, a message that is none, and a refusal (siw)"
TARGET=guest-long
KERNELS="uml x86"
VERSIONS=any
TIMEOUT=200

requires() { need_ours && have python3; }

CTL=${BASH_SOURCE[0]%/*}/../../tools/rpcrdmactl/rpcrdmactl

ended() { limit 30 "$CTL" list --ended --side server --json; }

# field EXPRESSION: of the JSON on standard input, as "d".
field() { python3 -c 'import json,sys; d = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"; }

total() { ended | field "d['totals']['server'].get('$1', 0)"; }
more() { [ "$(total "$1")" -gt "$2" ]; }

# is_detail REASON EXPECTED SEEN: over iWARP the CM is not always the first to say that the client
# has closed the connection.
is_detail() {
	local reason=$1 detail=$2
	if [ "$PROVIDER.$1" = siw.peer ] && [ "$3" = queue-pair ]; then
		detail=$3
	fi
	assert_eq "detail of $reason" $detail "$3"
}

# ends_for REASON DETAIL COMMAND...: a connection ends by it, is noted, and is the last one.
ends_for() {
	local reason=$1 detail=$2 before
	before=$(total $reason)
	"${@:3}"
	await "an end for $reason" 30 more $reason "$before"
	log "$(limit 30 "$CTL" list --ended --side server | sed -n 2p)"
	assert_eq "reason" $reason "$(ended | field 'd["ended"][-1]["ended"]["reason"]')"
	is_detail "$reason" "$detail" "$(ended | field 'd["ended"][-1]["ended"]["detail"]')"
}

by_client() {
	nfs_mount 4.1
	basic_files 4.1
	ends_for peer none nfs_umount
	assert_eq "peer" $ADDR4 "$(ended | field 'd["ended"][-1]["peer"]["ip"]')"
	assert_ge "version" "$(ended | field 'd["ended"][-1]["rpcrdma_version"]')" 1
	assert_ge "calls" "$(ended | field 'd["ended"][-1]["ended"]["calls"]')" 10
	assert_eq "device" $RDMA_DEV "$(ended | field 'd["ended"][-1]["device"]')"
}

# by_device: a client on the same device might close the connection before the server does.
by_device() {
	python3 "$here/lib/iwarp.py" hold $ADDR4 20049 >$TEST_TMP/hold &
	await "the peer is connected" 60 grep -q connected $TEST_TMP/hold
	ends_for device none rdma_down
	rdma_up
	wait $! || fail "iwarp.py hold"
}

# by_nfsd: sunrpc is made to close the connection.
by_nfsd() {
	need_faults fail_sunrpc >/dev/null || { log "not tried: $(need_faults fail_sunrpc)"; return 0; }
	nfs_mount 4.1
	ends_for closed none injected
	works_again
	nfs_umount
}
injected() {
	disconnects_on server 100
	limit 60 sh -c "echo x >$MNT/closed" &
	poll_for 30 more closed 0 || true
	faults_off
	assert "the writer" wait $!
}

# by_memory: nothing can be allocated for a large READ, nor, for a while, for a new connection,
# so the end is not the last one noted.
by_memory() {
	need_faults failslab >/dev/null || { log "not tried: $(need_faults failslab)"; return 0; }
	nfs_mount 4.1
	head -c 4M /dev/urandom >$EXPORT/large
	starved
	assert_eq "a reply needed memory" True \
		"$(ended | field '("memory", "reply") in [(e["ended"]["reason"], e["ended"]["detail"]) for e in d["ended"]]')"
	works_again
	assert "what is read" cmp $EXPORT/large $MNT/large
	nfs_umount
}
starved() {
	# shellcheck disable=SC2046
	fault_on failslab 100 $(text_of svcrdma)
	limit 60 dd if=$MNT/large of=/dev/null bs=1M iflag=direct status=none &
	await "an end for memory" 30 more memory 0
	faults_off
	assert "the reader" wait $!
}

# by_keepalive: neither side gets through, and the server looks after a second.
by_keepalive() {
	local old
	old=$(cat /proc/sys/sunrpc/svc_rdma/keepalive)
	nfs_mount 4.1
	echo 1 >/proc/sys/sunrpc/svc_rdma/keepalive
	# The next check is due by the old value.
	ends_for vanished probe ip link set d0 down
	ip link set d0 up
	ip -6 addr add fd00::1/64 dev d0 nodad 2>/dev/null || true
	echo $old >/proc/sys/sunrpc/svc_rdma/keepalive
	works_again
	nfs_umount
}

by_peer() { limit 60 python3 "$here/lib/iwarp.py" "$1" $ADDR4 20049 || fail "iwarp.py $1"; }

by_shutdown() {
	nfs_mount 4.1
	ends_for shutdown none nfsd_stop
	nfsd_start
	works_again
	nfs_umount
}

works_again() { works_within $RECOVERY; }

# repeated: one client takes one entry for each cause, however often it comes.
repeated() {
	local before times
	before=$(ended | field 'len(d["ended"])')
	times=$(ended | field 'max(e["ended"]["times"] for e in d["ended"] if e["ended"]["reason"] == "peer")')
	for _ in 1 2 3; do
		nfs_mount 4.1
		ends_for peer none nfs_umount
	done
	assert_le "entries" "$(ended | field 'len(d["ended"])')" $((before + 1))
	assert_ge "times" "$(ended | field 'd["ended"][-1]["ended"]["times"]')" 3
	log "times: $times, then $(ended | field 'd["ended"][-1]["ended"]["times"]')"
}

# elsewhere: other namespaces see nothing of it.
elsewhere() {
	ip netns add lonely
	assert_eq "ends elsewhere" 0 "$(limit 30 ip netns exec lonely "$CTL" list --ended --side server --json | field 'len(d["ended"])')"
	ip netns del lonely
}

test() {
	nfsd_start
	assert "list of ends" ended >/dev/null
	by_client
	if [ "$PROVIDER" = siw ]; then
		ends_for protocol short by_peer short
		ends_for refused no-reads by_peer refused
		by_device
	else
		by_nfsd
		by_memory
		by_keepalive
	fi
	by_shutdown
	# Over iWARP, the same end may have another detail.
	[ "$PROVIDER" = siw ] || repeated
	elsewhere
	log "$(limit 30 "$CTL" list --ended)"
}

cleanup() { faults_off; ip link set d0 up; rdma_present || rdma_up; }
