# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Verdicts, assertions, deadlines and polling for guest tests.

DMESG_NOISE='Registered|speed is unknown|Key type|drop_caches|grace period|client tracking|id_resolver'

# log MESSAGE: write a line to the test's log.
log() { printf '# %s\n' "$*"; }

# fail MESSAGE: end the test as failed, also from a subshell.
fail() {
	local status=$?
	printf '# FAIL: %s' "$*"
	[ $status -le 1 ] || printf ' (exit status %d)' $status
	printf '\n'
	printf '# at:'
	local i
	for ((i = 1; i < ${#FUNCNAME[@]}; i++)); do
		printf ' %s:%s' "${BASH_SOURCE[i]##*/}" "${BASH_LINENO[i - 1]}"
	done
	printf '\n'
	exit 1
}

# assert WHAT COMMAND...: the command must succeed.
assert() {
	local what=$1 rc=0
	shift
	"$@" || rc=$?
	[ $rc -eq 0 ] || fail "$what ($(cut -c1-150 <<<"$*") returned $rc)"
}

# refute WHAT COMMAND...: the command must fail.
refute() {
	local what=$1
	shift
	if "$@"; then fail "$what ($* succeeded)"; fi
}

# assert_eq WHAT EXPECTED SEEN
assert_eq() { [ "$2" = "$3" ] || fail "$1: expected '$2', seen '$3'"; }

# assert_ge WHAT VALUE MINIMUM
assert_ge() { [ "$2" -ge "$3" ] || fail "$1: $2 is less than $3"; }

# assert_le WHAT VALUE MAXIMUM
assert_le() { [ "$2" -le "$3" ] || fail "$1: $2 is more than $3"; }

# limit SECONDS COMMAND...: run it; if it does not end in time, kill it, log blocked tasks, and
# fail. Slower kernels get more time.
limit() { within $(($1 * SLOW)) "${@:2}"; }

# within SECONDS COMMAND...: like limit, but with a documented limit, which is not extended for slow
# kernels.
within() {
	local s=$1 rc=0
	shift
	timeout -k 2 "$s" "$@" || rc=$?
	if [ $rc -eq 124 ] || [ $rc -eq 137 ]; then
		show_stuck
		fail "'$*' did not end within $s s"
	fi
	return $rc
}

# wait_for SECONDS COMMAND...: poll until the command succeeds; return 1 at the deadline.
# Slower kernels get more time.
wait_for() { poll_for $(($1 * SLOW)) "${@:2}"; }

# poll_for SECONDS COMMAND...: wait_for with the same time on every kernel.
poll_for() {
	local end=$((SECONDS + $1 + 1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}

# await WHAT SECONDS COMMAND...: wait_for, and fail at the deadline.
await() {
	local what=$1 s=$2
	shift 2
	wait_for "$s" "$@" || fail "$what: not within $((s * SLOW)) s ($*)"
}

now_ms() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

# have COMMAND...: requires() helper; prints the reason if a command is missing. Its status 2 fails
# the test, because scripts/setup installs all commands.
have() {
	local c
	for c; do
		command -v "$c" >/dev/null || { echo "no $c here: scripts/setup check installs it"; return 2; }
	done
}

# need_ours: requires() helper for tests of features that only this project's modules have.
need_ours() {
	[ "$TRANSPORT" = ours ] || { echo "the in-tree transport cannot do this"; return 1; }
}

# need_extensions NAME...: requires() helper for extensions that can be left out of the build.
need_extensions() {
	local e
	[ -e "$MODDIR/extensions" ] || return 0
	for e; do
		grep -qw "$e" "$MODDIR/extensions" || { echo "built without the extension $e"; return 1; }
	done
}

# kernel_has CONFIG_SYMBOL-or-module name: requires() helper, tries modprobe.
kernel_has() {
	modprobe -q "$1" 2>/dev/null || [ -d "/sys/module/${1//-/_}" ] || { echo "this kernel has no $1"; return 1; }
}

# show_stuck: log where uninterruptible processes and RPC tasks wait.
show_stuck() {
	echo w >/proc/sysrq-trigger
	cat /sys/kernel/debug/sunrpc/rpc_clnt/*/tasks 2>/dev/null | head -20
	dmesg | grep -vE "$DMESG_NOISE" | tail -60 | sed 's/^/# dmesg: /'
}

# dmesg_since_mark: print kernel messages since mark_dmesg.
mark_dmesg() { DMESG_MARK="mark-$TEST_NAME-$RANDOM"; echo "$DMESG_MARK" >/dev/kmsg; }
dmesg_since_mark() { dmesg | sed -n "/$DMESG_MARK/,\$p" | tail -n +2; }
# logged PATTERN: succeed if a kernel message since mark_dmesg matches.
logged() { dmesg_since_mark | grep -E "$1" >/dev/null; }

# dmesg_bad: print kernel messages, since the last test that passed, that fail any test, except
# those that this test tolerates (ALLOW).
dmesg_bad() {
	dmesg | tac | sed '/ has passed$/q' | tac | perl -0777 -p "$RPCRDMA_TOP/scripts/vm/known.pl" 2>/dev/null |
		grep -Ef "$RPCRDMA_TOP/scripts/vm/complaints" | grep -vE "${ALLOW:-^$}"
}
dmesg_tail() {
	dmesg_since_mark | grep -vE "$DMESG_NOISE" | tail -30 | sed 's/^/# dmesg: /'
}

# count PATTERN <INPUT: print the number of matching lines; 0 is not an error.
count() { grep -cE "$1" || true; }
