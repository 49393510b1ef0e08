#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="nfsd is stopped and started under load: the client reconnects and the data is intact"
VERSIONS=any
TIMEOUT=120

# in-tree: connect requests that wait when a listener closes are never answered, and the
# client hangs
requires() { need_ours; }

test() {
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
