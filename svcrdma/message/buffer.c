// SPDX-License-Identifier: GPL-2.0-only
/*
 * Message buffers. Version 2 has a slab cache for its buffers, because
 * kmalloc() would round their size up to the next power of two. For the same
 * reason, larger ones are allocated as pages. All are contiguous, so that a
 * message can be decoded where it was received.
 */

#include <linux/gfp.h>
#include <linux/slab.h>

#include "../tunables.h"
#include "message.h"

static struct kmem_cache *svc_rdma_buf_cache;

static bool svc_rdma_buf_has_pages(u32 size)
{
	return size > KMALLOC_MAX_CACHE_SIZE;
}

/**
 * svc_rdma_buf_alloc - allocate a message buffer
 * @size: bytes
 * @gfp: GFP_KERNEL, and how hard to try
 * @node: NUMA node, if kmalloc() has a cache for this size
 *
 * Context: process.
 * Return: buffer, or NULL if there is no memory.
 */
void *svc_rdma_buf_alloc(u32 size, gfp_t gfp, int node)
{
	if (size == svc_rdma_receive_buffer_size)
		return kmem_cache_alloc_node(svc_rdma_buf_cache, gfp, node);
	if (svc_rdma_buf_has_pages(size))
		return alloc_pages_exact(size, gfp);
	return kmalloc_node(size, gfp, node);
}

/**
 * svc_rdma_buf_free - free a message buffer
 * @buf: buffer
 * @size: bytes in it
 *
 * Context: any.
 */
void svc_rdma_buf_free(void *buf, u32 size)
{
	if (size == svc_rdma_receive_buffer_size)
		kmem_cache_free(svc_rdma_buf_cache, buf);
	else if (svc_rdma_buf_has_pages(size))
		free_pages_exact(buf, size);
	else
		kfree(buf);
}

/**
 * svc_rdma_bufs_init - create the cache
 *
 * Context: module initialization, after the tunables have been checked.
 * Return: 0 or -ENOMEM.
 */
int svc_rdma_bufs_init(void)
{
	svc_rdma_buf_cache = kmem_cache_create("svc_rdma_buffer",
					       svc_rdma_receive_buffer_size, 0,
					       SLAB_HWCACHE_ALIGN, NULL);
	return svc_rdma_buf_cache ? 0 : -ENOMEM;
}

/**
 * svc_rdma_bufs_exit - destroy the cache
 *
 * Context: module exit.
 */
void svc_rdma_bufs_exit(void)
{
	kmem_cache_destroy(svc_rdma_buf_cache);
}
