#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the link is cut silently while a client only waits for a reply: both sides notice it in time, and the client continues"
TARGET=guest-long
GUESTS=2
VERSIONS=any
TIMEOUT=150

requires() { need_ours && have tc && kernel_has sch_netem; }

left() {
	local begin
	nfsd_start
	echo data >$EXPORT/f
	meet serving
	meet mounted 90
	# a call that needs mountd makes nfsd wait
	assert "mountd stops" kill -STOP "$(pidof rpc.mountd)"
	limit 10 exportfs -f
	meet stopped
	meet waiting
	link_cut
	meet cut
	begin=$SECONDS
	# the call, which nfsd has deferred, holds the connection
	kill -CONT "$(pidof rpc.mountd)"
	# no extra time on slower kernels: tunables.rst promises this
	poll_for 45 released || fail "not released: $(counters_leak)"
	log "released after $((SECONDS - begin)) s"
	meet noticed
	link_mend
	meet mended
	meet finished 90
}

right() {
	local reader before begin
	meet serving
	nfs_mount 3 actimeo=0
	assert_eq "data" data "$(cat $MNT/f)"
	meet mounted
	meet stopped
	before=$(ours_stat client replies)
	stat $MNT/f >/dev/null &
	reader=$!
	await "the call was sent" 10 call_waits
	# the Send has been acknowledged, and so has a probe
	await "a probe was answered" 20 probed_twice
	assert_eq "replies since" "$before" "$(ours_stat client replies)"
	assert_eq "lost connections" 0 "$(ours_stat client disconnects)"
	meet waiting
	link_cut
	meet cut
	begin=$SECONDS
	poll_for 15 vanished || fail "the client has not noticed that its server is gone"
	log "noticed after $((SECONDS - begin)) s"
	meet noticed 90
	link_mend
	meet mended
	begin=$SECONDS
	assert "the waiting process goes on" within 35 tail --pid=$reader -s 0.1 -f /dev/null
	log "goes on after $((SECONDS - begin)) s"
	assert_eq "data afterwards" data "$(cat $MNT/f)"
	meet finished
}

released() { [ "$(ours_stat server conns_destroyed)" = "$(ours_stat server conns_created)" ]; }
call_waits() { [ "$(ours_stat client sends_created)" -gt "$(ours_stat client replies)" ]; }
probed_twice() { [ "$(ours_stat client probes_sent)" -ge 2 ]; }
vanished() { [ "$(ours_stat client conns_vanished)" -ge 1 ]; }

cleanup() {
	kill -CONT "$(pidof rpc.mountd)" 2>/dev/null || true
	link_mend
}
