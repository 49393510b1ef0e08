#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a server that restarts under load, that says why connections have ended, whose device goes away; many that cannot be resolved"
VARIANTS="restart ended dead moves"
TARGET_ended=guest-long
TARGET_dead=guest-long
TARGET_moves=guest-long
KERNELS_ended="uml x86"
KERNELS_moves="uml x86"
VERSIONS=any
TIMEOUT=120
TIMEOUT_ended=200
TIMEOUT_moves=150

# restart: nfsd is stopped and started under load: the client reconnects and the data is intact
# in-tree: connect requests that wait when a listener closes are never answered, and the
# client hangs
requires_restart() { need_ours; }

test_restart() {
	local v w i
	nfsd_start
	for v in 3 4.1; do
		nfs_mount $v
		log "version $v"
		head -c 33554432 /dev/urandom >$TEST_TMP/src
		limit 100 dd if=$TEST_TMP/src of=$MNT/r$v bs=128k oflag=direct status=none &
		w=$!
		for i in 1 2; do
			await "load runs" 20 [ -s $EXPORT/r$v ]
			nfsd_stop
			nfsd_again
		done
		assert "the writer finishes" wait $w
		assert_eq "checksum on the server" "$(sum_of $TEST_TMP/src)" "$(sum_of $EXPORT/r$v)"
		drop_caches
		assert_eq "checksum read back" "$(sum_of $TEST_TMP/src)" "$(sum_of $MNT/r$v)"
		assert_ge "connections" "$(xprt_stat connects)" 2
		nfs_umount
	done
}

# ended: the server says why connections have ended: by the client and nfsd's end; by nfsd, for want
# of memory, and a client that vanished
requires_ended() { need_ours && have python3 && need_rxe "siw is on top of TCP, which takes probes"; }

ended() { ctl list --ended --side server --json; }

total() { ended | field "d['totals']['server'].get('$1', 0)"; }
more() { [ "$(total "$1")" -gt "$2" ]; }

# ends_for REASON DETAIL COMMAND...: a connection ends by it, is noted, and is the last one.
ends_for() {
	local reason=$1 detail=$2 before
	before=$(total $reason)
	"${@:3}"
	await "an end for $reason" 30 more $reason "$before"
	log "$(ctl list --ended --side server | sed -n 2p)"
	assert_eq "reason" $reason "$(ended | field 'd["ended"][-1]["ended"]["reason"]')"
	assert_eq "detail" "$detail" "$(ended | field 'd["ended"][-1]["ended"]["detail"]')"
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
	d0_up
	echo $old >/proc/sys/sunrpc/svc_rdma/keepalive
	works_again
	nfs_umount
}

by_shutdown() {
	nfs_mount 4.1
	ends_for shutdown none nfsd_stop
	nfsd_start
	works_again
	nfs_umount
}

works_again() { works_within $RECOVERY; }

test_ended() {
	nfsd_start
	assert "list of ends" ended >/dev/null
	by_client
	by_nfsd
	by_memory
	by_keepalive
	by_shutdown
	log "$(ctl list --ended)"
}

cleanup_ended() { faults_off; ip link set d0 up; }

# dead: 208 transports whose servers cannot be resolved delay no other mount, and return when their
# servers do
SERVERS=13 TRANSPORTS=16
ALL=$((SERVERS * TRANSPORTS))

requires_dead() { need_ours && need_rxe "each server address needs a GID"; }

# addresses add|del: those of the servers. Without them, the interface asks for them in vain.
addresses() {
	local i
	for ((i = 1; i <= SERVERS; i++)); do
		limit 10 ip addr "$1" 10.0.1.$i/32 dev "$RDMA_NETDEV"
	done
}

all_gids() { [ "$(grep -hs ffff: "/sys/class/infiniband/$RDMA_DEV"/ports/1/gids/* | wc -l)" -gt $SERVERS ]; }

# readers: more operations of each mount than it has transports, which take turns.
readers() {
	local i n
	for ((i = 1; i <= SERVERS; i++)); do
		for ((n = 0; n < 2 * TRANSPORTS; n++)); do
			cat "$MNT-$i/$n" >/dev/null &
			PIDS+=($!)
		done
	done
}

all_try() { [ "$(ours_stat client connects_repeated)" -ge $((before + 2 * ALL)) ]; }

test_dead() {
	local i before start PIDS=()

	nfsd_start
	for ((i = 0; i < 2 * TRANSPORTS; i++)); do
		echo hello >$EXPORT/$i
	done
	ip link set "$RDMA_NETDEV" arp on
	ip route add 10.0.1.0/24 dev "$RDMA_NETDEV"
	addresses add
	await "GIDs of the addresses" 20 all_gids
	for ((i = 1; i <= SERVERS; i++)); do
		SERVER=10.0.1.$i nfs_mount 3 noac,nconnect=$TRANSPORTS $MNT-$i
	done
	before=$(ours_stat client connects_repeated)
	addresses del
	readers
	await "all transports try in vain" 40 all_try
	start=$(now_ms)
	nfs_mount 3
	assert_le "ms for a mount of another server" $(($(now_ms) - start)) $((3000 * SLOW))
	addresses add
	for i in "${PIDS[@]}"; do
		assert "an operation ends" wait "$i"
	done
	umount_all
}

# moves: a listener bound to one address: its device is removed and returns, a bond fails over; it
# listens again, and a mount continues to work
requires_moves() { need_ours && have python3; }

# bound_to ADDRESS: start nfsd with one listener that is bound to ADDRESS.
bound_to() {
	nfsd_stop
	limit 10 python3 "$here/lib/genl.py" listen "$1" 20049
	grep -q "rdma 20049" /proc/fs/nfsd/portlist || fail "no listener: $(cat /proc/fs/nfsd/portlist)"
	echo 4 >/proc/fs/nfsd/threads
	grace_ends
}

moved() { [ "$(ours_stat server listeners_moved)" -ge "$1" ]; }

mounts() {
	nfs_mount 4.1
	echo hello >$MNT/f
	nfs_umount
}

# bond_up: create a bond of two interfaces, one of which is active at a time, and a soft-RoCE
# device on top.
bond_up() {
	local i

	ip link add bond7 type bond mode active-backup fail_over_mac active miimon 50
	for i in b1 b2; do
		ip link add $i type dummy
		ip link set $i master bond7
	done
	ip link set bond7 up
	ip addr add 10.2.0.1/24 dev bond7
	rdma link add rxe7 type rxe netdev bond7
	await "rxe7 has a GID" 10 grep -qs ffff: /sys/class/infiniband/rxe7/ports/1/gids/*
}

failover() {
	local moves

	log "a bond fails over"
	bond_up
	bound_to 10.2.0.1
	moves=$(ours_stat server listeners_moved)
	SERVER=10.2.0.1 nfs_mount 4.1
	busy_while fails_over $((moves + 1))
	nfs_umount
	SERVER=10.2.0.1 mounts
}

fails_over() {
	local lost

	lost=$(ours_stat client disconnects)
	echo b2 >/sys/class/net/bond7/bonding/active_slave
	await "it listens again" 10 moved "$1"
	await "the client's connection has ended" 10 disconnected $((lost + 1))
}
disconnected() { [ "$(ours_stat client disconnects)" -ge "$1" ]; }

# busy_while COMMAND...: write to the mount before, during and after COMMAND; all data
# arrives.
busy_while() {
	local writer

	head -c 8M /dev/urandom >$TEST_TMP/data
	write_to before 256k
	(until [ -e $TEST_TMP/happened ]; do write_to meanwhile 4k; done) &
	writer=$!
	await "something was written" 30 [ -s $EXPORT/meanwhile ]
	"$@"
	: >$TEST_TMP/happened
	assert "the writer ends" limit $((RECOVERY + 60)) tail --pid=$writer -s 0.1 -f /dev/null
	assert "what was written meanwhile" wait $writer
	write_to after 256k
	drop_caches
	assert "what is read" cmp $TEST_TMP/data $MNT/meanwhile
}

# write_to FILE SIZE: write the data, SIZE bytes at a time.
write_to() {
	dd if=$TEST_TMP/data of=$MNT/$1 bs=$2 oflag=direct status=none || fail "writing $1"
	assert "what was written, $1" cmp $TEST_TMP/data $EXPORT/$1
}

test_moves() {
	local moves

	nfsd_start
	bound_to $ADDR4
	mounts
	moves=$(ours_stat server listeners_moved)
	log "the device is removed and returns"
	rdma_down
	rdma_up
	await "it listens again" 10 moved $((moves + 1))
	mounts
	if kernel_has bonding && [ "$PROVIDER" = rxe ]; then failover; else log "no failover here"; fi
}

cleanup_moves() {
	nfsd_stop
	rdma_present || rdma_up
	rdma link delete rxe7 2>/dev/null
	ip link del bond7 2>/dev/null
	ip link del b1 2>/dev/null
	ip link del b2 2>/dev/null
	true
}
