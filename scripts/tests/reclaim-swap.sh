#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a swap file on the mount: a program that needs more memory than there is finds every byte of its own"
KERNELS="uml x86"
GUESTS=2
# As in pair-loss: soft-RoCE ends a Queue Pair if a packet is missing, or if it has no memory
# for one.
ALLOW="sw/rxe/rxe_comp.c:[0-9]+ rxe_completer"
VERSIONS=any
MEMORY_RIGHT=288M
TIMEOUT=300

requires() { swap_requires; }

left() { swap_serve; }
right() { swap_use 64 1; }
