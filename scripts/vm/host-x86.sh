# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Booting a stock kernel in QEMU: with KVM if it really works, else emulated. Sourced by scripts/vm/run.

prepare_x86()
{
	local kver

	command -v qemu-system-x86_64 >/dev/null ||
		vm_die "no qemu-system-x86_64; run scripts/setup demo"
	VM_LIBMODULES=$(stock_modules "$VM_KERNEL") ||
		vm_die "no stock kernel for $VM_KERNEL; run scripts/setup $(stock_goal "$VM_KERNEL")"
	kver=${VM_LIBMODULES##*/}
	VM_LINUX=$(stock_image "$VM_KERNEL")
	[ -r "$VM_LINUX" ] || vm_die "cannot read $VM_LINUX"
	VM_INITRD=$RPCRDMA_CACHE/initramfs-$kver.cpio
	"$here/initramfs" "$kver" "$VM_LIBMODULES" "$VM_INITRD" ||
		vm_die "cannot make $VM_INITRD"
}

# share TAG PATH OPTIONS: QEMU arguments that give the guest a host folder.
share()
{
	echo "-fsdev local,id=$1,path=$2,security_model=none,multidevs=remap$3"
	echo "-device virtio-9p-pci,fsdev=$1,mount_tag=$1"
}

# x86_args: set QEMU_ARGS, all but the accelerator. no_timer_check: the kernel counts ticks
# early on, and panics if it misses some because the host is busy.
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

# kvm_works: whether KVM boots this kernel here. Having /dev/kvm is not enough
# (nested and partial implementations), so boot once and remember the answer.
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
	# QEMU may abort there, which the shell would report on its own standard error.
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

# x86_accel: set QEMU_ACCEL. With VM_ACCEL=icount, for scripts/bench, a nanosecond of the guest is one
# instruction, and VM_PLUGIN sees all of them.
x86_accel()
{
	if [ "${VM_ACCEL:-}" = icount ]; then
		QEMU_ACCEL=(-accel tcg -icount "shift=0,sleep=off" -cpu max)
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
	deadline qemu-system-x86_64 "${QEMU_ACCEL[@]}" "${QEMU_ARGS[@]}" \
		</dev/null 2>"$VM_OUT/qemu" | tee "$VM_OUT/output"
	set -- "${PIPESTATUS[0]}"
	[ ! -s "$VM_OUT/qemu" ] || grep -v 'terminating on signal' "$VM_OUT/qemu" >&2
	return "$1"
}
