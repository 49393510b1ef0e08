# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs commands in a root file system. Sourced by packaging/upgrade/root and run.

UPGRADE_CACHE=$RPCRDMA_CACHE/debian-12
HOST_ADDRESS=10.0.2.15

# in_root ROOT COMMAND...: run it in a separate mount and PID namespace, so nothing stays mounted or
# running. If RUNNING is set, package managers and DKMS see it as the release of the running kernel.
in_root()
{
	local root=$1

	shift
	# shellcheck disable=SC2016
	RUNNING=${RUNNING:-} unshare --mount --pid --fork --kill-child -- /bin/sh -c '
		root=$1
		shift
		mount -t proc proc "$root/proc" &&
		mount --rbind /sys "$root/sys" &&
		mount --rbind /dev "$root/dev" &&
		mount -t tmpfs tmpfs "$root/run" &&
		mount --bind /etc/resolv.conf "$root/etc/resolv.conf" &&
		if [ -n "$RUNNING" ]; then
			cp "$root/usr/bin/uname" "$root/run/uname" &&
			printf "#!/bin/sh\n[ \"\$1\" != -r ] || exec echo %s\nexec /run/uname \"\$@\"\n" \
				"$RUNNING" >"$root/run/uname-r" &&
			chmod 755 "$root/run/uname-r" &&
			mount --bind "$root/run/uname-r" "$root/usr/bin/uname"
		fi &&
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root \
			DEBIAN_FRONTEND=noninteractive SYSTEMD_OFFLINE=1 chroot "$root" "$@"' \
		_ "$root" "$@"
}

# apt_in ROOT ARGUMENTS...: run apt-get without questions and without recommended packages.
apt_in()
{
	local root=$1

	shift
	in_root "$root" apt-get -q -y -o Dpkg::Use-Pty=0 -o APT::Install-Recommends=false \
		-o Dpkg::Options::=--force-unsafe-io -o APT::Keep-Downloaded-Packages=true "$@"
}

# kernel_packages RELEASE: print the packages of a kernel's image and headers.
kernel_packages()
{
	echo "linux-image-$1" "linux-headers-$1"
}
