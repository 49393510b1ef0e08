#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="POSIX ACLs through NFSv3's ACL protocol: small, and of 300 entries"

requires() { have setfacl getfacl; }

test() {
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
