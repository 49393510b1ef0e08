# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Where things are: sourced by the scripts that build, boot and install.

RPCRDMA_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
RPCRDMA_CACHE=${RPCRDMA_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/rpcrdma}
RPCRDMA_BUILD=${BUILD:-$RPCRDMA_TOP/build}
# The kernel series the modules are written for.
RPCRDMA_SERIES=6.12
RPCRDMA_MODULES="rpcrdma_codec xprtrdma svcrdma"

export RPCRDMA_TOP RPCRDMA_CACHE RPCRDMA_BUILD RPCRDMA_SERIES RPCRDMA_MODULES

die()
{
	echo "${0##*/}: $*" >&2
	exit 1
}

say()
{
	printf '%s\n' "$*"
}

# codec_sources [PREFIX]: the codec's sources, as they compile in userspace.
codec_sources()
{
	local file

	for file in "$RPCRDMA_TOP"/codec/*.c; do
		[ "${file##*/}" = module.c ] || echo "${1:-}codec/${file##*/}"
	done
}

# stock_kver: release of the stock kernel: $KVER, the running kernel if it is
# of our series, else the newest installed one of our series; no real-time kernel and none for
# clouds, which may be installed as well.
stock_kver()
{
	local running dir newest=

	if [ -n "${KVER:-}" ]; then
		echo "$KVER"
		return 0
	fi
	running=$(uname -r)
	case $running in
	"$RPCRDMA_SERIES".*)
		if [ -e "/lib/modules/$running/build" ]; then
			echo "$running"
			return 0
		fi
		;;
	esac
	while read -r dir; do
		case $dir in *-rt-* | *-cloud-*) continue ;; esac
		[ -e "$dir/build" ] && newest=${dir##*/}
	done < <(printf '%s\n' /lib/modules/"$RPCRDMA_SERIES".* | sort -V)
	[ -n "$newest" ] || return 1
	echo "$newest"
}

# kernel_dir KERNEL: the O= folder of "uml", "uml-debug" or "x86-debug".
kernel_dir()
{
	echo "$RPCRDMA_CACHE/$1"
}

# kernel_image KERNEL: what is booted.
kernel_image()
{
	case $1 in
	x86-debug) echo "$(kernel_dir "$1")/arch/x86/boot/bzImage" ;;
	*) echo "$(kernel_dir "$1")/linux" ;;
	esac
}

# kernel_mods KERNEL: where the modules of that kernel are installed.
kernel_mods()
{
	case $1 in
	uml) echo "$RPCRDMA_CACHE/umlmods" ;;
	*) echo "$RPCRDMA_CACHE/$1-mods" ;;
	esac
}
