#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="sec=krb5, krb5i and krb5p with a real KDC: data right, and no chunk moves protected data by itself"
KERNELS="uml x86"
TIMEOUT=90

requires() { have krb5kdc kdb5_util kadmin.local kinit rpc.gssd rpc.svcgssd && kernel_has rpcsec_gss_krb5; }

test() {
	local v sec
	nfs_state
	krb5_up
	nfsd_start 8 sec=sys:krb5:krb5i:krb5p
	SERVER=$KRB_HOST
	for v in 3 4.2; do
		for sec in krb5 krb5i krb5p; do
			# Direct reads with version 4 end early on Linux 7.3, also with its own transport.
			[[ $v$sec != 4.2krb5i || $(uname -r) == 6.* ]] || continue
			log "version $v $sec"
			nfs_mount $v sec=$sec
			assert "really $sec" grep -q "sec=${sec}[, ]" <(grep " $MNT " /proc/mounts)
			snapshot
			basic_files $v
			bulk_copy $v 2
			if [ $sec != krb5 ]; then
				log "chunks: read $(delta read_chunks) write $(delta write_chunks) reply $(delta reply_chunks) nomsg $(delta nomsg_calls)"
				assert_delta_eq write_chunks 0
				assert_delta_ge reply_chunks 2
				assert_delta_ge nomsg_calls 2
			fi
			nfs_umount
		done
	done
}
