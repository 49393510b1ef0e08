# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# The kernel NFS server: export, start with RDMA, block, stop. The exported folder is $EXPORT (tmpfs).

EXPORT=/srv/nfs

# rpcbind_up: start rpcbind, which NFSv3's mountd and lockd need. Rarely, rpcbind does not
# answer, even before a transport is loaded; restart it then, up to twice.
rpcbind_up() {
	local try
	mkdir -p /run/rpcbind /run/sendsigs.omit.d
	! pidof rpcbind >/dev/null || return 0
	for try in 1 2 3; do
		limit 10 rpcbind -w
		! wait_for 5 rpcbind_answers || return 0
		log "rpcbind $try does not answer"
		# shellcheck disable=SC2046
		kill -9 $(pidof rpcbind) 2>/dev/null || true
		await "rpcbind has ended" 5 rpcbind_gone
	done
	fail "rpcbind does not answer: started three times"
}
rpcbind_gone() { ! pidof rpcbind >/dev/null; }
rpcbind_answers() { timeout $((2 * SLOW)) rpcinfo -s 127.0.0.1 >/dev/null 2>&1; }

# nfs_state: create the folders that the userspace daemons need (a tmpfs in the guest).
nfs_state() {
	mkdir -p /var/lib/nfs/{sm,sm.bak,rpc_pipefs,v4recovery,nfsdcltrack,nfsdcld,state.d}
	touch /var/lib/nfs/{etab,rmtab,state}
	modprobe -q nfsd || true
	# lockd's grace period cannot be ended early; 3 s is the minimum.
	sysctl -qw fs.nfs.nlm_timeout=3 fs.nfs.nlm_grace_period=1 2>/dev/null || true
	mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd
	mountpoint -q /var/lib/nfs/rpc_pipefs || mount -t rpc_pipefs rpc_pipefs /var/lib/nfs/rpc_pipefs
	[ -d /run/rpc_pipefs ] || ln -sfn /var/lib/nfs/rpc_pipefs /run/rpc_pipefs
	# Without nfsdcld, nfsd waits for a second each time that it starts.
	pidof nfsdcld >/dev/null || limit 10 nfsdcld -s /var/lib/nfs/nfsdcld
}

# export_up [EXTRA_OPTIONS]: export $EXPORT to everybody.
export_up() {
	mkdir -p $EXPORT
	mountpoint -q $EXPORT || mount -t tmpfs -o "size=${EXPORT_SIZE:-400M}" tmpfs $EXPORT
	echo "$EXPORT *(rw,async,no_root_squash,insecure,fsid=0,no_subtree_check${1:+,$1})" >/etc/exports
	limit 10 exportfs -ra
}

# nfsd_ready [EXPORT_OPTIONS]: start everything that nfsd needs.
nfsd_ready() {
	nfs_state
	rpcbind_up
	export_up "${1:-}"
	pidof rpc.mountd >/dev/null || limit 10 rpc.mountd -p 20048
}

# nfsd_start [THREADS [EXPORT_OPTIONS]]: start nfsd with versions 3, 4.0, 4.1 and 4.2 over TCP, and
# over RDMA on port 20049.
nfsd_start() {
	nfsd_ready "${2:-}"
	nfsd_again "${1:-8}"
	grep -q 'rdma 20049' /proc/fs/nfsd/portlist || fail "nfsd does not listen on rdma 20049: $(tr '\n' ' ' </proc/fs/nfsd/portlist)"
}

# nfsd_again [THREADS [OPTION]]: start nfsd again after nfsd_stop.
nfsd_again() {
	largest_payload
	# shellcheck disable=SC2086 # no option for TCP
	limit 20 rpc.nfsd -V 3 -V 4.0 -V 4.1 -V 4.2 ${2---rdma=20049} "${1:-8}" || fail "rpc.nfsd"
	grace_ends
}

# nfsd_start_tcp [THREADS [EXPORT_OPTIONS]]: start nfsd without an RDMA listener.
nfsd_start_tcp() {
	nfsd_ready "${2:-}"
	nfsd_again "${1:-8}" ""
}

# largest_payload: allow READs and WRITEs as large as on a server with more memory. The kernel
# lowers the value to its limit.
largest_payload() { echo 4194304 >/proc/fs/nfsd/max_block_size 2>/dev/null || true; }

# grace_ends: end nfsd's grace period, unless it has already ended because there were no clients.
grace_ends() { echo Y >/proc/fs/nfsd/v4_end_grace 2>/dev/null || true; }

# nfsd_stop: end threads, listeners and connections.
nfsd_stop() {
	[ -f /proc/fs/nfsd/threads ] || return 0
	if [ "$(cat /proc/fs/nfsd/threads)" != 0 ] || [ -s /proc/fs/nfsd/portlist ]; then
		limit 40 rpc.nfsd 0 || fail "rpc.nfsd 0"
	fi
}

# server_down: stop nfsd and remove its remains; rpcbind and mountd keep running for the next test.
server_down() {
	nfsd_stop
	if mountpoint -q $EXPORT; then limit 10 umount $EXPORT || fail "umount $EXPORT"; fi
}

# A file system that can be frozen, $EXPORT/frozen, to make a thread of nfsd wait.

need_ext4() { modprobe -q ext4 || grep -qw ext4 /proc/filesystems || { echo "this kernel has no ext4"; return 1; }; }
need_frozen() { have mkfs.ext4 fsfreeze && kernel_has loop && need_ext4; }

frozen_up() {
	truncate -s 16M $TEST_TMP/image
	assert mkfs mkfs.ext4 -q $TEST_TMP/image
	mkdir -p $EXPORT/frozen
	mountpoint -q $EXPORT/frozen || assert mount mount -o loop $TEST_TMP/image $EXPORT/frozen
}

# frozen_down: thaw the file system if it is frozen, and unmount it.
frozen_down() {
	fsfreeze -u $EXPORT/frozen 2>/dev/null || true
	umount_all
	nfsd_stop
	! mountpoint -q $EXPORT/frozen || limit 10 umount $EXPORT/frozen
}

# block_thread: let the only nfsd thread write to the frozen file system, and wait until it is
# thawed.
block_thread() {
	assert freeze fsfreeze -f $EXPORT/frozen
	touch $MNT/frozen/file$RANDOM &
	await "the thread waits" 20 thread_waits
}
thread_waits() { grep -q '^State:.D' "/proc/$(pgrep -x nfsd)/status"; }
# connecting: succeed if a connect request of our client, which has one connection, waits for the
# thread.
connecting() {
	[[ " $(of client 'c["state"]') " == *" connecting "* ]] &&
		[ "$(ours_stat server conns_now)" -gt 1 ]
}
