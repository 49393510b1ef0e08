# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The host side of a guest: its job, its processor, and how to boot its kernel: User Mode Linux, or
# a stock kernel in QEMU, with KVM if that works, else emulated. Sourced by scripts/vm/run, which
# sets the VM_ variables.

vm_die()
{
	echo "vm: $*" >&2
	exit 127
}

# write_job: write the shell fragment that scripts/vm/guest reads in the guest.
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
		for var in ${VM_ENV[@]+"${VM_ENV[@]}"}; do
			printf 'export %s=%q\n' "${var%%=*}" "${var#*=}"
		done
		printf 'VM_SCRIPT=('
		printf ' %q' "${VM_SCRIPT[@]}"
		printf ' )\n'
	} >"$VM_OUT/job"
}

# take_cpu: set VM_CPU to a processor to which no other guest is pinned, or to
# any processor if all are taken. The lock is held until the caller exits.
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

# boots COMMAND...: run a guest for at most VM_TIMEOUT seconds; kill it earlier if its kernel does
# not mount our root.
boots()
{
	local pid end=$((SECONDS + 200))

	timeout --foreground -k 5 "$VM_TIMEOUT" "$@" &
	pid=$!
	until [ -e "$VM_OUT/started" ] || ! kill -0 "$pid" 2>/dev/null; do
		[ "$SECONDS" -lt "$end" ] || kill "$pid"
		sleep 0.2
	done
	wait "$pid"
}

# User Mode Linux

prepare_uml()
{
	local release

	VM_LINUX=$(kernel_dir "$VM_KERNEL")/linux
	[ -x "$VM_LINUX" ] ||
		vm_die "no $VM_KERNEL kernel yet; run scripts/setup, or scripts/upstream/check for the series"
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

# Kernel messages go to the serial line ssl0 (descriptor 7, a file). The script uses the console
# con0, which is our standard input and output. Several processors need seccomp, which is faster
# than ptrace; Linux 6.12 supports neither.
boot_uml()
{
	local net=()

	[ -z "$VM_NET" ] ||
		net=("vec0:transport=fd,fd=$VM_NET,mac=$VM_MAC,mtu=4400,depth=128")
	# With one processor, the guest is pinned; several are threads that can run on any
	# processor.
	if [ "$VM_SMP" -eq 1 ]; then
		take_cpu
	else
		VM_CPU=0-$(($(nproc) - 1))
	fi
	exec 7>"$VM_OUT/console"
	# shellcheck disable=SC2086
	TMPDIR=$(uml_tmpdir) boots taskset -c "$VM_CPU" "$VM_LINUX" \
		"mem=$VM_MEM" "ncpus=$VM_SMP" seccomp=auto root=/dev/root rootfstype=hostfs rootflags=/ ro \
		con=null ssl=null con0=null,fd:1 ssl0=null,fd:7 console=ttyS0 \
		loglevel=7 panic=-1 kasan_multi_shot "init=$here/init-uml" "vmout=$VM_OUT" \
		${VM_SHARED:+"vmshared=$VM_SHARED"} ${net[@]+"${net[@]}"} \
		$VM_APPEND </dev/null 2>>"$VM_OUT/console" | tee "$VM_OUT/output"
	return "${PIPESTATUS[0]}"
}

# Stock kernels in QEMU

prepare_x86()
{
	local kver

	command -v qemu-system-x86_64 >/dev/null ||
		vm_die "no qemu-system-x86_64; run scripts/setup demo"
	VM_LIBMODULES=$(stock_modules "$VM_KERNEL") ||
		vm_die "no stock kernel for $VM_KERNEL; run scripts/setup kernels"
	kver=${VM_LIBMODULES##*/}
	VM_LINUX=$VM_LIBMODULES/vmlinuz
	[ -e "$VM_LINUX" ] || VM_LINUX=/boot/vmlinuz-$kver
	[ -r "$VM_LINUX" ] || vm_die "cannot read $VM_LINUX"
	VM_INITRD=$RPCRDMA_CACHE/initramfs-$kver.cpio
	"$here/initramfs" "$kver" "$VM_LIBMODULES" "$VM_INITRD" ||
		vm_die "cannot make $VM_INITRD"
}

# share TAG PATH OPTIONS: print QEMU arguments that share a host folder with the guest.
share()
{
	echo "-fsdev local,id=$1,path=$2,security_model=none,multidevs=remap$3"
	echo "-device virtio-9p-pci,fsdev=$1,mount_tag=$1"
}

# x86_args: set QEMU_ARGS, except for the accelerator. Without no_timer_check, the kernel counts
# timer ticks at boot, and panics if it misses some on a busy host.
x86_args()
{
	QEMU_ARGS=(-m "$VM_MEM" -smp "$VM_SMP" -nodefaults -display none
		-no-reboot -no-user-config
		-kernel "$VM_LINUX" -initrd "$VM_INITRD"
		-append "console=ttyS0 loglevel=7 panic=-1 kasan_multi_shot oops=panic no_timer_check $VM_APPEND"
		-serial "file:$VM_OUT/console" -serial stdio)
	# shellcheck disable=SC2207
	QEMU_ARGS+=($(share hostroot / ,readonly=on) $(share vmout "$VM_OUT" ''))
	# shellcheck disable=SC2207
	[ -z "$VM_SHARED" ] || QEMU_ARGS+=($(share vmshared "$VM_SHARED" ''))
	# For rpcrdma_adapter with dma=1
	case $VM_APPEND in *intel_iommu=on*) QEMU_ARGS+=(-machine q35 -device intel-iommu -device edu) ;; esac
	if [ -n "$VM_NET" ]; then
		QEMU_ARGS+=(-netdev "socket,id=net0,fd=$VM_NET"
			-device "virtio-net-pci,netdev=net0,mac=$VM_MAC,host_mtu=4400,romfile=")
	fi
}

# kvm_works: succeed if KVM boots this kernel here. /dev/kvm alone is not enough (nested and partial
# implementations), so boot once and cache the result.
kvm_works()
{
	local memo

	[ -r /dev/kvm ] && [ -w /dev/kvm ] || return 1
	memo=$RPCRDMA_CACHE/kvm-${VM_LIBMODULES##*/}-$(uname -r)
	if [ ! -s "$memo" ]; then
		echo "vm: finding out once whether KVM works here" >&2
		kvm_probe >"$memo"
		echo "vm: KVM works: $(cat "$memo")" >&2
	fi
	[ "$(cat "$memo")" = yes ]
}

kvm_probe()
{
	local dir

	dir=$(mktemp -d) || return 1
	# QEMU can abort here, which the shell would report on its standard error.
	{
		timeout -k 1 20 qemu-system-x86_64 -accel kvm -cpu host -m 512M -smp 1 \
			-nodefaults -display none -no-reboot -kernel "$VM_LINUX" \
			-initrd "$VM_INITRD" -serial "file:$dir/console" \
			-append "console=ttyS0 panic=-1 no_timer_check vmprobe"
	} >/dev/null 2>&1 </dev/null
	if grep -qa 'vm-probe-ok' "$dir/console" 2>/dev/null; then
		echo yes
	else
		echo no
	fi
	rm -rf "$dir"
}

# icount_cpu: print the CPU model for counting. Newer QEMUs announce fast byte copies, which the
# kernel would then use. They count one instruction per byte, eight times as many as copies of
# words.
icount_cpu()
{
	local feature cpu=max

	for feature in fsrm fsrs fzrm; do
		! qemu-system-x86_64 -cpu help | grep -qw "$feature" || cpu+=,-$feature
	done
	echo "$cpu"
}

# x86_accel: set QEMU_ACCEL. With VM_ACCEL=icount, for scripts/bench, a nanosecond of the guest is
# one instruction, and VM_PLUGIN sees every instruction. Idle time is skipped, except with two
# guests, which wait for each other.
x86_accel()
{
	if [ "${VM_ACCEL:-}" = icount ]; then
		QEMU_ACCEL=(-accel tcg -icount "shift=0,sleep=$([ -n "$VM_NET" ] && echo on || echo off)" -cpu "$(icount_cpu)")
		[ -z "${VM_PLUGIN:-}" ] || QEMU_ACCEL+=(-plugin "$VM_PLUGIN,out=$VM_OUT/count")
	elif kvm_works; then
		QEMU_ACCEL=(-accel kvm -cpu host)
	else
		QEMU_ACCEL=(-accel "tcg,thread=multi" -cpu qemu64)
	fi
}

boot_x86()
{
	x86_accel
	x86_args
	boots qemu-system-x86_64 "${QEMU_ACCEL[@]}" "${QEMU_ARGS[@]}" \
		</dev/null 2>"$VM_OUT/qemu" | tee "$VM_OUT/output"
	set -- "${PIPESTATUS[0]}"
	[ ! -s "$VM_OUT/qemu" ] || grep -v 'terminating on signal' "$VM_OUT/qemu" >&2
	return "$1"
}
