# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Where things are, and how long commands say what they do, also if nobody sees a terminal: sourced by
# the scripts that build, boot and install.

RPCRDMA_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
RPCRDMA_CACHE=${RPCRDMA_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/rpcrdma}
RPCRDMA_BUILD=${BUILD:-$RPCRDMA_TOP/build}
# The kernel series that most is tested with: where the newest one cannot be had, scripts/setup has
# chosen another.
RPCRDMA_SERIES=$(cat "$RPCRDMA_CACHE/series" 2>/dev/null || echo "${RPCRDMA_SERIES:-7.3}")
RPCRDMA_MODULES="rpcrdma_core xprtrdma svcrdma"

export RPCRDMA_TOP RPCRDMA_CACHE RPCRDMA_BUILD RPCRDMA_MODULES

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

# usage: the comment at the head of the program
usage()
{
	sed -n '4,/^$/s/^# \{0,1\}//p' "$0"
}

# source_version: that of VERSION. Between releases, which have the tag vVERSION, followed by the
# time of the newest change and its commit ("+": with changes that are not committed), so that a
# later build has a higher version, and the release the highest. RPCRDMA_VERSION sets another one.
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

# extensions: those that can be built, or left out
extensions()
{
	sed -n 's/^#define RPCRDMA_EXT_\([A-Z]*\) 1/\1/p' "$RPCRDMA_TOP/include/rpcrdma/extensions.h" |
		tr '[:upper:]\n' '[:lower:] ' | sed 's/ $//'
}

# stock_pattern KERNEL: the releases of a stock kernel, as an extended pattern. x86 and x86-rt are
# those of the series.
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

# newest_modules PATTERN FOLDER: of the folders of modules there that have headers (build)
newest_modules()
{
	local folder

	# shellcheck disable=SC2053
	for folder in "$2"/*; do
		[[ ${folder##*/} == $1 && -e $folder/build ]] && echo "$folder"
	done | sort -V | tail -n 1 | grep .
}

# stock_modules KERNEL: the folder with the modules of a stock kernel, and in it "build", with the
# headers: in the cache or on this host, the newest. For "host" this is $KVER or the running kernel.
stock_modules()
{
	local pattern

	[ "$1" != host ] || { echo "/lib/modules/${KVER:-$(uname -r)}"; return; }
	pattern=$(stock_pattern "$1") || return 1
	newest_modules "$pattern" "$RPCRDMA_CACHE/stock/lib/modules" ||
		newest_modules "$pattern" /lib/modules
}

# no_host_headers: end, because "host" has no headers, and name kernels that have.
no_host_headers()
{
	local what=${KVER:-} others

	[ -n "$what" ] || what="$(uname -r), which is running"
	others=$(compgen -G '/lib/modules/*/build/Makefile' | sed 's|/lib/modules/\([^/]*\)/.*|KVER=\1|' | xargs)
	die "no headers of Linux $what: install them (Debian: linux-headers-${what%%,*})," \
		"or build for another kernel${others:+ that has them: make modules $others}"
}

# stock_release KERNEL: its release.
stock_release()
{
	local modules

	modules=$(stock_modules "$1") && echo "${modules##*/}"
}

# kernel_dir KERNEL: the O= folder of a User Mode Linux kernel.
kernel_dir()
{
	echo "$RPCRDMA_CACHE/$1-$RPCRDMA_SERIES"
}

# kernel_mods KERNEL: where the modules of that kernel are installed.
kernel_mods()
{
	echo "$(kernel_dir "$1")/mods"
}

PROGRESS_SECONDS=${PROGRESS_SECONDS:-20}

# ticking FUNCTION COMMAND...: run COMMAND; until it ends, call FUNCTION every PROGRESS_SECONDS
# to print a line, with the standard output that ticking itself has. Its status is COMMAND's.
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

# progress_ticker FUNCTION: ends with the script. It waits without a process of its own, which
# would keep a pipe open, or a lock, when the ticker is killed.
progress_ticker()
{
	local fd

	exec {fd}<> <(:)
	while ! read -r -t "$PROGRESS_SECONDS" -u "$fd"; do
		kill -0 $$ 2>/dev/null || exit 0
		"$1"
	done
}

# busy WHAT COMMAND...: run it; every PROGRESS_SECONDS, a comment names WHAT, and the last line of
# PROGRESS_LOG, if that is set.
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

# logged WHAT LOG COMMAND...: the same, and COMMAND's output goes to LOG.
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

# side_by_side RUN FINISHED NAME...: RUN NAME in the background, for $JOBS at a time, or as many as
# there are processors; here FINISHED NAME STATUS SECONDS, when it has ended.
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

# in_background RUN NAME: with a process group of its own, which end_all can end.
in_background()
{
	set -m
	"$1" "$2" &
	set +m
	RUNNING[$!]="$2 $SECONDS"
}

# end_all: end what runs in the background.
end_all()
{
	local pid

	for pid in "${!RUNNING[@]}"; do kill -TERM -- "-$pid"; done
}
