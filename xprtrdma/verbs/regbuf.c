// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers that stay mapped for DMA from their first use on a device until that
 * connection ends.
 *
 * Ownership: each buffer belongs to a request, a Receive, an RDMA_DONE or a
 * connection. The device may access it while a Work Request that names it is in
 * flight; until then the owner must not free it.
 */

#include <linux/gfp.h>
#include <linux/slab.h>

#include "../stats.h"
#include "verbs.h"

/*
 * Beyond this size, kmalloc() would round up to a power of two pages. Whole
 * pages are enough, although they have to be contiguous.
 */
#define KMALLOC_MAX	KMALLOC_MAX_CACHE_SIZE

static void *xprt_rdma_regbuf_alloc_data(size_t size, gfp_t gfp)
{
	if (likely(size <= KMALLOC_MAX))
		return kmalloc(size, gfp);
	return alloc_pages_exact(size, gfp);
}

static void xprt_rdma_regbuf_free_data(void *data, size_t size)
{
	if (likely(size <= KMALLOC_MAX))
		kfree(data);
	else
		free_pages_exact(data, size);
}

/**
 * xprt_rdma_regbuf_alloc - allocate the memory of a buffer
 * @rb: buffer; on success, memory that it already had is freed
 * @size: bytes
 * @gfp: allocation flags
 * @dir: DMA direction
 *
 * Context: process; no Work Request may refer to @rb.
 * Return: 0 or -ENOMEM.
 */
int xprt_rdma_regbuf_alloc(struct xprt_rdma_regbuf *rb, size_t size, gfp_t gfp,
			   enum dma_data_direction dir)
{
	void *data;

	data = xprt_rdma_regbuf_alloc_data(size, gfp);
	if (!data)
		return -ENOMEM;
	xprt_rdma_regbuf_free(rb);
	rb->data = data;
	rb->size = size;
	rb->dir = dir;
	xprt_rdma_count(regbufs_created);
	return 0;
}

/**
 * xprt_rdma_regbuf_free - unmap and free the memory of a buffer
 * @rb: buffer, which may have no memory
 *
 * Context: process; no Work Request may refer to @rb.
 */
void xprt_rdma_regbuf_free(struct xprt_rdma_regbuf *rb)
{
	if (!rb->data)
		return;
	xprt_rdma_regbuf_unmap(rb);
	xprt_rdma_regbuf_free_data(rb->data, rb->size);
	rb->data = NULL;
	rb->size = 0;
	xprt_rdma_count(regbufs_destroyed);
}

/**
 * xprt_rdma_regbuf_map_new - map a buffer for DMA
 * @rb: buffer that is not mapped
 * @device: the connection's device
 *
 * Context: process.
 * Return: 0, or -ENOBUFS to be called again later.
 */
int xprt_rdma_regbuf_map_new(struct xprt_rdma_regbuf *rb,
			     struct ib_device *device)
{
	rb->addr = ib_dma_map_single(device, rb->data, rb->size, rb->dir);
	if (ib_dma_mapping_error(device, rb->addr))
		return -ENOBUFS;
	rb->device = device;
	return 0;
}

/**
 * xprt_rdma_regbuf_unmap - undo xprt_rdma_regbuf_map()
 * @rb: buffer
 *
 * Context: any; no Work Request may refer to @rb.
 */
void xprt_rdma_regbuf_unmap(struct xprt_rdma_regbuf *rb)
{
	if (!rb->device)
		return;
	ib_dma_unmap_single(rb->device, rb->addr, rb->size, rb->dir);
	rb->device = NULL;
}
