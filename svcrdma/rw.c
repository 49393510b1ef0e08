// SPDX-License-Identifier: GPL-2.0-only
/*
 * One RDMA Read or Write: the part of a chunk that lies in one segment of the
 * requester's memory and in one contiguous range of ours.
 *
 * Operation: chunks are cut at the borders of segments (each has its own
 * handle) and at those of the parts of an xdr_buf (a scatterlist must not
 * have gaps). The pieces gather on a list, whose Work Requests become one
 * chain.
 *
 * Ownership: the pages belong to the owner of the list, which must keep them
 * until the chain has completed and svc_rdma_rw_release() has unmapped them.
 *
 * Errors: -ENOMEM, or what rdma_rw_ctx_init() returns. Pieces made before the
 * error stay on the list.
 */

#include <linux/slab.h>

#include "svcrdma.h"

static struct kmem_cache *rw_cache;

static struct svc_rdma_rw *rw_alloc(unsigned int nents,
				    enum dma_data_direction dir)
{
	struct svc_rdma_rw *rw;

	rw = kmem_cache_alloc(rw_cache, GFP_KERNEL);
	if (!rw)
		goto err_count;
	rw->dir = dir;
	rw->nents = nents;
	rw->sgt.sgl = rw->first;
	if (sg_alloc_table_chained(&rw->sgt, nents, rw->first,
				   ARRAY_SIZE(rw->first)))
		goto err_free;
	svc_rdma_count(rwctxs_created);
	return rw;

err_free:
	kmem_cache_free(rw_cache, rw);
err_count:
	svc_rdma_count(no_memory);
	return NULL;
}

static void rw_free(struct svc_rdma_rw *rw)
{
	sg_free_table_chained(&rw->sgt, ARRAY_SIZE(rw->first));
	kmem_cache_free(rw_cache, rw);
	svc_rdma_count(rwctxs_destroyed);
}

/* Maps the memory and adds the piece to the list. */
static int rw_map(struct svc_rdma_conn *conn, struct list_head *rws,
		  struct svc_rdma_rw *rw, const struct rpcrdma_segment *seg)
{
	int ret;

	ret = rdma_rw_ctx_init(&rw->ctx, conn->qp, conn->port, rw->sgt.sgl,
			       rw->nents, 0, seg->offset, seg->handle,
			       rw->dir);
	if (ret < 0) {
		rw_free(rw);
		return ret == -EAGAIN ? -ENOMEM : ret;
	}
	list_add_tail(&rw->list, rws);
	if (rw->dir == DMA_TO_DEVICE)
		svc_rdma_count(writes_posted);
	else
		svc_rdma_count(reads_posted);
	return ret;
}

/**
 * svc_rdma_rw_pages - prepare a Read or Write of a range of pages
 * @conn: connection
 * @rws: list the piece is added to
 * @seg: the requester's memory; @seg->length bytes are moved, more than 0
 * @pages: our memory
 * @offset: bytes from the start of @pages[0]
 * @dir: DMA_FROM_DEVICE for a Read, DMA_TO_DEVICE for a Write
 *
 * Context: process.
 * Return: Send Queue entries that the piece needs, or a negative errno.
 */
int svc_rdma_rw_pages(struct svc_rdma_conn *conn, struct list_head *rws,
		      const struct rpcrdma_segment *seg, struct page **pages,
		      u32 offset, enum dma_data_direction dir)
{
	u32 left = seg->length;
	struct scatterlist *sg;
	struct svc_rdma_rw *rw;

	pages += offset >> PAGE_SHIFT;
	offset = offset_in_page(offset);
	rw = rw_alloc(DIV_ROUND_UP(offset + left, PAGE_SIZE), dir);
	if (!rw)
		return -ENOMEM;
	for (sg = rw->sgt.sgl; left; sg = sg_next(sg)) {
		u32 bytes = min_t(u32, left, PAGE_SIZE - offset);

		sg_set_page(sg, *pages++, bytes, offset);
		left -= bytes;
		offset = 0;
	}
	return rw_map(conn, rws, rw, seg);
}

/**
 * svc_rdma_rw_kvec - prepare a Read or Write of a contiguous buffer
 * @conn: connection
 * @rws: list the piece is added to
 * @seg: the requester's memory; @seg->length bytes are moved, more than 0
 * @base: our memory, in the kernel's direct mapping
 * @dir: DMA_FROM_DEVICE for a Read, DMA_TO_DEVICE for a Write
 *
 * Context: process.
 * Return: Send Queue entries that the piece needs, or a negative errno.
 */
int svc_rdma_rw_kvec(struct svc_rdma_conn *conn, struct list_head *rws,
		     const struct rpcrdma_segment *seg, void *base,
		     enum dma_data_direction dir)
{
	struct svc_rdma_rw *rw;

	rw = rw_alloc(1, dir);
	if (!rw)
		return -ENOMEM;
	sg_set_buf(rw->sgt.sgl, base, seg->length);
	return rw_map(conn, rws, rw, seg);
}

/**
 * svc_rdma_rw_chain - chain up the Work Requests of all pieces on a list
 * @conn: connection
 * @rws: list
 * @cqe: completion of the last Work Request if @wr is NULL
 * @wr: Work Request to end the chain, or NULL
 *
 * Context: any; must be called once only, before posting.
 * Return: first Work Request of the chain; @wr if the list is empty.
 */
struct ib_send_wr *svc_rdma_rw_chain(struct svc_rdma_conn *conn,
				     struct list_head *rws, struct ib_cqe *cqe,
				     struct ib_send_wr *wr)
{
	struct svc_rdma_rw *rw;

	list_for_each_entry_reverse(rw, rws, list) {
		wr = rdma_rw_ctx_wrs(&rw->ctx, conn->qp, conn->port, cqe, wr);
		cqe = NULL;
	}
	return wr;
}

/**
 * svc_rdma_rw_release - unmap and free all pieces on a list
 * @conn: connection
 * @rws: list; empty on return
 *
 * Context: any; no Work Request of the list may be outstanding.
 */
void svc_rdma_rw_release(struct svc_rdma_conn *conn, struct list_head *rws)
{
	struct svc_rdma_rw *rw, *next;

	list_for_each_entry_safe(rw, next, rws, list) {
		list_del(&rw->list);
		rdma_rw_ctx_destroy(&rw->ctx, conn->qp, conn->port,
				    rw->sgt.sgl, rw->nents, rw->dir);
		rw_free(rw);
	}
}

/**
 * svc_rdma_rw_init - create what all connections share
 *
 * Context: module initialization.
 * Return: 0 or -ENOMEM.
 */
int svc_rdma_rw_init(void)
{
	rw_cache = KMEM_CACHE(svc_rdma_rw, 0);
	return rw_cache ? 0 : -ENOMEM;
}

/**
 * svc_rdma_rw_exit - destroy it
 *
 * Context: module exit.
 */
void svc_rdma_rw_exit(void)
{
	kmem_cache_destroy(rw_cache);
}
