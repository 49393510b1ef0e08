# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Counters: the client's "xprt: rdma" line of mountstats, both modules' debugfs files, and
# deltas of all of them.

# Field numbers in the xprt line, after "xprt: rdma" (RDMA transports have 27 fields)
declare -A XPRT_FIELD=([connects]=3 [sends]=6 [bad_xids]=8 [read_chunks]=11 [write_chunks]=12 [reply_chunks]=13
	[bad_reply]=20 [nomsg_calls]=21)

# of_mount PROGRAM [FOLDER]: run awk on the lines of mountstats that are about this mount.
of_mount() { awk -v dir="${2:-$MNT}" '$1 == "device" { on = $5 == dir } on && '"$1" /proc/self/mountstats; }

# xprt_read [FOLDER]: set XPRT[1..27] to the sums over the mount's xprt lines, and XPRT_LINES
# to their number.
xprt_read() {
	local i words line
	XPRT=()
	mapfile -t XPRT_LINES < <(of_mount 'sub(/.*xprt:.*rdma /, "") { print }' "${1:-$MNT}")
	[ ${#XPRT_LINES[@]} -gt 0 ] || fail "no xprt line for ${1:-$MNT} in mountstats"
	for line in "${XPRT_LINES[@]}"; do
		read -ra words <<<"$line"
		for ((i = 0; i < ${#words[@]}; i++)); do XPRT[i + 1]=$((${XPRT[i + 1]:-0} + words[i])); done
	done
}

# xprt_stat NAME [FOLDER]: print a field's value, summed over the mount's connections.
xprt_stat() {
	local f=${XPRT_FIELD[$1]:?no such field}
	xprt_read "${2:-$MNT}"
	echo "${XPRT[f]}"
}

# op_stat OPERATION [FOLDER]: print the number of times that an NFS operation was done.
op_stat() { of_mount '$1 == "'"$1"':" { n = $2 } END { print n + 0 }' "${2:-$MNT}"; }

# ours_stat client|server NAME: print a counter in the module's debugfs file; fail if it is missing.
ours_stat() {
	local m=xprtrdma value
	[ "$1" = client ] || m=svcrdma
	value=$(sed -n "s/^$2 //p" /sys/kernel/debug/$m/stats)
	[ -n "$value" ] || fail "no $2 in $m's counters"
	echo "$value"
}

# ctl ARGUMENTS...: run rpcrdmactl.
CTL=${BASH_SOURCE[0]%/*}/../../../tools/rpcrdmactl/rpcrdmactl
ctl() { limit 30 "$CTL" "$@"; }

# field EXPRESSION: evaluate it with the JSON on standard input as "d".
field() { python3 -c 'import json,sys; d = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"; }

# of client|server EXPRESSION: evaluate it with each connection of this side as "c"; print each
# value once.
of() { ctl list --side "$1" --json | field "' '.join(sorted({str($2) for c in d}))"; }

# snapshot, delta NAME: save mountstats fields, and print the change of a field.
snapshot() {
	xprt_read
	SNAP=("" "${XPRT[@]}")
}
delta() {
	local f=${XPRT_FIELD[$1]:?no such field}
	xprt_read
	echo $((XPRT[f] - SNAP[f]))
}

# assert_deltas NAME=VALUE|NAME+=MINIMUM...: check changes since the snapshot.
assert_deltas() {
	local d
	for d; do
		case $d in
		*+=*) assert_ge "mountstats ${d%+=*} since the snapshot" "$(delta "${d%+=*}")" "${d#*=}" ;;
		*) assert_eq "mountstats ${d%=*} since the snapshot" "${d#*=}" "$(delta "${d%=*}")" ;;
		esac
	done
}

# counters_leak: list the counters X_now that are not 0, one per line.
counters_leak() {
	local m
	for m in xprtrdma svcrdma; do
		[ ! -r /sys/kernel/debug/$m/stats ] ||
			sed -n "/_now 0$/d; s/^\(.*\)_now /$m: \1 left /p" /sys/kernel/debug/$m/stats
	done
}
counters_balanced() { [ -z "$(counters_leak)" ]; }

# counters_log: write the modules' counters to the test's log.
counters_log() {
	local m
	for m in xprtrdma svcrdma; do
		grep -hsv ' 0$' /sys/kernel/debug/$m/stats | sed "s/^/# $m /"
	done
	printf '# messages without a Receive %s\n' "$(receives_missing)"
}

# receives_missing: print soft-RoCE's count of messages that had to wait for a Receive.
receives_missing() {
	cat /sys/class/infiniband/*/ports/1/hw_counters/send_rnr_err 2>/dev/null |
		awk '{ sum += $1 } END { print sum + 0 }'
}
