#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="two guests: our client with the in-tree server, the in-tree client with our server, or ours with each other: same data, inline threshold 1024 with Remote Invalidation, 4096 without"
VARIANTS="client server ours"
TARGET_ours=guest-long
GUESTS=2
TIMEOUT=240
VERSIONS_server=any
TRANSPORT_LEFT_client=intree
TRANSPORT_RIGHT_server=intree

requires_client() { need_extensions conf msgp; }

right() { data; }

# The in-tree server recommends no alignment, so our client pads nothing, although padding is
# enabled.
right_client() {
	sysctl -qw sunrpc.rdma_inline_write_padding=512
	echo Y >/sys/module/xprtrdma/parameters/connection_configuration
	data
	assert_eq "padded calls" 0 "$(ours_stat client calls_padded)"
	# The in-tree server ignores the version hint, and refuses CONF_RDMA without harm.
	assert_eq "CONF_RDMA refused" "$(ours_stat client connects_v1)" "$(ours_stat client conf_refused)"
	assert_eq "offers not answered" 0 "$(ours_stat client offers_unanswered)"
	assert_eq "attempts that failed" 0 "$(ours_stat client connects_failed)"
}

# remote_invalidation MODULE Y|N: set the parameter of our module, if it is loaded.
remote_invalidation() {
	[ "$TRANSPORT" != ours ] || echo "$2" >/sys/module/$1/parameters/remote_invalidation || fail "$1's remote_invalidation"
}

# Inline thresholds, and remote invalidation on or off
INTEROP_SETTINGS="1024 Y
4096 N"

# left, data: run the data tests with these settings.
left() {
	local inline ri
	nfsd_start 8
	mkdir $EXPORT/many
	(cd $EXPORT/many && seq -f 'entry-%05g-with-a-name-of-some-length' 1000 | xargs touch)
	ls $EXPORT/many | sort | cksum >/run/shared/many
	while read -r inline ri; do
		meet "ready-$inline-$ri" 90
		nfsd_stop
		# The in-tree server accepts nothing below its default.
		sysctl -qw sunrpc.svc_rdma.max_req_size=$inline 2>/dev/null || [ "$TRANSPORT" = intree ] || fail "cannot set max_req_size"
		remote_invalidation svcrdma $ri
		nfsd_again
		meet "go-$inline-$ri"
		meet "done-$inline-$ri" 180
		check_invalidations $ri server
	done <<<"$INTEROP_SETTINGS"
}
data() {
	local inline ri v
	while read -r inline ri; do
		meet "ready-$inline-$ri" 90
		log "inline threshold $inline, Remote Invalidation $ri"
		sysctl -qw sunrpc.rdma_max_inline_read=$inline sunrpc.rdma_max_inline_write=$inline || fail "cannot set the inline sizes"
		remote_invalidation xprtrdma $ri
		meet "go-$inline-$ri"
		for v in 3 4.2; do
			nfs_mount $v
			same_data $v $inline
			check_invalidations $ri client
			nfs_umount
			# Invalidations by the last calls do not count in the next round.
			[ "$TRANSPORT" != ours ] || RI_SEEN=$(ours_stat client remote_invalidations)
		done
		meet "done-$inline-$ri"
	done <<<"$INTEROP_SETTINGS"
}

# same_data VERSION INLINE: run the data tests, some with version 3 and the others with 4.2.
same_data() {
	basic_files "$1"
	if [ "$1" = 3 ]; then
		around "$2"
		all_sizes direct
		bulk_copy "$1" 2
	else
		all_sizes
		assert_eq "1,000 names" "$(cat /run/shared/many)" "$(ls $MNT/many | sort | cksum)"
	fi
	assert_eq "bad replies" 0 "$(xprt_stat bad_reply)"
}

# check_invalidations Y|N SIDE: check whether this side's module, if it is ours, has invalidated
# memory since the last check.
check_invalidations() {
	[ "$TRANSPORT" = ours ] || return 0
	local now
	now=$(ours_stat "$2" remote_invalidations)
	if [ "$1" = Y ]; then
		assert_ge "remote invalidations" $((now - ${RI_SEEN:-0})) 10
	else
		assert_eq "remote invalidations" 0 $((now - ${RI_SEEN:-0}))
	fi
	RI_SEEN=$now
}
