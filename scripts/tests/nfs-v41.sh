#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="NFS version 4.1 over RDMA: files, names, attributes, 16 MiB there and back"
KERNELS="uml x86"

test() {
	nfsd_start
	nfs_mount 4.1
	snapshot
	basic_files 4.1
	bulk_copy 4.1 16
	assert_delta_ge sends 100
	assert_delta_ge read_chunks 16
	assert_delta_ge write_chunks 16
	assert_delta_eq bad_reply 0
	assert_delta_eq bad_xids 0
}
