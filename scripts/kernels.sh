# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds kernels for guests in the cache, and prepares stock kernels there. Sourced by
# scripts/setup. Kernel packages that this release of Debian does not have are downloaded into the
# cache with a separate apt configuration, which checks signatures and does not touch the host's.

SUITE=$RPCRDMA_CACHE/suite

# series_suite SERIES: print the suite that has kernels of this series; fail if every release has
# them.
series_suite()
{
	case $1 in
	7.*) echo trixie-backports ;;
	*) return 1 ;;
	esac
}

# suite_mirror: print the mirror that this host uses.
suite_mirror()
{
	local mirror release

	release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	# shellcheck disable=SC2016 # for apt-get
	mirror=$(apt-get indextargets --format '$(SITE)' "Release: $release" | head -n 1)
	echo "${mirror:-http://deb.debian.org/debian}"
}

# suite_apt PROGRAM ARGUMENTS...: run apt-get or apt-cache with the separate configuration.
suite_apt()
{
	"$1" -q -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$SUITE/etc" \
		-o "Dir::State=$SUITE/state" -o "Dir::Cache=$SUITE/cache" \
		-o APT::Sandbox::User=root "${@:2}"
}

# suite_update: update the package lists of the suite.
suite_update()
{
	local suite

	suite=$(series_suite "$RPCRDMA_SERIES") && command -v apt-get >/dev/null || return 1
	mkdir -p "$SUITE"/{etc,state/lists/partial,cache/archives/partial,debs} || return 1
	printf '%s\n' "Types: deb" "URIs: $(suite_mirror)" "Suites: $suite" "Components: main" \
		"Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg" >"$SUITE/etc/suite.sources"
	suite_apt apt-get update >/dev/null
}

# suite_deb PACKAGE: print the file of its newest downloaded version.
suite_deb()
{
	find "$SUITE/debs" -name "$1_*.deb" 2>/dev/null | sort -V | tail -n 1 | grep .
}

# suite_download PACKAGE...: download them into the cache, completely or not at all.
suite_download()
{
	say "setup: downloading $*"
	(cd "$SUITE/debs" && suite_apt apt-get download "$@") | sed 's/^/setup:   /'
	return "${PIPESTATUS[0]}"
}

# suite_newest PATTERN: print the newest release in the suite that matches.
suite_newest()
{
	local release

	suite_apt apt-cache pkgnames linux-modules- | sed 's/^linux-modules-//' | sort -V |
	while read -r release; do
		# shellcheck disable=SC2053
		if [[ $release == $1 ]]; then echo "$release"; fi
	done | tail -n 1 | grep .
}

# take_lock NAME: serialize a step between processes.
take_lock()
{
	exec 8>"$RPCRDMA_CACHE/.lock-$1"
	flock -n 8 && return 0
	say "# waiting for another run to finish with: $1"
	flock 8
}

drop_lock()
{
	exec 8>&-
}

KERNEL_SOURCE=$RPCRDMA_CACHE/linux-source-$RPCRDMA_SERIES
# Patches for guests: for soft-RoCE's bugs, and for the series. 7.2 uses the patch of 7.3.
KERNEL_PATCHES=("$RPCRDMA_TOP"/scripts/vm/{soft-roce,"uml-${RPCRDMA_SERIES/7.2/7.3}"}.patch)
# The series that every supported release of Debian has
FALLBACK=6.12

# kernel_fragments KERNEL: list the configuration fragments, in the order of merging.
kernel_fragments()
{
	local dir=$RPCRDMA_TOP/scripts/vm upstream=$RPCRDMA_TOP/scripts/upstream

	echo "$dir/uml.fragment"
	case $1 in
	uml-upstream | uml-steps) echo "$upstream/modules.fragment" ;;
	uml-upstream-y) echo "$upstream/modules.fragment" "$upstream/builtin.fragment" ;;
	uml-debug | uml-kcsan) echo "$dir/$1.fragment" ;;
	esac
}

# source_key: print a key for the version and the patches of the unpacked source.
source_key()
{
	local version

	if series_suite "$RPCRDMA_SERIES" >/dev/null; then
		version=$(suite_deb "linux-source-$RPCRDMA_SERIES")
		version=${version##*/}
	else
		version=$(dpkg-query -W -f '${Version}' "linux-source-$RPCRDMA_SERIES" 2>/dev/null)
	fi
	echo "${version:-unknown} $(cat "${KERNEL_PATCHES[@]}" | sha256sum | cut -c1-16)"
}

# kernel_key KERNEL: print a key for the source and the configuration of a built kernel.
kernel_key()
{
	local fragments

	fragments=$(kernel_fragments "$1")
	# shellcheck disable=SC2086
	echo "$(source_key) $(cat $fragments | sha256sum | cut -c1-16)" \
		"gcc $(gcc -dumpfullversion)"
}

# kernel_series: if the source of the newest series cannot be downloaded, start over with FALLBACK.
kernel_series()
{
	series_suite "$RPCRDMA_SERIES" >/dev/null || { packages "linux-source-$RPCRDMA_SERIES"; return; }
	! suite_deb "linux-source-$RPCRDMA_SERIES" >/dev/null || return 0
	take_lock suite
	if suite_deb "linux-source-$RPCRDMA_SERIES" >/dev/null ||
		{ suite_update && suite_download "linux-source-$RPCRDMA_SERIES"; }; then
		drop_lock
		return 0
	fi
	[ "$RPCRDMA_SERIES" = 7.3 ] || die "Linux $RPCRDMA_SERIES cannot be downloaded"
	say "setup: Linux $RPCRDMA_SERIES cannot be downloaded: all tests run on $FALLBACK instead," \
		"until you remove $RPCRDMA_CACHE/series"
	drop_lock
	echo $FALLBACK >"$RPCRDMA_CACHE/series"
	exec "$RPCRDMA_TOP/scripts/setup" "${GOALS[@]}"
}

# kernel_source: unpack and patch the kernel source.
kernel_source()
{
	local key deb tar=usr/src/linux-source-$RPCRDMA_SERIES.tar.xz

	kernel_series
	key=$(source_key)
	[ "$(cat "$KERNEL_SOURCE/.rpcrdma" 2>/dev/null)" = "$key" ] && return 0
	take_lock source
	[ "$(cat "$KERNEL_SOURCE/.rpcrdma" 2>/dev/null)" = "$key" ] && return 0
	say "setup: unpacking the source of Linux $RPCRDMA_SERIES"
	rm -rf "$KERNEL_SOURCE" "$KERNEL_SOURCE.new"
	mkdir -p "$KERNEL_SOURCE.new" || die "cannot create $KERNEL_SOURCE.new"
	if deb=$(suite_deb "linux-source-$RPCRDMA_SERIES"); then
		dpkg-deb --fsys-tarfile "$deb" | tar -xO "./$tar"
	else
		cat "/$tar"
	fi | tar -C "$KERNEL_SOURCE.new" --strip-components=1 -xJ ||
		die "cannot unpack linux-source-$RPCRDMA_SERIES"
	cat "${KERNEL_PATCHES[@]}" | patch -s -d "$KERNEL_SOURCE.new" -p1 ||
		die "a patch does not apply: ${KERNEL_PATCHES[*]}"
	echo "$key" >"$KERNEL_SOURCE.new/.rpcrdma"
	mv "$KERNEL_SOURCE.new" "$KERNEL_SOURCE"
	drop_lock
}

# source_make ARCH DIR ARGUMENTS...: run make in the source, with O=DIR.
source_make()
{
	local cc=gcc

	command -v ccache >/dev/null && cc="ccache gcc"
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u KVER -u BUILD -u V -u W \
		make -C "$KERNEL_SOURCE" ARCH="$1" \
		O="$2" CC="$cc" -j"$(nproc)" "${@:3}" 8>&-
}

# kernel_make KERNEL ARGUMENTS...: run make. KCSAN instruments only our modules, which are built
# later, not the kernel itself.
kernel_make()
{
	local arguments=("${@:2}")

	[ "$1" != uml-kcsan ] || arguments+=(KCSAN_SANITIZE=n)
	source_make um "$(kernel_dir "$1")" "${arguments[@]}"
}

kernel_configure()
{
	local dir log=$2 fragments

	dir=$(kernel_dir "$1")
	fragments=$(kernel_fragments "$1")
	mkdir -p "$dir" || return 1
	kernel_make "$1" defconfig >>"$log" 2>&1 || return 1
	# shellcheck disable=SC2086
	(cd "$KERNEL_SOURCE" && scripts/kconfig/merge_config.sh -m -O "$dir" \
		"$dir/.config" $fragments) >>"$log" 2>&1 || return 1
	kernel_make "$1" olddefconfig >>"$log" 2>&1
}

# kernel_built KERNEL KEY: succeed if the kernel is in the cache and up to date.
kernel_built()
{
	[ "$(cat "$(kernel_dir "$1")/.rpcrdma" 2>/dev/null)" = "$2" ] &&
		[ -s "$(kernel_dir "$1")/linux" ] && [ -d "$(kernel_mods "$1")" ]
}

# kernel_build KERNEL: build the kernel and its modules in the cache, unless they are up to date.
kernel_build()
{
	local kernel=$1 dir mods log key

	dir=$(kernel_dir "$kernel")
	mods=$(kernel_mods "$kernel")
	log=$dir.log
	kernel_source
	key=$(kernel_key "$kernel")
	kernel_built "$kernel" "$key" && return 0
	take_lock "$kernel"
	kernel_built "$kernel" "$key" && return 0
	say "setup: building the $kernel kernel in $dir (minutes, once); log: $log"
	rm -f "$dir/.rpcrdma"
	: >"$log"
	kernel_configure "$kernel" "$log" || kernel_failed "$log"
	logged "$kernel" "$log" kernel_make "$kernel" || kernel_failed "$log"
	rm -rf "$mods"
	kernel_make "$kernel" -s modules_install "INSTALL_MOD_PATH=$mods" >>"$log" 2>&1 ||
		kernel_failed "$log"
	echo "$key" >"$dir/.rpcrdma"
	drop_lock
	say "setup: the $kernel kernel is ready ($SECONDS s)"
}

kernel_failed()
{
	grep -aE 'error|Error|\*\*\*' "$1" | tail -n 15 >&2
	die "the kernel was not built, see $1"
}

# Where stock kernels are unpacked
STOCK_ROOT=$RPCRDMA_CACHE/stock

# stock_cached KERNEL: print its release in the cache.
stock_cached()
{
	local modules

	modules=$(newest_modules "$(stock_pattern "$1")" "$STOCK_ROOT/lib/modules") && echo "${modules##*/}"
}

# stock_ready KERNEL KEY: succeed if modules can be built for it.
stock_ready()
{
	local release

	release=$(stock_cached "$1") &&
		[ "$(cat "$STOCK_ROOT/lib/modules/$release/build/.rpcrdma" 2>/dev/null)" = "$2" ]
}

# stock_kernel KERNEL: download a stock kernel that this release of Debian does not have, unless it
# is in the cache. The programs in its headers can need a newer C library, so they are built from
# source.
stock_kernel()
{
	local kernel=$1 key release log=$RPCRDMA_CACHE/$1-$RPCRDMA_SERIES.log

	series_suite "$RPCRDMA_SERIES" >/dev/null || return 0
	kernel_source
	key="$(source_key) gcc $(gcc -dumpfullversion)"
	stock_ready "$kernel" "$key" && return 0
	take_lock stock
	stock_ready "$kernel" "$key" && return 0
	release=$(stock_cached "$kernel") || release=$(stock_download "$kernel") ||
		die "cannot download the kernel for $kernel"
	say "setup: preparing Linux $release for guests (a minute, once); log: $log"
	stock_unpack "$release" >"$log" 2>&1 || kernel_failed "$log"
	stock_prepare "$release" >>"$log" 2>&1 || kernel_failed "$log"
	echo "$key" >"$STOCK_ROOT/lib/modules/$release/build/.rpcrdma"
	drop_lock
}

# stock_download KERNEL: download the packages of its newest release, and print the release.
stock_download()
{
	local release

	suite_update && release=$(suite_newest "$(stock_pattern "$1")") &&
		suite_download linux-{base,binary,modules,headers}-"$release" >&2 && echo "$release"
}

# stock_unpack RELEASE: unpack its packages below STOCK_ROOT. The packages have a link where
# stock_prepare creates a folder, so an old folder is removed first.
stock_unpack()
{
	local part

	rm -rf "$STOCK_ROOT/usr/lib/modules/$1/build"
	mkdir -p "$STOCK_ROOT/usr/lib" && ln -sfn usr/lib "$STOCK_ROOT/lib" || return 1
	for part in base binary modules headers; do
		dpkg-deb -x "$(suite_deb "linux-$part-$1")" "$STOCK_ROOT" || return 1
	done
	depmod -b "$STOCK_ROOT" "$1"
}

# stock_prepare RELEASE: create the folder for building modules, with the configuration and symbols.
stock_prepare()
{
	local dir=$STOCK_ROOT/lib/modules/$1/build headers=$STOCK_ROOT/usr/src/linux-headers-$1

	rm "$dir" && mkdir "$dir" && ln -sfn "$KERNEL_SOURCE" "${dir%/*}/source" || return 1
	cp "$headers/.config" "$headers/Module.symvers" "$dir/" || return 1
	source_make x86_64 "$dir" "KERNELRELEASE=$1" olddefconfig modules_prepare
}
