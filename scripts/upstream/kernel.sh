# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Applies the patch series: to the files that it changes, for checks; and to a copy of the kernel
# source in the cache, to build User Mode Linux and to compile after each patch. Sourced by
# scripts/upstream/check, after scripts/kernels.sh.

SERIES=$RPCRDMA_BUILD/upstream

# Files that the series changes or could conflict with
UPSTREAM_TRACKED="net/sunrpc fs/nfs Documentation/filesystems/nfs Documentation/netlink
	MAINTAINERS"

upstream_patches()
{
	find "$SERIES" -name '*.patch' ! -name '0000-*' | sort
}

# upstream_git ARGUMENTS...: run git in the current folder, without the user's configuration.
upstream_git()
{
	GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null git -c user.name=upstream \
		-c user.email=upstream@localhost "$@"
}

# upstream_apply: apply the series to these files with git am, in the repository $OUT/tree, with the
# tags "base" and "series".
upstream_apply()
{
	local tree=$OUT/tree patches

	mapfile -t patches < <(upstream_patches)
	rm -rf "$tree"
	mkdir -p "$tree" || return 1
	# shellcheck disable=SC2086
	(cd "$KERNEL_SOURCE" && cp -r --parents $UPSTREAM_TRACKED "$tree") &&
		upstream_git -C "$tree" init -q && upstream_git -C "$tree" add -f . &&
		upstream_git -C "$tree" commit -q -m base && upstream_git -C "$tree" tag base &&
		upstream_git -C "$tree" am -q "${patches[@]}" && upstream_git -C "$tree" tag series &&
		echo "# ${#patches[@]} patches applied"
}

# upstream_applied: succeed if the series has been applied.
upstream_applied()
{
	[ -e "$OUT/tree/.git/refs/tags/series" ] || { echo "no series; run scripts/upstream/check series"; return 1; }
}

# upstream_in_tree COMMAND...: run it in $OUT/tree, without files from earlier commands.
upstream_in_tree()
{
	upstream_applied && (cd "$OUT/tree" && upstream_git clean -qfdx && "$@")
}

# upstream_checkpatch: checkpatch.pl --strict reports nothing for the patches. Exceptions are those
# of make lint, and some for patches: only the first patch changes MAINTAINERS, the submitter signs
# the series, and paths of documents are longer in the kernel.
upstream_checkpatch()
{
	local kinds=FILE_PATH_CHANGES,MISSING_SIGN_OFF,LONG_LINE_COMMENT

	kinds+=,COMPLEX_MACRO,MACRO_ARG_REUSE,MACRO_ARG_UNUSED,UNCOMMENTED_DEFINITION
	kinds+=,ALLOC_WITH_SIZEOF,CONST_STRUCT,MULTISTATEMENT_MACRO_USE_DO_WHILE
	kinds+=,MACRO_WITH_FLOW_CONTROL,OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT,SPACING,CODE_INDENT
	upstream_patches | xargs -P "$(nproc)" -n 1 "$KERNEL_SOURCE/scripts/checkpatch.pl" --strict \
		--no-tree --terse --show-types --no-summary --ignore "$kinds"
}

# upstream_documents: Sphinx converts the documents of the series to HTML without a warning.
upstream_documents()
{
	command -v sphinx-build >/dev/null || { echo "no sphinx-build; run scripts/setup docs"; return 1; }
	touch Documentation/filesystems/nfs/rpc-rdma/conf.py &&
		PYTHONDONTWRITEBYTECODE=1 sphinx-build -q -W --keep-going \
			Documentation/filesystems/nfs/rpc-rdma html
}

# upstream_generate NAME MODE KIND FILE: run the kernel's generator on a specification, which must
# have the license of uapi headers.
upstream_generate()
{
	local generator=$KERNEL_SOURCE/tools/net/ynl/ynl-gen-c.py

	[ -e "$generator" ] || generator=$KERNEL_SOURCE/tools/net/ynl/pyynl/ynl_gen_c.py
	PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$generator" --spec "Documentation/netlink/specs/$1.yaml" \
		--mode "$2" "--$3" -o "ynl/$4"
}

# upstream_netlink: C code that is generated from the specification compiles with the uapi header
# of the series, in userspace and in the kernel, and the generated header has the same numbers.
upstream_netlink()
{
	local name=rpcrdma header=include/uapi/linux/rpcrdma_netlink.h

	mkdir ynl &&
		upstream_generate $name uapi header uapi.h &&
		cmp <(head -n 1 $header) <(head -n 1 ynl/uapi.h) &&
		upstream_generate $name user header $name-user.h &&
		upstream_generate $name user source $name-user.c &&
		upstream_generate $name kernel header $name.h &&
		upstream_generate $name kernel source $name.c || return 1
	{
		printf '#include <linux/rpcrdma_netlink.h>\n'
		sed 's/RPCRDMA_NL_/YNL_/g; s/rpcrdma_nl_/ynl_/g' ynl/uapi.h
		sed -n 's/^\tRPCRDMA_NL_\([A-Z0-9_]*\).*/_Static_assert(YNL_\1 == (int)RPCRDMA_NL_\1, "\1");/p' ynl/uapi.h |
			grep -v CMD_MAX
	} >ynl/$name-numbers.c
	gcc -std=gnu11 -Wall -Wextra -Werror -Wno-unused-parameter -Iinclude/uapi -fsyntax-only \
		-I"$KERNEL_SOURCE/tools/net/ynl/lib" ynl/$name-user.c ynl/$name-numbers.c || return 1
	touch ynl/Kbuild
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$(stock_modules x86)/build" "M=$PWD/ynl" \
		"KCFLAGS=-I$PWD/include -Werror" $name.o
}

UPSTREAM=$RPCRDMA_CACHE/upstream
# A copy of the kernel source by hard links. This is safe, because git replaces files instead of
# writing into them.
UPSTREAM_SOURCE=$UPSTREAM/source

# upstream_lock: serialize the use of these folders.
upstream_lock()
{
	[ -n "${UPSTREAM_LOCKED:-}" ] || { mkdir -p "$UPSTREAM" && take_lock upstream; } && UPSTREAM_LOCKED=y
}

# upstream_source_git ARGUMENTS...: run git with a repository beside the source. With a repository
# in the source, the kernel's build would append "+" to its release.
upstream_source_git()
{
	GIT_DIR=$UPSTREAM/git GIT_WORK_TREE=$UPSTREAM_SOURCE \
		upstream_git -C "$UPSTREAM_SOURCE" "$@"
}

# upstream_source TAG: check out these files at TAG in the copy of the kernel source, which is
# created if necessary. Unchanged files are not touched, so only changed ones are compiled.
upstream_source()
{
	local key

	upstream_applied || return 1
	key=$(source_key)
	if [ "$(cat "$UPSTREAM/key" 2>/dev/null)" != "$key" ]; then
		rm -rf "$UPSTREAM_SOURCE" "$UPSTREAM/git" "$UPSTREAM/key"
		cp -al "$KERNEL_SOURCE" "$UPSTREAM_SOURCE" && upstream_source_git init -q &&
			echo "$key" >"$UPSTREAM/key" || return 1
	fi
	upstream_source_git fetch -q --force --tags "$OUT/tree" && upstream_source_git reset -q --hard "$1"
}

# upstream_make KERNEL ARGUMENTS...: run make for a kernel.
upstream_make()
{
	KERNEL_SOURCE=$UPSTREAM_SOURCE kernel_make "$@"
}

# upstream_configure KERNEL: configure it with the options that the source has now.
upstream_configure()
{
	local log=$OUT/configure.log

	: >"$log"
	KERNEL_SOURCE=$UPSTREAM_SOURCE kernel_configure "$1" "$log" || { tail -n 20 "$log"; return 1; }
}

# upstream_has KERNEL FRAGMENT: check that the kernel's configuration matches the fragment.
upstream_has()
{
	local line config missing=0

	config=$(kernel_dir "$1")/.config
	while read -r line; do
		grep -qx "$line" "$config" && continue
		echo "not in the configuration: $line"
		missing=1
	done < <(grep -E '^(CONFIG_|# CONFIG_)' "$2")
	return $missing
}

# upstream_kernel KERNEL: build it, and copy the modules of the series to the folder that guests
# use.
upstream_kernel()
{
	local kernel=$1 mods out=$OUT/build/$1 fragments

	mods=$(kernel_mods "$kernel")
	fragments=$(kernel_fragments "$kernel")
	upstream_source series && upstream_configure "$kernel" &&
		upstream_has "$kernel" "${fragments##*[[:space:]]}" || return 1
	upstream_make "$kernel" || return 1
	rm -rf "$mods" "$out"
	mkdir -p "$out" && upstream_make "$kernel" -s modules_install "INSTALL_MOD_PATH=$mods" &&
		find "$mods" -path '*/net/sunrpc/rdma/*' -name '*.ko' -exec cp -t "$out" {} + || return 1
	echo "# $kernel: $(find "$out" -name '*.ko' | wc -l) modules of the series"
}

# Each patch of the series compiles, and its modules link, with only the patches before it applied.

# The folder that is compiled after each patch.
STEPS_FOLDER=net/sunrpc/rdma/
# A separate configuration, so the guests' kernels need not be compiled again
STEPS_KERNEL=uml-steps

# steps_symbols: list the symbols that modules of the series may use: all that the kernel of "make
# guest-uml", which is built from the same fragment, exports, except those of its own transport.
steps_symbols()
{
	local symbols

	symbols=$(kernel_dir uml)/Module.symvers
	[ -s "$symbols" ] || { echo "no $symbols; run scripts/setup uml"; return 1; }
	grep -v 'net/sunrpc/xprtrdma' "$symbols" >"$(kernel_dir $STEPS_KERNEL)/base.symvers"
}

# steps_prepare: configure before the first patch, and prepare for compilation.
steps_prepare()
{
	local dir

	dir=$(kernel_dir $STEPS_KERNEL)
	rm -rf "${dir:?}/$STEPS_FOLDER"
	upstream_source base && upstream_configure $STEPS_KERNEL && steps_symbols &&
		steps_make prepare && : >"$dir/modules.order"
}

# steps_configure: set the options that the source has now, as in the fragment.
steps_configure()
{
	local fragments log=$OUT/configure.log

	fragments=$(kernel_fragments $STEPS_KERNEL)
	cat "${fragments##*[[:space:]]}" >>"$(kernel_dir $STEPS_KERNEL)/.config" || return 1
	upstream_make $STEPS_KERNEL -s olddefconfig >"$log" 2>&1 || { tail -n 20 "$log"; return 1; }
}

# steps_make ARGUMENTS...: run make with W=1, printing nothing but warnings and errors.
steps_make()
{
	upstream_make $STEPS_KERNEL -s W=1 "$@"
}

# steps_link: check with modpost that every symbol that the compiled modules use is defined.
steps_link()
{
	(cd "$(kernel_dir $STEPS_KERNEL)" && scripts/mod/modpost -M -E -W -i base.symvers \
		-o steps.symvers -T "${STEPS_FOLDER}modules.order")
}

# steps_late: print make arguments for options that Makefiles of the series name before Kconfig has
# them, to compile their folders. Such modules are incomplete, and are not linked.
steps_late()
{
	local name

	grep -rhoE --include=Makefile 'CONFIG_[A-Z0-9_]+' "$UPSTREAM_SOURCE/$STEPS_FOLDER" | sort -u |
		while read -r name; do
			grep -q "^$name=" "$(kernel_dir $STEPS_KERNEL)/.config" || echo "$name=m"
		done
}

# steps_objects COMMIT: check that every source that a patch adds was compiled.
steps_objects()
{
	local file missing=0

	while read -r file; do
		[ ! -s "$(kernel_dir $STEPS_KERNEL)/${file%c}o" ] || continue
		echo "error: no Makefile compiles $file"
		missing=1
	done < <(upstream_source_git diff-tree -r --no-commit-id --name-only --diff-filter=A "$1" \
		-- "$STEPS_FOLDER*.c")
	return $missing
}

# steps_compile COMMIT: compile the files of the newest patch, and link the modules.
steps_compile()
{
	local late elsewhere

	# Objects of files that the patch changes outside the folder
	mapfile -t elsewhere < <(upstream_source_git diff-tree -r --no-commit-id --name-only "$1" \
		-- '*.c' ":!$STEPS_FOLDER" | sed 's/c$/o/')
	steps_make "$STEPS_FOLDER" "${elsewhere[@]}" && steps_link || return 1
	mapfile -t late < <(steps_late)
	[ ${#late[@]} -eq 0 ] || steps_make "${late[@]}" "$STEPS_FOLDER" || return 1
	steps_objects "$1"
}

# steps_one COMMIT: apply one patch, configure again if options have changed, and compile without
# any output.
steps_one()
{
	local log=$OUT/steps-one.log

	upstream_source_git reset -q --hard "$1" >"$log" 2>&1 || return 1
	if upstream_source_git diff-tree -r --no-commit-id --name-only "$1" | grep -q Kconfig; then
		steps_configure >"$log" 2>&1 || return 1
	fi
	steps_compile "$1" >"$log" 2>&1 && [ ! -s "$log" ]
}

# steps_reason: print the first error or warning of the newest step, or its first line.
steps_reason()
{
	{ grep -m 1 -E '\b(error|warning|ERROR|WARNING):' "$OUT/steps-one.log" ||
		head -n 1 "$OUT/steps-one.log"; } | sed "s|$UPSTREAM_SOURCE/||g"
}

# steps_each: print one verdict for each patch.
steps_each()
{
	local commit subject begin number=0 failed=0

	while read -r commit subject; do
		number=$((number + 1))
		begin=$SECONDS
		if steps_one "$commit" </dev/null; then
			verdict 0 "step $number: $subject ($((SECONDS - begin)) s)"
		else
			failed=1
			cp "$OUT/steps-one.log" "$OUT/step-$number.log"
			verdict 1 "step $number: $subject: $(steps_reason)"
		fi
	done < <(upstream_source_git log --reverse --format='%H %s' base..series)
	[ "$number" -gt 0 ] && [ "$failed" -eq 0 ]
}
