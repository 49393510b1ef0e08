#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="rpcbind knows the listeners as rdma and rdma6 while nfsd listens; nfsd does not need rpcbind"
VERSIONS=any

requires() { have rpcinfo && need_ours && need_extensions rpcbind; }

test() {
	local before

	nfsd_start
	await "NFS version 3 is registered" 10 listed 100003 3 rdma 0.0.0.0.78.81
	await "with IPv6" 10 listed 100003 3 rdma6 ::.78.81
	listed 100227 3 rdma 0.0.0.0.78.81 || fail "the program of ACLs is not registered"
	log "rpcinfo: $(rpcinfo -s 127.0.0.1 | grep nfs | tr -s ' ' | tr '\n' ';')"

	nfsd_stop
	await "nothing is registered" 10 forgotten

	log "switched off"
	echo N >$PARAMETER
	before=$(ours_stat server rpcbind_set)
	limit 20 rpc.nfsd -V 3 --rdma=20049 8
	nfsd_stop
	assert_eq "registrations" "$before" "$(ours_stat server rpcbind_set)"
	echo Y >$PARAMETER

	without_rpcbind
}

PARAMETER=/sys/module/svcrdma/parameters/rpcbind

# without_rpcbind: nfsd serves, stops and starts in time if rpcbind exits, and if there is none.
without_rpcbind() {
	local pid
	pid=$(pidof rpcbind)
	log "rpcbind ends"
	limit 20 rpc.nfsd -V 3 -V 4.2 --rdma=20049 8
	await "registered" 10 listed 100003 3 rdma 0.0.0.0.78.81
	kill "$pid"
	await "rpcbind has ended" 10 gone "$pid"
	nfs_mount 4.2
	nfs_umount
	within 40 rpc.nfsd 0 || fail "rpc.nfsd 0 without rpcbind"
	within 40 rpc.nfsd -N 3 -V 4.2 --rdma=20049 8 || fail "rpc.nfsd without rpcbind"
	nfs_mount 4.2
	nfs_umount
	within 40 rpc.nfsd 0 || fail "rpc.nfsd 0 without rpcbind"
	rpcbind_up
	refute "rpcbind, started afresh, knows nfsd" anything
}

# listed PROGRAM VERSION NETID ADDRESS: succeed if rpcbind lists this registration.
listed() { rpcinfo 127.0.0.1 | awk -v w="$1 $2 $3 $4" '$1 " " $2 " " $3 " " $4 == w { found = 1 } END { exit !found }'; }
anything() { rpcinfo 127.0.0.1 | awk '$3 ~ /^rdma/ { found = 1 } END { exit !found }'; }
forgotten() { ! anything; }
