#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="each kind of chunk is used where RFC 8166 says, as often as expected, and carries the right bytes"
KERNELS="uml x86"

# Each step does a known number of operations that need one kind of chunk and looks at mountstats.
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
	assert_delta_ge sends 2
	assert_delta_eq read_chunks 0
	assert_delta_eq nomsg_calls 0
	assert_delta_eq reply_chunks 0

	log "Read chunk: WRITE of 64 KiB, ten times"
	snapshot
	for ((i = 0; i < 10; i++)); do
		assert "direct write" "$IOTOOL" write $MNT/w $((i * 65536)) 65536 2 direct
	done
	assert "server has it" "$IOTOOL" check $EXPORT/w 0 655360 2
	assert_delta_ge read_chunks 10
	assert_delta_eq nomsg_calls 0
	assert_delta_eq write_chunks 0

	log "Write chunk: READ of 64 KiB, ten times"
	snapshot
	for ((i = 0; i < 10; i++)); do
		assert "direct read" "$IOTOOL" check $MNT/f $((i * 65536)) 65536 1 direct
	done
	assert_delta_ge write_chunks 10
	assert_delta_eq read_chunks 0
	assert_delta_eq reply_chunks 0

	log "Reply chunk: READDIR"
	snapshot
	assert_eq "directory entries" 400 "$(ls $MNT/many | wc -l)"
	assert_delta_ge reply_chunks 1
	assert_delta_eq read_chunks 0

	nfs_umount
	nfs_mount 3

	log "long call: SETACL with many entries (position-zero Read chunk, or a Read chunk of its own)"
	snapshot
	acl=''
	for ((i = 1; i <= 200; i++)); do acl=$acl,u:$((10000 + i)):r; done
	touch $MNT/acl
	assert setfacl setfacl -m "${acl#,}" $MNT/acl
	assert_eq "entries on the server" 200 "$(getfacl -n $EXPORT/acl 2>/dev/null | count '^user:1')"
	assert_ge "Read chunks and long calls" $(($(delta read_chunks) + $(delta nomsg_calls))) 1
	nfs_umount

	log "position-zero Read chunk: NFSv4.2 SETXATTR of 20000 bytes"
	nfs_mount 4.2
	touch $MNT/xattr
	snapshot
	v=$(head -c 15000 /dev/urandom | base64 -w 0)
	assert setfattr setfattr -n user.big -v "$v" $MNT/xattr
	assert_eq "xattr on the server" "$(echo "$v" | cksum)" "$(getfattr --only-values -n user.big $EXPORT/xattr 2>/dev/null | sed 's/$/\n/' | cksum)"
	assert_ge "Read chunks and long calls" $(($(delta read_chunks) + $(delta nomsg_calls))) 1
	log "nomsg $(delta nomsg_calls), Read chunks $(delta read_chunks)"

	log "several segments: 1 MiB in one READ and one WRITE, from memory that does not start at a page"
	snapshot
	assert "1 MiB direct write" "$IOTOOL" write $MNT/m 0 1048576 3 direct mem=514
	assert "server has it" "$IOTOOL" check $EXPORT/m 0 1048576 3
	assert "1 MiB direct read" "$IOTOOL" check $MNT/m 0 1048576 3 direct mem=514
	assert_delta_ge read_chunks 1
	assert_delta_ge write_chunks 1
	assert_delta_eq bad_reply 0
}
