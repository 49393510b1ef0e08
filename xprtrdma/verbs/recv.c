// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receives: their buffers, posting, completions.
 *
 * The Sends and Receives of a connection share one completion queue. A
 * workqueue polls it, one work item at a time, so completion handlers never run
 * concurrently, and data that only they use needs no lock. Completion handlers
 * cannot run in softirq: completing an RPC takes xprt->queue_lock and the locks
 * of sunrpc's wait queues, which sunrpc takes without disabling softirqs.
 *
 * Operation: one Receive is posted for each reply and backchannel call that the
 * peer may send, plus a few spare ones, so that the peer never finds the
 * Receive Queue empty. The number follows the credit grant. If memory is short,
 * fewer are posted, and the peer waits for one of them.
 *
 * Size: upper layers may raise the size of Receives while messages arrive
 * (recv_want). Buffers are then replaced before they are posted again, so the
 * Receive Queue contains Receives of both sizes, those of the former size
 * first. Once the latter have been used, the larger size is guaranteed. If
 * there is no memory for it before that, recv_want returns to the former size,
 * and a buffer may stay larger than necessary. ext/properties.c is notified in
 * both cases.
 *
 * Ownership: a Receive is posted, or in the free list, or held by the request
 * or fetch whose message it contains.
 *
 * Errors: a failed Receive ends the connection. So does a message that arrives
 * before the connection is established, because its handler must not post
 * anything yet. If Receives are flushed before that, the CM is about to report
 * the reason. Receives are freed only when the connection ends, so there are
 * always some. A completion handler that releases a Receive posts Receives
 * again, so the Receive Queue is never empty for longer than it takes to handle
 * a reply.
 */

#include <linux/slab.h>

#include <rpcrdma/buffer.h>

#include "../conn.h"
#include "../ext/ext.h"
#include "../limits.h"
#include "../stats.h"
#include "../xprt.h"
#include "verbs.h"

/* Receives are posted in batches of at least this many. */
#define RECV_BATCH	(XPRT_RDMA_SPARE_RECVS - 2u)

static void xprt_rdma_wc_recv(struct ib_cq *cq, struct ib_wc *wc)
{
	struct xprt_rdma_recv_ctx *recv =
		container_of(wc->wr_cqe, struct xprt_rdma_recv_ctx, cqe);
	struct xprt_rdma_conn *conn = recv->conn;
	bool established = xprt_rdma_life_established(&conn->life);
	u32 len = rpcrdma_wc_received(wc);

	conn->recvs.posted--;
	if (unlikely(conn->recvs.old))
		conn->recvs.old--;
	if (unlikely(!established || wc->status != IB_WC_SUCCESS)) {
		xprt_rdma_recv_put(recv);
		/* The CM flushes Receives before it reports a rejection. */
		if (established || wc->status != IB_WC_WR_FLUSH_ERR)
			xprt_rdma_conn_failed(conn, "receive", wc);
		return;
	}
	WRITE_ONCE(conn->recvs.received, conn->recvs.received + 1);
	ib_dma_sync_single_for_cpu(conn->device, recv->buf.addr, len,
				   DMA_FROM_DEVICE);
	conn->ops->receive(recv, len, wc->wc_flags & IB_WC_WITH_INVALIDATE,
			wc->ex.invalidate_rkey);
	xprt_rdma_recvs_post(conn);
}

static void xprt_rdma_recv_free(struct xprt_rdma_recv_ctx *recv)
{
	xprt_rdma_regbuf_free(&recv->buf);
	kfree(recv);
	xprt_rdma_count_add(recvs_now, -1);
}

/*
 * Completion handlers do not wait for memory: replies that free memory may be
 * queued behind them.
 */
static gfp_t xprt_rdma_recv_gfp(const struct xprt_rdma_conn *conn)
{
	return xprt_rdma_life_established(&conn->life) ?
		       GFP_NOWAIT | __GFP_NOWARN : XPRT_RDMA_GFP;
}

/* Buffer size, with room to pad a received message to a multiple of four bytes */
static size_t xprt_rdma_recv_buf_size(const struct xprt_rdma_conn *conn)
{
	return rpcrdma_xdr_align(conn->recvs.size);
}

/*
 * Give @recv a buffer of the current size of Receives. If there is no memory,
 * @recv keeps its buffer, if it has one.
 */
static void xprt_rdma_recv_replace_buf(struct xprt_rdma_conn *conn,
				       struct xprt_rdma_recv_ctx *recv)
{
	size_t size = xprt_rdma_recv_buf_size(conn);
	struct xprt_rdma_regbuf buf = {};

	if (xprt_rdma_regbuf_alloc(&buf, size, xprt_rdma_recv_gfp(conn)))
		return;
	if (xprt_rdma_regbuf_map(&buf, conn->device, DMA_FROM_DEVICE)) {
		xprt_rdma_regbuf_free(&buf);
		return;
	}
	conn->recvs.bytes += buf.size - recv->buf.size;
	swap(recv->buf, buf);
	recv->sge.addr = recv->buf.addr;
	xprt_rdma_regbuf_free(&buf);
}

static struct xprt_rdma_recv_ctx *
xprt_rdma_recv_create(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_recv_ctx *recv;

	if (conn->recvs.count >= conn->recvs.max)
		return NULL;
	recv = kzalloc(sizeof(*recv), xprt_rdma_recv_gfp(conn));
	if (!recv)
		return NULL;
	xprt_rdma_count(recvs_now);
	xprt_rdma_recv_replace_buf(conn, recv);
	if (!recv->buf.data) {
		xprt_rdma_recv_free(recv);
		return NULL;
	}
	recv->conn = conn;
	recv->cqe.done = xprt_rdma_wc_recv;
	recv->sge.lkey = conn->pd->local_dma_lkey;
	recv->wr.wr_cqe = &recv->cqe;
	recv->wr.sg_list = &recv->sge;
	recv->wr.num_sge = 1;
	INIT_LIST_HEAD(&recv->list);
	list_add_tail(&recv->all, &conn->recvs.all);
	conn->recvs.count++;
	return recv;
}

static struct xprt_rdma_recv_ctx *
xprt_rdma_recv_get(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_recv_ctx *recv;

	recv = list_first_entry_or_null(&conn->recvs.free,
					struct xprt_rdma_recv_ctx, list);
	if (!recv)
		return xprt_rdma_recv_create(conn);
	list_del_init(&recv->list);
	if (unlikely(recv->buf.size != xprt_rdma_recv_buf_size(conn)))
		xprt_rdma_recv_replace_buf(conn, recv);
	return recv;
}

/**
 * xprt_rdma_recv_put - release a received message
 * @recv: its Receive
 *
 * Context: completion handler.
 */
void xprt_rdma_recv_put(struct xprt_rdma_recv_ctx *recv)
{
	list_add(&recv->list, &recv->conn->recvs.free);
}

/*
 * There was no memory for a buffer of the current size. If the peer does not
 * rely on that size yet, give the size up, and post @recv as it is. Otherwise
 * do not post @recv: there is one Receive less until memory is available.
 */
static bool xprt_rdma_recv_too_small(struct xprt_rdma_conn *conn,
				     struct xprt_rdma_recv_ctx *recv)
{
	if (recv->buf.size < conn->recvs.min) {
		list_add_tail(&recv->list, &conn->recvs.free);
		return true;
	}
	conn->recvs.size = conn->recvs.min;
	conn->recvs.old = 0;
	WRITE_ONCE(conn->sizes.recv_want, conn->recvs.min);
	xprt_rdma_properties_resized(conn);
	return false;
}

static noinline int xprt_rdma_recvs_fill(struct xprt_rdma_conn *conn,
					 u32 target)
{
	struct ib_recv_wr *first = NULL;
	struct xprt_rdma_recv_ctx *recv;
	u32 n = 0;
	int rc;

	while (conn->recvs.posted + n < target) {
		recv = xprt_rdma_recv_get(conn);
		if (!recv)
			break;
		if (unlikely(recv->buf.size < conn->recvs.size) &&
		    xprt_rdma_recv_too_small(conn, recv))
			break;
		recv->sge.length = conn->recvs.size;
		ib_dma_sync_single_for_device(conn->device, recv->buf.addr,
					      recv->buf.size, DMA_FROM_DEVICE);
		recv->wr.next = first;
		first = &recv->wr;
		n++;
	}
	if (!n)
		return conn->recvs.posted ? 0 : -ENOBUFS;

	rc = ib_post_recv(conn->qp, first, NULL);
	if (unlikely(rc)) {
		/* Draining the queue will show which Receives were posted. */
		xprt_rdma_conn_lost(conn);
		return rc;
	}
	conn->recvs.posted += n;
	return 0;
}

/**
 * xprt_rdma_recvs_post - fill the Receive Queue
 * @conn: connection
 *
 * Context: completion handler, or process before the connection is established.
 * Return: 0, or a negative errno if no Receive is posted.
 */
int xprt_rdma_recvs_post(struct xprt_rdma_conn *conn)
{
	u32 size = READ_ONCE(conn->sizes.recv_want);
	u32 target = conn->credits.granted +
		     READ_ONCE(conn->r_xprt->bc_slots) + XPRT_RDMA_SPARE_RECVS;
	int rc = 0;

	if (unlikely(size != conn->recvs.size)) {
		conn->recvs.size = size;
		conn->recvs.old = conn->recvs.posted;
	}
	if (conn->recvs.posted + RECV_BATCH <= target)
		rc = xprt_rdma_recvs_fill(conn, target);
	if (unlikely(conn->recvs.size != conn->recvs.min) &&
	    !conn->recvs.old && conn->recvs.posted) {
		WRITE_ONCE(conn->recvs.min, conn->recvs.size);
		xprt_rdma_properties_resized(conn);
	}
	return rc;
}

/**
 * xprt_rdma_recvs_destroy - free all Receives
 * @conn: connection whose Queue Pair is drained
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_recvs_destroy(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_recv_ctx *recv, *next;

	list_for_each_entry_safe(recv, next, &conn->recvs.all, all) {
		list_del(&recv->all);
		conn->recvs.bytes -= recv->buf.size;
		xprt_rdma_recv_free(recv);
		conn->recvs.count--;
	}
	WARN_ON_ONCE(conn->recvs.count || conn->recvs.bytes);
	INIT_LIST_HEAD(&conn->recvs.free);
	conn->recvs.posted = 0;
}
