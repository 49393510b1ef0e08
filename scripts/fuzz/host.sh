# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the fuzzers that run in guests need on the host. Sourced, with $top set.

# build_tool OUTPUT FOLDER...: a program for the guest, of all that is in these folders
build_tool()
{
	local out=$1 dir sources=()

	shift
	for dir; do sources+=("$top/scripts/fuzz/$dir"/*.c); done
	${HOSTCC:-gcc} -g -O1 -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers \
		-I"$top/include" "${sources[@]}" "$top"/codec/{decode,v1_decode,v2_decode,v2_props,private}.c -o "$out" -lrdmacm -libverbs
}

# When the last packet for a Queue Pair that is being destroyed has been queued, soft-RoCE (rxe_resp_queue_pkt(),
# rxe_comp_queue_pkt()) wakes the Queue Pair's task without a reference of its own. If that task was faster, the packet's
# reference was the last one, and rxe_sched_task() and __reserve_if_idle() warn of a reference count of zero (rxe_task.c,
# lines 267 and 38 in 6.12.117). Testing.rst has more on it.
RXE_ALLOW='WARNING: .* at drivers/infiniband/sw/rxe/rxe_task\.c:[0-9]+ (rxe_sched_task|__reserve_if_idle)\+'

# only_that CONSOLE: each warning that was allowed was raised on that path
only_that()
{
	tr -d '\r' <"$1" | awk -v allow="$RXE_ALLOW" '
		/^(\[[^]]*\] )?WARNING: / { seen = $0 ~ allow; known = 0; text = $0 }
		/ rxe_(resp|comp)_queue_pkt\+/ { known = 1 }
		/---\[ end trace/ {
			if (seen && !known) { print "another path: " text; bad = 1 }
			allowed += seen
			seen = 0
		}
		END {
			if (allowed) print "# soft-RoCE warned " allowed " times of a Queue Pair that was gone"
			exit bad
		}'
}

# in_guest OUT TIMEOUT KERNEL COMMAND...: run it and judge it
in_guest()
{
	local out=$1 timeout=$2 kernel=$3 status=0

	shift 3
	"$top/scripts/vm/run" --kernel "$kernel" --timeout "$timeout" --out "$out" --allow "$RXE_ALLOW" \
		${MODULES_DIR:+--moddir "$MODULES_DIR"} --env "FUZZ_VERBOSE=${FUZZ_VERBOSE:-}" -- "$@" || status=$?
	only_that "$out/console" || status=126
	return $status
}
