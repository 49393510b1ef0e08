#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="this project's client (or server) with the in-tree server (or client): same data, inline threshold 1024 with Remote Invalidation, 4096 without"
VARIANTS="client server"
GUESTS=2
TIMEOUT=240
VERSIONS_server=any
TRANSPORT_LEFT_client=intree
TRANSPORT_RIGHT_client=ours
TRANSPORT_LEFT_server=ours
TRANSPORT_RIGHT_server=intree

requires_client() { need_extensions conf msgp; }

left() { interop_left; }
right_server() { interop_right; }

# The in-tree server recommends no alignment, so nothing is padded, whatever we would like.
right_client() {
	sysctl -qw sunrpc.rdma_inline_write_padding=512
	echo Y >/sys/module/xprtrdma/parameters/connection_configuration
	interop_right
	assert_eq "padded calls" 0 "$(ours_stat client calls_padded)"
	# Neither the version hint nor the program of limits is known there, and neither does harm.
	assert_eq "CONF_RDMA refused" "$(ours_stat client connects)" "$(ours_stat client conf_refused)"
	assert_eq "offers not answered" 0 "$(ours_stat client offers_unanswered)"
	assert_eq "attempts that failed" 0 "$(ours_stat client connects_failed)"
}
