# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Building kernels for guests into the cache. Sourced by scripts/setup.

KERNEL_SOURCE=$RPCRDMA_CACHE/linux-source-$RPCRDMA_SERIES
KERNEL_PATCH=$RPCRDMA_TOP/scripts/vm/uml-xstate.patch

# Architecture of a kernel in the cache, the configuration that it starts from, and the
# fragments that are merged into it, in order.
kernel_arch()
{
	case $1 in
	x86-debug) echo x86_64 ;;
	*) echo um ;;
	esac
}

kernel_base()
{
	case $1 in
	x86-debug) echo tinyconfig ;;
	*) echo defconfig ;;
	esac
}

kernel_fragments()
{
	local dir=$RPCRDMA_TOP/scripts/vm upstream=$RPCRDMA_TOP/scripts/upstream

	echo "$dir/uml.fragment"
	case $1 in
	uml-upstream | uml-steps) echo "$upstream/modules.fragment" ;;
	uml-upstream-y) echo "$upstream/modules.fragment" "$upstream/builtin.fragment" ;;
	uml-debug) echo "$dir/uml-debug.fragment" ;;
	x86-debug) echo "$dir/uml-debug.fragment" "$dir/x86-debug.fragment" ;;
	esac
}

# source_key: identifies the version and patch that the unpacked source tree must have.
source_key()
{
	local version

	version=$(dpkg-query -W -f '${Version}' "linux-source-$RPCRDMA_SERIES" 2>/dev/null)
	echo "${version:-unknown} $(sha256sum <"$KERNEL_PATCH" | cut -c1-16)"
}

# kernel_key KERNEL: identifies source and configuration that a built kernel must have.
kernel_key()
{
	local fragments

	fragments=$(kernel_fragments "$1")
	# shellcheck disable=SC2086
	echo "$(source_key) $(cat $fragments | sha256sum | cut -c1-16)" \
		"gcc $(gcc -dumpfullversion)"
}

# kernel_source: unpack the kernel's source and patch it.
kernel_source()
{
	local tar=/usr/src/linux-source-$RPCRDMA_SERIES.tar.xz key

	key=$(source_key)
	[ "$(cat "$KERNEL_SOURCE/.rpcrdma" 2>/dev/null)" = "$key" ] && return 0
	take_lock source
	[ "$(cat "$KERNEL_SOURCE/.rpcrdma" 2>/dev/null)" = "$key" ] && return 0
	[ -r "$tar" ] || die "$tar does not exist"
	say "setup: unpacking $tar"
	rm -rf "$KERNEL_SOURCE" "$KERNEL_SOURCE.new"
	mkdir -p "$KERNEL_SOURCE.new" || die "cannot create $KERNEL_SOURCE.new"
	tar -C "$KERNEL_SOURCE.new" --strip-components=1 -xf "$tar" ||
		die "cannot unpack $tar"
	patch -s -d "$KERNEL_SOURCE.new" -p1 <"$KERNEL_PATCH" ||
		die "$KERNEL_PATCH does not apply"
	echo "$key" >"$KERNEL_SOURCE.new/.rpcrdma"
	mv "$KERNEL_SOURCE.new" "$KERNEL_SOURCE"
	drop_lock
}

# kernel_make KERNEL ARGUMENTS...
kernel_make()
{
	local dir arch cc=gcc

	dir=$(kernel_dir "$1")
	arch=$(kernel_arch "$1")
	shift
	command -v ccache >/dev/null && cc="ccache gcc"
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u KVER -u BUILD -u V -u W \
		nice -n "${RPCRDMA_NICE:-0}" make -C "$KERNEL_SOURCE" ARCH="$arch" \
		O="$dir" CC="$cc" -j"$(nproc)" "$@" 8>&-
}

kernel_configure()
{
	local dir log=$2 fragments

	dir=$(kernel_dir "$1")
	fragments=$(kernel_fragments "$1")
	mkdir -p "$dir" || return 1
	kernel_make "$1" "$(kernel_base "$1")" >>"$log" 2>&1 || return 1
	# shellcheck disable=SC2086
	(cd "$KERNEL_SOURCE" && scripts/kconfig/merge_config.sh -m -O "$dir" \
		"$dir/.config" $fragments) >>"$log" 2>&1 || return 1
	kernel_make "$1" olddefconfig >>"$log" 2>&1
}

# kernel_progress: read kbuild's output and print a line every KERNEL_PROGRESS seconds (30).
kernel_progress()
{
	local line every=${KERNEL_PROGRESS:-30} start=$SECONDS next objects=0

	next=$((start + every))
	while :; do
		if IFS= read -r -t 1 line; then
			case $line in *' CC '* | *' AS '*) objects=$((objects + 1)) ;; esac
		elif [ $? -le 128 ]; then
			return 0
		fi
		[ "$SECONDS" -ge "$next" ] || continue
		next=$((SECONDS + every))
		say "setup:   $objects objects compiled, $((SECONDS - start)) s"
	done
}

# kernel_built KERNEL KEY: whether that kernel is in the cache and up to date.
kernel_built()
{
	[ "$(cat "$(kernel_dir "$1")/.rpcrdma" 2>/dev/null)" = "$2" ] &&
		[ -s "$(kernel_image "$1")" ] && [ -d "$(kernel_mods "$1")" ]
}

# kernel_build KERNEL: build that kernel and its modules into the cache, if need be.
kernel_build()
{
	local kernel=$1 dir mods log key

	dir=$(kernel_dir "$kernel")
	mods=$(kernel_mods "$kernel")
	log=$RPCRDMA_CACHE/$kernel.log
	key=$(kernel_key "$kernel")
	kernel_built "$kernel" "$key" && return 0
	kernel_source
	take_lock "$kernel"
	kernel_built "$kernel" "$key" && return 0
	say "setup: building the $kernel kernel in $dir (minutes, once); log: $log"
	rm -f "$dir/.rpcrdma"
	: >"$log"
	kernel_configure "$kernel" "$log" || kernel_failed "$log"
	kernel_make "$kernel" 2>&1 | tee -a "$log" | kernel_progress
	[ "${PIPESTATUS[0]}" -eq 0 ] || kernel_failed "$log"
	rm -rf "$mods"
	kernel_make "$kernel" -s modules_install "INSTALL_MOD_PATH=$mods" >>"$log" 2>&1 ||
		kernel_failed "$log"
	echo "$key" >"$dir/.rpcrdma"
	echo "BUILD DONE" >>"$log"
	drop_lock
	say "setup: the $kernel kernel is ready ($SECONDS s)"
}

kernel_failed()
{
	grep -aE 'error|Error|\*\*\*' "$1" | tail -n 15 >&2
	die "the kernel was not built, see $1"
}
