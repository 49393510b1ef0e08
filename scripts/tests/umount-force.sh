#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="umount -f of a mount whose server is gone returns within seconds"

requires() { need_ours; }

test() {
	local v begin
	for v in 3 4.1; do
		nfsd_start
		nfs_mount $v soft,timeo=50,retrans=1
		echo x >$MNT/f
		nfsd_stop
		begin=$(now_ms)
		timeout 60 cat $MNT/f >/dev/null 2>&1 &
		local reader=$!
		limit 60 umount -f $MNT || limit 60 umount -f $MNT || limit 60 umount -l $MNT
		wait $reader || true
		log "version $v: $(($(now_ms) - begin)) ms"
	done
}
