#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="rpcrdmactl shows the connections of its namespace, their rates and why they ended, while connections come and go"
TARGET=guest-long
KERNELS="uml x86"
TIMEOUT=400

requires() { need_ours && need_extensions pulled && have python3; }

PACKETS='[c.get("path", {}).get(name) for name in ("mtu", "retries", "rnr_retries")]'

lists() {
	local out
	out=$(ctl list)
	log "$out"
	[[ $out == *"client:"*" $MNT "*" up "*"server:"*" up "* ]] || fail "list: no two connections"
	assert_eq "connections" 2 "$(ctl list --json | field 'len(d)')"
	assert_eq "version" "$(of client 'c["rpcrdma_version"]')" "$(of server 'c["rpcrdma_version"]')"
	assert_ge "version" "$(of client 'c["rpcrdma_version"]')" 1
	[ "$(of server 'c["version_reason"]')" != none ] || fail "no reason for the version"
	assert_ge "credits granted" "$(of client 'c["credits_granted"]')" 1
	assert_eq "peer" 20049 "$(of client 'c["peer"]["port"]')"
	assert_ge "Receives" "$(of client 'c["memory"]["receives"]')" 1024
	assert_eq "client's inline" "$(of client 'c["inline_recv"]')" "$(of server 'c["inline_send"]')"
	log "packets: $(of client 'c.get("path")'), $(of server 'c.get("path")')"
	assert_eq "both sides' MTU and retries (none on iWARP)" "$(of client "$PACKETS")" "$(of server "$PACKETS")"
	assert "show by name" ctl show "client:$(of client 'c["id"]')"
	assert "show by address" ctl show "$(of server 'c["peer"]["ip"]')"
	refute "show of nobody" ctl show 203.0.113.9
	assert "report" ctl report --mask -o "$TEST_TMP/report"
	assert "connections in it" grep -q '^==== connections$' "$TEST_TMP/report"
	refute "an address in it" grep -F $ADDR4 "$TEST_TMP/report"
}

# writes FILE: only write, as long as FILE exists.
writes() {
	while [ -e "$1" ]; do
		limit 20 dd if=/dev/zero of=$MNT/w bs=256k count=8 oflag=direct conv=notrunc status=none
	done
}

# rates: check that a write load shows only writes for the mount, for nfsd and for the client.
rates() {
	local out=$TEST_TMP/rates more=$TEST_TMP/more line pid
	: >"$more"
	writes "$more" &
	pid=$!
	ctl watch -n 2 -i 1 --json >"$out"
	log "$(ctl watch -n 1 -i 1)"
	ctl -j top -n 1 -i 1 >"$out.top"
	log "$(ctl top -n 1 -i 1)"
	rm "$more"
	wait $pid || fail "writing failed"
	assert_eq "lines" 2 "$(wc -l <"$out")"
	for line in 'd["nfs"][0]' 'd["nfs"][1]'; do
		writes_only "$(tail -1 "$out")" "$line"
	done
	writes_only "$(cat "$out.top")" 'd["clients"][0]'
	assert_eq "clients" 1 "$(field 'len(d["clients"])' <"$out.top")"
	assert_ge "calls" "$(tail -1 "$out" | field 'int(min(c["rates"]["calls"] for c in d["connections"]))')" 1
	assert_ge "latency in microseconds" \
		"$(tail -1 "$out" | field 'int(1000 * d["nfs"][0]["latency_ms"])')" 1
}

# writes_only FRAME LINE: check that this line of the frame has only writes.
writes_only() {
	local rate="$2['rates']"
	log "$2: $(field "$rate" <<<"$1")"
	assert_ge "writes" "$(field "int(${rate}['writes'])" <<<"$1")" 1
	assert_ge "bytes written" "$(field "int(${rate}['write_bytes'])" <<<"$1")" 262144
	assert_eq "reads" "0.0 0.0" "$(field "'%.1f %.1f' % (${rate}['reads'], ${rate}['read_bytes'])" <<<"$1")"
}

# elsewhere: check that another namespace has no connections.
elsewhere() {
	ip netns add lonely
	assert_eq "connections elsewhere" 0 "$(limit 30 ip netns exec lonely "$CTL" list --json | field 'len(d)')"
	# A namespace can be deleted during a query.
	limit 30 ip netns exec lonely "$CTL" watch -n 3 -i 0.3 --json >"$TEST_TMP/lonely" &
	await "watch has begun" 20 [ -s "$TEST_TMP/lonely" ]
	ip netns del lonely
	wait $! || fail "watch in a namespace that goes away"
}

# ends: check that the server lists clients that are gone, and why.
ends() {
	nfs_umount
	await "the end is noted" 10 last_end 'c["ended"]["reason"]' peer
	log "$(ctl list --ended)"
	assert "whose" last_end 'c["peer"]["ip"]' $ADDR4
	assert "of which device" last_end 'c["device"]' $RDMA_DEV
	nfs_mount 4.1
}

# last_end EXPRESSION VALUE: check a value of the last connection that the server has lost.
last_end() { [ "$(ctl list --ended --side server --json | field "(lambda c: $1)(d['ended'][-1])")" = "$2" ]; }

# churn: check that dumps work while connections come and go, and stop when the modules are
# unloaded.
churn() {
	local i stop=$TEST_TMP/stop pid
	rm -f "$stop"
	(
		n=0
		while [ ! -e "$stop" ]; do
			"$CTL" list --json >"$TEST_TMP/list" 2>"$TEST_TMP/error" ||
				grep -q "no module" "$TEST_TMP/error" || exit 1
			n=$((n + 1))
		done
		echo $n >"$TEST_TMP/dumps"
	) &
	pid=$!
	for i in 1 2 3 4 5; do
		nfs_umount
		nfs_mount 4.1
	done
	nfs_umount
	nfsd_stop
	transport_unload
	touch "$stop"
	wait $pid || fail "a dump failed: $(cat "$TEST_TMP/error")"
	assert_ge "dumps" "$(cat "$TEST_TMP/dumps")" 5
	refute "list without modules" ctl list
	transport_load
}

test() {
	nfsd_start 8
	nfs_mount 4.1
	basic_files 4.1
	lists
	rates
	elsewhere
	ends
	churn
}
