#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="processes killed while long replies are on the way: no connection is lost, nothing is left of them"
TARGET=guest-long
TIMEOUT=150
AUTOLOAD=n

requires() { need_ours && need_extensions pulled && have setfattr getfattr; }

# kill_readers COUNT: start and kill that many readers, five at a time, each with 20 files
# whose attribute is not in the cache.
kill_readers() {
	local n i pids
	for ((n = 0; n < $1; n += 5)); do
		drop_caches
		pids=()
		for ((i = 0; i < 5; i++)); do
			getfattr --only-values -n user.big $MNT/$i/* >/dev/null 2>&1 &
			pids+=($!)
		done
		sleep "0.$(printf %03d $((RANDOM % 80 + 10)))"
		kill -9 "${pids[@]}" 2>/dev/null || :
		wait "${pids[@]}" 2>/dev/null || :
	done
}

test() {
	local before i n value
	value=$(head -c 60000 /dev/zero | tr '\0' x)
	transport_load read_replies=2
	nfsd_start
	for i in 0 1 2 3 4; do
		mkdir $EXPORT/$i
		for n in {1..20}; do
			touch $EXPORT/$i/$n
			assert "set an attribute" setfattr -n user.big -v "$value" $EXPORT/$i/$n
		done
	done
	nfs_mount 4.2
	before=$(ours_stat client connects)
	kill_readers 200
	assert_ge "replies read from the server" "$(ours_stat client replies_read)" 100
	log "read $(ours_stat client replies_read), declined $(ours_stat client reads_declined)"
	assert_eq "connections made since" "$before" "$(ours_stat client connects)"
	drop_caches
	assert_eq "an attribute" "$(printf %s "$value" | cksum)" "$(getfattr --only-values -n user.big $MNT/0/1 2>/dev/null | cksum)"
	nfs_umount
	nfsd_stop
	assert_eq "replies that are still advertised" "$(ours_stat server adverts_created)" "$(ours_stat server adverts_destroyed)"
}
