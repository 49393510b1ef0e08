#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a directory of 5,000 entries listed with READDIR and READDIRPLUS, each version"
TARGET=guest-long
TIMEOUT=120

list() {
	drop_caches
	limit 60 ls -f $MNT/dir >$TEST_TMP/names
	assert_eq "names, $1" "$want" "$(grep '^[a-z]' $TEST_TMP/names | sort | cksum)"
	drop_caches
	limit 60 ls -l $MNT/dir >$TEST_TMP/long
	assert_eq "names with attributes, $1" "$want" "$(awk 'NF > 8 { print $9 }' $TEST_TMP/long | sort | cksum)"
	assert_ge "Reply chunks" "$(xprt_stat reply_chunks)" 5
}

# pages_used_again: those of one reply are there for the next.
pages_used_again() {
	local kept

	[ "$TRANSPORT" = ours ] || return 0
	kept=$(ours_stat server reply_pages_kept)
	drop_caches
	ls -f $MNT/dir >/dev/null
	drop_caches
	ls -f $MNT/dir >/dev/null
	assert_ge "pages of replies that were used again" $(($(ours_stat server reply_pages_kept) - kept)) 50
}

test() {
	nfsd_start
	mkdir $EXPORT/dir
	(cd $EXPORT/dir && seq -f 'entry-%05g-with-a-name-of-some-length' 5000 | xargs touch)
	want=$(ls $EXPORT/dir | sort | cksum)
	with_versions list
	nfs_mount 3 nordirplus
	list "3 without READDIRPLUS"
	assert_eq "READDIRPLUS calls" 0 "$(op_stat READDIRPLUS)"
	assert_ge "READDIR calls" "$(op_stat READDIR)" 1
	pages_used_again
}
