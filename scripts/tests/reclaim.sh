#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a client short of memory writes 600 MiB, or swaps to a file on the mount, while the link is cut for 2 s every 10 s: all data is correct"
VARIANTS="writeback-cut swap-cut"
KERNELS="uml x86"
GUESTS=2
TARGET=guest-reclaim
# As in pair-damage: soft-RoCE ends a Queue Pair if a packet is missing, or if it has no memory
# for one.
ALLOW="sw/rxe/rxe_comp.c:[0-9]+ (at )?rxe_completer"
VERSIONS=any
MEMORY_RIGHT_writeback_cut=320M
MEMORY_RIGHT_swap_cut=448M
TIMEOUT=300
TIMEOUT_writeback_cut=120

requires() { have tc && kernel_has sch_netem; }

# KiB that stay free while swap is being written, for workers that no transport can influence
# (Documentation/tunables.rst). With a higher value, allocations would reclaim unnecessarily.
SWAP_SYSCTLS="vm.min_free_kbytes=16384 vm.watermark_boost_factor=0"

# Seconds without the link, and with it
CUT=2 WHOLE=8

requires_swap_cut() {
	have tc mkswap swapon && kernel_has sch_netem && kernel_has sunrpc || return
	grep -q ' rpc_clnt_swap_activate' /proc/kallsyms || { echo "this kernel cannot swap to NFS (CONFIG_NFS_SWAP)"; return 1; }
}

# cut_until FILE: drop the server's packets for $CUT s of each $CUT + $WHOLE s, until FILE is in the
# shared folder. CUTS counts the cuts.
cut_until() {
	CUTS=0
	until poll_for $WHOLE [ -e "/run/shared/$1" ]; do
		link_cut
		poll_for $CUT false || true
		link_mend
		CUTS=$((CUTS + 1))
	done
	log "the link was cut $CUTS times"
}

# ended NAME: tell the waiting server that a step of the client has ended, successfully or not.
ended() { touch "/run/shared/$TEST_NAME.$1"; }

# memory_log: log the amount of free memory.
memory_log() { log "$(grep -hE '^(MemTotal|MemFree|SwapTotal|SwapFree|Dirty|Writeback):' /proc/meminfo | tr -s ' \n' ' ')"; }

# swap-cut: a program needs 96 MiB more than the guest has, with a swap file of 512 MiB on the
# mount.
left_swap_cut() {
	export EXPORT_SIZE=700M
	nfsd_start
	dd if=/dev/zero of=$EXPORT/swap bs=1M count=512 status=none
	chmod 600 $EXPORT/swap
	mkswap -q $EXPORT/swap
	meet swap-made 120
	cut_until "$TEST_NAME.swap"
	assert_ge "cuts" $CUTS 1
	meet swap-unused $((TIMEOUT * SLOW))
}

# progressing PID FILE SECONDS: wait until the process has ended; fail if FILE, its progress report,
# does not change for this time.
progressing() {
	local stood=''
	until poll_for $(($3 * SLOW)) [ ! -d /proc/$1 ]; do
		[ "$(tail -n 1 "$2")" != "$stood" ] || return 1
		stood=$(tail -n 1 "$2")
	done
}

right_swap_cut() {
	local pid rc=0 begin size
	meet swap-made 120
	nfs_mount 4.2
	# shellcheck disable=SC2086
	sysctl -qw $SWAP_SYSCTLS
	swapon $MNT/swap
	memory_log
	size=$((96 + $(awk '$1 == "MemFree:" { print int($2 / 1024) }' /proc/meminfo)))
	begin=$(now_ms)
	"$IOTOOL" memory $((size << 20)) 7 >$OUT/$TEST_NAME.progress &
	pid=$!
	if ! progressing $pid $OUT/$TEST_NAME.progress 30; then
		log "for 30 s it has stood at $(tail -n 1 $OUT/$TEST_NAME.progress)"
		show_stuck
		kill -9 $pid
		fail "the program did not end"
	fi
	wait $pid || rc=$?
	ended swap
	log "$size MiB in $(($(now_ms) - begin)) ms; MiB swapped out $(vm_mib pswpout), in $(vm_mib pswpin); connections $(xprt_stat connects)"
	memory_log
	assert_eq "status of the program" 0 $rc
	assert_ge "MiB swapped out" "$(vm_mib pswpout)" 32
	limit 60 swapoff $MNT/swap
	nfs_umount
	meet swap-unused
}
vm_mib() { awk -v n="$1" '$1 == n { print int($2 / 256) }' /proc/vmstat; }

# writeback-cut: the client writes more than its memory.
DIRTY=600

left_writeback_cut() {
	export EXPORT_SIZE=640M
	nfsd_start
	meet serving
	cut_until "$TEST_NAME.written"
	meet written $((TIMEOUT * SLOW))
	assert "every byte is on the server" limit 60 "$IOTOOL" blocks-check $EXPORT/f 1048576 $DIRTY 9
	meet compared 120
}

right_writeback_cut() {
	local begin
	meet serving
	assert_ge "MiB to be written" $DIRTY $(($(awk '/^MemTotal/ { print $2 }' /proc/meminfo) / 1024))
	nfs_mount 4.2
	memory_log
	begin=$(now_ms)
	assert "writing" limit $((TIMEOUT - 30)) "$IOTOOL" blocks-write $MNT/f 1048576 $DIRTY 9
	ended written
	log "$DIRTY MiB in $(($(now_ms) - begin)) ms; connections $(xprt_stat connects)"
	memory_log
	meet written
	meet compared 120
	nfs_umount
}
