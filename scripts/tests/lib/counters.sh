# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Counters: the client's "xprt: rdma" line of mountstats, both modules' debugfs files, and
# deltas of all of them.

# Numbers of fields of the xprt line, after "xprt: rdma" (RDMA transports have 27).
declare -A XPRT_FIELD=([connects]=3 [sends]=6 [bad_xids]=8 [read_chunks]=11 [write_chunks]=12 [reply_chunks]=13
	[bad_reply]=20 [nomsg_calls]=21)

# xprt_read [FOLDER]: set XPRT[1..27] to the sums over the mount's xprt lines, and XPRT_LINES
# to their number, without starting a process.
xprt_read() {
	local dir=${1:-$MNT} on='' i words line lines
	XPRT=() XPRT_LINES=()
	mapfile -t lines </proc/self/mountstats
	for line in "${lines[@]}"; do
		case $line in
		device\ *) if [[ $line == *" mounted on $dir with "* ]]; then on=y; else on=''; fi ;;
		*xprt:*rdma\ *)
			[ -n "$on" ] || continue
			read -ra words <<<"${line#*rdma }"
			XPRT_LINES+=("${words[*]}")
			for ((i = 0; i < ${#words[@]}; i++)); do XPRT[i + 1]=$((${XPRT[i + 1]:-0} + words[i])); done
			;;
		esac
	done
	[ ${#XPRT_LINES[@]} -gt 0 ] || fail "no xprt line for $dir in mountstats"
}

# xprt_stat NAME [FOLDER]: a field's value, summed over the mount's connections.
xprt_stat() {
	local f=${XPRT_FIELD[$1]:?no such field}
	xprt_read "${2:-$MNT}"
	echo "${XPRT[f]}"
}

# op_stat OPERATION [FOLDER]: how often an NFS operation was done.
op_stat() {
	local dir=${2:-$MNT} on='' words line lines
	mapfile -t lines </proc/self/mountstats
	for line in "${lines[@]}"; do
		case $line in
		device\ *) if [[ $line == *" mounted on $dir with "* ]]; then on=y; else on=''; fi ;;
		*"	$1: "* | *" $1: "*)
			[ -n "$on" ] || continue
			read -ra words <<<"$line"
			echo "${words[1]}"
			return
			;;
		esac
	done
	echo 0
}

# ours_stat client|server NAME: a counter in the module's debugfs file; fails if it is not
# there.
ours_stat() {
	local m=xprtrdma name value
	[ "$1" = server ] && m=svcrdma
	while read -r name value; do
		if [ "$name" = "$2" ]; then
			echo "$value"
			return
		fi
	done <<<"$(</sys/kernel/debug/$m/stats)"
	fail "no $2 in $m's counters"
}

# ctl ARGUMENTS...: rpcrdmactl.
CTL=${BASH_SOURCE[0]%/*}/../../../tools/rpcrdmactl/rpcrdmactl
ctl() { limit 30 "$CTL" "$@"; }

# field EXPRESSION: of the JSON on standard input, as "d".
field() { python3 -c 'import json,sys; d = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"; }

# of client|server EXPRESSION: a value of this side's connections, each of which is "c"; each value once
of() { ctl list --side "$1" --json | field "' '.join(sorted({str($2) for c in d}))"; }

# snapshot, delta NAME: mountstats fields before and after.
snapshot() {
	xprt_read
	SNAP=("" "${XPRT[@]}")
}
delta() {
	local f=${XPRT_FIELD[$1]:?no such field}
	xprt_read
	echo $((XPRT[f] - SNAP[f]))
}

# assert_delta_ge NAME MINIMUM, assert_delta_eq NAME VALUE: since the snapshot.
assert_delta_ge() { assert_ge "mountstats $1 since the snapshot" "$(delta "$1")" "$2"; }
assert_delta_eq() { assert_eq "mountstats $1 since the snapshot" "$2" "$(delta "$1")"; }

# counters_leak: pairs X_created / X_destroyed that differ, one per line; empty if all agree.
counters_leak() {
	local m name value
	for m in xprtrdma svcrdma; do
		[ -r /sys/kernel/debug/$m/stats ] || continue
		local -A created=() destroyed=()
		while read -r name value; do
			case $name in
			*_created) created[${name%_created}]=$value ;;
			*_destroyed) destroyed[${name%_destroyed}]=$value ;;
			esac
		done <<<"$(</sys/kernel/debug/$m/stats)"
		for name in "${!created[@]}"; do
			[ "${created[$name]}" = "${destroyed[$name]:-none}" ] ||
				echo "$m: $name created ${created[$name]} destroyed ${destroyed[$name]:-none}"
		done
	done
}
counters_balanced() { [ -z "$(counters_leak)" ]; }

# counters_log: write the modules' counters to the test's log.
counters_log() {
	local m name value
	for m in xprtrdma svcrdma; do
		[ -r /sys/kernel/debug/$m/stats ] || continue
		while read -r name value; do
			[ "$value" = 0 ] || printf '# %s %s %s\n' $m "$name" "$value"
		done <<<"$(</sys/kernel/debug/$m/stats)"
	done
	printf '# messages without a Receive %s\n' "$(receives_missing)"
}

# receives_missing: how many messages had to wait for a Receive, by soft-RoCE's count
receives_missing() {
	cat /sys/class/infiniband/*/ports/1/hw_counters/send_rnr_err 2>/dev/null |
		awk '{ sum += $1 } END { print sum + 0 }'
}
