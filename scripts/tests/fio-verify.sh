#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="64 concurrent fio writers, then readers, random blocks of 512 bytes to 256 KiB, verified"
TARGET=guest-long
VARIANTS="64"
TIMEOUT=120

requires() { have fio; }

test() { fio_mounts 64 1m; }
