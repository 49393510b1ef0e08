#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="after make install the kernel loads our modules by itself, for mount and for nfsd; uninstall returns to its own"
KERNELS="uml x86"
AUTOLOAD=n

requires() { need_ours; }

installer() { KVER=$(uname -r) "$RPCRDMA_TOP/scripts/install/modules" "$@"; }

# resolves NAME FILE: what modprobe would load for NAME.
resolves() {
	local seen
	seen=$(modprobe --show-depends "$1" | awk '/^insmod/ { print $2 }' | tail -1)
	log "$1: $seen"
	assert_eq "modprobe $1" "$2" "$(basename "$seen" | sed 's/\.ko.*/.ko/')"
}

# few_modules: a module folder with only what this test needs; depmod of a distribution's
# thousands takes minutes here.
few_modules() {
	local dir file small=$TEST_TMP/modules
	dir=$(realpath "/lib/modules/$(uname -r)")
	mkdir -p "$small"
	cp "$dir"/modules.{order,builtin,builtin.modinfo} "$small/"
	for file in nfs nfsv3 nfsv4 nfsd rpcrdma rdma_cm rdma_rxe dummy lockd rpcsec_gss_krb5; do
		modprobe --show-depends --ignore-install "$file" 2>/dev/null || true
	done | awk '/^insmod/ { print $2 }' | sort -u >"$TEST_TMP/needed"
	while read -r file; do
		file=$(realpath "$file")
		mkdir -p "$small/$(dirname "${file#"$dir/"}")"
		cp "$file" "$small/${file#"$dir/"}"
	done <"$TEST_TMP/needed"
	mount --bind "$small" "$dir"
	depmod
}

no_transport() {
	local m
	for m in rpcrdma svcrdma xprtrdma rpcrdma_codec; do
		refute "$m is loaded" module_loaded $m
	done
}

unload_all() {
	modprobe -r svcrdma xprtrdma rpcrdma_codec
	no_transport
}

test() {
	no_transport
	few_modules
	log "for a package"
	DESTDIR=$TEST_TMP/root installer install
	assert "module in DESTDIR" [ -f "$TEST_TMP/root/lib/modules/$(uname -r)/updates/xprtrdma.ko" ]
	assert "modprobe.d file in DESTDIR" [ -f "$TEST_TMP/root/etc/modprobe.d/rpcrdma.conf" ]
	DESTDIR=$TEST_TMP/root installer uninstall
	assert_eq "files left in DESTDIR" 0 "$(find "$TEST_TMP/root" -type f | count .)"

	log "on this host"
	installer install
	resolves rpcrdma xprtrdma.ko
	resolves rpcrdma6 xprtrdma.ko
	resolves xprtrdma xprtrdma.ko
	resolves svcrdma svcrdma.ko
	nfsd_start
	assert "nfsd loaded svcrdma" module_loaded svcrdma
	refute "nfsd loaded rpcrdma" module_loaded rpcrdma
	nfs_mount 4.2
	assert "mount loaded xprtrdma" module_loaded xprtrdma
	refute "mount loaded rpcrdma" module_loaded rpcrdma
	basic_files 4.2
	nfs_umount
	server_down
	await "the modules unload" 10 unload_all

	log "and back"
	installer uninstall
	resolves rpcrdma rpcrdma.ko
	resolves svcrdma rpcrdma.ko
	TRANSPORT=intree nfsd_start
	assert "nfsd loaded the kernel's own" module_loaded rpcrdma
	no_ours
	server_down
	limit 10 rmmod rpcrdma
}

cleanup() {
	mountpoint -q "$(realpath "/lib/modules/$(uname -r)")" && umount "$(realpath "/lib/modules/$(uname -r)")"
	return 0
}

no_ours() {
	refute "svcrdma is loaded" module_loaded svcrdma
	refute "xprtrdma is loaded" module_loaded xprtrdma
}
