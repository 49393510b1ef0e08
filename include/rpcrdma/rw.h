/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One RDMA Read or Write: the part of a chunk that lies in one segment of the
 * peer's memory and in one range of ours that has no gaps. Both sides have
 * lists of these, of which one chain of Work Requests is made.
 */
#ifndef _RPCRDMA_RW_H
#define _RPCRDMA_RW_H

#include <linux/list.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>
#include <rdma/rw.h>

#include <rpcrdma/segment.h>

/* Entries of a scatterlist that need no allocation. */
#define RPCRDMA_RW_FIRST	8

/**
 * struct rpcrdma_rw - one RDMA Read or Write
 * @list: entry of the list of its owner
 * @ctx: Work Requests
 * @sgt: our memory
 * @nents: entries of @sgt in use
 * @dir: DMA_FROM_DEVICE for a Read
 * @first: entries that need no allocation
 */
struct rpcrdma_rw {
	struct list_head list;
	struct rdma_rw_ctx ctx;
	struct sg_table sgt;
	unsigned int nents;
	enum dma_data_direction dir;
	struct scatterlist first[RPCRDMA_RW_FIRST];
};

/**
 * rpcrdma_rw_init - make room for a scatterlist
 * @rw: not initialized yet
 * @nents: entries
 * @dir: DMA_FROM_DEVICE for a Read, DMA_TO_DEVICE for a Write
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
static inline int rpcrdma_rw_init(struct rpcrdma_rw *rw, unsigned int nents,
				  enum dma_data_direction dir)
{
	rw->dir = dir;
	rw->nents = nents;
	rw->sgt.sgl = rw->first;
	return sg_alloc_table_chained(&rw->sgt, nents, rw->first,
				      RPCRDMA_RW_FIRST);
}

/**
 * rpcrdma_rw_fini - free what rpcrdma_rw_init() has allocated
 * @rw: not mapped
 *
 * Context: any.
 */
static inline void rpcrdma_rw_fini(struct rpcrdma_rw *rw)
{
	sg_free_table_chained(&rw->sgt, RPCRDMA_RW_FIRST);
}

/**
 * rpcrdma_rw_set_pages - let the scatterlist refer to a range of pages
 * @rw: initialized with as many entries as that takes
 * @pages: the first page
 * @offset: bytes from the start of that page; less than a page
 * @length: bytes
 *
 * Context: any.
 */
static inline void rpcrdma_rw_set_pages(struct rpcrdma_rw *rw,
					struct page **pages, u32 offset,
					u32 length)
{
	struct scatterlist *sg;
	u32 bytes;

	for (sg = rw->sgt.sgl; length; sg = sg_next(sg)) {
		bytes = min_t(u32, length, PAGE_SIZE - offset);
		sg_set_page(sg, *pages++, bytes, offset);
		length -= bytes;
		offset = 0;
	}
}

/**
 * rpcrdma_rw_map - map the memory and build the Work Requests
 * @rw: with its scatterlist set
 * @qp: Queue Pair
 * @port: its port
 * @seg: the peer's memory
 *
 * Context: process.
 * Return: Send Queue entries needed; -ENOMEM, also when a device that needs
 * registrations has none left; or another negative errno. @rw is not mapped
 * after an error.
 */
static inline int rpcrdma_rw_map(struct rpcrdma_rw *rw, struct ib_qp *qp,
				 u32 port, const struct rpcrdma_segment *seg)
{
	int ret;

	ret = rdma_rw_ctx_init(&rw->ctx, qp, port, rw->sgt.sgl, rw->nents, 0,
			       seg->offset, seg->handle, rw->dir);
	return ret == -EAGAIN ? -ENOMEM : ret;
}

/**
 * rpcrdma_rw_unmap - undo rpcrdma_rw_map()
 * @rw: none of its Work Requests is outstanding
 * @qp: Queue Pair
 * @port: its port
 *
 * Context: any.
 */
static inline void rpcrdma_rw_unmap(struct rpcrdma_rw *rw, struct ib_qp *qp,
				    u32 port)
{
	rdma_rw_ctx_destroy(&rw->ctx, qp, port, rw->sgt.sgl, rw->nents,
			    rw->dir);
}

/**
 * rpcrdma_rw_chain - chain up the Work Requests of all entries of a list
 * @rws: list of struct rpcrdma_rw
 * @qp: Queue Pair
 * @port: its port
 * @cqe: completion of the last Work Request if @wr is NULL
 * @wr: Work Request to end the chain, or NULL
 *
 * Context: any; must be called once only, before posting.
 * Return: first Work Request of the chain; @wr if the list is empty.
 */
static inline struct ib_send_wr *
rpcrdma_rw_chain(struct list_head *rws, struct ib_qp *qp, u32 port,
		 struct ib_cqe *cqe, struct ib_send_wr *wr)
{
	struct rpcrdma_rw *rw;

	list_for_each_entry_reverse(rw, rws, list) {
		wr = rdma_rw_ctx_wrs(&rw->ctx, qp, port, cqe, wr);
		cqe = NULL;
	}
	return wr;
}

#endif /* _RPCRDMA_RW_H */
