#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a swap file on the mount, in use, while the link is cut for 2 s every 10 s: the program goes on, memory is intact"
KERNELS="uml x86"
GUESTS=2
VERSIONS=any
MEMORY_RIGHT=448M
TIMEOUT=150

requires() { swap_requires; }

left() { swap_serve cut; }
right() { swap_use 400 1; }
cleanup() { tc qdisc del dev eth0 root 2>/dev/null || true; }
