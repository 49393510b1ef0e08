#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a device that is removed, no device, no listener: plain errors within seconds, nothing hangs; what hangs is told"
VARIANTS="device-gone no-device no-listener hung"
TARGET_device_gone=guest-long
TARGET_hung=guest-long
KERNELS_no_listener="uml x86"
VERSIONS_device_gone=any
TIMEOUT_device_gone=150
TIMEOUT_hung=400

# device-gone: the RDMA device is removed while mounting and under load: nothing hangs; it returns
# and the mount goes on working
test_device_gone() {
	local i writer
	nfsd_start
	log "removed during mounts"
	for ((i = 0; i < 5; i++)); do
		nfs_try_mount 4.1 >$TEST_TMP/mount.out 2>&1 &
		local mounter=$!
		rdma_down
		wait $mounter || true
		if mountpoint -q $MNT; then
			# mounted first, device gone afterwards: it must still unmount once the
			# device is back
			rdma_up
			nfs_umount
		else
			rdma_up
		fi
	done
	log "removed under load"
	nfs_mount 4.1
	limit 120 dd if=/dev/zero of=$MNT/load bs=256k count=200 oflag=direct status=none &
	writer=$!
	await "load runs" 10 [ -s $EXPORT/load ]
	rdma_down
	refute "device is still there" rdma_present
	rdma_up
	assert "the writer finishes" wait $writer
	assert_eq "size on the server" 52428800 "$(stat -c %s $EXPORT/load)"
	basic_files 4.1
}

cleanup_device_gone() { rdma_present || rdma_up; }

# no-device: without an RDMA device a mount fails with a plain error within seconds; nfsd's
# listener starts or says why not
test_no_device() {
	local begin took out rc=0
	nfsd_start_tcp
	rdma_down
	log "listener without a device: $(sh -c 'echo rdma 20049 >/proc/fs/nfsd/portlist && echo started' 2>&1)"
	begin=$(now_ms)
	out=$(nfs_try_mount 4.2 2>&1) || rc=$?
	took=$(($(now_ms) - begin))
	log "status $rc after $took ms: $out"
	[ $rc -ne 0 ] || fail "mounted without a device"
	[ -n "$out" ] || fail "no error message"
	[ "$TRANSPORT" = intree ] || assert_le "milliseconds" $took $((20000 * ${SLOW:-1}))
	log "the device comes back"
	rdma_up
	grep -q 'rdma 20049' /proc/fs/nfsd/portlist || echo rdma 20049 >/proc/fs/nfsd/portlist
	nfs_mount 4.2
	basic_files 4.2
}

cleanup_no_device() { rdma_present || rdma_up; }

# no-listener: mounting from a server without an RDMA listener, or at a wrong port, fails with a
# plain error within seconds
# refused WHAT VERSION PORT
refused() {
	local begin took out rc=0
	begin=$(now_ms)
	out=$(PORT=$3 MOUNT_LIMIT=30 nfs_try_mount "$2" 2>&1) || rc=$?
	took=$(($(now_ms) - begin))
	log "$1 version $2: status $rc after $took ms: $out"
	[ $rc -ne 0 ] || fail "$1: mounted"
	assert "an error message" grep -qiE 'refused|timed out|unreachable|not respond|no such|incorrect' <<<"$out"
	[ "$TRANSPORT" = intree ] || assert_le "milliseconds" $took $((20000 * ${SLOW:-1}))
}

test_no_listener() {
	nfsd_start_tcp
	refused "no listener" 4.2 20049
	refused "no listener" 3 20049
	nfsd_stop
	nfsd_start
	refused "wrong port" 4.2 20050
	nfs_mount 4.2
	basic_files 4.2
}

# hung: rpcrdmactl says what a mount waits for: an nfsd that is stuck, a link that is down, a server
# that was stopped; doctor fails; the kernel's log tells the beginning, the duration and the end
requires_hung() { need_ours && need_frozen && have python3 && need_rxe "siw is on top of TCP, which takes probes"; }

CTL=${BASH_SOURCE[0]%/*}/../../tools/rpcrdmactl/rpcrdmactl

# says PATTERN [STATUS]: the first line of doctor, and its exit status.
says() {
	local rc=0 out
	out=$(limit 30 "$CTL" doctor) || rc=$?
	LINE=${out%%$'\n'*}
	[[ $LINE =~ $1 ]] && [ "${2:-$rc}" = $rc ]
}
# doctor_says PATTERN [STATUS]
doctor_says() {
	await "doctor says '$1'" 30 says "$1" "${2-1}"
	log "$LINE"
	limit 30 "$CTL" list | sed 's/^/# /'
}
# column NAME: of the client's only transport, in the list.
column() {
	limit 30 "$CTL" list --side client | python3 -c '
import re, sys
head, line = sys.stdin.read().splitlines()[:2]
names = {name.group().strip(): name.start() for name in re.finditer(r"\S+(?: \S+)*", head)}
at = names[sys.argv[1]]
print(re.split(r"  ", line[at:])[0].strip())' "$1"
}
# logged PATTERN: since the test began.
logged() { dmesg_since_mark | grep -E "$1" >/dev/null; }

stuck_nfsd() {
	block_thread
	doctor_says '^bad .* oldest call [0-9]+ s, waits for the server: '
	assert_eq "state" up "$(column STATE)"
	[[ $(column "OLDEST CALL") == *" s, server" ]] || fail "oldest call: $(column "OLDEST CALL")"
	assert thaw fsfreeze -u $EXPORT/frozen
	doctor_says "^ok .* $MNT .*to $ADDR4:20049: up" ""
	assert_eq "oldest call" - "$(column "OLDEST CALL")"
}

link_down() {
	ip link set d0 down
	touch $MNT/down &
	doctor_says '^bad .* (waits for the network: |down for [0-9]+ s, )'
	ip link set d0 up
	ip -6 addr add fd00::1/64 dev d0 nodad 2>/dev/null || true
	works_within $RECOVERY_UNTOLD
	wait
}

stopped_nfsd() {
	nfsd_stop
	touch $MNT/stopped &
	doctor_says '^bad .* down for [0-9]+ s, [0-9]+ attempts? failed, the last: connection refused: nothing listens there'
	assert_eq "state" down "$(column STATE)"
	assert_eq "last error" "connection refused" "$(column "LAST ERROR")"
	assert_ge "retries" "$(column RETRIES)" 1
	assert "the log tells the loss" logged "xprtrdma: connection to $ADDR4 is lost, closed by the server"
	await "the log tells the outage" 90 logged "xprtrdma: no connection to $ADDR4 for [0-9]+ s: .* -ECONNREFUSED"
	assert_eq "outages told" 1 "$(dmesg_since_mark | count 'xprtrdma: no connection to')"
	nfsd_again 1
	works_within $RECOVERY
	wait
	assert "the log tells the end" logged "xprtrdma: connected to $ADDR4 again; it took"
	[[ $(column "LAST ERROR") == "peer, "*" ago" ]] || fail "last error: $(column "LAST ERROR")"
}

# killed_waiter: when the only task that waits for a connection is gone, none is wanted.
killed_waiter() {
	local waiter
	nfsd_stop
	touch $MNT/killed &
	waiter=$!
	doctor_says '^bad .* down for [0-9]+ s, '
	kill -9 $waiter
	wait $waiter || true
	doctor_says "^ok .* $MNT .*to $ADDR4:20049: idle for [0-9]+ s" ""
	assert_eq "state" idle "$(column STATE)"
	nfsd_again 1
	works_within $RECOVERY
}

# remembered: connections and attempts that have ended, the last one first.
remembered() {
	local out
	out=$(limit 30 "$CTL" list --ended --side client)
	log "$out"
	assert "the lost one" grep -q "^client .*$ADDR4 .*$RDMA_DEV .*the server closed it" <<<"$out"
	assert "refused attempts" grep -q "^client .*$ADDR4 .*the server refused" <<<"$out"
	assert "totals" grep -q "^client, since .*refused [0-9]" <<<"$out"
}

no_route() {
	local out
	out=$(MOUNT_LIMIT=30 SERVER=203.0.113.9 nfs_try_mount 4.2 2>&1) && fail "mounted without a route"
	log "$out"
	assert "why" grep -q unreachable <<<"$out"
	assert "the log says that it is the route" logged "no route to 203.0.113.9: see ip route get"
}

test_hung() {
	nfsd_start 1 crossmnt
	frozen_up
	nfs_mount 4.1
	doctor_says "^ok .* $MNT .*to $ADDR4:20049: up" ""
	assert_eq "mount" $MNT "$(column MOUNT)"
	stuck_nfsd
	link_down
	stopped_nfsd
	remembered
	nfs_umount
	nfs_mount 3
	killed_waiter
	nfs_umount
	no_route
	nfsd_stop
	limit 10 umount $EXPORT/frozen
}

cleanup_hung() {
	fsfreeze -u $EXPORT/frozen 2>/dev/null || true
	ip link set d0 up
	umount_all
	nfsd_stop
	umount $EXPORT/frozen 2>/dev/null || true
}
