// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers that stay mapped for DMA from their first use on a device until the
 * connection to it ends.
 *
 * Ownership: a request's buffer belongs to the request, a Receive's to the
 * Receive. The device may access it only while a Work Request that names it is
 * in flight, and that holds a reference to its owner.
 */

#include <linux/slab.h>

#include "../stats.h"
#include "verbs.h"

/**
 * xprt_rdma_regbuf_alloc - give a buffer memory
 * @rb: buffer; what it had is freed if the allocation succeeds
 * @size: bytes
 * @gfp: allocation flags
 * @dir: direction of its DMA mapping
 *
 * Context: process; no Work Request may refer to @rb.
 * Return: 0 or -ENOMEM.
 */
int xprt_rdma_regbuf_alloc(struct xprt_rdma_regbuf *rb, size_t size, gfp_t gfp,
			   enum dma_data_direction dir)
{
	void *data;

	data = kmalloc(size, gfp);
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
 * xprt_rdma_regbuf_free - release a buffer's memory
 * @rb: buffer
 *
 * Context: process; no Work Request may refer to @rb.
 */
void xprt_rdma_regbuf_free(struct xprt_rdma_regbuf *rb)
{
	if (!rb->data)
		return;
	xprt_rdma_regbuf_unmap(rb);
	kfree(rb->data);
	rb->data = NULL;
	rb->size = 0;
	xprt_rdma_count(regbufs_destroyed);
}

/**
 * xprt_rdma_regbuf_map - map a buffer for DMA, unless it already is
 * @rb: buffer
 * @device: the connection's device
 *
 * Context: process.
 * Return: 0 or -EIO.
 */
int xprt_rdma_regbuf_map(struct xprt_rdma_regbuf *rb, struct ib_device *device)
{
	if (likely(rb->device))
		return 0;
	rb->addr = ib_dma_map_single(device, rb->data, rb->size, rb->dir);
	if (ib_dma_mapping_error(device, rb->addr))
		return -EIO;
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
