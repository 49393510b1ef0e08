# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Kernels come: the next one, and one of another series, first without its headers. Then our
# packages go. A reboot after each step. Sourced by packaging/upgrade/run.

# initramfs_as_documented RELEASE: it has modprobe's configuration, and none of our modules.
initramfs_as_documented()
{
	in_root "$root" lsinitramfs "/boot/initrd.img-$1" >"$OUT/initramfs" || return 1
	grep 'modprobe.d/rpcrdma.conf' "$OUT/initramfs" &&
		! grep -E '/(rpcrdma_core|xprtrdma|svcrdma)\.ko' "$OUT/initramfs"
}

part_kernels()
{
	local a=${KERNELS[0]} b=${KERNELS[1]} c=${KERNELS[2]} RUNNING=${KERNELS[0]}

	check "our packages install" install_debs "$RPCRDMA_BUILD/packages"
	check "DKMS has built for $a" dkms_has "$a"
	check "boot after the installation" boot installed "$a"
	mounted installed "$a" ours
	check "rpcrdmactl shows the connection" reports installed rpcrdmactl "*$HOST_ADDRESS*"

	# shellcheck disable=SC2046
	check "upgrade to $b" apt_in "$root" --no-download install $(kernel_packages "$b")
	check "DKMS has built for $b" dkms_has "$b"
	check "initramfs of $b" initramfs_as_documented "$b"
	check "boot after the upgrade" boot upgraded "$b"
	mounted upgraded "$b" ours

	RUNNING=$b
	check "$c without headers" apt_in "$root" --no-download install "linux-image-$c"
	check "DKMS has not built for $c" dkms_has_not "$c"
	check "boot without modules for this kernel" boot fallback "$c"
	mounted fallback "$c" intree
	check "fallback: the log says so" reports fallback said '[1-9]*'

	RUNNING=$c
	check "headers of $c" apt_in "$root" --no-download install "linux-headers-$c"
	check "DKMS has built for $c now" dkms_has "$c"
	check "boot after the upgrade to another series" boot series "$c"
	mounted series "$c" ours

	check "our packages are removed" apt_in "$root" purge rpcrdma-dkms rpcrdma-tools
	check "nothing is left of them" nothing_left
	check "boot after the removal" boot removed "$c"
	mounted removed "$c" intree
	check "removed: nothing in the log" reports removed said 0
}
