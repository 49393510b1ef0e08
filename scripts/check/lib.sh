# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced, after common.sh, by checks. First, reading KTAP; then checks that are
# commands: run, counted, and reported as KTAP, by scripts that set CHECK_LOG: what the newest command
# has printed. CHECK_ALL, if set, gets all of it.

# ktap_report FILE [FAILURE]: print the output of failed cases of a KTAP file, then every case without
# subtests, numbered, with FAILURE, if given, as one more failed case, then the totals. A test with
# subtests is a failed case if it failed although none of them did. Fails if a case failed, or if there
# was none.
ktap_report()
{
	if grep -q '^ *not ok ' "$1"; then
		grep -A 6 -E '(EXPECTATION|ASSERTION) FAILED|^ *# [^ ]*\.c:' "$1"
	fi
	awk -v failure="${2:-}" '
	function add(kind, what)
	{
		count[kind]++
		print (kind == "failed" ? "not ok " : "ok ") ++number " - " what
	}
	/^ *# Subtest: / {
		depth = match($0, /[^ ]/)
		sub(/^ *# Subtest: /, "")
		parents[depth] = $0
		next
	}
	/^ *(not )?ok [0-9]+/ {
		depth = match($0, /[^ ]/)
		kind = $1 == "not" ? "failed" : /# SKIP/ ? "skipped" : "passed"
		sub(/^ *(not )?ok [0-9]+ *(- )?/, "")
		parent = depth < last
		last = depth
		blamed = 0
		for (d in failed)
			if (d + 0 > depth) {
				blamed = 1
				delete failed[d]
			}
		if (kind == "failed")
			failed[depth] = 1
		if (parent && (kind != "failed" || blamed))
			next
		path = ""
		for (d = 1; d <= depth; d++)
			if (d in parents && (!parent || parents[d] != $0))
				path = path parents[d] ": "
		add(kind, path $0)
	}
	END {
		if (failure)
			add("failed", failure)
		printf "%d passed, %d failed, %d skipped\n", count["passed"], count["failed"],
			count["skipped"]
		exit count["failed"] || !count["passed"]
	}' "$1"
}

CHECKS=0 CHECKS_PASSED=0 CHECKS_FAILED=0 CHECKS_SKIPPED=0

# verdict STATUS WHAT: count it, and print its line. Its status is STATUS.
verdict()
{
	CHECKS=$((CHECKS + 1))
	if [ "$1" -eq 0 ]; then
		CHECKS_PASSED=$((CHECKS_PASSED + 1))
		say "ok $CHECKS - $2"
	else
		CHECKS_FAILED=$((CHECKS_FAILED + 1))
		say "not ok $CHECKS - $2"
	fi
	return "$1"
}

# check WHAT COMMAND...: the command succeeds; if it does not, the end of what it has printed is
# shown. Its status is the command's.
check()
{
	local what=$1 begin=$SECONDS status=0

	shift
	logged "$what" "$CHECK_LOG" "$@" || status=$?
	[ -z "${CHECK_ALL:-}" ] || { echo "== $what"; cat "$CHECK_LOG"; } >>"$CHECK_ALL"
	[ "$status" -eq 0 ] || tail -n "${CHECK_LINES:-15}" "$CHECK_LOG" | sed 's/^/# /'
	verdict "$status" "$what ($((SECONDS - begin)) s)"
}

# skip WHAT REASON: it was not tried.
skip()
{
	CHECKS=$((CHECKS + 1))
	CHECKS_SKIPPED=$((CHECKS_SKIPPED + 1))
	say "ok $CHECKS - $1 # SKIP $2"
}

# totals: the last line. Fails if a check failed, or if none passed.
totals()
{
	say "$CHECKS_PASSED passed, $CHECKS_FAILED failed, $CHECKS_SKIPPED skipped"
	[ "$CHECKS_FAILED" -eq 0 ] && [ "$CHECKS_PASSED" -gt 0 ]
}

# built KERNEL: the modules build for it, and the build prints nothing, for which its progress is
# switched off.
built()
{
	local messages=$CHECK_LOG.messages status=0

	PROGRESS_SECONDS=86400 "$RPCRDMA_TOP/scripts/build" "$1" >"$messages" 2>&1 || status=$?
	cat "$messages"
	[ "$status" -eq 0 ] && [ ! -s "$messages" ]
}
