# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# NFS mounts over RDMA.

MNT=/run/nfs

# mount_opts VERSION [OPTIONS]: print mount options.
mount_opts() {
	local o="proto=${PROTO:-rdma},port=${PORT:-20049},vers=$1,retry=0"
	if [ "$1" = 3 ]; then
		case ${PROTO:-rdma} in *6) o=$o,mountproto=tcp6 ;; *) o=$o,mountproto=tcp ;; esac
		o=$o,mountport=20048,nolock
	fi
	echo "$o${2:+,$2}"
}

# mount_source VERSION: print the source of the mount: the real path for NFSv3, the pseudo root for
# NFSv4.
mount_source() {
	local a=${SERVER:-$ADDR4}
	case $a in *:*) a="[$a]" ;; esac
	if [ "$1" = 3 ]; then echo "$a:$EXPORT"; else echo "$a:/"; fi
}

# nfs_try_mount VERSION [OPTIONS [FOLDER]]: mount, and return its exit status; fail if it
# takes longer than ${MOUNT_LIMIT:-30} s.
nfs_try_mount() {
	local dir=${3:-$MNT}
	mkdir -p "$dir"
	within "${MOUNT_LIMIT:-$((30 * SLOW))}" mount -t nfs -o "$(mount_opts "$1" "${2:-}")" "$(mount_source "$1")" "$dir"
}

# nfs_mount VERSION [OPTIONS [FOLDER]]: mount, and assert that the mount has the requested version
# and transport.
nfs_mount() {
	local dir=${3:-$MNT} line want=$1
	nfs_try_mount "$@" || fail "mount vers=$1 ${2:-}"
	line=$(grep " $dir nfs" /proc/mounts) || fail "$dir is not mounted"
	[[ $line == *vers=$want* ]] || fail "not version $want: $line"
	[[ $line == *proto=${PROTO:-rdma}[,\ ]* ]] || fail "not over ${PROTO:-rdma}: $line"
}

# nfs_umount [FOLDER]: unmount; fail if this takes too long.
nfs_umount() { limit 40 umount "${1:-$MNT}" || fail "umount ${1:-$MNT}"; }

drop_caches() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

# umount_all: unmount every NFS mount, but never lazily.
umount_all() {
	local d
	for d in $(awk '$3 ~ /^nfs4?$/ {print $2}' /proc/mounts | tac); do
		nfs_umount "$d"
	done
}
