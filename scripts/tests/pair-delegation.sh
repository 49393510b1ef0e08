#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a delegation held by the client of one guest is recalled over RDMA when the other guest's client writes"
GUESTS=2

left() {
	nfsd_start
	echo first >$EXPORT/f
	meet serving
	meet holding
	assert "a delegation was given" delegation_held
	nfs_mount 4.1
	limit 30 sh -c "echo second >$MNT/f" || fail "the second client's write did not go through"
	refute "the delegation is gone" delegation_held
	if [ "$TRANSPORT" = ours ]; then assert_ge "callbacks sent" "$(ours_stat server callbacks_sent)" 1; fi
	meet written
}

right() {
	meet serving
	nfs_mount 4.1
	open_with_delegation $MNT/f
	assert_eq "read under the delegation" first "$(cat <&5)"
	meet holding
	meet written
	exec 5<&-
	assert_eq "the new data" second "$(cat $MNT/f)"
	if [ "$TRANSPORT" = ours ]; then assert_ge "callbacks answered" "$(ours_stat client bc_replies)" 1; fi
}
