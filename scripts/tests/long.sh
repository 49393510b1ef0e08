#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="what is long but not data of a file: symbolic links, directories"
VARIANTS="symlinks directory"
TARGET_directory=guest-long
TIMEOUT_directory=120

# symlinks: of 1 to 4095 bytes, made through the mount and read back, each version
SIZES="1 2 3 4 5 511 800 900 980 1000 1020 1023 1024 1025 2000 3000 3800 3900 3950 4000 4050 4090 4093 4094 4095"

links() {
	local n path
	for n in $SIZES; do
		path=$(long_path $n)
		assert "make a link" ln -s "$path" $MNT/l$1-$n
		assert_eq "the server's link" "$path" "$(readlink $EXPORT/l$1-$n)"
	done
	drop_caches
	for n in $SIZES; do assert_eq "read a link" "$(long_path $n)" "$(readlink $MNT/l$1-$n)"; done
}

test_symlinks() {
	nfsd_start
	with_versions links
}

# directory: 5,000 entries listed with READDIR and READDIRPLUS, each version
list() {
	drop_caches
	limit 60 ls -f $MNT/dir >$TEST_TMP/names
	assert_eq "names, $1" "$want" "$(grep '^[a-z]' $TEST_TMP/names | sort | cksum)"
	drop_caches
	limit 60 ls -l $MNT/dir >$TEST_TMP/long
	assert_eq "names with attributes, $1" "$want" "$(awk 'NF > 8 { print $9 }' $TEST_TMP/long | sort | cksum)"
	assert_ge "Reply chunks" "$(xprt_stat reply_chunks)" 5
}

test_directory() {
	nfsd_start
	mkdir $EXPORT/dir
	(cd $EXPORT/dir && seq -f 'entry-%05g-with-a-name-of-some-length' 5000 | xargs touch)
	want=$(ls $EXPORT/dir | sort | cksum)
	with_versions list
	nfs_mount 3 nordirplus
	list "3 without READDIRPLUS"
	assert_eq "READDIRPLUS calls" 0 "$(op_stat READDIRPLUS)"
	assert_ge "READDIR calls" "$(op_stat READDIR)" 1
}
