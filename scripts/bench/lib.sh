# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the benchmark's programs and boots its guests. Sourced after common.sh.

BENCH_SRC=$RPCRDMA_TOP/scripts/bench
BENCH_DIR=$RPCRDMA_BUILD/bench
# The guests' kernel arguments keep addresses fixed.
BENCH_APPEND="nokaslr norandmaps mitigations=off quiet"

# bench_build: build ops and the plugin.
bench_build()
{
	mkdir -p "$BENCH_DIR" || die "cannot create $BENCH_DIR"
	# No other program of the guest has code at the address of mark().
	gcc -O2 -Wall -static -no-pie -pthread -Wl,-Ttext-segment=0x5be00000 \
		-o "$BENCH_DIR/ops" "$BENCH_SRC/ops.c" || die "cannot build ops"
	gcc -O2 -Wall -shared -fPIC -o "$BENCH_DIR/count.so" "$BENCH_SRC/count.c" ||
		die "cannot build count.so"
}

# plugin: print QEMU's argument for the plugin, which writes its counts to count.* in the guest's
# folder. With BENCH_LINES=1, it also counts cache lines that several processors write.
plugin()
{
	local mark

	mark=$(nm "$BENCH_DIR/ops" | sed -n 's/ T mark$//p')
	[ -n "$mark" ] || die "no mark() in $BENCH_DIR/ops"
	echo "$BENCH_DIR/count.so,mark=$mark${BENCH_LINES:+,lines=1}"
}

# in_log LOG NAME OUT COMMAND...: run COMMAND, which measures NAME in a guest, with its output in
# LOG. If it fails, print the end of LOG, and exit. But if a guest without our modules fails after
# its last figure, which is in OUT, only print a note.
in_log()
{
	local log=$1 name=$2 out=$3

	shift 3
	logged "$name" "$log" "$@" && return
	if [[ $name != our* ]] && grep -qs '^MEASURED' "$out/output"; then
		say "# the guest with $name failed after it had been measured, see $log" >&2
		return
	fi
	tail -n 20 "$log" >&2
	die "the guest with $name failed, see $log"
}

# boot OUT NAME=VALUE...: boot a guest with these variables (scripts/bench/guest) on the stock
# kernel; its output is in OUT/output. With PROFILE=yes, OUT/count.* has its instruction counts.
# With FORCE_MR=yes, memory is registered for RDMA Reads and Writes, as some adapters need for long
# Reads.
boot()
{
	local out=$1 env=() setting plugin=""
	local append=$BENCH_APPEND

	shift
	rm -rf "$out"
	mkdir -p "$out" || die "cannot create $out"
	for setting; do
		env+=(--env "$setting")
		case $setting in
		PROFILE=yes) plugin=$(plugin) || exit 1 ;;
		FORCE_MR=yes) append+=" ib_core.force_mr=1" ;;
		esac
	done
	VM_ACCEL=icount VM_PLUGIN=$plugin "$RPCRDMA_TOP/scripts/vm/run" --kernel x86 \
		--smp "${BENCH_SMP:-1}" --mem 2G --timeout "${BENCH_TIMEOUT:-900}" --out "$out" --append "$append" \
		--env "BENCH_DIR=$BENCH_DIR" "${env[@]}" \
		-- "$BENCH_SRC/guest"
}

# boot_pair OUT NAME=VALUE...: boot the server in one guest (OUT/left) and all clients in another
# (OUT/right). Each folder has the guest's instruction counts in count.*, and the output of ops.
boot_pair()
{
	local out=$1 plugin settings=()

	shift
	rm -rf "$out"
	mkdir -p "$out" || die "cannot create $out"
	plugin=$(plugin) || exit 1
	printf -v settings '%q ' env "BENCH_DIR=$BENCH_DIR" "$@"
	printf '#!/bin/sh\nexec %s%q\n' "$settings" "$BENCH_SRC/guest" >"$out/guest"
	chmod +x "$out/guest"
	VM_ACCEL=icount VM_PLUGIN=$plugin "$RPCRDMA_TOP/scripts/vm/pair" --timeout 1800 --out "$out" --right-mem 2G \
		--append "$BENCH_APPEND" \
		--left "x86:$out/guest" --right "x86:$out/guest" || return
	cp "$out/right/output" "$out/left/output"
}
