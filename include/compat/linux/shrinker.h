/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * shrinker_alloc() and its companions, where shrinkers are parts of other objects.
 * rpcrdma_shrinker_data() is for what the owner of a shrinker needs in its functions.
 */
#ifndef RPCRDMA_COMPAT_SHRINKER_H
#define RPCRDMA_COMPAT_SHRINKER_H

/* An older linux/shrinker.h does not include what it needs. */
#include <linux/container_of.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/types.h>

#include_next <linux/shrinker.h>
#include <rpcrdma_probes.h>

#if RPCRDMA_HAVE_SHRINKER_ALLOC

#define rpcrdma_shrinker_data(s)	((s)->private_data)

#else

struct rpcrdma_shrinker {
	struct shrinker shrinker;
	void *data;
};

#define rpcrdma_shrinker_data(s) \
	(container_of(s, struct rpcrdma_shrinker, shrinker)->data)

static inline unsigned long rpcrdma_shrinker_none(struct shrinker *shrinker,
						  struct shrink_control *sc)
{
	return 0;
}

static inline unsigned long rpcrdma_shrinker_stop(struct shrinker *shrinker,
						  struct shrink_control *sc)
{
	return SHRINK_STOP;
}

/*
 * Registration may fail, which shrinker_register() cannot report: so it happens here, with
 * functions that do nothing until the caller has stored its own. Either order of these two
 * stores is harmless.
 */
static inline struct shrinker *shrinker_alloc(unsigned int flags, const char *name)
{
	struct rpcrdma_shrinker *own = kzalloc(sizeof(*own), GFP_KERNEL);
	struct shrinker *shrinker = &own->shrinker;

	if (!own)
		return NULL;
	shrinker->flags = flags;
	shrinker->seeks = DEFAULT_SEEKS;
	shrinker->count_objects = rpcrdma_shrinker_none;
	shrinker->scan_objects = rpcrdma_shrinker_stop;
	if (!register_shrinker(shrinker, "%s", name))
		return shrinker;
	kfree(own);
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
	kfree(container_of(shrinker, struct rpcrdma_shrinker, shrinker));
}

#endif

#endif /* RPCRDMA_COMPAT_SHRINKER_H */
