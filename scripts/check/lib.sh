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

# ktap_summary CASES: the totals of what ktap_cases printed. Fails if a test
# failed, or if there was none.
ktap_summary()
{
	awk '
	/^ok / { passed++ }
	/^not ok / { failed++ }
	/^skip / { skipped++ }
	END {
		printf "%d passed, %d failed, %d skipped\n",
			passed, failed, skipped
		exit failed || !passed
	}' "$1"
}

# ktap_report FILE: print every case of a KTAP file, numbered; for failed ones
# what the suite said; then the totals. Fails as ktap_summary does.
ktap_report()
{
	local cases

	cases=$(mktemp) || return 1
	ktap_cases "$1" >"$cases"
	awk '/^ok / { sub(/^ok /, ""); print "ok " NR " - " $0 }
	     /^not ok / { sub(/^not ok /, ""); print "not ok " NR " - " $0 }
	     /^skip / { sub(/^skip /, ""); print "ok " NR " - " $0 }' "$cases"
	grep -q '^not ok ' "$cases" &&
		grep -A 6 -E '(EXPECTATION|ASSERTION) FAILED|^ *# [^ ]*\.c:' "$1"
	ktap_summary "$cases"
	set -- $?
	rm -f "$cases"
	return "$1"
}
