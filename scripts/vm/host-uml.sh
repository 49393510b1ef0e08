# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Booting User Mode Linux. Sourced by scripts/vm/run.

# uml_maker KERNEL: what builds it.
uml_maker()
{
	case $1 in
	uml-upstream) echo "scripts/upstream/check modules" ;;
	uml-upstream-y) echo "scripts/upstream/check builtin" ;;
	*) echo "scripts/setup $1" ;;
	esac
}

prepare_uml()
{
	local release

	VM_LINUX=$(kernel_dir "$VM_KERNEL")/linux
	[ -x "$VM_LINUX" ] ||
		vm_die "no $VM_KERNEL kernel yet; run $(uml_maker "$VM_KERNEL")"
	case $VM_OUT$VM_SHARED$RPCRDMA_TOP in
	*[[:space:],]*) vm_die "a path has a space or a comma: $VM_OUT $RPCRDMA_TOP" ;;
	esac
	release=$("$VM_LINUX" --version) || vm_die "$VM_LINUX does not run"
	VM_LIBMODULES=$(kernel_mods "$VM_KERNEL")/lib/modules/$release
	[ -d "$VM_LIBMODULES" ] || vm_die "$VM_LIBMODULES does not exist"
}

# uml_tmpdir: folder for the guest's memory file, in RAM if there is room.
uml_tmpdir()
{
	local free

	free=$(df --output=avail -k /dev/shm 2>/dev/null | tail -1)
	if [ -w /dev/shm ] && [ "${free:-0}" -gt $((2 * 1024 * 1024)) ]; then
		echo /dev/shm
	else
		echo "${TMPDIR:-/tmp}"
	fi
}

# Kernel messages go to the serial line ssl0 (descriptor 7: a file), the
# script's input and output are the console con0 (our own). Several processors need seccomp, which is
# faster than ptrace; Linux 6.12 knows neither.
boot_uml()
{
	local net=()

	[ -z "$VM_NET" ] ||
		net=("vec0:transport=fd,fd=$VM_NET,mac=$VM_MAC,mtu=4400,depth=128")
	# One processor of the guest is one here; several are threads that may run on any.
	if [ "$VM_SMP" -eq 1 ]; then
		take_cpu
	else
		VM_CPU=0-$(($(nproc) - 1))
	fi
	exec 7>"$VM_OUT/console"
	# shellcheck disable=SC2086
	TMPDIR=$(uml_tmpdir) deadline taskset -c "$VM_CPU" "$VM_LINUX" \
		"mem=$VM_MEM" "ncpus=$VM_SMP" seccomp=auto root=/dev/root rootfstype=hostfs rootflags=/ ro \
		con=null ssl=null con0=null,fd:1 ssl0=null,fd:7 console=ttyS0 \
		loglevel=7 panic=-1 kasan_multi_shot "init=$here/init-uml" "vmout=$VM_OUT" \
		${VM_SHARED:+"vmshared=$VM_SHARED"} ${net[@]+"${net[@]}"} \
		$VM_APPEND </dev/null 2>>"$VM_OUT/console" | tee "$VM_OUT/output"
	return "${PIPESTATUS[0]}"
}
