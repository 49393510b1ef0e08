// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slab cache of Read contexts. It has a constructor, so that kernels that
 * clear allocated memory do not clear these 4 KiB; each user sets the fields
 * that it uses.
 *
 * Bounds: those of the calls in progress. The slab allocator returns free ones
 * to the system.
 */

#include <linux/slab.h>

#include "message.h"

struct kmem_cache *svc_rdma_read_cache;

static void svc_rdma_read_construct(void *object)
{
	struct svc_rdma_read_ctx *read = object;

	INIT_LIST_HEAD(&read->rws);
}

/**
 * svc_rdma_caches_init - create the cache
 *
 * Context: module initialization.
 * Return: 0 or -ENOMEM.
 */
int svc_rdma_caches_init(void)
{
	svc_rdma_read_cache = kmem_cache_create("svc_rdma_read",
						sizeof(struct svc_rdma_read_ctx),
						0, SLAB_HWCACHE_ALIGN,
						svc_rdma_read_construct);
	return svc_rdma_read_cache ? 0 : -ENOMEM;
}

/**
 * svc_rdma_caches_exit - destroy the cache
 *
 * Context: module exit, when there are no connections any more.
 */
void svc_rdma_caches_exit(void)
{
	kmem_cache_destroy(svc_rdma_read_cache);
}
