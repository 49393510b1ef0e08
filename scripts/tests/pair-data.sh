#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="our client and server in two guests: same data, inline thresholds 1024 and 4096, Remote Invalidation on and off"
GUESTS=2
TIMEOUT=240
TRANSPORT_LEFT=ours
TRANSPORT_RIGHT=ours

left() { interop_left; }
right() { interop_right; }
