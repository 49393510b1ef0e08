# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Fault injection: failing allocations in one of our modules, breaking connections, and time limits
# for recovery.
#
# An allocation fails only if its backtrace has an address in a given range (require-start,
# require-end): the code of one of our modules, or module initialization. "stacktrace-depth" limits
# the number of frames that are searched: NEAR finds allocations by our own code and its small
# helpers, DEEP also allocations that the RDMA core, the adapter's driver and sunrpc make for us.

FAULTS=/sys/kernel/debug
# Frames from the allocator up to our function
NEAR=12 DEEP=32

# Seconds from the end of a fault until everything works again, if the loss of the connection is
# reported: the delay and the steps of a reconnection (Documentation/tunables.rst), and the
# operations on a slow kernel
RECOVERY=$((45 + 2 * SLOW))
# The same if the loss is not reported, and a probe must detect it first
# (Documentation/invariants.rst)
RECOVERY_UNTOLD=$((RECOVERY + 14))

# need_faults NAME...: requires() helper for fault injection folders in debugfs.
need_faults() {
	local f
	modprobe -q sunrpc || true
	for f; do
		[ -d $FAULTS/"$f" ] || { echo "this kernel does not inject faults ($f)"; return 1; }
		[ -e $FAULTS/"$f"/require-start ] || { echo "this kernel does not filter faults by backtrace"; return 1; }
	done
}

# text_of MODULE: print "START END" of its code. (A debug kernel takes minutes to list all of
# kallsyms.)
text_of() {
	local start size
	start=$(cat "/sys/module/$1/sections/.text") || fail "$1 is not loaded"
	size=$(size -A -d "$(module_file "$1")" | awk '$1 == ".text" { print $2 }')
	[ -n "$size" ] || fail "size -A says nothing of $1"
	printf '%s 0x%x\n' "$start" $((start + size))
}

# text_of_function MODULE FUNCTION: print "START END" of a function in one of the kernel's modules.
text_of_function() {
	local base at
	base=$(cat "/sys/module/$1/sections/.text") || fail "$1 is not loaded"
	at=$(nm -S "$(modinfo -n "$1")" | awk -v f="$2" '$4 == f { print "0x" $1, "0x" $2 }')
	[ -n "$at" ] || fail "no function $2 in $1"
	printf '0x%x 0x%x\n' $((base + ${at% *})) $((base + ${at% *} + ${at#* }))
}

# text_of_initcalls: print "START END" of do_one_initcall(), which calls a module's initialization.
# It is near the start of kallsyms.
text_of_initcalls() {
	# shellcheck disable=SC2046
	set -- $(awk 'on { print $1; exit } $3 == "do_one_initcall" { on = 1; print $1 }' /proc/kallsyms)
	[ $# -eq 2 ] || fail "no do_one_initcall in kallsyms"
	echo "0x$1 0x$2"
}

# fault_set NAME FILE=VALUE...
fault_set() {
	local dir=$FAULTS/$1 s
	shift
	for s; do echo "${s#*=}" >"$dir/${s%%=*}" || fail "cannot set $s in $dir"; done
}

# fault_on failslab|fail_page_alloc PERCENT START END [DEPTH]: let this percentage of the
# allocations in the range fail from now on.
fault_on() {
	fault_set "$1" probability=0 interval=1 times=$MANY space=0 verbose=0 task-filter=N ignore-gfp-wait=N \
		require-start="$3" require-end="$4" reject-start=0 reject-end=0 stacktrace-depth="${5:-$NEAR}"
	[ "$1" != fail_page_alloc ] || fault_set "$1" ignore-gfp-highmem=N min-order=0
	fault_set "$1" probability="$2"
}
MANY=1000000

# faults_seen NAME...: print the number of faults since fault_on.
faults_seen() {
	local f n=0
	for f; do n=$((n + MANY - $(cat $FAULTS/"$f"/times))); done
	echo $n
}

# disconnects_on client|server|both PERCENT: break the connection at this percentage of the sent
# messages or served calls.
disconnects_on() {
	local client=Y server=Y
	[ "$1" = server ] || client=N
	[ "$1" = client ] || server=N
	fault_set fail_sunrpc probability=0 interval=1 times=$MANY space=0 verbose=0 task-filter=N ignore-cache-wait=Y \
		ignore-client-disconnect=$client ignore-server-disconnect=$server
	fault_set fail_sunrpc probability="$2"
}

# faults_off: stop all faults.
faults_off() {
	local f
	for f in failslab fail_page_alloc fail_sunrpc; do
		[ ! -d $FAULTS/$f ] || echo 0 >$FAULTS/$f/probability
	done
}

# each_allocation WHAT UNDO START END COMMAND...: run COMMAND repeatedly. Its first allocation in
# the range fails, then its second, and so on, until there are no more. COMMAND may fail, but must
# not hang; each time it succeeds, UNDO is called.
each_allocation() {
	local what=$1 undo=$2 start=$3 end=$4 n before rc failed=0
	shift 4
	for n in failslab fail_page_alloc; do fault_on $n 0 "$start" "$end" $DEEP; done
	for ((n = 1; ; n++)); do
		before=$(faults_seen failslab fail_page_alloc)
		rc=0
		# shellcheck disable=SC2016
		limit 60 bash -c 'echo "$0" >/proc/self/fail-nth; exec "$@"' $n "$@" >"$TEST_TMP/nth.out" 2>&1 || rc=$?
		[ $rc -ne 0 ] || "$undo"
		[ "$(faults_seen failslab fail_page_alloc)" != "$before" ] || break
		[ $rc -eq 0 ] || failed=$((failed + 1))
		[ $n -lt 400 ] || fail "$what: more than 400 allocations"
	done
	[ $rc -eq 0 ] || fail "$what fails without a fault: $(tail -n 1 "$TEST_TMP/nth.out")"
	log "$what: $((n - 1)) allocations, it needs $failed of them"
	assert_ge "allocations that it needs" $failed 1
}

# works_within SECONDS: assert that a file can be written and read through the mount within this
# time.
works_within() {
	local begin seed=$RANDOM
	begin=$(now_ms)
	assert "a write" within "$1" "$IOTOOL" write $MNT/after 0 70001 $seed direct
	assert "a read" within "$1" "$IOTOOL" check $MNT/after 0 70001 $seed direct
	log "works again after $(($(now_ms) - begin)) ms"
	assert_le "milliseconds until it works again" $(($(now_ms) - begin)) $(($1 * 1000))
}
