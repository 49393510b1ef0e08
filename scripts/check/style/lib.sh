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
	files scripts packaging .ci | grep -v '\.[a-z]*$' | while read -r file; do
		head -n 1 "$file" | grep -qE '^#!.*[/ ](ba|da)?sh( |$)' &&
			echo "$file"
	done
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

# shell_functions FILE...: the same for shell.
shell_functions()
{
	awk '
	FNR == 1 { open = 0 }
	/^[a-z_A-Z0-9]+\(\)/ {
		open = 1
		start = /[{(]$/ ? FNR : FNR + 1
		name = $1
		next
	}
	/^[})]$/ {
		if (open)
			print FILENAME ":" start, FNR - start - 1, name
		open = 0
	}' "$@" /dev/null
}
