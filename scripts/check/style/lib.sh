# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Lists of files, and the kernel's own tools. Sourced by the style checks, which run in the top
# folder of the repository. A check fails if it prints an objection. Status 77 means that it was
# skipped for the printed reason.

# files PATTERN...: list tracked files, and new files that are not ignored.
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

# shell_files: list shell scripts, found by suffix or first line.
shell_files()
{
	files '*.sh'
	files scripts packaging .ci | grep -v '\.[a-z]*$' |
		xargs awk '/^#!.*[\/ ](ba|da)?sh( |$)/ { print FILENAME } { nextfile }'
}

# changed KEY FILE...: list the files whose present contents have not passed a linter. KEY names the
# linter, its options and its version.
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

# passed KEY FILE...: record that the files have passed.
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

# kernel_source: print the folder of the unpacked kernel source, which has checkpatch.
kernel_source()
{
	local dir=$RPCRDMA_CACHE/linux-source-$RPCRDMA_SERIES

	[ -x "$dir/scripts/checkpatch.pl" ] && echo "$dir"
}

# c_functions FILE...: print "FILE:LINE LENGTH NAME" of each function; LENGTH excludes the braces.
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
