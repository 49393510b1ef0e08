// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.7: shrinkers are allocated, no longer parts of the caller's objects. */
#include <linux/slab.h>
#include <linux/shrinker.h>

void *probe = shrinker_alloc;
