# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Reading KTAP: sourced by the scripts that run suites.

# ktap_cases FILE: for each test without subtests a line "ok NAME", "not ok
# NAME" or "skip NAME". A test with subtests counts only if it failed although
# none of them did.
ktap_cases()
{
	awk '
	/^ *# Subtest: / {
		depth = match($0, /[^ ]/)
		sub(/^ *# Subtest: /, "")
		parents[depth] = $0
		next
	}
	/^ *(not )?ok [0-9]+/ {
		depth = match($0, /[^ ]/)
		bad = $1 == "not"
		skip = /# SKIP/
		sub(/^ *(not )?ok [0-9]+ *(- )?/, "")
		parent = depth < last
		last = depth
		blamed = 0
		for (d in failed) {
			if (d + 0 > depth) {
				blamed = 1
				delete failed[d]
			}
		}
		if (bad)
			failed[depth] = 1
		if (parent && (!bad || blamed))
			next
		path = ""
		for (d = 1; d <= depth; d++)
			if (d in parents && (!parent || parents[d] != $0))
				path = path parents[d] ": "
		print (bad ? "not ok " : skip ? "skip " : "ok ") path $0
	}' "$1"
}

# ktap_report FILE [FAILURE]: print the output of failed cases of a KTAP file, then every
# case, numbered, with FAILURE, if given, as one more failed case, then the totals. Fails if a
# case failed, or if there was none.
ktap_report()
{
	local cases status

	cases=$(mktemp) || return 1
	ktap_cases "$1" >"$cases"
	[ -z "${2:-}" ] || echo "not ok $2" >>"$cases"
	if grep -q '^not ok ' "$cases"; then
		grep -A 6 -E '(EXPECTATION|ASSERTION) FAILED|^ *# [^ ]*\.c:' "$1"
	fi
	awk '
	/^ok / { passed++; sub(/^ok /, ""); print "ok " NR " - " $0 }
	/^skip / { skipped++; sub(/^skip /, ""); print "ok " NR " - " $0 }
	/^not ok / { failed++; sub(/^not ok /, ""); print "not ok " NR " - " $0 }
	END {
		printf "%d passed, %d failed, %d skipped\n",
			passed, failed, skipped
		exit failed || !passed
	}' "$cases"
	status=$?
	rm -f "$cases"
	return "$status"
}
