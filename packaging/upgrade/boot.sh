# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Booting the root file system in QEMU, and what the guest reports: sourced by
# packaging/upgrade/run.

KERNEL_OPTIONS="root=/dev/vda rw console=ttyS0 panic=-1 net.ifnames=0 no_timer_check"
KERNEL_OPTIONS+=" systemd.mask=serial-getty@ttyS0.service"

# boot NAME RELEASE: boot that kernel, with the initramfs that is in the root, and
# keep what the guest reports in $OUT/NAME.
boot()
{
	local name=$1 image=$OUT/image

	truncate -s 6G "$image" &&
		mke2fs -q -F -t ext4 -O ^has_journal -E lazy_itable_init=1 -d "$root" "$image" ||
		return 1
	rm -f "$OUT/$name" "$OUT/$name.console"
	timeout -k 5 "${BOOT_SECONDS:-600}" qemu-system-x86_64 "${QEMU_ACCEL[@]}" \
		-m 1G -smp 1 -nodefaults -display none -no-reboot -no-user-config \
		-drive "file=$image,format=raw,if=virtio,cache=unsafe" \
		-kernel "$root/boot/vmlinuz-$2" -initrd "$root/boot/initrd.img-$2" -append "$KERNEL_OPTIONS" \
		-netdev user,id=net0,restrict=on -device virtio-net-pci,netdev=net0,romfile= \
		-serial "file:$OUT/$name.console" -serial "file:$OUT/$name" </dev/null
	rm -f "$image"
	if ! reports "$name" end yes; then
		tail -n 10 "$OUT/$name.console"
		return 1
	fi
	cat "$OUT/$name"
}

# reports NAME FACT PATTERN: the guest has said so.
reports()
{
	local value

	value=$(tr -d '\r' <"$OUT/$1" | grep -a "^$2=") || {
		echo "$1: the guest has not said $2"
		return 1
	}
	value=${value#*=}
	echo "$1: $2=$value"
	# shellcheck disable=SC2053
	[[ $value == $3 ]]
}

# mounted NAME RELEASE ours|intree [VERSION]: what every boot has to end with.
mounted()
{
	local name=$1 release=$2 transport=$3 loaded=rpcrdma

	if [ "$transport" = ours ]; then
		loaded='rpcrdma_core svcrdma xprtrdma'
		check "$name: modinfo has our version" reports "$name" version "${4:-$VERSION}"
		check "$name: no fallback in the log" reports "$name" said 0
	fi
	check "$name: the kernel is $release" reports "$name" release "$release"
	check "$name: fstab is mounted over RDMA" reports "$name" mounted '* nfs4 *proto=rdma*port=20049*'
	check "$name: mountstats has the transport" reports "$name" statistics "xprt:?rdma"
	check "$name: nfs.conf makes nfsd listen" reports "$name" listeners '*rdma 20049*'
	check "$name: loaded is $transport" reports "$name" loaded "$loaded"
	check "$name: rdma-load-modules has succeeded" reports "$name" loaded_at_boot '*success*'
	check "$name: data arrives at the server" reports "$name" data same
	check "$name: unmounted" reports "$name" umount yes
	check "$name: nfsd has stopped" reports "$name" stop yes
	check "$name: the modules unload" reports "$name" unloads yes
	check "$name: no unit has failed" reports "$name" failed_units ''
	check "$name: the kernel has no objection" reports "$name" bad ''
}
