#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="make install: the kernel loads our modules on demand, or else its own; rpcrdmactl switches; modules are signed"
VARIANTS="autoload fallback switch signed"
TARGET=guest-long
TARGET_autoload=""
KERNELS="uml x86"
KERNELS_signed=uml
AUTOLOAD=n
TIMEOUT=120
TIMEOUT_fallback=180
TIMEOUT_switch=180
TIMEOUT_signed=60

requires() { need_ours; }

cleanup() {
	all_modules
	rm -f /var/lib/dkms/mok.{key,pub}
}

# autoload: after make install, the kernel loads our modules for mount and nfsd. After uninstall, it
# loads its own.

# for_a_package: check the files that are installed to DESTDIR, and that all of them are removed.
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
	KVER='' DESTDIR=$root installer uninstall
	assert_eq "files left in DESTDIR" 0 "$(find "$root" -type f | count .)"
}

# decoy FOLDER: create a module of the same name, like those of other packages.
decoy() {
	mkdir -p "$(guest_modules)/updates/$1"
	cp "$(module_file rpcrdma_core)" "$(guest_modules)/updates/$1/xprtrdma.ko"
}

# sysctls_applied: check that udev's commands for loaded modules apply their part of sysctl.d. The
# guest has no udev.
sysctls_applied() {
	local rules=/etc/udev/rules.d/60-rpcrdma.rules command
	mkdir -p /etc/sysctl.d
	printf '%s\n' sunrpc.rdma_slot_table_entries=96 sunrpc.svc_rdma.max_requests=48 fs.nfs.none=1 >/etc/sysctl.d/nfs.conf
	assert_eq "modules in the rules" "svcrdma xprtrdma" "$(grep -o 'KERNEL=="[a-z]*"' $rules | cut -d'"' -f2 | sort | xargs)"
	while read -r command; do limit 10 sh -c "$command"; done < <(sed -n 's/.*RUN+="\(.*\)"$/\1/p' $rules)
	assert_eq "client's sysctl" 96 "$(sysctl -n sunrpc.rdma_slot_table_entries)"
	assert_eq "server's sysctl" 48 "$(sysctl -n sunrpc.svc_rdma.max_requests)"
	rm /etc/sysctl.d/nfs.conf
}

test_autoload() {
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
	assert_eq "version" "$(modinfo -F version "$(module_file xprtrdma)")" "$(modinfo -F version xprtrdma)"
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
	sysctls_applied
	nfs_umount
	server_down
	await "the modules unload" 10 unload_all
	assert_eq "lines about the kernel's own" 0 "$(fallbacks_said)"

	log "and back"
	installer uninstall
	asked_for rpcrdma rpcrdma
	asked_for svcrdma rpcrdma
	nfsd_start
	assert "nfsd loaded the kernel's own" module_loaded rpcrdma
	no_ours
	server_down
	limit 10 rmmod rpcrdma
}

no_ours() {
	refute "svcrdma is loaded" module_loaded svcrdma
	refute "xprtrdma is loaded" module_loaded xprtrdma
}

# fallback: a kernel that lacks or refuses our modules uses its own transport for mount and nfsd,
# and logs that.

# falls_back NAME...: check that each request loads the kernel's own transport, and logs that once.
falls_back() {
	local name
	for name; do
		mark_dmesg
		asked_for "$name" rpcrdma
		assert_eq "lines about $name in the log" 1 "$(fallbacks_said)"
	done
}

# in_use VERSION: check that nfsd and a mount load the kernel's own transport.
in_use() {
	mark_dmesg
	nfsd_start
	nfs_mount "$1"
	assert "the kernel's own is loaded" module_loaded rpcrdma
	no_ours
	basic_files "$1"
	nfs_umount
	server_down
	assert_ge "lines in the log that say so" "$(fallbacks_said)" 1
	log "$(dmesg_since_mark | grep 'transport is used' | head -1)"
	await "rpcrdma unloads" 10 rmmod rpcrdma
}

# documented_choice: print the documented commands to keep the kernel's own transport.
documented_choice() {
	sed -n "/^    printf 'install %s/,/^$/s/^    //p" "$RPCRDMA_TOP/Documentation/installation.rst"
}

test_fallback() {
	local name updates
	no_transport
	few_modules
	updates=$(guest_modules)/updates
	installer install

	log "an updated kernel, for which the modules were not built"
	mv "$updates" "$TEST_TMP/updates"
	depmod
	falls_back rpcrdma rpcrdma6 svcrdma xprtrdma
	in_use 4.2

	log "a kernel that refuses them"
	mv "$TEST_TMP/updates" "$updates"
	depmod
	for name in xprtrdma svcrdma; do
		cp "$updates/rpcrdma/$name.ko" "$TEST_TMP/$name.ko"
		truncate -s 4096 "$updates/rpcrdma/$name.ko"
		falls_back ${name/xprt/rpc}
	done
	in_use 3
	# It was loaded as a dependency.
	modprobe -r rpcrdma_core

	log "a kernel that refuses what they need, too: Secure Boot without their key"
	truncate -s 4096 "$updates/rpcrdma/rpcrdma_core.ko"
	falls_back rpcrdma rpcrdma6 svcrdma xprtrdma
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

# switch: rpcrdmactl switches to the kernel's own transport and back, with the mounts and listeners
# over RDMA. A TCP mount stays, and with a busy mount nothing changes.
requires_switch() { need_ours && have python3; }

# mounted_as FOLDER: print the identity and the options of a mount.
mounted_as() { awk -v folder="$1" '$5 == folder { print $1, $0 }' /proc/self/mountinfo; }

# options_of FOLDER: print the options that an administrator sets.
options_of() { awk -v folder="$1" '$2 == folder { print $1, $3, $4 }' /proc/mounts; }

# switched TO MODULE: check that all users of RDMA use it again, through that module, with the same
# options.
switched() {
	local before tcp
	before=$(options_of $MNT; options_of $MNT.ro)
	tcp=$(mounted_as $MNT.tcp)
	log "$(limit 120 "$CTL" switch "$1" 2>&1)"
	assert "$2 is loaded" module_loaded "$2"
	assert_eq "options" "$before" "$(options_of $MNT; options_of $MNT.ro)"
	assert_eq "the TCP mount" "$tcp" "$(mounted_as $MNT.tcp)"
	assert "nfsd listens for RDMA" grep -qx 'rdma 20049' /proc/fs/nfsd/portlist
	grace_ends
	assert_eq "data" "$data" "$(limit 60 cat $MNT/data)"
	refute "the read-only mount" touch $MNT.ro/data
	limit 60 cat <&7 >/dev/null || fail "the file that is open over TCP"
}

test_switch() {
	local data out
	no_transport
	few_modules
	installer install
	nfsd_start
	nfs_mount 4.2 nconnect=2,noatime
	nfs_mount 4.1 ro $MNT.ro
	PROTO=tcp PORT=2049 nfs_mount 3 "" $MNT.tcp
	data=$(date)
	echo "$data" >$MNT/data
	exec 7<$MNT.tcp/data
	out=$(ctl switch in-tree --dry-run)
	log "$out"
	assert_eq "what it names" 3 "$(count "mount $MNT |mount $MNT.ro |listener rdma 20049" <<<"$out")"
	switched in-tree rpcrdma
	no_ours
	assert_eq "once more" 1 "$(ctl switch in-tree | count 'in use already')"

	log "a busy mount"
	(cd $MNT && exec sleep 600) &
	refute "the switch" limit 120 "$CTL" switch ours
	assert "rpcrdma is loaded still" module_loaded rpcrdma
	no_ours
	grace_ends
	assert_eq "data" "$data" "$(limit 60 cat $MNT/data)"
	assert "nfsd listens for RDMA" grep -qx 'rdma 20049' /proc/fs/nfsd/portlist
	kill %%
	wait %% || true

	log "and back"
	switched ours xprtrdma
	refute "rpcrdma is loaded" module_loaded rpcrdma
	exec 7<&-
	nfs_umount $MNT.tcp
	nfs_umount $MNT.ro
	nfs_umount
	server_down
	await "the modules unload" 10 unload_all
}

# signed: make install signs the modules with a given key, and fails with one line if the kernel
# requires signatures and there is no key.

# sign_file: print the signing program of any kernel whose headers are installed.
sign_file() { compgen -G '/lib/modules/*/build/scripts/sign-file' | head -1 | grep .; }

requires_signed() { need_ours && have openssl && { sign_file >/dev/null || { echo "no sign-file here: the kernel's headers are missing"; return 2; }; }; }

# refused WORD COMMAND...: check that it fails with one line that has the word, and installs no
# module.
refused() {
	local word=$1 out
	shift
	rm -rf "${root:?}/lib"
	out=$("$@" 2>&1) && fail "it succeeds: $out"
	log "$out"
	assert_eq "lines with $word" 1 "$(count "$word" <<<"$out")"
	assert_eq "lines" 1 "$(count . <<<"$out")"
	assert_eq "installed modules" 0 "$(find "$root" -name '*.ko' | count .)"
}

test_signed() {
	local root=$TEST_TMP/root key=$TEST_TMP/key.pem cert=$TEST_TMP/cert.der m
	export DESTDIR=$root
	mkdir -p "$root/boot"
	limit 30 openssl req -new -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=a test key" \
		-outform DER -keyout "$key" -out "$cert" 2>/dev/null
	log "a kernel that demands signatures, and no key"
	echo CONFIG_MODULE_SIG_FORCE=y >"$root/boot/config-$(uname -r)"
	mkdir -p /var/lib/dkms
	rm -f /var/lib/dkms/mok.{key,pub}
	refused SIGN_KEY installer install
	log "keys that cannot be read"
	SIGN_KEY=$TEST_TMP/none.pem SIGN_CERT=$cert refused none.pem installer install
	SIGN_KEY=$key refused SIGN_CERT installer install
	log "a kernel without CONFIG_MODULE_SIG"
	SIGN_KEY=$key SIGN_CERT=$cert SIGN_FILE=$TEST_TMP/none refused CONFIG_MODULE_SIG installer install
	SIGN_FILE=$(sign_file)
	export SIGN_FILE
	log "with a given key"
	SIGN_KEY=$key SIGN_CERT=$cert installer install
	for m in rpcrdma_core xprtrdma svcrdma; do assert_eq "signer of $m" "a test key" "$(signer $m)"; done
	log "with the key of DKMS"
	cp "$key" /var/lib/dkms/mok.key
	cp "$cert" /var/lib/dkms/mok.pub
	rm -r "${root:?}/lib"
	installer install
	assert_eq "signer" "a test key" "$(signer svcrdma)"
	log "none is demanded"
	rm -r "${root:?}/boot" "${root:?}/lib"
	installer install
	assert_eq "signer" "" "$(signer svcrdma)"
}
signer() { modinfo -F signer "$root/lib/modules/$(uname -r)/updates/rpcrdma/$1.ko"; }

# Helpers: install the modules in the guest, and load them with modprobe.

installer() { KVER=${KVER-$(uname -r)} "$RPCRDMA_TOP/scripts/install/modules" "$@"; }

# guest_modules: print the module folder of this kernel.
guest_modules() { realpath "/lib/modules/$(uname -r)"; }

# few_modules: mount a module folder with only the modules that this test needs, because depmod
# takes minutes for a distribution's thousands of modules.
few_modules() {
	local dir small=$TEST_TMP/modules
	dir=$(guest_modules)
	mkdir -p "$small"
	cp "$dir"/modules.{order,builtin,builtin.modinfo} "$small/"
	# Some are built in, which modprobe reports as an error.
	modprobe -a --show-depends --ignore-install nfs nfsv3 nfsv4 nfsd rpcrdma rdma_cm rdma_rxe dummy lockd \
		rpcsec_gss_krb5 >"$TEST_TMP/needed" 2>/dev/null || true
	cd "$dir" || fail "$dir"
	awk '/^insmod/ { print $2 }' "$TEST_TMP/needed" | xargs realpath --relative-to=. | sort -u |
		xargs cp --parents -t "$small"
	cd "$OLDPWD" || fail "$OLDPWD"
	mount --bind "$small" "$dir"
	depmod
}

# all_modules: undo few_modules.
all_modules() { mountpoint -q "$(guest_modules)" && umount "$(guest_modules)"; return 0; }

no_transport() {
	local m
	for m in rpcrdma svcrdma xprtrdma rpcrdma_core; do
		refute "$m is loaded" module_loaded $m
	done
}

unload_all() { modprobe -r svcrdma xprtrdma rpcrdma_core && no_transport; }

# asked_for NAME MODULE: check that the kernel's request for NAME loads MODULE, and unload it.
asked_for() {
	local other others=rpcrdma
	[ "$2" != rpcrdma ] || others="xprtrdma svcrdma"
	limit 20 modprobe -q -- "$1" || fail "modprobe $1"
	log "$1: $(grep -oE '^(xprtrdma|svcrdma|rpcrdma) ' /proc/modules | xargs)"
	assert "$1 loads $2" module_loaded "$2"
	for other in $others; do refute "$1 loads $other" module_loaded "$other"; done
	if [ "$2" = rpcrdma ]; then
		await "rpcrdma unloads" 10 rmmod rpcrdma
	else
		await "the modules unload" 10 unload_all
	fi
}

# fallbacks_said: count the lines in the log since mark_dmesg that name the transport.
fallbacks_said() { dmesg_since_mark | count "rpcrdma: no (xprt|svc)rdma that this kernel can load: its own NFS/RDMA transport is used"; }
