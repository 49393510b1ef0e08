#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="this project's client with the in-tree server, which says nothing of versions and ignores that the client does: each mode of negotiation"
TARGET=guest-long
GUESTS=2
VERSIONS=any
TIMEOUT=120
TRANSPORT_LEFT=intree
TRANSPORT_RIGHT=ours

left() {
	nfsd_start 8
	meet serving
	meet finished 120
}

right() {
	local mode refused v
	meet serving
	for mode in probe hint off; do
		echo $mode >/sys/module/xprtrdma/parameters/negotiate
		for v in 3 4.2; do
			log "negotiate=$mode, NFS $v"
			refused=$(ours_stat client offers_refused)
			nfs_mount $v
			assert_eq "version and hint" "none 1" "$(told)"
			pair_files $v
			# what precedes the hint has arrived: the thresholds, and that handles may be invalidated
			assert_eq "threshold" 4096 "$(conn_values client inline_send)"
			nfs_umount
			refused=$(($(ours_stat client offers_refused) - refused))
			if [ $mode = probe ]; then
				assert_ge "offers refused" $refused 1
			else
				assert_eq "offers refused" 0 $refused
			fi
		done
	done
	assert_ge "remote invalidations" "$(ours_stat client remote_invalidations)" 10
	assert_eq "offers not answered" 0 "$(ours_stat client offers_unanswered)"
	assert_eq "servers remembered" 0 "$(ours_stat client fallbacks_remembered)"
	assert_eq "attempts that failed" 0 "$(ours_stat client connects_failed)"
	assert_eq "bad replies" 0 "$(ours_stat client replies_bad)"
	meet finished
}

# told: what the server has said of its versions, and the version that is used.
told() { echo "$(conn_values client peer_hint) $(conn_values client rpcrdma_version)"; }
