// SPDX-License-Identifier: GPL-2.0-only
/*
 * RDMA Reads and Writes of a connection: counting, chaining and completion.
 * Each Read or Write is a struct rpcrdma_rw (rpcrdma/rw.h).
 *
 * Operation: a chunk is split at the end of each segment, because each segment
 * has its own handle; at the boundaries of the parts of an xdr_buf, because a
 * scatterlist must not have gaps; and where a memory region would need too many
 * pages. The Reads or Writes are collected in a list, and their Work Requests
 * are posted as one chain.
 *
 * Ownership: the owner of the list owns the pages. It must keep them until the
 * chain has completed and svc_rdma_rw_release() has unmapped them.
 *
 * Errors: -ENOMEM, or an error of rdma_rw_ctx_init(). After an error, Reads and
 * Writes that were added before stay in the list. A failed Work Request
 * completes with its error, and those behind it are flushed, so the final
 * completion reports that the chain failed, not why.
 */

#include <rpcrdma/rw.h>

#include "../counters.h"
#include "verbs.h"
#include <trace/events/svcrdma.h>

#include "wc.h"

/**
 * svc_rdma_rw_add - prepare Reads or Writes of a segment
 * @conn: connection
 * @rws: list that the Reads or Writes are added to
 * @seg: the requester's memory; @seg->length bytes are transferred, at least 1
 * @mem: our memory
 * @dir: DMA_FROM_DEVICE for a Read, DMA_TO_DEVICE for a Write
 *
 * This adds one Read or Write, unless @mem has more pages than a region covers.
 *
 * Context: process.
 * Return: the number of Send Queue entries needed, or a negative errno.
 */
int svc_rdma_rw_add(struct svc_rdma_conn *conn, struct list_head *rws,
		    const struct rpcrdma_segment *seg,
		    const struct rpcrdma_rw_memory *mem,
		    enum dma_data_direction dir)
{
	struct rpcrdma_rw_memory at = *mem;
	struct rpcrdma_segment part = *seg;
	u32 left = seg->length;
	int ret, wrs = 0;

	for (; left; left -= part.length) {
		part.length = min(left, rpcrdma_rw_room(&conn->rws, &at));
		ret = rpcrdma_rw_add(&conn->rws, rws, &at, &part, dir,
				     GFP_KERNEL);
		if (ret < 0)
			return ret;
		svc_rdma_count(rwctxs_now);
		if (dir == DMA_TO_DEVICE)
			svc_rdma_count(writes_posted);
		else
			svc_rdma_count(reads_posted);
		wrs += ret;
		part.offset += part.length;
		rpcrdma_rw_advance(&at, part.length);
	}
	return wrs;
}

/**
 * svc_rdma_rw_failed - close a connection because a Read or Write failed
 * @conn: connection
 * @wc: completion of the Read or Write, with an error or flushed
 * @dir: DMA_FROM_DEVICE for a Read, DMA_TO_DEVICE for a Write
 *
 * Context: completion handler.
 */
void svc_rdma_rw_failed(struct svc_rdma_conn *conn, const struct ib_wc *wc,
			enum dma_data_direction dir)
{
	/* Flushes count, too: soft-RoCE may report no other status. */
	svc_rdma_rw_lost(conn);
	if (wc->status != IB_WC_WR_FLUSH_ERR) {
		if (dir == DMA_FROM_DEVICE)
			svc_rdma_count(reads_failed);
		else
			svc_rdma_count(writes_failed);
	}
	svc_rdma_wc_failed(conn,
			   dir == DMA_FROM_DEVICE ? RPCRDMA_NL_DETAIL_READ :
						    RPCRDMA_NL_DETAIL_WRITE,
			   conn->sq.cq, wc);
}

static void svc_rdma_rw_wc_done(struct ib_cq *cq, struct ib_wc *wc);

/* Completions of unsignaled RDMA Reads and Writes, shared by all connections */
static struct ib_cqe svc_rdma_rw_cqes[] = {
	[DMA_TO_DEVICE]		= { .done = svc_rdma_rw_wc_done },
	[DMA_FROM_DEVICE]	= { .done = svc_rdma_rw_wc_done },
};

/* A flush is ignored here: the completion of the chain's end handles it. */
static void svc_rdma_rw_wc_done(struct ib_cq *cq, struct ib_wc *wc)
{
	if (wc->status != IB_WC_SUCCESS && wc->status != IB_WC_WR_FLUSH_ERR)
		svc_rdma_rw_failed(cq->cq_context, wc,
				   wc->wr_cqe - svc_rdma_rw_cqes);
}

/**
 * svc_rdma_rw_chain - chain the Work Requests of all Reads or Writes in a list
 * @conn: connection
 * @rws: list of either Reads or Writes
 * @end: Work Request that ends the chain, or NULL
 *
 * All Work Requests but the last are unsignaled: only failures are reported.
 *
 * Context: any. Must be called only once, before the chain is posted.
 * Return: first Work Request of the chain; @end if the list is empty.
 */
struct ib_send_wr *svc_rdma_rw_chain(struct svc_rdma_conn *conn,
				     struct list_head *rws,
				     struct ib_send_wr *end)
{
	struct ib_send_wr *first, *wr;
	struct rpcrdma_rw *rw;

	if (list_empty(rws))
		return end;
	first = rpcrdma_rw_chain(&conn->rws, rws, NULL, end);
	rw = list_first_entry(rws, struct rpcrdma_rw, list);
	for (wr = first; wr != end; wr = wr->next)
		if (!wr->wr_cqe)
			wr->wr_cqe = &svc_rdma_rw_cqes[rw->dir];
	return first;
}

/**
 * svc_rdma_rw_release - unmap and free all Reads and Writes in a list
 * @conn: connection
 * @rws: list; empty on return
 *
 * Context: any; no Work Request of the list may be in flight.
 */
void svc_rdma_rw_release(struct svc_rdma_conn *conn, struct list_head *rws)
{
	svc_rdma_add(rwctxs_now, -(s64)rpcrdma_rw_release(&conn->rws, rws));
}
