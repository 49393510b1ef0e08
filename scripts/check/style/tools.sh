# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# External linters and short ones: "scripts/check/run NAME" runs the function lint_NAME in a
# subshell.

# A file has at most 800 lines, a C function at most 80, a function of the modules at most 50. Half
# of the functions have fewer than 20.
lint_size()
{
	local found=0 c

	mapfile -t c < <(c_files)
	{ printf '%s\n' "${c[@]}"; shell_files; } | xargs wc -l | awk '
		$2 != "total" && $1 > 800 { print $2 ": " $1 " lines, more than 800"; bad = 1 }
		END { exit bad }' || found=1
	c_functions "${c[@]}" | sort -n -k2 | awk '
		{ max = $1 ~ /^(core|xprtrdma|svcrdma|include)\// ? 50 : 80 }
		$2 > max { print $1 ": " $3 " has " $2 " lines, more than " max; bad = 1 }
		{ lines[NR] = $2 }
		END {
			half = lines[int((NR + 1) / 2)]
			if (NR && half >= 20) {
				print "half of " NR " functions have " half " lines or more"
				bad = 1
			}
			exit bad
		}' || found=1
	return $found
}

# intree SOURCE: list functions that the in-tree transport defines or declares.
intree()
{
	c_functions "$1"/net/sunrpc/xprtrdma/*.[ch] "$1"/include/linux/sunrpc/*rdma*.h | cut -d' ' -f3
	grep -hoE '\b[a-z_0-9]+\(' "$1"/net/sunrpc/xprtrdma/*.h "$1"/include/linux/sunrpc/*rdma*.h | tr -d '('
}

# defined FOLDER: print "FILE:LINE NAME" of each function, including functions that macros define.
# Skips platform.h, which has the kernel's functions for userspace.
defined()
{
	local list

	mapfile -t list < <(files "$1" | grep '\.[ch]$' | grep -v '/platform\.h$')
	c_functions "${list[@]}" | cut -d' ' -f1,3
	grep -nHE '^DEFINE_(SHOW|STORE|SEQ)_ATTRIBUTE\(' "${list[@]}" |
		sed 's/^\([^:]*:[^:]*\):[A-Z_]*(\([a-z_0-9]*\).*/\1 \2_open/'
}

# Every function of the modules, static or not, has the prefix of its module, and none has the name
# of a function of the in-tree transport. Functions that return the container of a pointer are
# called to_NAME, as everywhere in the kernel.
lint_symbols()
{
	local src dir prefix

	src=$(kernel_source) || lacks "the kernel's source"
	while read -r dir prefix; do
		defined "$dir" | sed "s/^/$prefix /"
	done <<-END | awk 'NR == FNR { taken[$1] = 1; next }
		index($3, $1) != 1 && $3 !~ /^to_[a-z_]+$/ { print $2 ": " $3 "() does not begin with " $1; bad = 1 }
		$3 in taken { print $2 ": " $3 "() is a name of the in-tree transport"; bad = 1 }
		END { exit bad }' <(intree "$src" | sort -u) -
		core rpcrdma_
		include/rpcrdma rpcrdma_
		xprtrdma xprt_rdma_
		svcrdma svc_rdma_
	END
}

# checkpatch_objects IGNORED FILE...: print checkpatch's objections. Runs many in parallel, because
# checkpatch is slow.
checkpatch_objects()
{
	local ignored=$1 key new said

	shift
	key="checkpatch $ignored $(cksum <"$src/scripts/checkpatch.pl")"
	mapfile -t new < <(changed "$key" "$@")
	[ ${#new[@]} -eq 0 ] && return
	said=$(printf '%s\n' "${new[@]}" | xargs -P "$(nproc)" -n 20 "$src/scripts/checkpatch.pl" --strict \
		--no-tree --terse --no-summary --show-types --ignore "$ignored" --file)
	mapfile -t new < <(printf '%s\n' "${new[@]}" | grep -vxFf <(cut -d: -f1 <<<"$said"))
	passed "$key" "${new[@]}"
	[ -z "$said" ] || { echo "$said"; return 1; }
}

# checkpatch --strict reports nothing for any C file.
lint_checkpatch()
{
	local src found=0 always trace user kunit in_user in_trace in_kunit
	local user_files trace_files kunit_files rest

	src=$(kernel_source) || lacks "the kernel's source"
	# Lists of counters and test vectors are macros that are valid only where they are
	# expanded.
	always=FILE_PATH_CHANGES,LINUX_VERSION_CODE,COMPLEX_MACRO,MACRO_ARG_REUSE
	# The kernel-doc of a structure describes its lock.
	always+=,UNCOMMENTED_DEFINITION
	# 6.12 has no kzalloc_obj(), and 6.1 has no constant sysctl tables.
	always+=,ALLOC_WITH_SIZEOF,CONST_STRUCT
	# Trace headers are written in a dialect of C.
	trace=MULTISTATEMENT_MACRO_USE_DO_WHILE,OPEN_ENDED_LINE,SPACING,CODE_INDENT
	trace+=,MACRO_WITH_FLOW_CONTROL,PARENTHESIS_ALIGNMENT
	# checkpatch's suggestions do not exist in userspace.
	user=PREFER_KERNEL_TYPES,CAMELCASE,VOLATILE,ARRAY_SIZE,MACRO_ARG_UNUSED
	user+=,PREFER_DEFINED_ATTRIBUTE_MACRO,MACRO_WITH_FLOW_CONTROL,MACRO_ARG_PRECEDENCE
	# Macros that replace external calls of a tested file ignore their arguments.
	kunit=MACRO_ARG_UNUSED
	in_user='^(kunit/userspace|scripts)/'
	# The macros that declare extensions are written like trace headers.
	in_trace='^include/(trace/events/|rpcrdma/extensions\.h$)'
	mapfile -t user_files < <(c_files | grep -E "$in_user")
	mapfile -t trace_files < <(c_files | grep -E "$in_trace")
	in_kunit='^(kunit/[^/]*|include/compat/rpcrdma/kunit\.h)$'
	mapfile -t kunit_files < <(c_files | grep -E "$in_kunit")
	mapfile -t rest < <(c_files | grep -vE "$in_user|$in_trace|$in_kunit")
	checkpatch_objects "$always,$user" "${user_files[@]}" || found=1
	checkpatch_objects "$always,$trace" "${trace_files[@]}" || found=1
	checkpatch_objects "$always,$kunit" "${kunit_files[@]}" || found=1
	checkpatch_objects "$always" "${rest[@]}" || found=1
	# checkpatch leaves a cache of CamelCase words behind.
	rm -f .checkpatch-camelcase.*
	return $found
}

# kernel-doc accepts every kernel-doc comment without a warning.
lint_kernel-doc()
{
	local src

	src=$(kernel_source) || lacks "the kernel's source"
	# The exit status of kernel-doc is the number of warnings, modulo 256.
	# shellcheck disable=SC2046
	! "$src/scripts/kernel-doc" -none -Wreturn -Wshort-desc -Wcontents-before-sections \
		$(c_files) 2>&1 | grep .
}

# The shell linter reports nothing for any shell script.
lint_shellcheck()
{
	local always sourced found=0

	command -v shellcheck >/dev/null || lacks "the package shellcheck"
	# SC1091: sourced files are checked separately. SC2317 reports functions that are
	# called through a variable as unreachable.
	always=SC1091,SC2317
	# SC2034, SC2154: sourced files set and use variables of other files.
	sourced=$always,SC2034,SC2154
	shell_files | grep '^scripts/tests/.*\.sh$' |
		shell_new -s bash -S warning -e "$sourced" || found=1
	shell_files | grep '\.sh$' | grep -v '^scripts/tests/' |
		shell_new -s bash -e "$sourced" || found=1
	# A script is checked again if a file that it may source has changed.
	SOURCED=$(shell_files | grep '\.sh$' | xargs git hash-object)
	shell_files | grep -v '\.sh$' | shell_new -e "$always" || found=1
	return $found
}

# shell_new OPTION... <FILES: run shellcheck on the files that have changed.
shell_new()
{
	local key all new

	mapfile -t all
	key="shellcheck $* $(shellcheck --version | sed -n 2p) ${SOURCED:-}"
	mapfile -t new < <(changed "$key" "${all[@]}")
	[ ${#new[@]} -eq 0 ] && return
	printf '%s\n' "${new[@]}" | xargs -P "$(nproc)" -n 20 shellcheck -x -f gcc "$@" &&
		passed "$key" "${new[@]}"
}

# sparse, with byte order checks, reports nothing for the modules and the suites. They are built for
# 6.12, because Debian's sparse does not support the headers of Linux 7.3.
lint_sparse()
{
	local key state log=$RPCRDMA_BUILD/lint/sparse.log

	command -v sparse >/dev/null || lacks "the package sparse"
	stock_release x86-6.12 >/dev/null || lacks "the headers of Linux 6.12"
	key="sparse $(sparse --version) $(stock_release x86-6.12)"
	# Many files include each header: if any file has changed, all are checked.
	mkdir -p "${log%/*}"
	state=${log%.log}.state
	c_files | xargs git hash-object >"$state"
	files '*Kbuild' | xargs git hash-object >>"$state"
	[ -n "$(changed "$key" "$state")" ] || return 0
	# C=2 checks every file, even if it need not be compiled.
	if ! scripts/build x86-6.12 C=2 CF=-D__CHECK_ENDIAN__ >"$log" 2>&1; then
		tail -n 20 "$log"
		return 1
	fi
	# Only messages about our own files.
	! grep -E '/tree/(core|xprtrdma|svcrdma|kunit|include)/[^ ]*: (warning|error):' "$log" |
		sed 's|^[^ ]*/tree/||' | sort -u | grep . && passed "$key" "$state"
}

# Sphinx converts the documents to HTML in build/docs/html without a warning.
lint_sphinx()
{
	local key state=$RPCRDMA_BUILD/lint/sphinx.state out=$RPCRDMA_BUILD/docs

	command -v sphinx-build >/dev/null || lacks "the package python3-sphinx"
	key="sphinx $(sphinx-build --version)"
	mkdir -p "${state%/*}"
	files Documentation | xargs git hash-object >"$state"
	[ -n "$(changed "$key" "$state")" ] || [ ! -e "$out/html" ] || return 0
	PYTHONDONTWRITEBYTECODE=1 sphinx-build -q -W --keep-going -E -b html -d "$out/doctrees" \
		Documentation "$out/html" && passed "$key" "$state"
}
