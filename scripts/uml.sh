# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Building the User Mode Linux kernels into the cache. Sourced by scripts/setup.

UML_SOURCE=$RPCRDMA_CACHE/linux-source-$RPCRDMA_SERIES
UML_PATCH=$RPCRDMA_TOP/scripts/vm/uml-xstate.patch

# uml_fragments KERNEL: the configuration of that kernel, in merge order.
uml_fragments()
{
	echo "$RPCRDMA_TOP/scripts/vm/uml.fragment"
	[ "$1" = uml ] || echo "$RPCRDMA_TOP/scripts/vm/$1.fragment"
}

# source_key: what the unpacked source tree must correspond to.
source_key()
{
	local version

	version=$(dpkg-query -W -f '${Version}' "linux-source-$RPCRDMA_SERIES" 2>/dev/null)
	echo "${version:-unknown} $(sha256sum <"$UML_PATCH" | cut -c1-16)"
}

# uml_key KERNEL: what a built kernel must correspond to.
uml_key()
{
	local fragments

	fragments=$(uml_fragments "$1")
	# shellcheck disable=SC2086
	echo "$(source_key) $(cat $fragments | sha256sum | cut -c1-16)" \
		"gcc $(gcc -dumpfullversion)"
}

# uml_source: unpack the kernel's source and patch it.
uml_source()
{
	local tar=/usr/src/linux-source-$RPCRDMA_SERIES.tar.xz key

	key=$(source_key)
	[ "$(cat "$UML_SOURCE/.rpcrdma" 2>/dev/null)" = "$key" ] && return 0
	take_lock source
	[ "$(cat "$UML_SOURCE/.rpcrdma" 2>/dev/null)" = "$key" ] && return 0
	[ -r "$tar" ] || die "$tar does not exist"
	say "setup: unpacking $tar"
	rm -rf "$UML_SOURCE" "$UML_SOURCE.new"
	mkdir -p "$UML_SOURCE.new" || die "cannot create $UML_SOURCE.new"
	tar -C "$UML_SOURCE.new" --strip-components=1 -xf "$tar" ||
		die "cannot unpack $tar"
	patch -s -d "$UML_SOURCE.new" -p1 <"$UML_PATCH" ||
		die "$UML_PATCH does not apply"
	echo "$key" >"$UML_SOURCE.new/.rpcrdma"
	mv "$UML_SOURCE.new" "$UML_SOURCE"
	drop_lock
}

# uml_make KERNEL ARGUMENTS...
uml_make()
{
	local dir cc=gcc

	dir=$(uml_dir "$1")
	shift
	command -v ccache >/dev/null && cc="ccache gcc"
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u KVER -u BUILD -u V -u W \
		nice -n "${RPCRDMA_NICE:-0}" make -C "$UML_SOURCE" ARCH=um \
		O="$dir" CC="$cc" -j"$(nproc)" "$@" 8>&-
}

uml_configure()
{
	local dir log=$2 fragments

	dir=$(uml_dir "$1")
	fragments=$(uml_fragments "$1")
	mkdir -p "$dir" || return 1
	uml_make "$1" defconfig >>"$log" 2>&1 || return 1
	# shellcheck disable=SC2086
	(cd "$UML_SOURCE" && scripts/kconfig/merge_config.sh -m -O "$dir" \
		"$dir/.config" $fragments) >>"$log" 2>&1 || return 1
	uml_make "$1" olddefconfig >>"$log" 2>&1
}

# uml_progress: a line now and then from kbuild's output.
uml_progress()
{
	awk -v every=300 '
	{ n++ }
	n % every == 0 { printf "setup:   %d files compiled\n", n; fflush() }'
}

# uml_built DIR MODS KEY: whether that kernel is there and up to date.
uml_built()
{
	[ "$(cat "$1/.rpcrdma" 2>/dev/null)" = "$3" ] &&
		[ -x "$1/linux" ] && [ -d "$2" ]
}

# uml_build KERNEL: have that kernel and its modules in the cache.
uml_build()
{
	local kernel=$1 dir mods log key

	dir=$(uml_dir "$kernel")
	mods=$(uml_mods "$kernel")
	log=$RPCRDMA_CACHE/$kernel.log
	key=$(uml_key "$kernel")
	uml_built "$dir" "$mods" "$key" && return 0
	uml_source
	take_lock "$kernel"
	uml_built "$dir" "$mods" "$key" && return 0
	say "setup: building the $kernel kernel in $dir (minutes, once); log: $log"
	rm -f "$dir/.rpcrdma"
	: >"$log"
	uml_configure "$kernel" "$log" || uml_failed "$log"
	uml_make "$kernel" 2>&1 | tee -a "$log" | uml_progress
	[ "${PIPESTATUS[0]}" -eq 0 ] || uml_failed "$log"
	rm -rf "$mods"
	uml_make "$kernel" -s modules_install "INSTALL_MOD_PATH=$mods" >>"$log" 2>&1 ||
		uml_failed "$log"
	echo "$key" >"$dir/.rpcrdma"
	echo "BUILD DONE" >>"$log"
	drop_lock
	say "setup: the $kernel kernel is ready ($SECONDS s)"
}

uml_failed()
{
	grep -aE 'error|Error|\*\*\*' "$1" | tail -n 15 >&2
	die "the kernel was not built, see $1"
}
