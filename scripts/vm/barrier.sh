# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Barriers between the two guests of scripts/vm/pair. Sourced by guest scripts.

# barrier NAME [SECONDS]: wait until the other guest calls it with this NAME.
# Each NAME can be used once. Returns 1 when the time (default 60 s) is up or
# the other guest failed.
barrier()
{
	local dir=/run/shared name=$1 left=$((${2:-60} * 20)) other

	case $ROLE in
	left) other=right ;;
	*) other=left ;;
	esac
	: >"$dir/$name.$ROLE"
	until [ -e "$dir/$name.$other" ]; do
		if [ -e "$dir/failed" ]; then
			echo "barrier $name: the other guest failed" >&2
			return 1
		fi
		if [ $((left -= 1)) -lt 0 ]; then
			echo "barrier $name: the other guest did not come" >&2
			return 1
		fi
		sleep 0.05
	done
}
