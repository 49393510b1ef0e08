# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A newer version of our own Debian packages on a host with two kernels, a reboot, and the way
# back. Sourced by packaging/upgrade/run.

LOCAL_FILES="etc/modprobe.d/rpcrdma.conf etc/modprobe.d/rpcrdma-local.conf etc/depmod.d/rpcrdma.conf"

# administer: what an administrator changes: an option of a module, and the packages' files.
administer()
{
	local name

	echo 'options xprtrdma max_version=1' >"$root/etc/modprobe.d/rpcrdma-local.conf" || return 1
	for name in modprobe.d depmod.d; do
		mkdir -p "$root/etc/$name" || return 1
		{
			echo '# changed by the administrator'
			cat "$root/lib/$name/rpcrdma.conf"
		} >"$root/etc/$name/rpcrdma.conf" || return 1
	done
	# shellcheck disable=SC2086
	(cd "$root" && sha256sum $LOCAL_FILES) >"$OUT/local-files"
}

# as_administered: these files are as they were.
as_administered()
{
	cat "$OUT/local-files"
	(cd "$root" && sha256sum -c "$OUT/local-files")
}

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
	# shellcheck disable=SC2086
	(cd "$root" && rm $LOCAL_FILES)
	check "nothing else is left" nothing_left
}
