# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# A file system that can be frozen, $EXPORT/frozen, to make a thread of nfsd wait.

need_ext4() { modprobe -q ext4 || grep -qw ext4 /proc/filesystems || { echo "this kernel has no ext4"; return 1; }; }
need_frozen() { have mkfs.ext4 fsfreeze && kernel_has loop && need_ext4; }

frozen_up() {
	truncate -s 16M $TEST_TMP/image
	assert mkfs mkfs.ext4 -q $TEST_TMP/image
	mkdir -p $EXPORT/frozen
	mountpoint -q $EXPORT/frozen || assert mount mount -o loop $TEST_TMP/image $EXPORT/frozen
}

# block_thread: let the only thread of nfsd write to it, and so wait until it is thawed.
block_thread() {
	assert freeze fsfreeze -f $EXPORT/frozen
	touch $MNT/frozen/file$RANDOM &
	await "the thread waits" 20 thread_waits
}
thread_waits() { grep -q '^State:.D' "/proc/$(pgrep -x nfsd)/status"; }
# connecting: a connect request of our client, which has one connection, waits for the thread.
connecting() {
	[[ " $(conn_values client state) " == *" connecting "* ]] &&
		[ "$(ours_stat server conns_created)" -gt $(($(ours_stat server conns_destroyed) + 1)) ]
}
