// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.4: DEFINE_SEMAPHORE() has the initial count as an argument. */
#include <linux/semaphore.h>

DEFINE_SEMAPHORE(probe, 8);
