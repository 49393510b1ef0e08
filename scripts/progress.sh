# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Long runs say what they do, also if nobody sees a terminal: sourced by the scripts that start
# what writes nothing for long, or writes to a file.

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

# logged WHAT LOG COMMAND...: COMMAND's output goes to LOG; every PROGRESS_SECONDS, a comment
# shows its last line.
logged()
{
	local PROGRESS_WHAT=$1 PROGRESS_LOG=$2 PROGRESS_START=$SECONDS

	shift 2
	ticking progress_of_log progress_to_log "$@"
}

progress_to_log()
{
	"$@" >"$PROGRESS_LOG" 2>&1
}

progress_of_log()
{
	progress_line "$(tail -n 1 "$PROGRESS_LOG" 2>/dev/null | tr -cd '[:print:]')"
}

# progress_line TEXT: one comment about what PROGRESS_WHAT names.
progress_line()
{
	local text=${1:+: $1}

	printf '# %s, %d s%s\n' "$PROGRESS_WHAT" $((SECONDS - PROGRESS_START)) "${text:0:100}"
}

# busy WHAT COMMAND...: the same for a command that writes nothing but complaints.
busy()
{
	local PROGRESS_WHAT=$1 PROGRESS_START=$SECONDS

	shift
	ticking progress_line "$@"
}

declare -A RUNNING=()

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
