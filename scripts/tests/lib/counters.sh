# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Counters: the client's "xprt: rdma" line of mountstats, both modules' debugfs files, and deltas of all of them.

# Field numbers of the xprt line, after "xprt: rdma" (RDMA transports have 27).
declare -A XPRT_FIELD=(
	[port]=1 [bind]=2 [connects]=3 [connect_time]=4 [idle_time]=5 [sends]=6 [receives]=7 [bad_xids]=8 [req_queue]=9 [backlog]=10
	[read_chunks]=11 [write_chunks]=12 [reply_chunks]=13 [rdma_request_bytes]=14 [rdma_reply_bytes]=15 [pullup_bytes]=16 [fixup_bytes]=17
	[hardway]=18 [failed_marshal]=19 [bad_reply]=20 [nomsg_calls]=21 [mrs_recycled]=22 [mrs_orphaned]=23 [mrs_allocated]=24
	[local_inv]=25 [empty_sendctx]=26 [reply_waits_for_send]=27
)

# xprt_line [FOLDER]: the first xprt line of the mount.
xprt_lines() {
	awk -v d="${1:-$MNT}" '$1 == "device" { on = ($5 == d) } on && $1 == "xprt:" && $2 == "rdma"' /proc/self/mountstats
}

# xprt_stat NAME [FOLDER]: a field's value, summed over the mount's connections.
xprt_stat() {
	local f=${XPRT_FIELD[$1]:?no such field}
	xprt_lines "${2:-$MNT}" | awk -v f=$((f + 2)) 'BEGIN { s = 0 } { s += $f } END { print s }'
}

# op_stat OPERATION [FOLDER]: how many of an NFS operation were done.
op_stat() {
	awk -v d="${2:-$MNT}" -v o="$1:" '$1 == "device" { on = ($5 == d) } on && $1 == o { n += $2 } END { print n + 0 }' /proc/self/mountstats
}

# ours_stat client|server NAME: from the module's debugfs file; fails when there is no such line.
ours_stat() {
	local m=xprtrdma
	[ "$1" = server ] && m=svcrdma
	awk -v n="$2" '$1 == n { print $2; f = 1 } END { exit !f }' /sys/kernel/debug/$m/stats
}

# snapshot, delta NAME: mountstats fields before and after.
snapshot() {
	local k
	declare -gA SNAP=()
	for k in "${!XPRT_FIELD[@]}"; do SNAP[$k]=$(xprt_stat "$k"); done
}
delta() { echo $(($(xprt_stat "$1") - ${SNAP[$1]})); }

# assert_delta_ge NAME MINIMUM, assert_delta_eq NAME VALUE: since the snapshot.
assert_delta_ge() { assert_ge "mountstats $1 since the snapshot" "$(delta "$1")" "$2"; }
assert_delta_eq() { assert_eq "mountstats $1 since the snapshot" "$2" "$(delta "$1")"; }

# counters_leak: pairs X_created / X_destroyed that differ, one line each; nothing when balanced.
counters_leak() {
	local f
	for f in /sys/kernel/debug/xprtrdma/stats /sys/kernel/debug/svcrdma/stats; do
		[ -r $f ] || continue
		awk -v m="$(basename "$(dirname $f)")" '
			/_created / { k = $1; sub(/_created$/, "", k); c[k] = $2 }
			/_destroyed / { k = $1; sub(/_destroyed$/, "", k); d[k] = $2 }
			END { for (k in c) if (c[k] != d[k] + 0) printf "%s: %s created %s destroyed %s\n", m, k, c[k], d[k] }' $f
	done
}
counters_balanced() { [ -z "$(counters_leak)" ]; }

# counters_log: the modules' own counters into the test's log.
counters_log() {
	local f
	for f in /sys/kernel/debug/xprtrdma/stats /sys/kernel/debug/svcrdma/stats; do
		[ -r $f ] && awk -v m="$(basename "$(dirname $f)")" '$2 != 0 { printf "# %s %s %s\n", m, $1, $2 }' $f
	done
	return 0
}
