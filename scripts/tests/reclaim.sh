#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a client short of memory writes 600 MiB, or has a swap file on the mount, in one case while the link is cut for 2 s every 10 s: every byte is right"
VARIANTS="writeback writeback-cut swap swap-cut"
KERNELS="uml x86"
GUESTS=2
TARGET=guest-reclaim
# As in pair-loss: soft-RoCE ends a Queue Pair if a packet is missing, or if it has no memory
# for one.
ALLOW="sw/rxe/rxe_comp.c:[0-9]+ rxe_completer"
ALLOW_writeback=""
VERSIONS=any
VERSIONS_writeback=same
MEMORY_RIGHT=320M
MEMORY_RIGHT_swap=288M
MEMORY_RIGHT_swap_cut=448M
TIMEOUT=300
TIMEOUT_writeback=60
TIMEOUT_writeback_cut=120

requires_writeback() { :; }
requires_writeback_cut() { have tc && kernel_has sch_netem; }
requires() { swap_requires; }

left_writeback() { writeback_serve 600; }
left_writeback_cut() { writeback_serve 600 cut; }
left_swap() { swap_serve; }
left_swap_cut() { swap_serve cut; }

right() { writeback_use 600; }
right_swap() { swap_use 64 1; }
right_swap_cut() { swap_use 96 1; }

cleanup() { tc qdisc del dev eth0 root 2>/dev/null || true; }
