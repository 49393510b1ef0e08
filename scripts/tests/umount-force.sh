#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="umount -f of a hard mount whose server is gone returns within a minute, with a reader blocked in it"
VERSIONS=any
TIMEOUT=150

# the in-tree transport was seen not to return within 200 s
requires() { need_ours; }

test() {
	local v begin reader
	for v in 3 4.1; do
		nfsd_start
		nfs_mount $v timeo=20,retrans=1
		echo x >$MNT/f
		drop_caches
		nfsd_stop
		begin=$(now_ms)
		timeout 60 cat $MNT/f >/dev/null 2>&1 &
		reader=$!
		limit 60 umount -f $MNT || true
		wait $reader || true
		if mountpoint -q $MNT; then limit 60 umount -f $MNT; fi
		log "version $v: $(($(now_ms) - begin)) ms"
		assert_le "milliseconds" $(($(now_ms) - begin)) 60000
	done
}
