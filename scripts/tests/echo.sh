#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="both transports in one kernel, without NFS: every size through every chunk type, callbacks, lost connections, killed calls"
TARGET="echo"
KERNELS="uml x86"
VERSIONS=any
TIMEOUT=600

requires() { need_ours && kernel_has kunit && need_extensions pulled; }

READ_REPLIES=/sys/module/xprtrdma/parameters/read_replies

# ECHO_KILLS: number of calls to kill while the client reads their replies from Read chunks. No
# connection may be lost.
test() {
	local name module before missing
	missing=$(receives_missing)
	ECHO_LONGEST=
	# With regions of 32 pages, data longer than NFS payloads can need too many segments.
	case ${ADAPTER:-} in *profile=worst*) ECHO_LONGEST=longest=1048577 ;; esac
	trace_ends
	# With few gather entries, the client sends no larger data inline.
	case ${ADAPTER:-} in
	*profile=worst* | *profile=i40iw* | *profile=qedr*) log "sizes do not grow with $ADAPTER" ;;
	*) sizes_grow ;;
	esac
	# Long replies use Reply chunks. The next run, without them, loses more connections.
	suites short kills=0 disconnects=20
	replies_read 17
	echo 2 >$READ_REPLIES
	# The longest reply to a callback is a page, which must not fit inline here.
	rmmod svcrdma
	insmod "$(module_file svcrdma)" receive_buffer_size=4096
	trace_ends
	suites all "kills=${ECHO_KILLS:-10000}"
	replies_read 400
	for name in bc_calls_read bc_replies_written bc_invalidations; do
		assert_ge "$name" "$(ours_stat client $name)" 1
	done
	# Version 1 does not negotiate replies in Read chunks: each side has a parameter.
	for module in xprtrdma svcrdma; do
		echo 1 >"/sys/module/$module/parameters/max_version"
		echo Y >"/sys/module/$module/parameters/read_replies_v1"
	done
	before=$(ours_stat client replies_read)
	suites v1 kills=1000 general=0
	replies_read $((before + 400))
	assert_eq "messages without a Receive" "$missing" "$(receives_missing)"
}

# replies_read AT_LEAST: check that at least this number of replies was read from the server, that
# the same number of DONEs was sent, and that as many Reply chunks or more were avoided.
replies_read() {
	local reads
	reads=$(ours_stat client replies_read)
	assert_ge "replies read" "$reads" "$1"
	assert_ge "DONEs sent" "$(ours_stat client dones_sent)" "$1"
	assert_ge "Reply chunks avoided" "$(ours_stat client reply_chunks_avoided)" "$reads"
}

# sizes_grown: succeed if the Receives of both sides have grown.
sizes_grown() {
	[ "$(ours_stat client recvs_grown)" -ge 1 ] && [ "$(ours_stat server recvs_grown)" -ge 1 ]
}

# sizes_grow: run only the suite of that name, and assert that the Receives of both sides have
# grown. This takes 64 long messages in one interval, which lasts for three rounds of them. All may
# have to last longer on a busy machine. Debug kernels get SLOW times as long.
sizes_grow() {
	local round=$((300 * SLOW)) run
	only_suite rpcrdma_echo_sizes
	for run in 1 2 3; do
		tuning_interval $((3 * round))
		suites "sizes$run" "changes=3" "pause=$round"
		! sizes_grown || break
		round=$((3 * round))
	done
	all_suites
	tuning_interval 5000
	assert "sizes have grown" sizes_grown
}
