# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks that are commands: run, counted, and reported as KTAP. Sourced, after common.sh and
# progress.sh, by scripts that set CHECK_LOG: what the newest command has printed. CHECK_ALL, if
# set, gets all of it.

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
