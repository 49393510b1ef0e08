#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the modules are loaded, used and unloaded four times over, in either order of client and server"
KERNELS="uml x86"
TIMEOUT=90
AUTOLOAD=n

test() {
	local i
	for ((i = 0; i < 4; i++)); do
		transport_load
		nfsd_start 2
		nfs_mount 4.2
		echo $i >$MNT/f
		assert_eq "data" $i "$(cat $EXPORT/f)"
		nfs_umount
		nfsd_stop
		wait_for 10 counters_balanced || fail "leak in round $i: $(counters_leak)"
		if [ "$TRANSPORT" = ours ] && [ $((i % 2)) = 1 ]; then
			assert "client's module unloads first" wait_for 10 unload_one xprtrdma
		fi
		transport_unload
	done
}
