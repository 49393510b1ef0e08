#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="modules in use cannot be unloaded, and the attempt disturbs nothing"

test() {
	local m
	nfsd_start
	nfs_mount 4.1
	echo before >$MNT/f
	refute "client module unloads while mounted" timeout 10 rmmod "$(client_module)"
	refute "server module unloads while nfsd listens" timeout 10 rmmod "$(server_module)"
	if [ "$TRANSPORT" = ours ]; then
		refute "codec unloads under its users" timeout 10 rmmod rpcrdma_core
	fi
	for m in "$(client_module)" "$(server_module)"; do
		assert "$m is still there" module_loaded "$m"
	done
	assert_eq "data" before "$(cat $EXPORT/f)"
	echo after >$MNT/g
	assert_eq "new data" after "$(cat $EXPORT/g)"
	basic_files 4.1
}
