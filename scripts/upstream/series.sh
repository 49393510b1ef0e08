# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The patch series, and a copy of those files of the kernel that it changes. Sourced by
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

# upstream_base: a repository of the current folder.
upstream_base()
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

	rm -rf "$tmp"
	mkdir -p "$tmp" || return 1
	# shellcheck disable=SC2086
	(cd "$KERNEL_SOURCE" && cp -r --parents $UPSTREAM_TRACKED "$tmp") &&
		(cd "$tmp" && upstream_base && upstream_apply && "$@")
	status=$?
	rm -rf "$tmp"
	return $status
}

# upstream_documents: Sphinx makes HTML of the documents of the series without a warning.
upstream_documents()
{
	command -v sphinx-build >/dev/null || { echo "no sphinx-build; run scripts/setup docs"; return 1; }
	touch Documentation/filesystems/nfs/rpc-rdma/conf.py &&
		PYTHONDONTWRITEBYTECODE=1 sphinx-build -q -W --keep-going \
			Documentation/filesystems/nfs/rpc-rdma html
}
