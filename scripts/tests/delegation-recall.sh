#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="an NFSv4.1 delegation is recalled through the RDMA connection's backchannel when another client writes"
KERNELS="uml x86"

# The other client uses TCP from another network namespace, because soft-RoCE devices serve only the
# first namespace.
test() {
	nfsd_start
	other_client_up
	echo first >$EXPORT/f
	nfs_mount 4.1
	open_with_delegation $MNT/f
	assert_eq "read under the delegation" first "$(cat <&5)"
	assert "the server lists it" delegation_held
	log "the other client writes"
	ip netns exec other timeout -k 2 30 sh -c "echo second >$OTHER/f" || fail "the other client's write did not go through"
	exec 5<&-
	refute "the delegation is gone" delegation_held
	assert_eq "the new data" second "$(cat $MNT/f)"
	if [ "$TRANSPORT" = ours ]; then
		assert_ge "calls through the backchannel" "$(ours_stat client bc_calls)" 1
		assert_ge "calls the server sent through it" "$(ours_stat server callbacks_sent)" 1
	fi
	other_client_down
}
