#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="byte-range locks: NFSv3 through NLM and statd; 4.0 and 4.1 with flock, two mounts' clients and a local one"
TARGET=guest-long
VARIANTS="v3 v4"

requires_v3() { have rpc.statd; }

test_v3() {
	nfsd_start
	statd_up
	nfs_mount 3 lock
	lock_conflicts $MNT/lk $EXPORT/lk
}

locks() {
	lock_conflicts "$MNT/lk$1" "$EXPORT/lk$1"
}

test_v4() {
	NFS_VERSIONS="4.0 4.1"
	nfsd_start
	with_versions locks
}

# Locks seen from the mount and from the server's own file system.

# lock_refused FILE MODE START LENGTH: assert that the lock is held by another owner.
lock_refused() {
	local rc=0
	limit 20 "$IOTOOL" lock "$1" "$2" "$3" "$4" try true || rc=$?
	[ $rc -eq 75 ]
}

# lock_conflicts FILE SERVERFILE: locks of the same file through the mount and on the server
# exclude each other.
lock_conflicts() {
	local f=$1 e=$2 fifo=$TEST_TMP/fifo holder
	head -c 10000 /dev/zero >"$f"
	rm -f "$fifo" "$TEST_TMP"/{held,got}
	mkfifo "$fifo"

	log "write lock through the mount, seen on the server"
	"$IOTOOL" lock "$f" w 100 50 wait sh -c "touch $TEST_TMP/held; read -r x <$fifo" &
	holder=$!
	await "lock taken" 10 [ -e "$TEST_TMP/held" ]
	assert "server refuses a conflicting lock" lock_refused "$e" w 120 1
	assert "server refuses a conflicting read lock" lock_refused "$e" r 149 10
	refute "server grants what does not overlap" lock_refused "$e" w 150 10
	echo >"$fifo"
	assert "holder ended well" wait $holder
	refute "free again" lock_refused "$e" w 120 1

	log "lock on the server, a waiter through the mount gets it afterwards"
	rm -f "$TEST_TMP/held"
	"$IOTOOL" lock "$e" w 0 0 wait sh -c "touch $TEST_TMP/held; read -r x <$fifo" &
	holder=$!
	await "lock taken" 10 [ -e "$TEST_TMP/held" ]
	assert "mount refuses" lock_refused "$f" w 5 5
	limit 50 "$IOTOOL" lock "$f" w 5 5 wait touch "$TEST_TMP/got" &
	local waiter=$!
	assert "waiter waits" [ ! -e "$TEST_TMP/got" ]
	echo >"$fifo"
	assert "holder ended well" wait $holder
	assert "waiter got the lock" wait $waiter
	assert "waiter ran its command" [ -e "$TEST_TMP/got" ]

	log "flock between two processes of the mount"
	rm -f "$TEST_TMP/held"
	flock "$f" sh -c "touch $TEST_TMP/held; read -r x <$fifo" &
	holder=$!
	await "flock taken" 10 [ -e "$TEST_TMP/held" ]
	refute "second flock" limit 10 flock -n "$f" true
	echo >"$fifo"
	assert "holder ended well" wait $holder
	assert "flock is free" limit 10 flock -n "$f" true
}

# statd_up: start statd, which NFSv3 locks need, without helper processes that outlive the
# test.
statd_up() {
	mkdir -p /var/lib/nfs/sm /var/lib/nfs/sm.bak
	chown -R statd /var/lib/nfs/sm /var/lib/nfs/sm.bak /var/lib/nfs/state 2>/dev/null || true
	pidof rpc.statd >/dev/null || start_daemon rpc.statd --no-notify
}
