# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Lists of files, and the kernel's own tools: sourced by the style checks. These run in the
# top folder of the repository, and fail if they have printed an objection; status 77 means
# "skipped", with the reason printed.

# files PATTERN...: tracked files and new ones that are not ignored.
files()
{
	git ls-files --cached --others --exclude-standard -- "$@" |
	while read -r file; do
		[ -f "$file" ] && echo "$file"
	done
}

c_files()
{
	files '*.c' '*.h'
}

# shell_files: by suffix, or by their first line.
shell_files()
{
	files '*.sh'
	files scripts packaging .ci | grep -v '\.[a-z]*$' |
		xargs awk '/^#!.*[\/ ](ba|da)?sh( |$)/ { print FILENAME } { nextfile }'
}

# changed KEY FILE...: the files that have not passed a linter as they are now; KEY names it, its
# options and its version.
changed()
{
	local stamps hash file

	stamps=$(lint_stamps "$1")
	shift
	paste -d' ' <(git hash-object "$@") <(printf '%s\n' "$@") |
	while read -r hash file; do
		[ -e "$stamps/$hash" ] || echo "$file"
	done
}

# passed KEY FILE...: they have.
passed()
{
	local stamps

	stamps=$(lint_stamps "$1")
	shift
	[ $# -gt 0 ] || return 0
	mkdir -p "$stamps"
	git hash-object "$@" | (cd "$stamps" && xargs touch)
}

lint_stamps()
{
	echo "$RPCRDMA_CACHE/lint/$(git hash-object --stdin <<<"$1")"
}

# kernel_source: the unpacked source of the kernel, which has checkpatch.
kernel_source()
{
	local dir=$RPCRDMA_CACHE/linux-source-$RPCRDMA_SERIES

	[ -x "$dir/scripts/checkpatch.pl" ] && echo "$dir"
}

# c_functions FILE...: "FILE:LINE LENGTH NAME", LENGTH without the braces.
c_functions()
{
	awk '
	FNR == 1 { open = 0; sig = "" }
	/^[{]/ && !open {
		name = sig
		sub(/\(.*/, "", name)
		sub(/.*[ *]/, "", name)
		if (sig ~ /\(/ && sig !~ /=/) {
			open = 1
			start = FNR
		}
		next
	}
	/^}/ {
		if (open)
			print FILENAME ":" start, FNR - start - 1, name
		open = 0
		sig = ""
		next
	}
	open { next }
	/^$|^[#\/ ]|;$/ { sig = ""; next }
	{ sig = sig " " $0 }' "$@" /dev/null
}
