#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a delegation held by the client of one guest is recalled over RDMA when the other guest's client writes"
GUESTS=2

left() {
	recall_serve
	if [ "$TRANSPORT" = ours ]; then assert_ge "callbacks sent" "$(ours_stat server callbacks_sent)" 1; fi
}

right() {
	meet serving
	recall_hold
	if [ "$TRANSPORT" = ours ]; then assert_ge "callbacks answered" "$(ours_stat client bc_replies)" 1; fi
}
