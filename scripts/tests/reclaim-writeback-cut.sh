#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the same while the link is cut for 2 s every 10 s"
KERNELS="uml x86"
GUESTS=2
# As in pair-loss: soft-RoCE ends a Queue Pair if a packet is missing, or if it has no memory
# for one.
ALLOW="sw/rxe/rxe_comp.c:[0-9]+ rxe_completer"
VERSIONS=any
MEMORY_RIGHT=320M
TIMEOUT=120

requires() { have tc && kernel_has sch_netem; }

left() { writeback_serve 600 cut; }
right() { writeback_use 600; }
cleanup() { tc qdisc del dev eth0 root 2>/dev/null || true; }
