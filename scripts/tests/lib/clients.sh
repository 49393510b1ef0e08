# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# A second NFS client in the same guest, with another network namespace and NFSv4.1 over TCP; and
# delegations.

OTHER=/run/nfs-other

other_client_up() {
	ip netns add other
	ip link add vo0 type veth peer name vo1 netns other
	ip addr add 10.9.0.1/24 dev vo0
	ip link set vo0 up
	ip netns exec other ip link set lo up
	ip netns exec other ip addr add 10.9.0.2/24 dev vo1
	ip netns exec other ip link set vo1 up
	mkdir -p $OTHER
	# This client must have another identity than the first one.
	limit 30 nsenter --net=/run/netns/other unshare -u sh -c \
		"hostname other-client; mount -t nfs -o proto=tcp,port=2049,vers=4.1,clientaddr=10.9.0.2,retry=0 10.9.0.1:/ $OTHER" ||
		fail "the other client cannot mount"
}

other_client_down() {
	if mountpoint -q $OTHER; then nfs_umount $OTHER; fi
	ip link del vo0 2>/dev/null || true
	ip netns del other 2>/dev/null || true
}

# delegation_held: succeed if the server has granted a delegation (in nfsd's list of states).
delegation_held() { grep -qs 'type: deleg' /proc/fs/nfsd/clients/*/states; }

# open_with_delegation FILE: open FILE, in the mount's top folder, as descriptor 5. Repeat this until
# the client holds a delegation, because the first OPEN can arrive before the backchannel is up. The
# client holds a delegation if opening the file again sends no OPEN.
open_with_delegation() {
	wait_for 15 try_delegation "$1" || fail "no delegation given for $1"
}
opens() { echo $(($(op_stat OPEN "$1") + $(op_stat OPEN_NOATTR "$1"))); }
try_delegation() {
	local before dir
	dir=$(dirname "$1")
	cat "$1" >/dev/null
	before=$(opens "$dir")
	[ "$before" -gt 0 ] || return
	exec 5<"$1"
	[ "$(opens "$dir")" = "$before" ] || { exec 5<&-; return 1; }
}
