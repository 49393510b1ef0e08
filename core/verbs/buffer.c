// SPDX-License-Identifier: GPL-2.0-only
/*
 * Message buffers. Buffers of version 2's default size come from a slab cache,
 * because kmalloc() would round that size up to a power of two. For the same
 * reason, the largest buffers are allocated as pages. All buffers are
 * contiguous, so a message can be decoded in place.
 */

#include <linux/gfp.h>
#include <linux/slab.h>

#include <rpcrdma/buffer.h>

#include "../core.h"

static struct kmem_cache *rpcrdma_buf_cache;

static bool rpcrdma_buf_has_pages(size_t size)
{
	return size > KMALLOC_MAX_CACHE_SIZE;
}

/**
 * rpcrdma_buf_alloc - allocate a message buffer
 * @size: bytes
 * @gfp: allocation flags
 * @node: NUMA node; ignored if the buffer is allocated as pages
 *
 * Context: process; any if @gfp does not allow sleeping.
 * Return: buffer, or NULL if there is no memory.
 */
void *rpcrdma_buf_alloc(size_t size, gfp_t gfp, int node)
{
	if (size == RPCRDMA_BUF_SIZE)
		return kmem_cache_alloc_node(rpcrdma_buf_cache, gfp, node);
	if (rpcrdma_buf_has_pages(size))
		return alloc_pages_exact(size, gfp);
	return kmalloc_node(size, gfp, node);
}
EXPORT_SYMBOL_GPL(rpcrdma_buf_alloc);

/**
 * rpcrdma_buf_free - free a message buffer
 * @buf: buffer
 * @size: bytes in it
 *
 * Context: any.
 */
void rpcrdma_buf_free(void *buf, size_t size)
{
	if (size == RPCRDMA_BUF_SIZE)
		kmem_cache_free(rpcrdma_buf_cache, buf);
	else if (rpcrdma_buf_has_pages(size))
		free_pages_exact(buf, size);
	else
		kfree(buf);
}
EXPORT_SYMBOL_GPL(rpcrdma_buf_free);

/**
 * rpcrdma_bufs_init - create the cache
 *
 * Context: module initialization.
 * Return: 0 or -ENOMEM.
 */
int rpcrdma_bufs_init(void)
{
	rpcrdma_buf_cache = kmem_cache_create("rpcrdma_buffer",
					      RPCRDMA_BUF_SIZE, 0,
					      SLAB_HWCACHE_ALIGN, NULL);
	return rpcrdma_buf_cache ? 0 : -ENOMEM;
}

/**
 * rpcrdma_bufs_exit - destroy the cache
 *
 * Context: module exit.
 */
void rpcrdma_bufs_exit(void)
{
	kmem_cache_destroy(rpcrdma_buf_cache);
}
