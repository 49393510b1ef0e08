#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="NFSv4 ACLs set and read with nfs4-acl-tools: small, and of 150 entries"

requires() { have nfs4_setfacl nfs4_getfacl; }

test() {
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
