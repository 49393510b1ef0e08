// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers that stay mapped for DMA from their first use on a connection until
 * that connection ends.
 *
 * Ownership: each buffer belongs to a request, a Receive, an RDMA_DONE or a
 * connection. While a Work Request that refers to the buffer is in flight, the
 * device may access it, and the owner must not free it.
 */

#include <linux/numa.h>
#include <rpcrdma/buffer.h>

#include "../stats.h"
#include "verbs.h"

/**
 * xprt_rdma_regbuf_alloc - allocate the memory of a buffer
 * @rb: buffer; its previous memory, if any, is freed on success
 * @size: bytes
 * @gfp: allocation flags
 *
 * Context: process; no Work Request may refer to @rb.
 * Return: 0 or -ENOMEM.
 */
int xprt_rdma_regbuf_alloc(struct xprt_rdma_regbuf *rb, size_t size, gfp_t gfp)
{
	void *data;

	data = rpcrdma_buf_alloc(size, gfp, NUMA_NO_NODE);
	if (!data)
		return -ENOMEM;
	xprt_rdma_regbuf_free(rb);
	rb->data = data;
	rb->size = size;
	xprt_rdma_count(regbufs_now);
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
	rpcrdma_buf_free(rb->data, rb->size);
	rb->data = NULL;
	rb->size = 0;
	xprt_rdma_count_add(regbufs_now, -1);
}

/**
 * xprt_rdma_regbuf_map_new - map a buffer for DMA
 * @rb: buffer that is not mapped
 * @device: the connection's device
 * @dir: DMA direction
 *
 * Context: process.
 * Return: 0, or -ENOBUFS to be called again later.
 */
int xprt_rdma_regbuf_map_new(struct xprt_rdma_regbuf *rb,
			     struct ib_device *device,
			     enum dma_data_direction dir)
{
	rb->addr = ib_dma_map_single(device, rb->data, rb->size, dir);
	if (ib_dma_mapping_error(device, rb->addr))
		return -ENOBUFS;
	rb->device = device;
	rb->dir = dir;
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
