# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Loads the transport: this project's three modules, or the kernel's own rpcrdma.

# module_file NAME: print the path of our module.
module_file() {
	local f
	for f in "$MODDIR/$1.ko" "$MODDIR"/*/"$1.ko"; do
		[ -f "$f" ] && { echo "$f"; return; }
	done
	return 1
}

module_loaded() { [ -d "/sys/module/$1" ]; }

# transport_load [CLIENT_ARGS [SERVER_ARGS]]: load both sides' transport.
transport_load() {
	local m
	if [ "$TRANSPORT" = intree ]; then
		limit 20 modprobe rpcrdma
		return
	fi
	if module_loaded rpcrdma; then fail "rpcrdma is loaded"; fi
	for m in sunrpc rdma_cm; do limit 20 modprobe $m; done
	module_loaded rpcrdma_core || limit 20 insmod "$(module_file rpcrdma_core)" || fail "cannot load rpcrdma_core"
	# shellcheck disable=SC2086
	module_loaded xprtrdma || limit 20 insmod "$(module_file xprtrdma)" max_version="$MAX_VERSION" ${1:-} || fail "cannot load xprtrdma"
	# shellcheck disable=SC2086
	module_loaded svcrdma || limit 20 insmod "$(module_file svcrdma)" ${2:-} || fail "cannot load svcrdma"
}

# transport_unload: unload the transport; fail if a module does not unload within seconds.
transport_unload() {
	local m
	for m in svcrdma xprtrdma rpcrdma_core rpcrdma; do
		module_loaded $m || continue
		wait_for 10 unload_one $m || { limit 10 rmmod $m || true; fail "$m does not unload (refcnt $(cat /sys/module/$m/refcnt))"; }
	done
}
unload_one() { timeout -k 2 $((20 * SLOW)) rmmod "$1" 2>/dev/null; }

# offer_version N: set the highest version that this client offers.
offer_version() { echo "$1" >/sys/module/xprtrdma/parameters/max_version || fail "cannot set max_version"; }

# tuning_interval MS: set the time between requests for larger Receives, on both sides.
tuning_interval() {
	local file
	for file in /sys/module/{xprtrdma,svcrdma}/parameters/tuning_interval; do
		[ ! -e $file ] || echo "$1" >$file || fail "cannot set tuning_interval"
	done
}
