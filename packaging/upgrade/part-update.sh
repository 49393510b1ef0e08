# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A newer version of our own Debian packages on a host with two kernels, a reboot, and the way
# back. Sourced by packaging/upgrade/run.

part_update()
{
	local a=${KERNELS[0]} b=${KERNELS[1]} RUNNING=${KERNELS[1]}

	# shellcheck disable=SC2046
	check "a second kernel, $b" apt_in "$root" --no-download install $(kernel_packages "$b")
	check "packages of version $NEXT" next_packages deb
	check "version $VERSION installs" install_debs "$RPCRDMA_BUILD/packages"
	check "DKMS has $VERSION for both kernels" dkms_has_only "$VERSION" "$a" "$b"
	check "an administrator's files" administer

	check "version $NEXT installs" install_debs "$OUT/next/packages"
	check "DKMS has $NEXT for both kernels, and no other" dkms_has_only "$NEXT" "$a" "$b"
	check "the modules of $NEXT, and no others, are there" modules_are "$NEXT" "$a" "$b"
	check "modprobe takes them" modprobe_takes "$a" "$b"
	check "the administrator's files are as they were" as_administered
	check "boot after the update to $NEXT" boot updated "$b"
	mounted updated "$b" ours "$NEXT"
	check "updated: the administrator's option is used" reports updated max_version 1
	check "rpcrdmactl $NEXT shows the connection" reports updated rpcrdmactl "*$HOST_ADDRESS*"

	check "version $VERSION once more" install_debs "$RPCRDMA_BUILD/packages" --allow-downgrades
	check "DKMS has $VERSION for both kernels, and no other" dkms_has_only "$VERSION" "$a" "$b"
	check "the modules of $VERSION, and no others, are there" modules_are "$VERSION" "$a" "$b"
	check "our packages are removed" apt_in "$root" purge rpcrdma-dkms rpcrdma-tools
	check "the administrator's files are there still" as_administered
	remove_local_files
	check "nothing else is left" nothing_left
}
