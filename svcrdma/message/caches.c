// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slab caches of what is allocated for each call with chunks. They have
 * constructors, so that kernels that clear memory when it is allocated, 4 KiB
 * for a Read context, do not clear these: who allocates one sets all of it that
 * is used.
 *
 * Bounds: those of the calls and replies in progress. What is free is the slab
 * allocator's, which gives it back to the system.
 */

#include <linux/slab.h>

#include <rpcrdma/rw.h>

#include "message.h"

struct kmem_cache *svc_rdma_rw_cache;
struct kmem_cache *svc_rdma_read_cache;

static void svc_rdma_read_construct(void *object)
{
	struct svc_rdma_read_ctx *read = object;

	INIT_LIST_HEAD(&read->rws);
}

/**
 * svc_rdma_caches_init - create the caches
 *
 * Context: module initialization.
 * Return: 0 or -ENOMEM.
 */
int svc_rdma_caches_init(void)
{
	svc_rdma_rw_cache = rpcrdma_rw_cache_create("svc_rdma_rw");
	svc_rdma_read_cache = kmem_cache_create("svc_rdma_read",
						sizeof(struct svc_rdma_read_ctx),
						0, SLAB_HWCACHE_ALIGN,
						svc_rdma_read_construct);
	if (svc_rdma_rw_cache && svc_rdma_read_cache)
		return 0;
	svc_rdma_caches_exit();
	return -ENOMEM;
}

/**
 * svc_rdma_caches_exit - destroy the caches
 *
 * Context: module exit, when there are no connections any more.
 */
void svc_rdma_caches_exit(void)
{
	kmem_cache_destroy(svc_rdma_read_cache);
	kmem_cache_destroy(svc_rdma_rw_cache);
}
