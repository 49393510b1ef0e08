#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="the in-tree client with this project's server: same data, inline thresholds 1024 and 4096, Remote Invalidation on and off"
GUESTS=2
VERSIONS=any
TIMEOUT=240
TRANSPORT_LEFT=ours
TRANSPORT_RIGHT=intree

left() { interop_left; }
right() { interop_right; }
