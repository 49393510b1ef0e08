# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The host's side of a guest, whatever its kernel: what to run in it, and on
# which processor. Sourced by scripts/vm/run, which sets the VM_ variables.

vm_die()
{
	echo "vm: $*" >&2
	exit 127
}

# kernel_kind KERNEL: "uml" or "x86", how this kernel is booted.
kernel_kind()
{
	case $1 in
	uml | uml-debug | uml-kcsan | uml-upstream | uml-upstream-y) echo uml ;;
	x86 | x86-*) echo x86 ;;
	*) return 1 ;;
	esac
}

# write_job: the shell fragment that scripts/vm/guest reads in the guest.
write_job()
{
	local var

	{
		printf 'export RPCRDMA_KERNEL=%q\n' "$VM_KERNEL"
		printf 'export RPCRDMA_TOP=%q\n' "$RPCRDMA_TOP"
		printf 'export MODDIR=%q\n' "$VM_MODDIR"
		printf 'export ROLE=%q\n' "$VM_ROLE"
		printf 'VM_NET=%q\n' "${VM_NET:+eth0}"
		printf 'VM_LIBMODULES=%q\n' "$VM_LIBMODULES"
		printf 'VM_CWD=%q\n' "$PWD"
		[ -z "${TRANSPORT:-}" ] ||
			printf 'export TRANSPORT=%q\n' "$TRANSPORT"
		for var in ${VM_ENV[@]+"${VM_ENV[@]}"}; do
			printf 'export %s=%q\n' "${var%%=*}" "${var#*=}"
		done
		printf 'VM_SCRIPT=('
		printf ' %q' "${VM_SCRIPT[@]}"
		printf ' )\n'
	} >"$VM_OUT/job"
}

# take_cpu: set VM_CPU to a processor that no other guest is pinned to, or to
# any if all are taken. The lock is held until the caller exits.
take_cpu()
{
	local dir=$RPCRDMA_CACHE/cpu n i

	n=$(nproc)
	VM_CPU=$((RANDOM % n))
	mkdir -p "$dir" || return 0
	for ((i = n - 1; i >= 0; i--)); do
		exec {VM_CPU_LOCK}>"$dir/$i" || return 0
		if flock -n "$VM_CPU_LOCK"; then
			VM_CPU=$i
			return 0
		fi
		exec {VM_CPU_LOCK}>&-
	done
}

# deadline COMMAND...: run COMMAND for at most VM_TIMEOUT seconds.
deadline()
{
	timeout --foreground -k 5 "$VM_TIMEOUT" "$@"
}
