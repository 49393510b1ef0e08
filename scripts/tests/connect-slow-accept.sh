#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a server that takes 7 s to accept: the connection is established by the first attempt; one that is no longer wanted ends at once"
TARGET=guest-long
VERSIONS=any
TIMEOUT=120

requires() { need_ours && need_frozen; }

test() {
	local failed mounter begin
	nfsd_start 1 crossmnt
	frozen_up
	nfs_mount 4.1
	failed=$(ours_stat client connects_failed)

	log "a mount that waits"
	block_thread
	nfs_try_mount 4.0 "" $MNT.2 >$TEST_TMP/second.out 2>&1 &
	mounter=$!
	await "a client connects" 20 connecting
	elapses 6
	assert thaw fsfreeze -u $EXPORT/frozen
	assert "the mount succeeds" wait $mounter
	assert_eq "attempts that failed" "$failed" "$(ours_stat client connects_failed)"
	nfs_umount $MNT.2

	log "a mount that is given up"
	block_thread
	timeout -k 2 60 mount -t nfs -o "$(mount_opts 4.0)" "$(mount_source 4.0)" $MNT.2 >$TEST_TMP/third.out 2>&1 &
	mounter=$!
	await "a client connects" 20 connecting
	begin=$(now_ms)
	pkill -9 -P $mounter mount.nfs || pkill -9 mount.nfs || true
	kill -9 $mounter 2>/dev/null || true
	await "the transport is gone" 5 not_connecting
	log "gone after $(($(now_ms) - begin)) ms"
	assert thaw fsfreeze -u $EXPORT/frozen
	wait
	nfs_umount
	nfsd_stop
	limit 10 umount $EXPORT/frozen
}

not_connecting() { ! connecting; }

cleanup() {
	fsfreeze -u $EXPORT/frozen 2>/dev/null || true
	umount_all
	nfsd_stop
	umount $EXPORT/frozen 2>/dev/null || true
}
