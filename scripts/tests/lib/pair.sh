# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Tests with two guests: left is the server, right the client.

# meet NAME [SECONDS]: wait until the other side calls meet with this NAME; fail if it does not do
# so in time, or has failed.
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

# vanish: power off this guest immediately, without closing a connection or unmounting anything. The
# other side judges the test, and no longer waits for this one (VANISHES in the test's file).
vanish() {
	: >"/run/shared/$TEST_NAME.unmounted.$ROLE"
	echo "ok $TEST_NAME 0" >>"$OUT/results"
	echo 0 >"$OUT/rc"
	sync -f "$OUT/rc"
	exec /bin/busybox poweroff -f
}

# link_cut, link_mend: begin or stop to drop all packets that this guest sends. In both guests, this
# cuts the link while the interfaces stay up.
link_cut() { tc qdisc add dev eth0 root netem loss 100%; }
link_mend() { tc qdisc del dev eth0 root 2>/dev/null || true; }
