#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="symbolic links of 1 to 4095 bytes, made through the mount and read back, each version"
SIZES="1 2 3 4 5 511 800 900 980 1000 1020 1023 1024 1025 2000 3000 3800 3900 3950 4000 4050 4090 4093 4094 4095"

links() {
	assert "make links" limit 60 "$IOTOOL" symlink-make "$MNT" l$1 $SIZES
	assert "the server has them" "$IOTOOL" symlink-check "$EXPORT" l$1 $SIZES
	drop_caches
	assert "read links" limit 60 "$IOTOOL" symlink-check "$MNT" l$1 $SIZES
}

test() {
	nfsd_start
	with_versions links
}
