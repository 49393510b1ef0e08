#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a call that nfsd has deferred counts as one from a privileged port, even if its thread has served an unprivileged port since"
KERNELS=x86
VERSIONS=any
TIMEOUT=120

requires() { [[ $(uname -r) == 6.1.* ]] || { echo "this kernel asks no transport about the port of a deferred call"; return 1; }; }

# nfsd has one thread, which can answer another call only after it has deferred the first.
test() {
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

# tcp_null: call the procedure NULL from an unprivileged port, and print the reply.
tcp_null() {
	exec 3<>/dev/tcp/$ADDR4/2049
	{
		printf '\x80\0\0\x28\1\2\3\4\0\0\0\0\0\0\0\2\0\1\x86\xa3\0\0\0\3'
		printf '\0%.0s' {1..20}
	} >&3
	timeout $((20 * SLOW)) head -c 28 <&3
}

cleanup() { kill -CONT "$(pidof rpc.mountd)" 2>/dev/null || true; }
