# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Where things are: sourced by the scripts that build, boot and install.

RPCRDMA_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
RPCRDMA_CACHE=${RPCRDMA_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/rpcrdma}
RPCRDMA_BUILD=${BUILD:-$RPCRDMA_TOP/build}
# The kernel series the modules are written for.
RPCRDMA_SERIES=6.12
RPCRDMA_MODULES="rpcrdma_core xprtrdma svcrdma"

export RPCRDMA_TOP RPCRDMA_CACHE RPCRDMA_BUILD RPCRDMA_SERIES RPCRDMA_MODULES

die()
{
	echo "${0##*/}: $*" >&2
	exit 1
}

# lacks WHAT: end what cannot run without that. scripts/setup installs it, so this is a failure,
# unless the user has chosen to install nothing: then it is a test that is skipped.
lacks()
{
	echo "$1 is missing; scripts/setup check installs it"
	[ "${RPCRDMA_SETUP:-}" != skip ] || exit 77
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

	for file in "$RPCRDMA_TOP"/core/codec/*.c; do
		echo "${1:-}core/codec/${file##*/}"
	done
}

# extensions: those that can be built, or left out
extensions()
{
	sed -n 's/^#define RPCRDMA_EXT_\([A-Z]*\) 1/\1/p' "$RPCRDMA_TOP/include/rpcrdma/extensions.h" |
		tr '[:upper:]\n' '[:lower:] ' | sed 's/ $//'
}

# stock_pattern KERNEL: the releases of a stock kernel, as a pattern of extglob.
stock_pattern()
{
	case $1 in
	x86) echo "$RPCRDMA_SERIES.!(*-rt-*|*-cloud-*)" ;;
	x86-rt) echo "$RPCRDMA_SERIES.*-rt-*" ;;
	x86-6.1) echo "6.1.!(*-rt-*|*-cloud-*)" ;;
	*) return 1 ;;
	esac
}

# stock_release KERNEL: release of a stock kernel: $KVER for x86, the running kernel if it
# matches, else the newest that has headers.
stock_release()
{
	local kernel=$1 pattern release newest='' extglob

	if [ "$kernel" = x86 ] && [ -n "${KVER:-}" ]; then
		echo "$KVER"
		return 0
	fi
	pattern=$(stock_pattern "$kernel") || return 1
	extglob=$(shopt -p extglob)
	shopt -s extglob
	while read -r release; do
		# shellcheck disable=SC2053
		[[ $release == $pattern && -e /lib/modules/$release/build ]] || continue
		newest=$release
		[ "$release" != "$(uname -r)" ] || break
	done < <(printf '%s\n' /lib/modules/* | sed 's|.*/||' | sort -V)
	$extglob
	[ -n "$newest" ] || return 1
	echo "$newest"
}

stock_kver()
{
	stock_release x86
}

# stock_goal KERNEL: the goal of scripts/setup that installs it.
stock_goal()
{
	case $1 in
	x86) echo build ;;
	*) echo kernels ;;
	esac
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
