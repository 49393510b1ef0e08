# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The files of a kernel that the patch series changes, and what is done with them. Sourced by
# scripts/upstream/check, after scripts/kernels.sh.

SERIES=$RPCRDMA_BUILD/upstream

# What the series changes, or could collide with.
UPSTREAM_TRACKED="net/sunrpc fs/nfs Documentation/filesystems/nfs Documentation/netlink/specs
	MAINTAINERS"

upstream_patches()
{
	find "$SERIES" -name '*.patch' ! -name '0000-*' | sort
}

upstream_write()
{
	rm -f "$SERIES"/*.patch
	"$here/write" --source "$KERNEL_SOURCE" --out "$SERIES"
}

# upstream_git ARGUMENTS...: git in the current folder, whatever the user has configured.
upstream_git()
{
	GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null git -c user.name=upstream \
		-c user.email=upstream@localhost "$@"
}

# upstream_begin: a repository of the current folder.
upstream_begin()
{
	# shellcheck disable=SC2086
	upstream_git init -q && upstream_git add -f $UPSTREAM_TRACKED &&
		upstream_git commit -q -m base
}

# upstream_apply: git am applies the series there.
upstream_apply()
{
	local patches

	mapfile -t patches < <(upstream_patches)
	upstream_git am -q "${patches[@]}" && echo "# ${#patches[@]} patches applied"
}

# upstream_in_copy COMMAND...: run it in a copy of those files with the series applied.
upstream_in_copy()
{
	local tmp=$OUT/copy status

	# Always the same folder: ccache looks at paths, too.
	rm -rf "$tmp"
	mkdir -p "$tmp" || return 1
	# shellcheck disable=SC2086
	(cd "$KERNEL_SOURCE" && cp -r --parents $UPSTREAM_TRACKED "$tmp") &&
		(cd "$tmp" && upstream_begin && upstream_apply && "$@")
	status=$?
	rm -rf "$tmp"
	return $status
}

# upstream_options: the options of the transports, as kbuild's variables.
upstream_options()
{
	sed -n 's/^+config \(SUNRPC_RDMA[A-Z_]*\)$/CONFIG_\1=m/p' "$SERIES"/*.patch | grep -v _TEST=
}

# upstream_modules: compile and link the transports for the UML kernel in the cache, whose
# configuration does not have these options. Copy the modules to where guests look for them.
upstream_modules()
{
	local kernel options out=$OUT/build/uml

	kernel=$(kernel_dir uml)
	[ -s "$kernel/Module.symvers" ] || { echo "no kernel; run scripts/setup uml"; return 1; }
	mapfile -t options < <(upstream_options)
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$kernel" ARCH=um CC="ccache gcc" \
		-j"$(nproc)" M="$PWD/net/sunrpc/rdma" "${options[@]}" modules || return 1
	rm -rf "$out"
	mkdir -p "$out" && find net/sunrpc/rdma -name '*.ko' -exec cp -t "$out" {} + || return 1
	echo "# $(find "$out" -name '*.ko' | wc -l) modules"
}

# upstream_documents: Sphinx makes HTML of the documents of the series without a warning.
upstream_documents()
{
	command -v sphinx-build >/dev/null || { echo "no sphinx-build; run scripts/setup docs"; return 1; }
	touch Documentation/filesystems/nfs/rpc-rdma/conf.py &&
		PYTHONDONTWRITEBYTECODE=1 sphinx-build -q -W --keep-going \
			Documentation/filesystems/nfs/rpc-rdma html
}
