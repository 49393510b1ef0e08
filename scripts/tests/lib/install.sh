# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Installing the modules in the guest, and what modprobe makes of that.

installer() { KVER=$(uname -r) "$RPCRDMA_TOP/scripts/install/modules" "$@"; }

# guest_modules: the module folder of this kernel.
guest_modules() { realpath "/lib/modules/$(uname -r)"; }

# few_modules: a module folder with only what this test needs; depmod of a distribution's
# thousands takes minutes here.
few_modules() {
	local dir file small=$TEST_TMP/modules
	dir=$(guest_modules)
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

# all_modules: undo few_modules.
all_modules() { mountpoint -q "$(guest_modules)" && umount "$(guest_modules)"; return 0; }

no_transport() {
	local m
	for m in rpcrdma svcrdma xprtrdma rpcrdma_core; do
		refute "$m is loaded" module_loaded $m
	done
}

unload_all() { modprobe -r svcrdma xprtrdma rpcrdma_core && no_transport; }

# asked_for NAME MODULE: what the kernel asks modprobe for loads that module; it is unloaded.
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

# fallbacks_said: lines in the log since mark_dmesg that say which transport is used.
fallbacks_said() { dmesg_since_mark | count "rpcrdma: no (xprt|svc)rdma that $(uname -r | sed 's/[+.]/[&]/g') can load: its own NFS/RDMA transport is used"; }
