#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the ports of clients: that of a deferred call is still privileged, and one that TCP has taken is not used"
VARIANTS="deferred taken"
KERNELS_deferred="x86"
KERNELS_taken="uml"
TARGET_taken=guest-long

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

# taken: iWARP, and half of the local ports are TCP's: mounts take another one
requires_taken() { [ "$PROVIDER" = siw ] || { echo "only iWARP's connections have TCP's ports"; return 1; }; }

test_taken() {
	local pid i
	nfsd_start
	python3 -c '
import socket, time
held = [socket.create_server(("", port)) for port in range(40000, 40016, 2)]
print("held", flush=True)
time.sleep(300)' >$OUT/$TEST_NAME.held &
	pid=$!
	await "ports held" 10 grep -q held $OUT/$TEST_NAME.held
	sysctl -qw net.ipv4.ip_local_port_range="40000 40015"
	for i in 1 2 3 4 5 6 7 8; do
		nfs_mount 4.1
		nfs_umount
	done
	assert_ge "tries with another port" "$(ours_stat client connects_repeated)" 1
	kill $pid
}

cleanup_taken() { sysctl -qw net.ipv4.ip_local_port_range="32768 60999"; pkill -f create_server || true; }
