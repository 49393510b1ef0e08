#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the connection breaks as a callback is sent: the delegation is recalled all the same, and the other client's write continues"
KERNELS="uml x86"
VERSIONS=any
TIMEOUT=180

requires() { need_ours && need_faults fail_sunrpc; }

test() {
	nfs_state
	# a delegation that cannot be recalled is revoked after the lease time
	echo 20 >/proc/fs/nfsd/nfsv4leasetime
	nfsd_start
	other_client_up
	echo first >$EXPORT/f
	nfs_mount 4.1
	open_with_delegation $MNT/f
	assert "the server lists it" delegation_held
	disconnects_on client 100
	fault_set fail_sunrpc times=6
	ip netns exec other timeout -k 2 $((RECOVERY + 40)) sh -c "echo second >$OTHER/f" || fail "the other client's write did not go through"
	assert_eq "messages at which connections were still to break" 0 "$(cat $FAULTS/fail_sunrpc/times)"
	faults_off
	exec 5<&-
	assert_eq "the new data" second "$(cat $MNT/f)"
	assert_ge "callbacks" "$(ours_stat server callbacks_sent)" 1
	other_client_down
}

cleanup() {
	faults_off
	other_client_down
}
