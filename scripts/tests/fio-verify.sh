#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
DESCRIPTION="so many concurrent fio writers, then readers, random blocks of 512 bytes to 256 KiB, verified"
TARGET=guest-long
VARIANTS="8 64"
TIMEOUT=120

requires() { have fio; }

test_8() { fio_mounts 8 4m; }
test_64() { fio_mounts 64 1m; }
