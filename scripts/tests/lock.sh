#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="byte-range locks: NFSv3 through NLM and statd; 4.0 and 4.1 with flock, two mounts' clients and a local one"
TARGET=guest-long
VARIANTS="v3 v4"

requires_v3() { have rpc.statd; }

test_v3() {
	nfsd_start
	statd_up
	nfs_mount 3 lock
	lock_conflicts $MNT/lk $EXPORT/lk
}

locks() {
	lock_conflicts "$MNT/lk$1" "$EXPORT/lk$1"
}

test_v4() {
	NFS_VERSIONS="4.0 4.1"
	nfsd_start
	with_versions locks
}
