#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="0 bytes to 1 MiB + 1, buffered and direct, aligned and not, around the inline thresholds; symbolic links"
VARIANTS="v3 v42 symlinks"
KERNELS_v42="uml x86"
TIMEOUT=90

test() {
	nfsd_start
	case $VARIANT in v3) nfs_mount 3 ;; v42) nfs_mount 4.2 ;; esac
	all_sizes
	all_sizes direct
	around 4096
	around 1024
	assert_eq "bad replies" 0 "$(xprt_stat bad_reply)"
}

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
	local v
	nfsd_start
	for v in $NFS_VERSIONS; do
		nfs_mount $v
		links $v
		nfs_umount
	done
}
