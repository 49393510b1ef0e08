#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="mountstats, nfsiostat and a parser by node_exporter's rules read our xprt line, and their numbers are those of the traffic"
KERNELS="uml x86"

requires() { have mountstats nfsiostat python3; }

test() {
	local v
	nfsd_start
	for v in 3 4.2; do
		log "NFS version $v"
		nfs_mount $v
		assert "write" "$IOTOOL" write $MNT/f 0 655360 1 direct
		assert "read" "$IOTOOL" check $MNT/f 0 655360 1 direct
		by_mountstats
		by_nfsiostat
		by_procfs
		nfs_umount
	done
	parser_objects
}

# number NAME: from mountstats' report.
number() { sed -n "s/^\t$1: \([0-9]*\).*/\1/p" $TEST_TMP/report; }

by_mountstats() {
	local field
	limit 20 mountstats mountstats --xprt $MNT >$TEST_TMP/report
	assert "protocol" grep -q "Transport protocol: rdma" $TEST_TMP/report
	xprt_read
	# The report is printed after our look at the same counters, and nothing runs meanwhile.
	assert_eq "fields" 27 ${#XPRT[@]}
	assert_eq "bytes registered" "${XPRT[14]}" "$(number Registered)"
	assert_eq "bytes received by RDMA" "${XPRT[15]}" "$(number 'RDMA received')"
	assert_ge "bytes registered for the write" "${XPRT[14]}" 655360
	assert_ge "bytes received for the read" "${XPRT[15]}" 655360
	limit 20 mountstats mountstats --raw $MNT | sed -n 's/^\txprt:\trdma //p' >$TEST_TMP/raw
	assert_eq "fields that mountstats has read" 27 "$(wc -w <$TEST_TMP/raw)"
	for field in 11 12 13 14 15 21 24; do
		assert_eq "field $field of mountstats --raw" "${XPRT[field]}" "$(cut -d' ' -f$field $TEST_TMP/raw)"
	done
}

by_nfsiostat() {
	limit 20 nfsiostat $MNT >$TEST_TMP/iostat
	# Under each of these headings, the first number is operations per second.
	assert_eq "rates of reading and writing that are not zero" 2 \
		"$(awk '/^(read|write):/ { getline; n += $1 > 0 } END { print n + 0 }' $TEST_TMP/iostat)"
}

by_procfs() {
	local name value
	local -A seen=()
	assert "node_exporter's rules" python3 "$here/lib/mountstats.py" $MNT </proc/self/mountstats >$TEST_TMP/agent
	while IFS="=" read -r name value; do seen[$name]=$value; done <$TEST_TMP/agent
	assert_eq events 27 "${seen[events]}"
	assert_eq bytes 8 "${seen[bytes]}"
	assert_ge "connects" "${seen[connect]}" 1
	assert_ge "sends" "${seen[sends]}" 3
	assert_ge "receives" "${seen[receives]}" 3
	assert_ge "Read chunks" "${seen[read_chunks]}" 1
	assert_ge "Write chunks" "${seen[write_chunks]}" 1
	assert_eq "marshaling errors" 0 "${seen[failed_marshal]}"
	assert_eq "bytes registered" "$(xprt_stat rdma_request_bytes)" "${seen[total_rdma_request]}"
	assert_ge "WRITEs" "${seen[ops_WRITE]}" 1
	assert_ge "READs" "${seen[ops_READ]}" 1
}

# The parser can fail: a number too many, a negative one, another protocol.
parser_objects() {
	local line
	line="	xprt:	rdma $(seq -s ' ' 27)"
	fixture "$line" || fail "the parser refuses a good line"
	refute "29 numbers" fixture "$line 28 29"
	refute "19 numbers" fixture "	xprt:	rdma $(seq -s ' ' 19)"
	refute "a negative number" fixture "${line/ 5 / -5 }"
	refute "another protocol" fixture "${line/rdma/ipoib}"
}

fixture() {
	printf 'device s:/e mounted on /m with fstype nfs statvers=1.1\n%s\n\tper-op statistics\n\t    NULL: 1 1 0 44 24 0 0 0 0\n\n' "$1" |
		python3 "$here/lib/mountstats.py" /m >/dev/null 2>$TEST_TMP/why
}
