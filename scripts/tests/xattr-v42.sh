#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="user extended attributes of NFSv4.2: 1 byte to 60,000, and 100 of them listed"

requires() { have setfattr getfattr; }

test() {
	local n v i
	nfsd_start
	nfs_mount 4.2
	touch $MNT/f $EXPORT/g
	for n in 1 3 4 1000 1024 4000 4095 4096 4097 20000 60000; do
		v=$({ echo -n v; head -c $n /dev/urandom | base64 -w 0; } | head -c $n)
		assert "set $n bytes" setfattr -n user.x$n -v "$v" $MNT/f
		assert_eq "$n bytes on the server" "$(printf %s "$v" | cksum)" "$(getfattr --only-values -n user.x$n $EXPORT/f 2>/dev/null | cksum)"
		assert "set $n bytes on the server" setfattr -n user.x$n -v "$v" $EXPORT/g
		assert_eq "$n bytes from the server" "$(printf %s "$v" | cksum)" "$(getfattr --only-values -n user.x$n $MNT/g 2>/dev/null | cksum)"
		assert "remove" setfattr -x user.x$n $MNT/f
	done
	for ((i = 0; i < 100; i++)); do
		assert "set attribute $i" setfattr -n user.a-name-of-some-length-$i -v $i $EXPORT/f
	done
	drop_caches
	assert_eq "listed" 100 "$(getfattr -d $MNT/f 2>/dev/null | count '^user.a-name')"
}
