#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="no device, listener or link, or a blocked server: plain errors within seconds; rpcrdmactl explains waits"
VARIANTS="port-down no-device no-listener link-down umount-force hung"
TARGET_port_down=guest-long
TARGET_hung=guest-long
KERNELS_no_listener="uml x86"
VERSIONS_port_down=any
VERSIONS_link_down=any
VERSIONS_umount_force=any
TIMEOUT_port_down=420
TIMEOUT_link_down=120
TIMEOUT_umount_force=150
TIMEOUT_hung=400

# port-down: the RDMA device is removed while its port is down, with connections in every state on
# both sides. Nothing waits for the port.
requires_port_down() { need_ours && need_frozen; }

# Removing the device destroys all CM identifiers; none of them may wait for the port.
REMOVAL=30

test_port_down() {
	local how state
	for how in netdev_deleted link_down; do
		for state in idle busy deferred connecting; do
			log "$state, $how"
			removed_while $state $how
		done
	done
}

# removed_while STATE HOW: bring a mount to STATE, remove the device and add it again. The mount
# must work.
removed_while() {
	nfsd_start 1 crossmnt
	frozen_up
	nfs_mount 4.1
	echo x >$MNT/file
	reach_$1
	thaw_later &
	$2
	await "device is gone" 5 [ ! -d /sys/class/infiniband/rxe0 ]
	[ -d /sys/class/net/d0 ] || d0_add
	d0_up
	rdma_up
	for job in $(jobs -p); do
		await "what was under way ends" $((RECOVERY + 60)) gone $job
	done
	wait
	works_within $RECOVERY
	frozen_down
}

# A call that nfsd is working on holds its connection. The removal waits for the call, but not for
# the port.
thaw_later() {
	sleep 3
	fsfreeze -u $EXPORT/frozen 2>/dev/null || true
}

netdev_deleted() { limit $REMOVAL ip link del d0; }
link_down() {
	ip link set d0 down
	limit $REMOVAL rdma link delete rxe0
}

reach_idle() { :; }
reach_busy() {
	dd if=/dev/zero of=$MNT/load bs=256k count=100 oflag=direct status=none &
	await "load runs" 20 [ -s $EXPORT/load ]
}

# A connection ended while its port was down: only its CM identifier is left, and waits.
reach_deferred() {
	nfs_mount 3 "" $MNT.2
	ip link set d0 down
	limit 40 umount -i $MNT.2
	await "the identifier waits" 10 waiting
}
waiting() { [ "$(ours_stat client deferred_ids_now)" -gt 0 ]; }

# The only nfsd thread writes to a frozen file system, so a connect request waits to be accepted.
reach_connecting() {
	block_thread
	nfs_try_mount 4.0 "" $MNT.2 >$TEST_TMP/second.out 2>&1 &
	await "a client connects" 20 connecting
}

# refused WHAT COMMAND...: check that the mount fails with an error within seconds.
refused() {
	local begin took out rc=0
	begin=$(now_ms)
	out=$("${@:2}" 2>&1) || rc=$?
	took=$(($(now_ms) - begin))
	log "$1: status $rc after $took ms: $out"
	[ $rc -ne 0 ] || fail "$1: mounted"
	assert "an error message" grep -qiE 'refused|timed out|unreachable|not respond|no such|incorrect' <<<"$out"
	[ "$TRANSPORT" = intree ] || assert_le "milliseconds" $took $((20000 * SLOW))
}

# no-device: without an RDMA device, a mount fails with a plain error within seconds. nfsd's
# listener starts, or fails with a reason.
test_no_device() {
	nfsd_start_tcp
	rdma_down
	log "listener without a device: $(sh -c 'echo rdma 20049 >/proc/fs/nfsd/portlist && echo started' 2>&1)"
	refused "no device" nfs_try_mount 4.2
	log "the device comes back"
	rdma_up
	grep -q 'rdma 20049' /proc/fs/nfsd/portlist || echo rdma 20049 >/proc/fs/nfsd/portlist
	nfs_mount 4.2
	basic_files 4.2
}

# no-listener: mounting from a server without an RDMA listener, or on a wrong port, fails with a
# plain error within seconds.
test_no_listener() {
	nfsd_start_tcp
	refused "no listener, version 4.2" nfs_try_mount 4.2
	refused "no listener, version 3" nfs_try_mount 3
	nfsd_stop
	nfsd_start
	PORT=20050 refused "wrong port" nfs_try_mount 4.2
	nfs_mount 4.2
	basic_files 4.2
}

# link-down: the interface goes down for 10 s under load. I/O continues in time, and the data is
# correct. In-tree never recovers: soft-RoCE's QP1 is dead after a CM message was sent while the
# link was down.
requires_link_down() { need_ours && need_rxe "siw is on top of TCP, which goes on when the link is back"; }

test_link_down() {
	nfsd_start
	nfs_mount 4.1
	io_start 1048576 f
	await "load runs" 20 io_more 0
	ip link set d0 down
	sleep 10
	d0_up
	poll_for $RECOVERY io_more $(($(io_count) + 1)) || fail "I/O does not go on"
	io_end
	assert_ge "connections" "$(xprt_stat connects)" 2
}

# umount-force: umount -f of a hard mount whose server is gone, and that has a blocked reader,
# returns within a minute. With the in-tree transport, it did not return within 200 s.
requires_umount_force() { need_ours; }

test_umount_force() {
	local v begin reader
	for v in 3 4.1; do
		nfsd_start
		nfs_mount $v timeo=20,retrans=1
		echo x >$MNT/f
		drop_caches
		nfsd_stop
		begin=$(now_ms)
		timeout 60 cat $MNT/f >/dev/null 2>&1 &
		reader=$!
		limit 60 umount -f $MNT || true
		wait $reader || true
		if mountpoint -q $MNT; then limit 60 umount -f $MNT; fi
		log "version $v: $(($(now_ms) - begin)) ms"
		assert_le "milliseconds" $(($(now_ms) - begin)) 60000
	done
}

# hung: rpcrdmactl shows what a mount waits for: a blocked nfsd, a link that is down, a stopped
# server. doctor fails, and the kernel log has the beginning, the duration and the end.
requires_hung() { need_ours && need_frozen && have python3 && need_rxe "siw is on top of TCP, which takes probes"; }

# says PATTERN [STATUS]: check the first line of doctor and its exit status.
says() {
	local rc=0 out
	out=$(ctl doctor) || rc=$?
	LINE=${out%%$'\n'*}
	[[ $LINE =~ $1 ]] && [ "${2:-$rc}" = $rc ]
}
# doctor_says PATTERN [STATUS]: wait for this first line and exit status.
doctor_says() {
	await "doctor says '$1'" 30 says "$1" "${2-1}"
	log "$LINE"
	ctl list | sed 's/^/# /'
}

stuck_nfsd() {
	block_thread
	doctor_says '^bad .* oldest call [0-9]+ s, waits for the server: '
	assert thaw fsfreeze -u $EXPORT/frozen
	doctor_says "^ok .* $MNT .*to $ADDR4:20049: up" ""
}

hung_link_down() {
	ip link set d0 down
	touch $MNT/down &
	doctor_says '^bad .* (waits for the network: |down for [0-9]+ s, )'
	d0_up
	works_within $RECOVERY_UNTOLD
	wait
}

stopped_nfsd() {
	nfsd_stop
	touch $MNT/stopped &
	doctor_says '^bad .* down for [0-9]+ s, [0-9]+ attempts? failed, the last: connection refused: nothing listens there'
	assert "the log tells the loss" logged "xprtrdma: connection to $ADDR4 is lost, closed by the server"
	await "the log tells the outage" 90 logged "xprtrdma: no connection to $ADDR4 for [0-9]+ s: .* -ECONNREFUSED"
	assert_eq "outages told" 1 "$(dmesg_since_mark | count 'xprtrdma: no connection to')"
	nfsd_again 1
	works_within $RECOVERY
	wait
	assert "the log tells the end" logged "xprtrdma: connected to $ADDR4 again; it took"
}

test_hung() {
	nfsd_start 1 crossmnt
	frozen_up
	nfs_mount 4.1
	doctor_says "^ok .* $MNT .*to $ADDR4:20049: up" ""
	stuck_nfsd
	hung_link_down
	stopped_nfsd
	frozen_down
}
