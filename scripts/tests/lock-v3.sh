#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="byte-range locks of an NFSv3 mount over RDMA through NLM and statd"

requires() { have rpc.statd; }

test() {
	nfsd_start
	statd_up
	nfs_mount 3 lock
	lock_conflicts $MNT/lk $EXPORT/lk
}
