# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Our packages, of this version and of a higher one, and what they leave in a root file system:
# sourced by packaging/upgrade/run.

VERSION=$(source_version)
NEXT=$VERSION.1
LOCAL_FILES="etc/modprobe.d/rpcrdma.conf etc/modprobe.d/rpcrdma-local.conf etc/depmod.d/rpcrdma.conf"

# next_tree: the source package, unpacked, with a higher version.
next_tree()
{
	local tree=$OUT/next/source

	[ "$(cat "$tree/VERSION" 2>/dev/null)" != "$NEXT" ] || return 0
	rm -rf "$OUT/next"
	mkdir -p "$tree" || return 1
	tar -x -C "$tree" --strip-components 1 -f "$RPCRDMA_BUILD/packages/rpcrdma_$VERSION.tar.xz" &&
		rm -r "$tree/debian" && echo "$NEXT" >"$tree/VERSION"
}

# next_packages deb|rpm: packages of that version, by the same maintainer, into
# $OUT/next/packages.
next_packages()
{
	local who

	next_tree || return 1
	who=$(sed -n 's/^Maintainer: //p' "$RPCRDMA_BUILD/packages/rpcrdma_$VERSION.dsc")
	DEBEMAIL=${who##*<}
	BUILD=$OUT/next DEBFULLNAME=${who% <*} DEBEMAIL=${DEBEMAIL%>} \
		"$OUT/next/source/packaging/build" "$1"
}

# install_debs FOLDER [OPTION...]: its Debian packages.
install_debs()
{
	local folder=$1

	shift
	rm -f "$root"/tmp/*.deb
	cp "$folder"/*.deb "$root/tmp/" || return 1
	# shellcheck disable=SC2046
	apt_in "$root" "$@" install $(cd "$root" && printf '/%s\n' tmp/*.deb)
}

# dkms_has RELEASE: DKMS has installed the modules for it.
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

# dkms_has_only VERSION RELEASE...: DKMS has installed this version for these kernels, and knows
# of nothing else of ours.
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

# our_modules: all files of our modules, of all kernels.
our_modules()
{
	find "$root/lib/modules/" -name 'rpcrdma_core.ko*' -o -name 'xprtrdma.ko*' -o \
		-name 'svcrdma.ko*'
}

# modules_are VERSION RELEASE...: there is one of each for each of these kernels, of that version,
# and no other.
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

# modprobe_takes RELEASE...: asked for the transports, modprobe takes ours, of this kernel.
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

# nothing_left: of the package, for any kernel.
nothing_left()
{
	! {
		our_modules
		find "$root/usr/src" "$root/var/lib/dkms" -maxdepth 1 -name 'rpcrdma*'
		find "$root/lib/" "$root/usr/lib/" "$root/etc/" "$root/usr/sbin/" "$root/usr/share/" \
			-path '*.d/rpcrdma.conf' -o -name '60-rpcrdma.rules' -o -name 'rpcrdmactl*' -o -name 'rpcrdma*.lua'
	} | grep .
}

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

remove_local_files()
{
	# shellcheck disable=SC2086
	(cd "$root" && rm $LOCAL_FILES)
}
