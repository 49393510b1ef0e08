#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="after make install the kernel loads our modules by itself, for mount and for nfsd; uninstall returns to its own"
KERNELS="uml x86"
AUTOLOAD=n
TIMEOUT=120

requires() { need_ours; }

# for_a_package: what is installed to DESTDIR, and that all of it is removed.
for_a_package() {
	local root=$TEST_TMP/root other
	DESTDIR=$root installer install
	assert "module in DESTDIR" [ -f "$root/lib/modules/$(uname -r)/updates/rpcrdma/xprtrdma.ko" ]
	assert "modprobe.d file in DESTDIR" [ -f "$root/etc/modprobe.d/rpcrdma.conf" ]
	assert "depmod.d file in DESTDIR" [ -f "$root/etc/depmod.d/rpcrdma.conf" ]
	other=$root/lib/modules/6.12.9-other/updates/rpcrdma
	mkdir -p "$other"
	cp "$(module_file xprtrdma)" "$other/"
	DESTDIR=$root installer uninstall
	assert "the configuration stays for another kernel" [ -f "$root/etc/modprobe.d/rpcrdma.conf" ]
	KVER='' DESTDIR=$root "$RPCRDMA_TOP/scripts/install/modules" uninstall
	assert_eq "files left in DESTDIR" 0 "$(find "$root" -type f | count .)"
}

# decoy FOLDER: a module of the same name, as other packages have it
decoy() {
	mkdir -p "$(guest_modules)/updates/$1"
	cp "$(module_file rpcrdma_core)" "$(guest_modules)/updates/$1/xprtrdma.ko"
}

test() {
	no_transport
	few_modules
	log "for a package"
	for_a_package

	log "on this host"
	decoy first
	installer install
	decoy last
	depmod
	assert_eq "xprtrdma among others of its name" "$(guest_modules)/updates/rpcrdma/xprtrdma.ko" \
		"$(realpath "$(modinfo -n xprtrdma)")"
	rm -r "$(guest_modules)"/updates/{first,last}
	installer install
	assert_eq "version" "$(cat "$RPCRDMA_TOP/VERSION")" "$(modinfo -F version xprtrdma)"
	mark_dmesg
	asked_for rpcrdma xprtrdma
	asked_for rpcrdma6 xprtrdma
	asked_for xprtrdma xprtrdma
	asked_for svcrdma svcrdma
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
	assert_eq "lines about the kernel's own" 0 "$(fallbacks_said)"

	log "and back"
	installer uninstall
	asked_for rpcrdma rpcrdma
	asked_for svcrdma rpcrdma
	TRANSPORT=intree nfsd_start
	assert "nfsd loaded the kernel's own" module_loaded rpcrdma
	no_ours
	server_down
	limit 10 rmmod rpcrdma
}

cleanup() { all_modules; }

no_ours() {
	refute "svcrdma is loaded" module_loaded svcrdma
	refute "xprtrdma is loaded" module_loaded xprtrdma
}
