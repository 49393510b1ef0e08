#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="symbolic links of 1 to 4095 bytes, made through the mount and read back, each version"

links() {
	local n t
	for n in 1 5 511 900 1000 1023 1024 1025 2000 3000 3900 4000 4094 4095; do
		t=$(head -c $n /dev/zero | tr '\0' x)
		# no component of a path may be longer than 255: slashes every 200
		t=$(echo "$t" | sed 's:x\{200\}:&/:g' | head -c $n)
		assert "link of $n bytes" ln -s "$t" "$MNT/l$1-$n"
		assert_eq "length on the server" "$(echo "$t" | cksum)" "$(readlink "$EXPORT/l$1-$n" | cksum)"
	done
	drop_caches
	for n in 1 5 511 900 1000 1023 1024 1025 2000 3000 3900 4000 4094 4095; do
		assert_eq "link of $n bytes, $1" "$(readlink "$EXPORT/l$1-$n" | cksum)" "$(readlink "$MNT/l$1-$n" | cksum)"
		assert_eq "its length" $n "$(stat -c %s "$MNT/l$1-$n")"
	done
}

test() {
	nfsd_start
	with_versions links
}
