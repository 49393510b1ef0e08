#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="long replies that the client reads from the server's memory, without a Reply chunk"
TARGET=guest-long
AUTOLOAD=n
TIMEOUT=120

# ACLs, attributes and directories
requires() { need_ours && need_extensions pulled && have setfattr getfattr nfs4_setfacl nfs4_getfacl; }

value() { head -c "$1" /dev/zero | tr '\0' "$2"; }

prepare() {
	local n
	nfs_mount 4.2
	touch $MNT/f
	for n in 5000 20000 60000; do
		assert "set $n bytes" setfattr -n user.x$n -v "$(value $n x)" $EXPORT/f
	done
	for ((n = 1; n <= 150; n++)); do echo "A::$((30000 + n)):rtncCy"; done >$TEST_TMP/acl
	printf 'A::OWNER@:rwatTnNcCoy\nA::GROUP@:rtncy\nA::EVERYONE@:rtncy\n' >>$TEST_TMP/acl
	assert "set 150 entries" nfs4_setfacl -S $TEST_TMP/acl $MNT/f
	mkdir $EXPORT/dir
	(cd $EXPORT/dir && seq -f 'entry-%04g-with-a-name-of-some-length' 500 | xargs touch)
	nfs_umount
}

long_replies() {
	local n
	for n in 5000 20000 60000; do
		assert_eq "$n bytes" "$(value $n x | cksum)" "$(getfattr --only-values -n user.x$n $MNT/f 2>/dev/null | cksum)"
	done
	drop_caches
	assert_eq "entries of the ACL" 150 "$(nfs4_getfacl $MNT/f | count '^A::30')"
	assert_eq "names" 500 "$(ls -f $MNT/dir | count '^entry')"
}

ATTRS="1000 4000 4090 4096 5000 8000 20000 40000 60000 65000"

# read_attr HOW FOLDER N: read the attribute of N bytes, with getfattr, or first with a buffer
# of HOW bytes; print its checksum, or the error.
read_attr() {
	local v
	case $1 in
	getfattr) v=$(getfattr --absolute-names --only-values -n "user.x$3" "$2/x$3" 2>&1) || v="error: ${v##*: }" ;;
	*) v=$("$IOTOOL" getxattr "$2/x$3" "user.x$3" "$1" 2>&1) || v="error: ${v##*: }" ;;
	esac
	case $v in error:*) echo "$v" ;; *) printf %s "$v" | cksum ;; esac
}

# attributes: each read has the same result as over TCP, errors included. NFS caches what it
# has read, so each read has a mount of its own.
attributes() {
	local n how rdma
	local -A tcp
	for n in $ATTRS; do
		touch "$EXPORT/x$n"
		assert "set $n bytes on the server" setfattr -n "user.x$n" -v "$(value "$n" x)" "$EXPORT/x$n"
	done
	for how in getfattr 0 128 4096; do
		PROTO=tcp PORT=2049 nfs_mount 4.2
		for n in $ATTRS; do tcp[$n]=$(read_attr $how $MNT "$n"); done
		nfs_umount
		nfs_mount 4.2
		for n in $ATTRS; do
			rdma=$(read_attr $how $MNT "$n")
			log "$n bytes, $how: TCP ${tcp[$n]}, RDMA $rdma"
			[ "${tcp[$n]}" = "$rdma" ] || [[ ${tcp[$n]} == error:* ]] || fail "$n bytes with $how: $rdma"
		done
		nfs_umount
	done
}

# round MODE: set the client's read_replies; call "wanted" afterwards.
round() {
	local v
	log "read_replies=$1"
	transport_load "read_replies=$1"
	nfsd_start
	[ -e $EXPORT/f ] || prepare
	nfs_mount 4.2
	long_replies
	for v in 3 4.1; do
		nfs_umount
		nfs_mount $v
		assert_eq "names, NFS $v" 500 "$(ls -f $MNT/dir | count '^entry')"
	done
	wanted
	assert_eq "connections lost" 0 "$(ours_stat client disconnects)"
	nfs_umount
	nfsd_stop
	assert_eq "replies that are still advertised" "$(ours_stat server adverts_created)" "$(ours_stat server adverts_destroyed)"
	transport_unload
}

# compared MODE: the client's read_replies
compared() {
	log "attributes, read_replies=$1"
	transport_load "read_replies=$1"
	nfsd_start
	attributes
	nfsd_stop
	transport_unload
}

test() {
	local mode
	for mode in 2 1 0; do compared $mode; done
	wanted() {
		assert_ge "replies read from the server" "$(ours_stat client replies_read)" 6
		assert_eq "RDMA_DONEs" "$(ours_stat client replies_read)" "$(ours_stat client dones_sent)"
		assert_eq "that the server has got" "$(ours_stat client dones_sent)" "$(ours_stat server done_received)"
		assert_eq "Reply chunks" 0 "$(ours_stat client reply_chunks)"
		assert_ge "Reply chunks avoided" "$(ours_stat client reply_chunks_avoided)" 10
	}
	round 2

	wanted() {
		assert_ge "replies read from the server" "$(ours_stat client replies_read)" 2
		assert_ge "Reply chunks avoided" "$(ours_stat client reply_chunks_avoided)" 5
		assert_ge "registrations avoided" "$(ours_stat client registrations_avoided)" 10
	}
	round 1

	wanted() {
		assert_eq "replies read from the server" 0 "$(ours_stat client replies_read)"
		assert_eq "replies advertised" 0 "$(ours_stat server replies_advertised)"
		assert_ge "Reply chunks" "$(ours_stat client reply_chunks)" 6
	}
	round 0
}
