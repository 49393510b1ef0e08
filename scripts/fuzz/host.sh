# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Common to the fuzzers on the host: building tools, running guests. Sourced after
# scripts/common.sh, with $top set.

# build_tool OUTPUT FOLDER...: build a program for the guest from the sources in these folders
build_tool()
{
	local out=$1 dir sources

	shift
	mapfile -t sources < <(codec_sources "$top/")
	for dir; do sources+=("$top/scripts/fuzz/$dir"/*.c); done
	${HOSTCC:-gcc} -g -O1 -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers \
		-I"$top/include" "${sources[@]}" -o "$out" -lrdmacm -libverbs
}

# in_guest OUT TIMEOUT KERNEL COMMAND...: run COMMAND in a guest, and check the console
in_guest()
{
	local out=$1 timeout=$2 kernel=$3

	shift 3
	"$top/scripts/vm/run" --kernel "$kernel" --timeout "$timeout" --out "$out" \
		${MODULES_DIR:+--moddir "$MODULES_DIR"} --env "FUZZ_VERBOSE=${FUZZ_VERBOSE:-}" \
		--env "FUZZ_PROVIDER=${FUZZ_PROVIDER:-rxe}" -- "$@"
}
