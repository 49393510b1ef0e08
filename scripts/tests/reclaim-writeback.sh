#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="a client of 320 MiB writes a file of 600 MiB: every byte arrives"
KERNELS="uml x86"
GUESTS=2
MEMORY_RIGHT=320M
TIMEOUT=60

left() { writeback_serve 600; }
right() { writeback_use 600; }
