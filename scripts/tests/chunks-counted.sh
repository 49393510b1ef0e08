#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="each kind of chunk is used where RFC 8166 requires, as often as expected, with correct data"
KERNELS="uml x86"

# Each step does a known number of operations that need one kind of chunk, and checks mountstats.
test() {
	local i
	nfsd_start
	mkdir $EXPORT/many
	(cd $EXPORT/many && seq -f 'a-rather-long-name-to-fill-replies-%g' 400 | xargs touch)
	"$IOTOOL" write $EXPORT/f 0 2097152 1
	nfs_mount 3 noacl
	assert "a first look" ls $MNT >/dev/null

	log "inline: no chunk of any kind"
	snapshot
	assert "small direct write" "$IOTOOL" write $MNT/small 0 100 1 direct
	assert "server has it" "$IOTOOL" check $EXPORT/small 0 100 1
	assert_deltas sends+=2 read_chunks=0 nomsg_calls=0 reply_chunks=0

	log "Read chunk: WRITE of 64 KiB, ten times"
	snapshot
	for ((i = 0; i < 10; i++)); do
		assert "direct write" "$IOTOOL" write $MNT/w $((i * 65536)) 65536 2 direct
	done
	assert "server has it" "$IOTOOL" check $EXPORT/w 0 655360 2
	assert_deltas read_chunks+=10 nomsg_calls=0 write_chunks=0

	log "Write chunk: READ of 64 KiB, ten times"
	snapshot
	for ((i = 0; i < 10; i++)); do
		assert "direct read" "$IOTOOL" check $MNT/f $((i * 65536)) 65536 1 direct
	done
	assert_deltas write_chunks+=10 read_chunks=0 reply_chunks=0

	log "Reply chunk: READDIR, once its replies are known to be long"
	snapshot
	for ((i = 0; i < 3; i++)); do
		drop_caches
		assert_eq "directory entries" 400 "$(ls $MNT/many | wc -l)"
	done
	assert_deltas reply_chunks+=1 read_chunks=0

	nfs_umount
	nfs_mount 3

	long_link
	nfs_umount

	nfs_mount 4.2
	if tmpfs_keeps_xattrs; then
		long_attribute
	else
		log "no long SETXATTR: tmpfs of this kernel keeps no extended attributes of users"
	fi

	log "several segments: 1 MiB in one READ and one WRITE, from memory that does not start at a page"
	snapshot
	assert "1 MiB direct write" "$IOTOOL" write $MNT/m 0 1048576 3 direct mem=514
	assert "server has it" "$IOTOOL" check $EXPORT/m 0 1048576 3
	assert "1 MiB direct read" "$IOTOOL" check $MNT/m 0 1048576 3 direct mem=514
	assert_deltas read_chunks+=1 write_chunks+=1
	assert_eq "bad replies" 0 "$(xprt_stat bad_reply)"
	if [ "$TRANSPORT" = ours ]; then
		ours_agree
	fi
}

# The inline limit depends on the version: 4096 bytes with version 1, or the 5120 bytes of a Receive
# buffer with version 2.
long_link() {
	local t
	log "Read chunk, or inline: SYMLINK of 3950 bytes"
	t=$(long_path 3950)
	snapshot
	assert symlink ln -s "$t" $MNT/long
	assert_eq "symlink on the server" "$t" "$(readlink $EXPORT/long)"
	if inline_4k; then
		assert_deltas read_chunks=0 nomsg_calls=0
	else
		assert_ge "Read chunks and long calls" $(($(delta read_chunks) + $(delta nomsg_calls))) 1
	fi

	log "Write chunk or Reply chunk, or inline: READLINK of it"
	drop_caches
	snapshot
	assert_eq "readlink" "$t" "$(readlink $MNT/long)"
	if inline_4k; then
		assert_deltas write_chunks=0 reply_chunks=0
	else
		assert_ge "Write and Reply chunks" $(($(delta write_chunks) + $(delta reply_chunks))) 1
	fi
	inline_io
}
inline_4k() { [ "$TRANSPORT" = ours ] && [ "$MAX_VERSION" -ge 2 ]; }

# With version 2, direct I/O of 4 KiB needs no chunk.
inline_io() {
	log "4 KiB, direct"
	snapshot
	assert "4 KiB direct write" "$IOTOOL" write $MNT/4k 0 4096 5 direct
	assert "server has it" "$IOTOOL" check $EXPORT/4k 0 4096 5
	assert "4 KiB direct read" "$IOTOOL" check $MNT/4k 0 4096 5 direct
	if inline_4k; then
		assert_deltas read_chunks=0 write_chunks=0
	else
		assert_deltas read_chunks+=1 write_chunks+=1
	fi
}

# Neither module's counters show an error.
ours_agree() {
	local c
	assert_eq "bad replies" 0 "$(xprt_stat bad_reply)"
	for c in replies_unknown_xid errors_received; do
		assert_eq "client's $c" 0 "$(ours_stat client $c)"
	done
	for c in errors_sent messages_dropped; do
		assert_eq "server's $c" 0 "$(ours_stat server $c)"
	done
}

# tmpfs supports user xattrs since Linux 6.6.
tmpfs_keeps_xattrs() { touch $EXPORT/xattr && setfattr -n user.small -v 1 $EXPORT/xattr 2>/dev/null; }

long_attribute() {
	local v
	log "position-zero Read chunk: NFSv4.2 SETXATTR of 20000 bytes"
	touch $MNT/xattr
	snapshot
	# The value must not begin with "0s", or setfattr would decode it.
	v=v$(head -c 15000 /dev/urandom | base64 -w 0)
	assert setfattr setfattr -n user.big -v "$v" $MNT/xattr
	assert_eq "xattr on the server" "$(echo "$v" | cksum)" "$(getfattr --only-values -n user.big $EXPORT/xattr 2>/dev/null | sed 's/$/\n/' | cksum)"
	assert_ge "Read chunks and long calls" $(($(delta read_chunks) + $(delta nomsg_calls))) 1
}
