#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="scripts/bench/adapters measures a mount, and tells what it measures"
TIMEOUT=90

ADAPTERS=${BASH_SOURCE[0]%/*}/../bench/adapters

requires() { have fio python3; }

test() {
	local out=$TEST_TMP/adapters.txt json=$TEST_TMP/adapters.json
	nfsd_start 4
	nfs_mount 4.2
	limit 60 "$ADAPTERS" --seconds 1 --rounds 1 --size 8m --json "$json" "$MNT" >"$out"
	log "$(<"$out")"
	assert "the transport is named" grep -q "^# $([ "$TRANSPORT" = ours ] && echo ours || echo in-tree), 1 rounds" "$out"
	assert_eq "jobs with operations" 7 "$(python3 -c '
import json, sys
jobs = json.load(open(sys.argv[1]))["jobs"].values()
print(sum(job["ops/s"] > 0 and job["99% us"] > 0 for job in jobs))' "$json")"
	assert "no files are left" [ ! -e "$MNT/job.0" ]
	fails_with "is not on an NFS mount" "$ADAPTERS" "$TEST_TMP"
	nfs_umount
}

# fails_with TEXT COMMAND...
fails_with() {
	local said
	! said=$("${@:2}" 2>&1) || fail "$2 succeeded"
	[[ $said == *"$1"* ]] || fail "$2: $said"
}
