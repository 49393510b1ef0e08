# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Functions and parts of packaging/upgrade/run, which sources this file: boot the root file system in
# QEMU, make and install packages of this and of a higher version, and check the result.

KERNEL_OPTIONS="root=/dev/vda rw console=ttyS0 panic=-1 net.ifnames=0 no_timer_check"
KERNEL_OPTIONS+=" systemd.mask=serial-getty@ttyS0.service"

# boot NAME RELEASE: boot this kernel with its initramfs from the root file system. The guest's
# report is in $OUT/NAME.
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

# reports NAME FACT PATTERN: check a fact in the guest's report.
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

# mounted NAME RELEASE ours|intree [VERSION]: check the guest's report on mounts and modules.
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

VERSION=$(source_version)
NEXT=$VERSION.1
LOCAL_FILES="etc/modprobe.d/rpcrdma.conf etc/modprobe.d/rpcrdma-local.conf etc/depmod.d/rpcrdma.conf"

# next_tree: unpack the source package, with a higher version.
next_tree()
{
	local tree=$OUT/next/source

	[ "$(cat "$tree/VERSION" 2>/dev/null)" != "$NEXT" ] || return 0
	rm -rf "$OUT/next"
	mkdir -p "$tree" || return 1
	tar -x -C "$tree" --strip-components 1 -f "$RPCRDMA_BUILD/packages/rpcrdma_$VERSION.tar.xz" &&
		rm -r "$tree/debian" && echo "$NEXT" >"$tree/VERSION"
}

# next_packages deb|rpm: make packages of the higher version in $OUT/next/packages.
next_packages()
{
	local who

	next_tree || return 1
	who=$(sed -n 's/^Maintainer: //p' "$RPCRDMA_BUILD/packages/rpcrdma_$VERSION.dsc")
	DEBEMAIL=${who##*<}
	BUILD=$OUT/next DEBFULLNAME=${who% <*} DEBEMAIL=${DEBEMAIL%>} \
		"$OUT/next/source/packaging/build" "$1"
}

# install_debs FOLDER [OPTION...]: install the Debian packages in this folder.
install_debs()
{
	local folder=$1

	shift
	rm -f "$root"/tmp/*.deb
	cp "$folder"/*.deb "$root/tmp/" || return 1
	# shellcheck disable=SC2046
	apt_in "$root" "$@" install $(cd "$root" && printf '/%s\n' tmp/*.deb)
}

# dkms_has RELEASE: check that DKMS has installed the modules for this kernel.
dkms_has()
{
	in_root "$root" dkms status rpcrdma >"$OUT/dkms"
	cat "$OUT/dkms"
	grep -q "[/ ,]$1, x86_64: installed" "$OUT/dkms"
}

dkms_has_not()
{
	! dkms_has "$1"
}

# dkms_has_only VERSION RELEASE...: check that DKMS has installed this version for these kernels,
# and nothing else of ours.
dkms_has_only()
{
	local version=$1 release

	shift
	in_root "$root" dkms status rpcrdma | sort >"$OUT/dkms"
	ls "$root/usr/src" "$root/var/lib/dkms/rpcrdma"
	for release; do
		echo "rpcrdma/$version, $release, x86_64: installed"
	done | sort | diff - "$OUT/dkms" || return 1
	[ "$(cd "$root/usr/src" && echo rpcrdma-*)" = "rpcrdma-$version" ] &&
		[ "$(find "$root/var/lib/dkms/rpcrdma" -maxdepth 1 -type d -name '[0-9]*' \
			-printf '%f\n')" = "$version" ]
}

# our_modules: list our module files of all kernels.
our_modules()
{
	find "$root/lib/modules/" -name 'rpcrdma_core.ko*' -o -name 'xprtrdma.ko*' -o \
		-name 'svcrdma.ko*'
}

# modules_are VERSION RELEASE...: check that each of these kernels has each module once, with this
# version, and that there are no other module files of ours.
modules_are()
{
	local version=$1 file

	shift
	our_modules | tee "$OUT/modules"
	[ "$(wc -l <"$OUT/modules")" -eq $((3 * $#)) ] || return 1
	while read -r file; do
		echo "$file: $(modinfo -F version "$file")"
		[ "$(modinfo -F version "$file")" = "$version" ] || return 1
	done <"$OUT/modules"
}

# modprobe_takes RELEASE...: check that modprobe selects our modules for each of these kernels.
modprobe_takes()
{
	local release name

	for release; do
		for name in xprtrdma svcrdma; do
			in_root "$root" modprobe -S "$release" --ignore-install --show-depends $name \
				>"$OUT/modprobe"
			cat "$OUT/modprobe"
			tail -n 1 "$OUT/modprobe" |
				grep -q "^insmod /lib/modules/$release/.*/$name\.ko" || return 1
		done
		in_root "$root" modprobe -S "$release" --show-depends rpcrdma >"$OUT/modprobe"
		cat "$OUT/modprobe"
		grep -q '^install .*--ignore-install xprtrdma' "$OUT/modprobe" || return 1
	done
}

# nothing_left: check that nothing of the package is left for any kernel.
nothing_left()
{
	! {
		our_modules
		find "$root/usr/src" "$root/var/lib/dkms" -maxdepth 1 -name 'rpcrdma*'
		find "$root/lib/" "$root/usr/lib/" "$root/etc/" "$root/usr/sbin/" "$root/usr/share/" \
			-path '*.d/rpcrdma.conf' -o -name '60-rpcrdma.rules' -o -name 'rpcrdmactl*' -o -name 'rpcrdma*.lua'
	} | grep .
}

# administer: change a module option and configuration files, as an administrator could.
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

# as_administered: check that these files are unchanged.
as_administered()
{
	cat "$OUT/local-files"
	(cd "$root" && sha256sum -c "$OUT/local-files")
}

remove_local_files()
{
	# shellcheck disable=SC2086
	(cd "$root" && rm $LOCAL_FILES)
}

# kernels: install the next kernel, then one of another series, at first without its headers, then
# remove our packages. Reboot after each step.

# initramfs_as_documented RELEASE: check that the initramfs has modprobe's configuration, and none
# of our modules.
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

# update: install a newer version of our Debian packages on a host with two kernels, reboot, and
# install the older version again.

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

# rpm: on a host with two kernels, install RPM packages, a newer version, and the same again, then
# remove them. RPM has a separate database beside Debian's package manager. Nothing is booted,
# because the part kernels tests booting with these files.

RPM_FILES="usr/lib/modprobe.d/rpcrdma.conf usr/lib/depmod.d/rpcrdma.conf
	usr/share/man/man7/rpcrdma.7 usr/share/man/man8/rpcrdmactl.8 usr/sbin/rpcrdmactl
	usr/share/bash-completion/completions/rpcrdmactl usr/share/rpcrdma/rpcrdma2.lua"

rpm_in()
{
	in_root "$root" rpm "$@"
}

# copy_rpms FOLDER: copy our packages to the folder that rpm_in uses.
copy_rpms()
{
	rm -rf "$root/tmp/rpm"
	mkdir "$root/tmp/rpm" && cp "$1"/rpcrdma-*.noarch.rpm "$root/tmp/rpm/"
}

# rpms FOLDER OPTION...: install the packages; RPM checks their requirements.
rpms()
{
	copy_rpms "$1" || return 1
	shift
	# shellcheck disable=SC2046
	rpm_in "$@" $(cd "$root" && printf '/%s\n' tmp/rpm/*.rpm) 2>&1 | tee "$OUT/rpm"
	[ "${PIPESTATUS[0]}" -eq 0 ] && ! grep -iE 'warning|error|failed' "$OUT/rpm"
}

# requirements FOLDER: list the requirements of our packages, without features of RPM.
requirements()
{
	rpm -qp --requires "$1"/rpcrdma-*.noarch.rpm | grep -v '^rpmlib(' | sort -u
}

# rpm_refuses FOLDER: check that RPM refuses our packages while it knows of no DKMS.
rpm_refuses()
{
	copy_rpms "$1" || return 1
	! rpm_in -i /tmp/rpm/"$(cd "$root/tmp/rpm" && echo rpcrdma-dkms-*.rpm)" >"$OUT/rpm" 2>&1 &&
		cat "$OUT/rpm" && grep -q 'dkms is needed by' "$OUT/rpm" && ! rpm_in -q rpcrdma-dkms
}

# debian_as_rpm FOLDER: install an empty RPM package. It provides the requirements of our packages
# that the root file system meets by a Debian package or a file.
debian_as_rpm()
{
	local name top=$OUT/next/debian

	mkdir -p "$top" || return 1
	{
		printf '%s\n' 'Name: debian' 'Version: 12' 'Release: 1' 'License: none' \
			'Summary: What Debian has installed' 'BuildArch: noarch'
		for name in $(requirements "$1"); do
			case $name in
			/*) [ -x "$root$name" ] ;;
			*) in_root "$root" dpkg-query -W "$name" >&2 ;;
			esac || { echo "Debian has no $name" >&2; return 1; }
			echo "Provides: $name"
		done
		printf '%s\n' '%description' 'Nothing.' '%files'
	} >"$top/debian.spec"
	rpmbuild -bb --define "_topdir $top" "$top/debian.spec" &&
		cp "$top"/RPMS/noarch/debian-*.rpm "$root/tmp/debian.rpm" && rpm_in -i /tmp/debian.rpm
}

# rpm_has VERSION: check that RPM has only this version, with unchanged files.
rpm_has()
{
	rpm_in -q --qf '%{NAME} %{VERSION}\n' -a | sort | tee "$OUT/rpm"
	diff - "$OUT/rpm" <<-EOF || return 1
	debian 12
	rpcrdma-dkms $1
	rpcrdma-tools $1
	EOF
	rpm_in -V rpcrdma-dkms rpcrdma-tools
}

# files_of_packages: check that files are where programs look for them, and belong to a package.
files_of_packages()
{
	local file

	for file in $RPM_FILES; do
		[ -s "$root/$file" ] || file=$file.gz
		rpm_in -qf "/$file" || return 1
	done
	in_root "$root" rpcrdmactl --help | grep doctor
}

# modinfo_says VERSION RELEASE...: check that modinfo finds each module by name, with this version.
modinfo_says()
{
	local wanted=$1 release name

	shift
	for release; do
		for name in $RPCRDMA_MODULES; do
			echo "$release: $name: $(in_root "$root" modinfo -k "$release" -F filename "$name")"
			[ "$(in_root "$root" modinfo -k "$release" -F version "$name")" = "$wanted" ] ||
				return 1
		done
	done
}

# intree_again RELEASE...: check that modprobe selects the kernel's own transport, and that nothing
# of ours is left in /lib/modules.
intree_again()
{
	local release

	for release; do
		in_root "$root" modprobe -S "$release" --show-depends rpcrdma >"$OUT/modprobe"
		tail -n 1 "$OUT/modprobe"
		tail -n 1 "$OUT/modprobe" | grep -q '^insmod .*/net/sunrpc/xprtrdma/rpcrdma\.ko' ||
			return 1
		! grep -r 'xprtrdma\.ko\|svcrdma\.ko\|rpcrdma_core' "$root/lib/modules/$release/"modules.* ||
			return 1
		[ ! -e "$root/lib/modules/$release/updates" ] || {
			find "$root/lib/modules/$release/updates"
			return 1
		}
	done
}

part_rpm()
{
	local a=${KERNELS[0]} b=${KERNELS[1]} RUNNING=${KERNELS[1]} ours=$RPCRDMA_BUILD/packages

	# shellcheck disable=SC2046
	check "a second kernel, $b" apt_in "$root" --no-download install $(kernel_packages "$b") rpm
	check "RPM packages of version $NEXT" next_packages rpm
	check "rpm wants DKMS first" rpm_refuses "$ours"
	check "Debian has what the packages require" debian_as_rpm "$ours"

	check "rpm -i of version $VERSION" rpms "$ours" -i
	rpm_installed "$VERSION" "$a" "$b"
	check "the packages' files are in their places" files_of_packages
	check "an administrator's files" administer

	check "rpm -U to version $NEXT" rpms "$OUT/next/packages" -U
	rpm_installed "$NEXT" "$a" "$b"
	check "rpm -U --replacepkgs, the same once more" rpms "$OUT/next/packages" -U --replacepkgs
	rpm_installed "$NEXT" "$a" "$b"
	check "rpm -U --oldpackage, back to $VERSION" rpms "$ours" -U --oldpackage
	rpm_installed "$VERSION" "$a" "$b"
	check "the administrator's files are as they were" as_administered

	check "rpm -e" rpm_in -e rpcrdma-dkms rpcrdma-tools
	check "the administrator's files are there still" as_administered
	remove_local_files
	check "nothing else is left" nothing_left
	check "the kernels' own transport is found" intree_again "$a" "$b"
}

# rpm_installed VERSION RELEASE...: check the result of an installation.
rpm_installed()
{
	local wanted=$1

	check "$wanted: rpm -V finds no difference" rpm_has "$wanted"
	check "$wanted: DKMS has it for all kernels, and no other" dkms_has_only "$@"
	check "$wanted: its modules, and no others, are there" modules_are "$@"
	check "$wanted: modinfo finds them" modinfo_says "$@"
	shift
	check "$wanted: modprobe takes them" modprobe_takes "$@"
}
