#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="one NFS version over RDMA: files, names, attributes, 16 MiB there and back"
VARIANTS="v3 v40 v41 v42"
KERNELS="uml x86"

test() {
	local version
	case $VARIANT in v3) version=3 ;; v4?) version=4.${VARIANT#v4} ;; esac
	nfsd_start
	nfs_mount $version
	snapshot
	basic_files $version
	bulk_copy $version 16
	assert_delta_ge sends 100
	assert_delta_ge read_chunks 16
	assert_delta_ge write_chunks 16
	assert_delta_eq bad_reply 0
	assert_delta_eq bad_xids 0
}
