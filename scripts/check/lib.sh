# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# KTAP reports and command checks. Sourced by checks, after common.sh. Scripts that run commands as
# checks set CHECK_LOG, a file for the output of the last command. CHECK_ALL, if set, is a file for
# the output of all commands.

# ktap_report FILE [FAILURE]: print the output of failed cases in a KTAP file, then a numbered line
# for every case without subtests, then the totals. FAILURE, if given, is one more failed case. A
# test that failed although none of its subtests did counts as a failed case. Fails if a case
# failed, or if there is no case.
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

# verdict STATUS WHAT: count a check, and print its KTAP line. Returns STATUS.
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

# check WHAT COMMAND...: check that the command succeeds; if it fails, print the end of its output.
# Returns the command's status.
check()
{
	local what=$1 begin=$SECONDS status=0

	shift
	logged "$what" "$CHECK_LOG" "$@" || status=$?
	[ -z "${CHECK_ALL:-}" ] || { echo "== $what"; cat "$CHECK_LOG"; } >>"$CHECK_ALL"
	[ "$status" -eq 0 ] || tail -n "${CHECK_LINES:-15}" "$CHECK_LOG" | sed 's/^/# /'
	verdict "$status" "$what ($((SECONDS - begin)) s)"
}

# skip WHAT REASON: report a check as skipped.
skip()
{
	CHECKS=$((CHECKS + 1))
	CHECKS_SKIPPED=$((CHECKS_SKIPPED + 1))
	say "ok $CHECKS - $1 # SKIP $2"
}

# totals: print the last line. Fails if a check failed, or if none passed.
totals()
{
	say "$CHECKS_PASSED passed, $CHECKS_FAILED failed, $CHECKS_SKIPPED skipped"
	[ "$CHECKS_FAILED" -eq 0 ] && [ "$CHECKS_PASSED" -gt 0 ]
}

# built KERNEL: check that the modules build for it without any message; progress lines are
# disabled.
built()
{
	local messages=$CHECK_LOG.messages status=0

	PROGRESS_SECONDS=86400 "$RPCRDMA_TOP/scripts/build" "$1" >"$messages" 2>&1 || status=$?
	cat "$messages"
	[ "$status" -eq 0 ] && [ ! -s "$messages" ]
}
