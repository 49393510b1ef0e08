#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="hostile clients get the answers in the table of scripts/fuzz/peer, and random messages harm no other client"
VARIANTS="table random"
TARGET=fuzz-guest
KERNELS="uml x86"
PROGRAMS="caller"
VERSIONS=any
TIMEOUT=600

requires() { need_ours; }

# FUZZ_ONLY: a shell pattern for names of cases. Over siw, only cases about version hints run.
test_table() {
	local only='*'
	[ "$PROVIDER" = rxe ] || only='hint_*'
	# A peer must be able to restart the server. The table expects that version 3 is disabled.
	export SERVER_START="rpc.nfsd -N 3 -V 4.0 -V 4.1 -V 4.2 --rdma=20049 $THREADS && { echo Y >/proc/fs/nfsd/v4_end_grace || :; }"
	peers_up
	nfsd_stop
	largest_payload
	assert "nfsd starts" limit 20 sh -c "$SERVER_START"
	"$(peer caller)" -t "${FUZZ_ONLY:-$only}" $ADDR4 20049 || fail "$(grep '^not ok' "$OUT/$TEST_NAME.log")"
}

test_random() {
	peers_up
	batches caller_batch 6
}

caller_batch() {
	in_time 60 "$(peer caller)" -s "${FUZZ_SEED:-1}" -b "$1" -n 200 $ADDR4 20049 || return 1
	offer_version $((1 + $1 % 2))
}
