# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Paths, and progress messages of long commands, with or without a terminal. Sourced by the scripts
# that build, boot and install.

RPCRDMA_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
RPCRDMA_CACHE=${RPCRDMA_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/rpcrdma}
RPCRDMA_BUILD=${BUILD:-$RPCRDMA_TOP/build}
# The kernel series of most tests. scripts/setup chooses another where the newest is not available.
RPCRDMA_SERIES=$(cat "$RPCRDMA_CACHE/series" 2>/dev/null || echo "${RPCRDMA_SERIES:-7.3}")
RPCRDMA_MODULES="rpcrdma_core xprtrdma svcrdma"

export RPCRDMA_TOP RPCRDMA_CACHE RPCRDMA_BUILD RPCRDMA_MODULES

die()
{
	echo "${0##*/}: $*" >&2
	exit 1
}

# lacks WHAT: exit, because WHAT is missing. This is a failure, because scripts/setup installs it.
# If the user has chosen to install nothing (RPCRDMA_SETUP=skip), the test is skipped instead.
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

# usage: print the program's first comment.
usage()
{
	sed -n '4,/^$/s/^# \{0,1\}//p' "$0"
}

# source_version: print the version in VERSION. Without the tag vVERSION of a release, the time and
# the commit of the newest change follow ("+" means uncommitted changes). Later builds therefore
# have higher versions, and the release has the highest. RPCRDMA_VERSION overrides the version.
source_version()
{
	local version commit time changed

	[ -z "${RPCRDMA_VERSION:-}" ] || { echo "$RPCRDMA_VERSION"; return; }
	version=$(cat "$RPCRDMA_TOP/VERSION")
	if ! [ -e "$RPCRDMA_TOP/.git" ] ||
		! read -r commit time < <(git -C "$RPCRDMA_TOP" log -1 --abbrev=7 --format='%h %ct' 2>/dev/null); then
		echo "$version"
		return
	fi
	changed=$(cd "$RPCRDMA_TOP" && { git diff -z --name-only HEAD
		git ls-files -z --others --exclude-standard; } |
		xargs -0r stat -c %Y 2>/dev/null | sort -n | tail -n 1)
	if [ -n "$changed" ]; then
		commit+=+
		[ "$changed" -lt "$time" ] || time=$changed
	elif [ "$(git -C "$RPCRDMA_TOP" tag --points-at HEAD "v$version")" ]; then
		echo "$version"
		return
	fi
	echo "$version~git$(date -u -d "@$time" +%Y%m%d%H%M).$commit"
}

# extensions: list the extensions that can be left out of a build.
extensions()
{
	sed -n 's/^#define RPCRDMA_EXT_\([A-Z]*\) 1/\1/p' "$RPCRDMA_TOP/include/rpcrdma/extensions.h" |
		tr '[:upper:]\n' '[:lower:] ' | sed 's/ $//'
}

# stock_pattern KERNEL: print the releases of a stock kernel, as an extended pattern. x86 and x86-rt
# are the kernels of RPCRDMA_SERIES.
stock_pattern()
{
	local series=${1#x86-}

	case $1 in
	x86 | x86-rt) stock_pattern "x86-$RPCRDMA_SERIES${1#x86}" ;;
	x86-*-rt) echo "${series%-rt}.*-rt-*" ;;
	x86-*) echo "$series.!(*-rt-*|*-cloud-*)" ;;
	*) return 1 ;;
	esac
}

# newest_modules PATTERN FOLDER: print the newest folder of modules there that has headers (build).
newest_modules()
{
	local folder

	# shellcheck disable=SC2053
	for folder in "$2"/*; do
		[[ ${folder##*/} == $1 && -e $folder/build ]] && echo "$folder"
	done | sort -V | tail -n 1 | grep .
}

# stock_modules KERNEL: print the modules folder of the newest release of a stock kernel, in the
# cache or on this host. "build" in it has the headers. "host" is $KVER or the running kernel.
stock_modules()
{
	local pattern

	[ "$1" != host ] || { echo "/lib/modules/${KVER:-$(uname -r)}"; return; }
	pattern=$(stock_pattern "$1") || return 1
	newest_modules "$pattern" "$RPCRDMA_CACHE/stock/lib/modules" ||
		newest_modules "$pattern" /lib/modules
}

# no_host_headers: exit, because "host" has no headers, and name kernels that have headers.
no_host_headers()
{
	local what=${KVER:-} others

	[ -n "$what" ] || what="$(uname -r), which is running"
	others=$(compgen -G '/lib/modules/*/build/Makefile' | sed 's|/lib/modules/\([^/]*\)/.*|KVER=\1|' | xargs)
	die "no headers of Linux $what: install them (Debian: linux-headers-${what%%,*})," \
		"or build for another kernel${others:+ that has them: make modules $others}"
}

# stock_release KERNEL: print the release of a stock kernel.
stock_release()
{
	local modules

	modules=$(stock_modules "$1") && echo "${modules##*/}"
}

# kernel_dir KERNEL: print the O= folder of a User Mode Linux kernel.
kernel_dir()
{
	echo "$RPCRDMA_CACHE/$1-$RPCRDMA_SERIES"
}

# kernel_mods KERNEL: print the folder of the installed modules of a User Mode Linux kernel.
kernel_mods()
{
	echo "$(kernel_dir "$1")/mods"
}

PROGRESS_SECONDS=${PROGRESS_SECONDS:-20}

# ticking FUNCTION COMMAND...: run COMMAND, and meanwhile call FUNCTION every PROGRESS_SECONDS to
# print a line on the caller's standard output. Returns COMMAND's status.
ticking()
{
	local ticker status=0

	progress_ticker "$1" &
	ticker=$!
	shift
	"$@" || status=$?
	kill "$ticker" 2>/dev/null
	wait "$ticker" 2>/dev/null || true
	return "$status"
}

# progress_ticker FUNCTION: exits with the script. It waits without a child process, because a child
# would keep a pipe or a lock open after the ticker is killed.
progress_ticker()
{
	local fd

	exec {fd}<> <(:)
	while ! read -r -t "$PROGRESS_SECONDS" -u "$fd"; do
		kill -0 $$ 2>/dev/null || exit 0
		"$1"
	done
}

# busy WHAT COMMAND...: run COMMAND, and print a comment every PROGRESS_SECONDS with WHAT and, if
# PROGRESS_LOG is set, its last line.
busy()
{
	local PROGRESS_WHAT=$1 PROGRESS_START=$SECONDS

	ticking progress_line "${@:2}"
}

progress_line()
{
	local text

	text=$(tail -n 1 "${PROGRESS_LOG:-/dev/null}" 2>/dev/null | tr -cd '[:print:]')
	text=${text:+: $text}
	printf '# %s, %d s%s\n' "$PROGRESS_WHAT" $((SECONDS - PROGRESS_START)) "${text:0:100}"
}

# logged WHAT LOG COMMAND...: like busy, with COMMAND's output in LOG.
logged()
{
	local PROGRESS_LOG=$2

	busy "$1" progress_to_log "${@:3}"
}

progress_to_log()
{
	"$@" >"$PROGRESS_LOG" 2>&1
}

declare -gA RUNNING=()

# side_by_side RUN FINISHED NAME...: call RUN NAME in the background for each NAME, $JOBS at a time
# (default: one per processor). When it ends, call FINISHED NAME STATUS SECONDS in this shell.
side_by_side()
{
	local run=$1 finished=$2 pid status name start

	shift 2
	while [ $# -gt 0 ] || [ ${#RUNNING[@]} -gt 0 ]; do
		if [ $# -gt 0 ] && [ ${#RUNNING[@]} -lt "${JOBS:-$(nproc)}" ]; then
			in_background "$run" "$1"
			shift
			continue
		fi
		wait -n -p pid "${!RUNNING[@]}"
		status=$?
		read -r name start <<<"${RUNNING[$pid]}"
		"$finished" "$name" "$status" $((SECONDS - start))
		unset "RUNNING[$pid]"
	done
}

# in_background RUN NAME: run it in a new process group, which end_all can kill.
in_background()
{
	set -m
	"$1" "$2" &
	set +m
	RUNNING[$!]="$2 $SECONDS"
}

# end_all: kill all background jobs.
end_all()
{
	local pid

	for pid in "${!RUNNING[@]}"; do kill -TERM -- "-$pid"; done
}
