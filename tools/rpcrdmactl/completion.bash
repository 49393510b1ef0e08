# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completes rpcrdmactl's command line; installed for bash-completion.

_rpcrdmactl_mounts()
{
	sed -n 's/^[^ ]* \([^ ]*\) nfs.*proto=rdma.*/\1/p' /proc/mounts
}

_rpcrdmactl_words()
{
	local command=$1

	case $command in
	list) echo "--json --help --side --ended --mount --server --device" ;;
	show) echo "--json --help --side --mount --server --device $(rpcrdmactl list 2>/dev/null | sed -n 's/^\([a-z]*:[0-9]*\) .*/\1/p')" ;;
	tunables) echo "--json --help --side --set" ;;
	watch) echo "--json --help --side --mount --server --device --interval --count" ;;
	top) echo "--json --help --device --interval --count" ;;
	explain) echo "--json --help $(_rpcrdmactl_mounts)" ;;
	doctor) echo "--json --help" ;;
	report) echo "--json --help --mask --output" ;;
	metrics) echo "--json --help --textfile" ;;
	switch) echo "--json --help --dry-run in-tree ours" ;;
	*) echo "--help --json --version list show tunables watch top explain doctor report metrics switch" ;;
	esac
}

_rpcrdmactl()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words

	case $before in
	--side) words="client server" ;;
	--mount) words=$(_rpcrdmactl_mounts) ;;
	--device) words=$(ls /sys/class/infiniband 2>/dev/null) ;;
	--set) words=$(rpcrdmactl tunables 2>/dev/null | sed -n 's/^\([a-z]*\.[a-z_0-9]*\) .*/\1=/p') ;;
	*) words=$(_rpcrdmactl_words "$([ "$COMP_CWORD" -le 1 ] || echo "${COMP_WORDS[1]}")") ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -F _rpcrdmactl rpcrdmactl
