/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * shrinker_alloc() and related functions, for kernels in which shrinkers are part of other objects.
 */
#ifndef RPCRDMA_COMPAT_SHRINKER_H
#define RPCRDMA_COMPAT_SHRINKER_H

/* Older versions of linux/shrinker.h do not include the headers that they need. */
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/types.h>

#include_next <linux/shrinker.h>
#include <rpcrdma_probes.h>

#if !RPCRDMA_HAVE_SHRINKER_ALLOC

static inline unsigned long rpcrdma_shrinker_none(struct shrinker *shrinker,
						  struct shrink_control *sc)
{
	return 0;
}

/*
 * Registration can fail, but shrinker_register() cannot report that. So the shrinker is registered
 * here, with functions that count and free nothing until the caller stores the real ones. The
 * caller may store these in either order.
 */
static inline struct shrinker *shrinker_alloc(unsigned int flags, const char *name)
{
	struct shrinker *shrinker = kzalloc(sizeof(*shrinker), GFP_KERNEL);

	if (!shrinker)
		return NULL;
	shrinker->flags = flags;
	shrinker->seeks = DEFAULT_SEEKS;
	shrinker->count_objects = rpcrdma_shrinker_none;
	shrinker->scan_objects = rpcrdma_shrinker_none;
	if (!register_shrinker(shrinker, "%s", name))
		return shrinker;
	kfree(shrinker);
	return NULL;
}

static inline void shrinker_register(struct shrinker *shrinker)
{
}

static inline void shrinker_free(struct shrinker *shrinker)
{
	if (!shrinker)
		return;
	unregister_shrinker(shrinker);
	kfree(shrinker);
}

#endif

#endif /* RPCRDMA_COMPAT_SHRINKER_H */
