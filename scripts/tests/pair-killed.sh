#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a client's guest is killed, with a busy connection, an idle one, and one with a callback in flight: the server releases all of them in 45 s"
TARGET=guest-long
GUESTS=2
VANISHES=right
VERSIONS=any
TIMEOUT=180

requires() { need_ours; }

left() {
	local begin
	nfs_state
	# nfsd alone ends a delegation that is not returned, a lease time after it last heard
	# of the client. That is longer than the test allows for the release, so that it is not
	# the end of the client's state that releases the connection.
	echo 50 >/proc/fs/nfsd/nfsv4leasetime
	nfsd_start
	echo first >$EXPORT/delegated
	meet serving
	meet busy 90
	assert "a delegation was given" delegation_held
	assert_eq "connections" 3 "$(open_connections)"
	meet killed
	begin=$SECONDS
	# nfsd checks its clients once per lease time
	limit 110 sh -c "echo second >$EXPORT/delegated" &
	# no extra time on slower kernels: tunables.rst promises this
	poll_for 45 all_released || fail "not released: $(released_not)"
	log "released after $((SECONDS - begin)) s"
	assert_ge "callbacks sent" "$(ours_stat server callbacks_sent)" 1
	assert "the file can be written" wait $!
	log "written after $((SECONDS - begin)) s"
	nfs_mount 4.1
	assert_eq "another client is served" second "$(cat $MNT/delegated)"
}

right() {
	meet serving
	nfs_mount 4.1 "" $TEST_TMP/delegated
	open_with_delegation $TEST_TMP/delegated/delegated
	SERVER=$PEER6 PROTO=rdma6 nfs_mount 3 "" $TEST_TMP/idle
	nfs_mount 3
	while :; do dd if=/dev/zero of=$MNT/busy bs=256k count=100 oflag=direct status=none; done &
	await "load runs" 20 [ -s $MNT/busy ]
	meet busy
	meet killed
	vanish
}

open_connections() { conn_values server | count '^state connected'; }
released_not() { counters_leak | grep -v '^svcrdma: listeners ' || true; }
all_released() { [ -z "$(released_not)" ]; }
