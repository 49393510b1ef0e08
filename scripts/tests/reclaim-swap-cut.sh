#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a swap file on the mount, in use, while the link is cut for 2 s every 10 s: the program goes on, memory is intact"
KERNELS="uml x86"
GUESTS=2
TARGET=guest-reclaim
# As in pair-loss: soft-RoCE ends a Queue Pair if a packet is missing, or if it has no memory
# for one.
ALLOW="sw/rxe/rxe_comp.c:[0-9]+ rxe_completer"
VERSIONS=any
MEMORY_RIGHT=448M
TIMEOUT=300

requires() { swap_requires; }

left() { swap_serve cut; }
right() { swap_use 96 1; }
cleanup() { tc qdisc del dev eth0 root 2>/dev/null || true; }
