#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="iWARP, and half of the local ports are TCP's: mounts take another one"
TARGET=guest-long
KERNELS="uml"

requires() { [ "$PROVIDER" = siw ] || { echo "only iWARP's connections have TCP's ports"; return 1; }; }

test() {
	local pid i
	nfsd_start
	python3 -c '
import socket, time
held = [socket.create_server(("", port)) for port in range(40000, 40016, 2)]
print("held", flush=True)
time.sleep(300)' >$OUT/port-taken.held &
	pid=$!
	await "ports held" 10 grep -q held $OUT/port-taken.held
	sysctl -qw net.ipv4.ip_local_port_range="40000 40015"
	for i in 1 2 3 4 5 6 7 8; do
		nfs_mount 4.1
		nfs_umount
	done
	assert_ge "tries with another port" "$(ours_stat client connects_repeated)" 1
	kill $pid
}

cleanup() { sysctl -qw net.ipv4.ip_local_port_range="32768 60999"; pkill -f create_server || true; }
