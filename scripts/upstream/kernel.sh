# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The patch series; those files of the kernel that it changes, with the series applied; a copy of the
# kernel's source with these, and User Mode Linux kernels that are built from it, in the cache. Sourced by
# scripts/upstream/check, after scripts/kernels.sh.

SERIES=$RPCRDMA_BUILD/upstream

# What the series changes, or could collide with.
UPSTREAM_TRACKED="net/sunrpc fs/nfs Documentation/filesystems/nfs Documentation/netlink
	MAINTAINERS"

upstream_patches()
{
	find "$SERIES" -name '*.patch' ! -name '0000-*' | sort
}

# upstream_git ARGUMENTS...: git in the current folder, whatever the user has configured.
upstream_git()
{
	GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null git -c user.name=upstream \
		-c user.email=upstream@localhost "$@"
}

# upstream_apply: git am applies the series to those files, in a repository of their own: $OUT/tree, with
# the tags "base" and "series".
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

# upstream_applied: that has been done.
upstream_applied()
{
	[ -e "$OUT/tree/.git/refs/tags/series" ] || { echo "no series; run scripts/upstream/check series"; return 1; }
}

# upstream_in_tree COMMAND...: run it there, without what an earlier one has left.
upstream_in_tree()
{
	upstream_applied && (cd "$OUT/tree" && upstream_git clean -qfdx && "$@")
}

# upstream_checkpatch: checkpatch.pl --strict has nothing to say about the patches, but what make lint
# tolerates in the files, and what patches alone have: the first one has the entry in MAINTAINERS,
# whoever submits the series signs it, and paths of documents are longer in the kernel.
upstream_checkpatch()
{
	local kinds=FILE_PATH_CHANGES,MISSING_SIGN_OFF,LONG_LINE_COMMENT

	kinds+=,COMPLEX_MACRO,MACRO_ARG_REUSE,MACRO_ARG_UNUSED,UNCOMMENTED_DEFINITION
	kinds+=,ALLOC_WITH_SIZEOF,CONST_STRUCT,MULTISTATEMENT_MACRO_USE_DO_WHILE
	kinds+=,MACRO_WITH_FLOW_CONTROL,OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT,SPACING,CODE_INDENT
	upstream_patches | xargs -P "$(nproc)" -n 1 "$KERNEL_SOURCE/scripts/checkpatch.pl" --strict \
		--no-tree --terse --show-types --no-summary --ignore "$kinds"
}

# upstream_documents: Sphinx makes HTML of the documents of the series without a warning.
upstream_documents()
{
	command -v sphinx-build >/dev/null || { echo "no sphinx-build; run scripts/setup docs"; return 1; }
	touch Documentation/filesystems/nfs/rpc-rdma/conf.py &&
		PYTHONDONTWRITEBYTECODE=1 sphinx-build -q -W --keep-going \
			Documentation/filesystems/nfs/rpc-rdma html
}

# upstream_generate NAME MODE KIND FILE: what the kernel's generator makes of a specification; it
# refuses those that are not under the licence of uapi headers.
upstream_generate()
{
	local generator=$KERNEL_SOURCE/tools/net/ynl/ynl-gen-c.py

	[ -e "$generator" ] || generator=$KERNEL_SOURCE/tools/net/ynl/pyynl/ynl_gen_c.py
	PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$generator" --spec "Documentation/netlink/specs/$1.yaml" \
		--mode "$2" "--$3" -o "ynl/$4"
}

# upstream_netlink: C code that is generated from the specifications compiles with the uapi header
# of the series, in userspace and in the kernel, and the generated header has the same numbers.
upstream_netlink()
{
	local name header=include/uapi/linux/rpcrdma_netlink.h

	mkdir ynl || return 1
	for name in rpcrdma-client rpcrdma-server; do
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
	done
	touch ynl/Kbuild
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$(stock_modules x86)/build" "M=$PWD/ynl" \
		"KCFLAGS=-I$PWD/include -Werror" rpcrdma-client.o rpcrdma-server.o
}

UPSTREAM=$RPCRDMA_CACHE/upstream
# A copy of the kernel's source by hard links: git replaces files and does not write into them.
UPSTREAM_SOURCE=$UPSTREAM/source

# upstream_lock: one run at a time uses these folders.
upstream_lock()
{
	[ -n "${UPSTREAM_LOCKED:-}" ] || { mkdir -p "$UPSTREAM" && take_lock upstream; } && UPSTREAM_LOCKED=y
}

# upstream_source_git ARGUMENTS...: git with a repository beside the source. If it were in the
# source, the kernel's build would append "+" to its release.
upstream_source_git()
{
	GIT_DIR=$UPSTREAM/git GIT_WORK_TREE=$UPSTREAM_SOURCE \
		upstream_git -C "$UPSTREAM_SOURCE" "$@"
}

# upstream_source TAG: a copy of the kernel's source, if there is none yet, with those files as they are
# there. Those that are so already are not touched, so that only what has to be is compiled.
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

# upstream_make KERNEL ARGUMENTS...
upstream_make()
{
	KERNEL_SOURCE=$UPSTREAM_SOURCE kernel_make "$@"
}

# upstream_configure KERNEL: with those options that the source has by now.
upstream_configure()
{
	local log=$OUT/configure.log

	: >"$log"
	KERNEL_SOURCE=$UPSTREAM_SOURCE kernel_configure "$1" "$log" || { tail -n 20 "$log"; return 1; }
}

# upstream_has KERNEL FRAGMENT: the kernel's configuration is as that fragment says.
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

# upstream_kernel KERNEL: build it, and copy the modules of the series to where guests look for
# them.
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
