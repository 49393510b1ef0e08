// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.7: shrinkers are allocated, no longer parts of the caller's objects. */
#include <linux/slab.h>
#include <linux/shrinker.h>

struct shrinker *probe(void);
struct shrinker *probe(void)
{
	return shrinker_alloc(0, "probe");
}
