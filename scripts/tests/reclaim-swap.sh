#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a swap file on the mount: a program that needs more memory than there is finds every byte of its own"
KERNELS="uml x86"
GUESTS=2
VERSIONS=any
MEMORY_RIGHT=448M
TIMEOUT=90

requires() { swap_requires; }

left() { swap_serve; }
right() { swap_use 400 1; }
