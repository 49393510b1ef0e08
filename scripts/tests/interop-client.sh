#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="this project's client with the in-tree server: same data, inline thresholds 1024 and 4096, Remote Invalidation on and off"
GUESTS=2
TIMEOUT=240
TRANSPORT_LEFT=intree
TRANSPORT_RIGHT=ours

left() { interop_left; }

# The in-tree server recommends no alignment, so nothing is padded, whatever we would like.
right() {
	sysctl -qw sunrpc.rdma_inline_write_padding=512
	echo Y >/sys/module/xprtrdma/parameters/connection_configuration
	interop_right
	assert_eq "padded calls" 0 "$(ours_stat client calls_padded)"
}
