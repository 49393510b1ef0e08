// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.7: shrinkers are allocated separately, and no longer part of other objects. */
#include <linux/slab.h>
#include <linux/shrinker.h>

void *probe = shrinker_alloc;
