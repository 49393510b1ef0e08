// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.12: linux/unaligned.h instead of asm/unaligned.h. */
#include <linux/unaligned.h>
