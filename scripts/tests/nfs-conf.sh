#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="nfsd listens on RDMA as nfs.conf says, without options, and a line of fstab mounts it"

test() {
	nfs_state
	rpcbind_up
	export_up
	printf '[nfsd]\nrdma=y\nrdma-port=20049\n' >/etc/nfs.conf
	pidof rpc.mountd >/dev/null || limit 10 rpc.mountd -p 20048
	limit 20 rpc.nfsd 8
	grace_ends
	assert "nfsd listens on rdma 20049" grep -q 'rdma 20049' /proc/fs/nfsd/portlist
	assert_eq "listeners on RDMA" 2 "$(count '^rdma ' </proc/fs/nfsd/portlist)"
	mkdir -p "$MNT"
	printf '%s:/ %s nfs _netdev,proto=rdma,port=20049,vers=4.2,retry=0 0 0\n' "$ADDR4" "$MNT" >/etc/fstab
	limit 30 mount -a -t nfs -O _netdev
	assert "mounted over RDMA" grep -q " $MNT nfs4 .*proto=rdma" /proc/mounts
	basic_files 4.2
	nfs_umount
}

cleanup() { printf '[nfsd]\n' >/etc/nfs.conf; }
