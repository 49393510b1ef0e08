#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="ACLs: POSIX ones through NFSv3's ACL protocol, small and of 300 entries; NFSv4 ones with nfs4-acl-tools, small and of 150"
VARIANTS="v3 v4"

requires_v3() { have setfacl getfacl; }

test_v3() {
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

requires_v4() { have nfs4_setfacl nfs4_getfacl; }

test_v4() {
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
