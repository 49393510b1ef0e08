#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="this project's client with the in-tree server: same data, inline thresholds 1024 and 4096, Remote Invalidation on and off"
GUESTS=2
TIMEOUT=240
TRANSPORT_LEFT=intree
TRANSPORT_RIGHT=ours

left() { interop_left; }
right() { interop_right; }
