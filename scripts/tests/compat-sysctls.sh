#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the sysctls that published documents set and read: names, defaults, what is refused, counters that count and reset"
TARGET=guest-long
KERNELS="uml x86"

# Those of the kernel's own transport, with their defaults; the rest is documented too.
CLIENT_NAMES="rdma_slot_table_entries=128 rdma_max_inline_read=4096 rdma_max_inline_write=4096
	rdma_inline_write_padding=0 rdma_memreg_strategy=5 rdma_pad_optimize=0"
SERVER_NAMES="max_requests=64 max_req_size=4096"
COUNTER_NAMES="read recv write sq_starve rq_starve rq_poll rq_prod sq_poll sq_prod"

requires() { need_extensions msgp; }

test() {
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

cleanup() {
	local item
	for item in $CLIENT_NAMES; do echo "${item#*=}" >"/proc/sys/sunrpc/${item%=*}"; done
	for item in $SERVER_NAMES; do echo "${item#*=}" >"/proc/sys/sunrpc/svc_rdma/${item%=*}"; done
}
