#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="8 MiB and a bit written through a shared mapping in an odd order, read back through one"

mapped() {
	assert "write by mmap" limit 40 "$IOTOOL" mmap-write $MNT/m 8388609 ${1/./}
	assert "server has it" "$IOTOOL" check $EXPORT/m 0 8388609 ${1/./}
	drop_caches
	assert "read by mmap" limit 40 "$IOTOOL" mmap-check $MNT/m 8388609 ${1/./}
	rm $MNT/m
}

test() {
	nfsd_start
	with_versions mapped
}
