# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Tests with two guests: left is the server, right the client.

# meet NAME [SECONDS]: wait until the other side calls it with this NAME; fail if it does not come in
# time, or has failed.
meet() {
	local file=/run/shared/$TEST_NAME.$1 other=left tries=$((${2:-60} * 20))
	[ $ROLE = right ] || other=right
	: >"$file.$ROLE"
	until [ -e "$file.$other" ]; do
		[ ! -e /run/shared/failed ] || fail "peer failed before '$1'"
		[ $((tries -= 1)) -gt 0 ] || fail "peer failed before '$1': it did not come in time"
		sleep 0.05
	done
}

pair_main() {
	meet up
	"$GUEST_SIDE"
}

# vanish: power off this guest at once, without closing a connection or unmounting anything.
# The verdict is the other side's, which no longer waits for this one (VANISHES in the test's
# file).
vanish() {
	: >"/run/shared/$TEST_NAME.unmounted.$ROLE"
	echo "ok $TEST_NAME 0" >>"$OUT/results"
	echo 0 >"$OUT/rc"
	sync -f "$OUT/rc"
	exec /bin/busybox poweroff -f
}

# link_cut, link_mend: drop everything that this guest sends. Called in both guests, it cuts
# the link, while the interfaces stay up.
link_cut() { tc qdisc add dev eth0 root netem loss 100%; }
link_mend() { tc qdisc del dev eth0 root 2>/dev/null || true; }

# pair_set inline|remote_invalidation VALUE: change a setting of this side, whichever
# transport it has.
pair_set() {
	local f
	case $GUEST_SIDE.$1 in
	right.inline)
		for f in rdma_max_inline_read rdma_max_inline_write; do
			sysctl -qw sunrpc.$f="$2" || fail "cannot set $f"
			assert_eq $f "$2" "$(sysctl -n sunrpc.$f)"
		done
		;;
	left.inline)
		# the in-tree server accepts nothing below its default
		sysctl -qw sunrpc.svc_rdma.max_req_size="$2" 2>/dev/null || [ "$TRANSPORT" = intree ] || fail "cannot set max_req_size"
		;;
	*.remote_invalidation)
		f=/sys/module/xprtrdma/parameters/remote_invalidation
		[ "$GUEST_SIDE" = right ] || f=/sys/module/svcrdma/parameters/remote_invalidation
		[ "$TRANSPORT" = ours ] || return 0
		echo "$2" >$f || fail "no $f"
		;;
	esac
}

# Inline thresholds, and whether memory is invalidated remotely
INTEROP_SETTINGS="1024 Y
4096 N"

# interop_left, interop_right: the data tests with these settings.
interop_left() {
	local inline ri
	nfsd_start 8
	mkdir $EXPORT/many
	(cd $EXPORT/many && seq -f 'entry-%05g-with-a-name-of-some-length' 1000 | xargs touch)
	ls $EXPORT/many | sort | cksum >/run/shared/many
	while read -r inline ri; do
		meet "ready-$inline-$ri" 90
		nfsd_stop
		pair_set inline $inline
		pair_set remote_invalidation $ri
		nfsd_again
		meet "go-$inline-$ri"
		meet "done-$inline-$ri" 180
		check_invalidations $ri server
	done <<<"$INTEROP_SETTINGS"
}
interop_right() {
	local inline ri v
	while read -r inline ri; do
		meet "ready-$inline-$ri" 90
		log "inline threshold $inline, Remote Invalidation $ri"
		pair_set inline $inline
		pair_set remote_invalidation $ri
		meet "go-$inline-$ri"
		for v in 3 4.2; do
			nfs_mount $v
			interop_data $v $inline
			check_invalidations $ri client
			nfs_umount
			# Those of the last calls are not the next round's.
			[ "$TRANSPORT" != ours ] || RI_SEEN=$(ours_stat client remote_invalidations)
		done
		meet "done-$inline-$ri"
	done <<<"$INTEROP_SETTINGS"
}

# interop_data VERSION INLINE: the data tests, some with version 3 and the others with 4.2.
interop_data() {
	basic_files "$1"
	if [ "$1" = 3 ]; then
		around "$2"
		all_sizes direct
		bulk_copy "$1" 2
	else
		all_sizes
		assert_eq "1,000 names" "$(cat /run/shared/many)" "$(ls $MNT/many | sort | cksum)"
	fi
	assert_eq "bad replies" 0 "$(xprt_stat bad_reply)"
}

# check_invalidations Y|N SIDE: whether this side's module, if it is ours, has invalidated
# anything since the last call.
check_invalidations() {
	[ "$TRANSPORT" = ours ] || return 0
	local now
	now=$(ours_stat "$2" remote_invalidations)
	if [ "$1" = Y ]; then
		assert_ge "remote invalidations" $((now - ${RI_SEEN:-0})) 10
	else
		assert_eq "remote invalidations" 0 $((now - ${RI_SEEN:-0}))
	fi
	RI_SEEN=$now
}
