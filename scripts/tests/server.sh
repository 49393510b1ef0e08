#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a server that restarts under load, and one that defers a call"
VARIANTS="restart deferred"
KERNELS_deferred=x86
VERSIONS=any
TIMEOUT=120

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

# deferred: a call that nfsd defers comes from a privileged port, also after its thread has served a
# client that uses another port
requires_deferred() { [[ $(uname -r) == 6.1.* ]] || { echo "this kernel asks no transport about the port of a deferred call"; return 1; }; }

# nfsd has one thread, which answers another call only after it has deferred the first one.
test_deferred() {
	local reader
	nfsd_start 1 secure
	echo data >$EXPORT/f
	nfs_mount 3 actimeo=0
	assert "mountd stops" kill -STOP "$(pidof rpc.mountd)"
	limit 10 exportfs -f
	stat $MNT/f >/dev/null &
	reader=$!
	await "nfsd waits for mountd" 10 waits
	assert_eq "bytes of the reply over TCP" 28 "$(tcp_null | wc -c)"
	assert "the call is deferred" kill -0 $reader
	assert "mountd goes on" kill -CONT "$(pidof rpc.mountd)"
	assert "the deferred call succeeds" wait $reader
}

waits() { grep -q cache_check "/proc/$(pgrep -x nfsd)/stack"; }

# tcp_null: call the procedure NULL from an unprivileged port, and print the reply
tcp_null() {
	exec 3<>/dev/tcp/$ADDR4/2049
	{
		printf '\x80\0\0\x28\1\2\3\4\0\0\0\0\0\0\0\2\0\1\x86\xa3\0\0\0\3'
		printf '\0%.0s' {1..20}
	} >&3
	timeout $((20 * SLOW)) head -c 28 <&3
}

cleanup_deferred() { kill -CONT "$(pidof rpc.mountd)" 2>/dev/null || true; }
