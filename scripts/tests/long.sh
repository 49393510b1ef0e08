#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="what is long but not data of a file: ACLs, extended attributes, symbolic links, directories"
VARIANTS="acl-v3 acl-v4 xattrs symlinks directory"
TARGET_directory=guest-long
TIMEOUT_directory=120

# acl-v3, acl-v4: POSIX ACLs through NFSv3's ACL protocol, small and of 300 entries; NFSv4 ones with
# nfs4-acl-tools, small and of 150
requires_acl_v3() { have setfacl getfacl; }

test_acl_v3() {
	local acl='' i
	nfsd_start
	nfs_mount 3
	touch $MNT/f
	mkdir $MNT/d
	assert setfacl setfacl -m u:1234:rw,g:4321:r $MNT/f
	assert_eq "on the server" "$(getfacl -cn $EXPORT/f 2>/dev/null)" "$(getfacl -cn $MNT/f 2>/dev/null)"
	assert "entry" grep -q '^user:1234:rw-' <(getfacl -cn $EXPORT/f 2>/dev/null)
	assert "default acl" setfacl -d -m u:77:rwx $MNT/d
	touch $MNT/d/child
	assert "inherited" grep -q '^user:77:' <(getfacl -cn $EXPORT/d/child 2>/dev/null)
	for ((i = 1; i <= 300; i++)); do acl=$acl,u:$((20000 + i)):r; done
	assert "300 entries" setfacl -m "${acl#,}" $MNT/f
	drop_caches
	assert_eq "300 entries on the server" "$(getfacl -cn $EXPORT/f 2>/dev/null | cksum)" "$(getfacl -cn $MNT/f 2>/dev/null | cksum)"
	assert_eq "how many" 301 "$(getfacl -cn $MNT/f 2>/dev/null | count '^user:[12]')"
	assert remove setfacl -b $MNT/f
	assert_eq "none left" 0 "$(getfacl -cn $EXPORT/f 2>/dev/null | count '^user:[12]')"
}

requires_acl_v4() { have nfs4_setfacl nfs4_getfacl; }

test_acl_v4() {
	local i
	nfsd_start
	nfs_mount 4.2
	touch $MNT/f
	assert "add an entry" nfs4_setfacl -a A::1234:rwaxtTncCoy $MNT/f
	assert "read it" grep -q 'A::1234:' <(nfs4_getfacl $MNT/f)
	assert "on the server" grep -q '^user:1234:rwx' <(getfacl -cn $EXPORT/f 2>/dev/null)
	for ((i = 1; i <= 150; i++)); do echo "A::$((30000 + i)):rtncCy"; done >$TEST_TMP/acl
	printf 'A::OWNER@:rwatTnNcCoy\nA::GROUP@:rtncy\nA::EVERYONE@:rtncy\n' >>$TEST_TMP/acl
	assert "set 150 entries" nfs4_setfacl -S $TEST_TMP/acl $MNT/f
	assert_eq "on the server" 150 "$(getfacl -cn $EXPORT/f 2>/dev/null | count '^user:30')"
	drop_caches
	assert_eq "read 150 entries" 150 "$(nfs4_getfacl $MNT/f | count '^A::30')"
}

# xattrs: user extended attributes of NFSv4.2, 1 byte to 60,000, and 100 of them listed
requires_xattrs() { have setfattr getfattr; }

test_xattrs() {
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

# symlinks: of 1 to 4095 bytes, made through the mount and read back, each version
SIZES="1 2 3 4 5 511 800 900 980 1000 1020 1023 1024 1025 2000 3000 3800 3900 3950 4000 4050 4090 4093 4094 4095"

links() {
	assert "make links" limit 60 "$IOTOOL" symlink-make "$MNT" l$1 $SIZES
	assert "the server has them" "$IOTOOL" symlink-check "$EXPORT" l$1 $SIZES
	drop_caches
	assert "read links" limit 60 "$IOTOOL" symlink-check "$MNT" l$1 $SIZES
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
	pages_used_again
}
