#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="what published documents and tools know of the in-tree transport works: mountstats, nfsiostat; sysctls and their counters"
VARIANTS="mountstats sysctls"
TARGET_sysctls=guest-long
KERNELS="uml x86"

# mountstats: mountstats and nfsiostat read our xprt line, and
# their numbers are those of the traffic
requires_mountstats() { have mountstats nfsiostat python3; }

test_mountstats() {
	local v
	nfsd_start
	for v in 3 4.2; do
		log "NFS version $v"
		nfs_mount $v
		assert "write" "$IOTOOL" write $MNT/f 0 655360 1 direct
		assert "read" "$IOTOOL" check $MNT/f 0 655360 1 direct
		by_mountstats
		by_nfsiostat
		nfs_umount
	done
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

# sysctls: the sysctls that published documents set and read: names, defaults, what is refused,
# counters that count and reset
# Those of the kernel's own transport, with their defaults; the rest is documented too.
CLIENT_NAMES="rdma_slot_table_entries=128 rdma_max_inline_read=4096 rdma_max_inline_write=4096
	rdma_inline_write_padding=0 rdma_memreg_strategy=5 rdma_pad_optimize=0"
SERVER_NAMES="max_requests=64 max_req_size=4096"
COUNTER_NAMES="read recv write sq_starve rq_starve rq_poll rq_prod sq_poll sq_prod"

requires_sysctls() { need_extensions msgp; }

test_sysctls() {
	local item name
	for item in $CLIENT_NAMES; do has "/proc/sys/sunrpc/${item%=*}" "${item#*=}"; done
	for item in $SERVER_NAMES; do has "/proc/sys/sunrpc/svc_rdma/${item%=*}" "${item#*=}"; done
	assert_ge "outbound reads" "$(cat /proc/sys/sunrpc/svc_rdma/max_outbound_read_requests)" 1

	log "a file of sysctl.d, as administrators write it"
	cat >$TEST_TMP/rdma.conf <<-EOF
		sunrpc.rdma_slot_table_entries = 64
		sunrpc.rdma_max_inline_read = 8192
		sunrpc.rdma_max_inline_write = 8192
		sunrpc.svc_rdma.max_requests = 32
		sunrpc.svc_rdma.max_req_size = 8192
	EOF
	assert "sysctl -p" sysctl -q -p $TEST_TMP/rdma.conf
	assert_eq slots 64 "$(sysctl -n sunrpc.rdma_slot_table_entries)"
	assert_eq "server's inline" 8192 "$(sysctl -n sunrpc.svc_rdma.max_req_size)"
	for name in "sunrpc.rdma_slot_table_entries=0" "sunrpc.svc_rdma.max_requests=0"; do
		refute "out of range" sysctl -q -w "$name" 2>/dev/null
	done

	counters
}

# has FILE DEFAULT: a sysctl that root can write.
has() {
	[ -e "$1" ] || fail "there is no $1"
	assert_eq "$1" "$2" "$(cat "$1")"
	assert_eq "mode of $1" 644 "$(stat -c %a "$1")"
}

# Scripts reset all counters, run something, and read them.
counters() {
	local name dir=/proc/sys/sunrpc/svc_rdma
	nfsd_start
	nfs_mount 3
	assert "write" "$IOTOOL" write $MNT/f 0 262144 1 direct
	for name in $COUNTER_NAMES; do
		[ -r "$dir/rdma_stat_$name" ] || fail "there is no rdma_stat_$name"
		assert "reset of $name" sysctl -q -w "sunrpc.svc_rdma.rdma_stat_$name=0"
	done
	assert "write" "$IOTOOL" write $MNT/f 0 262144 2 direct
	assert "read" "$IOTOOL" check $MNT/f 0 262144 2 direct
	log "after one WRITE and one READ: $(grep . $dir/rdma_stat_* | sed 's/.*rdma_stat_//' | tr '\n' ' ')"
	for name in read recv write; do
		assert_ge "rdma_stat_$name" "$(cat $dir/rdma_stat_$name)" 1
	done
	for name in rq_poll rq_prod sq_poll sq_prod; do
		assert_eq "rdma_stat_$name" 0 "$(cat $dir/rdma_stat_$name)"
	done
	assert_le "messages, counted from the reset" "$(cat $dir/rdma_stat_recv)" 100
}

cleanup_sysctls() {
	local item
	for item in $CLIENT_NAMES; do echo "${item#*=}" >"/proc/sys/sunrpc/${item%=*}"; done
	for item in $SERVER_NAMES; do echo "${item#*=}" >"/proc/sys/sunrpc/svc_rdma/${item%=*}"; done
}
