#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="byte-range locks and flock between two mounts' clients and a local one, NFSv4.0 and 4.1"

locks() {
	lock_conflicts "$MNT/lk$1" "$EXPORT/lk$1"
}

test() {
	NFS_VERSIONS="4.0 4.1"
	nfsd_start
	with_versions locks
}
