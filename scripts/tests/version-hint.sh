#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="both sides say beforehand that they have version 2: it is used in each mode that permits it, and nothing is offered in vain"
KERNELS="uml x86"
TARGET=guest-long
VERSIONS=any
TIMEOUT=120
AUTOLOAD=n

requires() { need_ours; }

# round CLIENT_ARGS SERVER_ARGS VERSION: load the modules, start the server, mount with 4.2 and
# then 3; connections have VERSION; call "wanted" with each.
round() {
	local v
	transport_load "$1" "$2"
	nfsd_start 2
	for v in 4.2 3; do
		log "NFS $v: client $1, server $2"
		nfs_mount $v
		assert_eq "version" "$3" "$(version_now)"
		wanted
		basic_files $v
		nfs_umount
	done
	assert_eq "offers not answered" 0 "$(ours_stat client offers_unanswered)"
	assert_eq "servers remembered" 0 "$(ours_stat client fallbacks_remembered)"
	assert_eq "attempts that failed" 0 "$(ours_stat client connects_failed)"
	nfsd_stop
	transport_unload
}

version_now() { conn_values client rpcrdma_version; }

# hints SERVER_S CLIENT_S: what each side has been told.
hints() {
	assert_eq "the server's hint" "$1" "$(conn_values client peer_hint)"
	assert_eq "the client's hint" "$2" "$(conn_values server peer_hint)"
}

# no_offers: nobody has sent a message of version 2.
no_offers() {
	assert_eq "CONNPROPs received" 0 "$(ours_stat server connprops_received)"
	assert_eq "errors sent" 0 "$(ours_stat server errors_sent)"
	assert_eq "offers refused" 0 "$(ours_stat client offers_refused)"
}

test() {
	local mode
	for mode in probe hint; do
		wanted() {
			hints v2 v2
			assert_ge "hints counted" "$(ours_stat client hints_v2)" 1
			assert_eq "connections of version 1" 0 "$(ours_stat client connects_v1)"
			assert_eq "errors sent" 0 "$(ours_stat server errors_sent)"
		}
		round negotiate=$mode "" 2
	done

	log "a client that does not want it says nothing"
	wanted() { hints v2 none && no_offers; }
	round negotiate=off "" 1
	round "max_version=1 negotiate=probe" "" 1

	log "a server that may not says nothing"
	wanted() { hints none v2 && no_offers; }
	round negotiate=hint max_version=1 1
	wanted() {
		hints none v2
		assert_ge "offers refused" "$(ours_stat client offers_refused)" 1
	}
	round negotiate=probe max_version=1 1
	refuses_nonsense
}

# refuses_nonsense: the parameter has three values.
refuses_nonsense() {
	local p=/sys/module/xprtrdma/parameters/negotiate mode
	transport_load
	assert_eq "the default" probe "$(cat $p)"
	for mode in off hint probe; do
		echo $mode >$p
		assert_eq "negotiate" $mode "$(cat $p)"
	done
	for mode in 0 maybe ""; do
		refute "negotiate=$mode" eval "echo $mode >$p" 2>/dev/null
	done
	assert_eq "negotiate afterwards" probe "$(cat $p)"
	transport_unload
}
