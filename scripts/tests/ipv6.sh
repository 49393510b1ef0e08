#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="proto=rdma6: versions 3 and 4.2 over IPv6"

test() {
	local v
	nfsd_start
	SERVER=$ADDR6 PROTO=rdma6
	for v in 3 4.2; do
		nfs_mount $v
		basic_files $v
		bulk_copy $v 4
		nfs_umount
	done
}
