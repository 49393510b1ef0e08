#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a kernel without our modules, or that refuses them, uses its own transport for mount and nfsd, and says so"
TARGET=guest-long
KERNELS="uml x86"
AUTOLOAD=n
TIMEOUT=180

requires() { need_ours; }

# in_use VERSION: nfsd and a mount get the kernel's own transport by themselves.
in_use() {
	mark_dmesg
	TRANSPORT=intree nfsd_start
	nfs_mount "$1"
	assert "the kernel's own is loaded" module_loaded rpcrdma
	refute "xprtrdma is loaded" module_loaded xprtrdma
	refute "svcrdma is loaded" module_loaded svcrdma
	basic_files "$1"
	nfs_umount
	server_down
	assert_ge "lines in the log that say so" "$(fallbacks_said)" 1
	log "$(dmesg_since_mark | grep 'transport is used' | head -1)"
	await "rpcrdma unloads" 10 rmmod rpcrdma
}

# documented_choice: the commands by which an administrator stays with the kernel's own.
documented_choice() {
	sed -n "/^    printf 'install %s/,/^$/s/^    //p" "$RPCRDMA_TOP/Documentation/installation.rst"
}

test() {
	local name updates
	no_transport
	few_modules
	updates=$(guest_modules)/updates
	installer install

	log "an updated kernel, for which the modules were not built"
	mv "$updates" "$TEST_TMP/updates"
	depmod
	for name in rpcrdma rpcrdma6 svcrdma xprtrdma; do
		mark_dmesg
		asked_for $name rpcrdma
		assert_eq "lines about $name in the log" 1 "$(fallbacks_said)"
	done
	in_use 4.2

	log "a kernel that refuses them"
	mv "$TEST_TMP/updates" "$updates"
	depmod
	for name in xprtrdma svcrdma; do
		cp "$updates/rpcrdma/$name.ko" "$TEST_TMP/$name.ko"
		truncate -s 4096 "$updates/rpcrdma/$name.ko"
		mark_dmesg
		asked_for ${name/xprt/rpc} rpcrdma
		assert_eq "lines about $name in the log" 1 "$(fallbacks_said)"
	done
	in_use 3
	# It has been loaded for them.
	modprobe -r rpcrdma_core

	log "a kernel that refuses what they need, too: Secure Boot without their key"
	truncate -s 4096 "$updates/rpcrdma/rpcrdma_core.ko"
	for name in rpcrdma rpcrdma6 svcrdma xprtrdma; do
		mark_dmesg
		asked_for $name rpcrdma
		assert_eq "lines about $name in the log" 1 "$(fallbacks_said)"
	done
	refute "modprobe --ignore-install succeeds" limit 20 modprobe --ignore-install xprtrdma
	in_use 4.2

	log "the kernel's own by choice, in which what ours need has no part"
	cp /etc/modprobe.d/rpcrdma.conf "$TEST_TMP/rpcrdma.conf"
	documented_choice | sh -e
	mark_dmesg
	for name in rpcrdma svcrdma xprtrdma; do asked_for $name rpcrdma; done
	assert_eq "lines in the log" 0 "$(fallbacks_said)"
	cp "$TEST_TMP/rpcrdma.conf" /etc/modprobe.d/rpcrdma.conf

	log "a kernel that has no NFS/RDMA of its own, either"
	mkdir "$TEST_TMP/own"
	find "$(guest_modules)/kernel" -name 'rpcrdma.ko*' -exec mv {} "$TEST_TMP/own/" \;
	rm -r "$updates"
	depmod
	mark_dmesg
	refute "modprobe succeeds" timeout 20 modprobe rpcrdma
	refute "modprobe succeeds" timeout 20 modprobe svcrdma
	assert_eq "lines in the log" 0 "$(fallbacks_said)"
	no_transport
}

cleanup() { all_modules; }
