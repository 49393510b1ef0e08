#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a device that is removed, no device, no listener: plain errors within seconds, nothing hangs"
VARIANTS="device-gone no-device no-listener"
TARGET_device_gone=guest-long
KERNELS_no_listener="uml x86"
VERSIONS_device_gone=any
TIMEOUT_device_gone=150

# device-gone: the RDMA device is removed while mounting and under load: nothing hangs; it returns
# and the mount goes on working
test_device_gone() {
	local i writer
	nfsd_start
	log "removed during mounts"
	for ((i = 0; i < 5; i++)); do
		nfs_try_mount 4.1 >$TEST_TMP/mount.out 2>&1 &
		local mounter=$!
		rdma_down
		wait $mounter || true
		if mountpoint -q $MNT; then
			# mounted first, device gone afterwards: it must still unmount once the
			# device is back
			rdma_up
			nfs_umount
		else
			rdma_up
		fi
	done
	log "removed under load"
	nfs_mount 4.1
	limit 120 dd if=/dev/zero of=$MNT/load bs=256k count=200 oflag=direct status=none &
	writer=$!
	await "load runs" 10 [ -s $EXPORT/load ]
	rdma_down
	refute "device is still there" rdma_present
	rdma_up
	assert "the writer finishes" wait $writer
	assert_eq "size on the server" 52428800 "$(stat -c %s $EXPORT/load)"
	basic_files 4.1
}

cleanup_device_gone() { rdma_present || rdma_up; }

# no-device: without an RDMA device a mount fails with a plain error within seconds; nfsd's
# listener starts or says why not
test_no_device() {
	local begin took out rc=0
	nfsd_start_tcp
	rdma_down
	log "listener without a device: $(sh -c 'echo rdma 20049 >/proc/fs/nfsd/portlist && echo started' 2>&1)"
	begin=$(now_ms)
	out=$(nfs_try_mount 4.2 2>&1) || rc=$?
	took=$(($(now_ms) - begin))
	log "status $rc after $took ms: $out"
	[ $rc -ne 0 ] || fail "mounted without a device"
	[ -n "$out" ] || fail "no error message"
	[ "$TRANSPORT" = intree ] || assert_le "milliseconds" $took $((20000 * ${SLOW:-1}))
	log "the device comes back"
	rdma_up
	grep -q 'rdma 20049' /proc/fs/nfsd/portlist || echo rdma 20049 >/proc/fs/nfsd/portlist
	nfs_mount 4.2
	basic_files 4.2
}

cleanup_no_device() { rdma_present || rdma_up; }

# no-listener: mounting from a server without an RDMA listener, or at a wrong port, fails with a
# plain error within seconds
# refused WHAT VERSION PORT
refused() {
	local begin took out rc=0
	begin=$(now_ms)
	out=$(PORT=$3 MOUNT_LIMIT=30 nfs_try_mount "$2" 2>&1) || rc=$?
	took=$(($(now_ms) - begin))
	log "$1 version $2: status $rc after $took ms: $out"
	[ $rc -ne 0 ] || fail "$1: mounted"
	assert "an error message" grep -qiE 'refused|timed out|unreachable|not respond|no such|incorrect' <<<"$out"
	[ "$TRANSPORT" = intree ] || assert_le "milliseconds" $took $((20000 * ${SLOW:-1}))
}

test_no_listener() {
	nfsd_start_tcp
	refused "no listener" 4.2 20049
	refused "no listener" 3 20049
	nfsd_stop
	nfsd_start
	refused "wrong port" 4.2 20050
	nfs_mount 4.2
	basic_files 4.2
}
