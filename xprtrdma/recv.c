// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receives: their buffers, posting them, and their completions.
 *
 * All completions of a connection, of Sends as well as of Receives, come from
 * one completion queue that is polled by a workqueue, one work item at a time.
 * Completion handlers thus never run concurrently with one another, and what
 * only they use needs no lock. They cannot run in softirq: completing an RPC
 * takes xprt->queue_lock and sunrpc's wait queue locks, which sunrpc takes
 * without disabling softirqs.
 *
 * Operation: as many Receives are posted as the peer may have replies and
 * backchannel calls to send, and a few more, so that the peer never finds the
 * Receive Queue empty. Their number follows the credit grant. Without memory
 * for that many there are fewer, and the peer waits for those there are.
 *
 * Ownership: a Receive is posted, or in the free list, or held by the request
 * whose reply it has until that is complete. Without a connection, some are kept
 * for the next one, in a list that belongs to who makes and ends connections.
 *
 * Errors: a failed Receive ends the connection, and so does one that completes
 * before there is a connection: nothing may be posted then. Once allocated, a Receive is
 * only freed when the connection ends, so that there are always some. Whenever
 * one becomes free in a completion handler, that of a message or that of the
 * invalidation that its reply has waited for, they are posted again, so that
 * the Receive Queue is never empty for longer than a reply is handled.
 */

#include <linux/slab.h>

#include "xprtrdma.h"

#include <trace/events/xprtrdma.h>

/* Receives are posted when this many can be. */
#define RECV_BATCH	(XPRT_RDMA_SPARE_RECVS - 2u)

static void wc_recv(struct ib_cq *cq, struct ib_wc *wc)
{
	struct xprt_rdma_rep *rep = container_of(wc->wr_cqe,
						 struct xprt_rdma_rep, cqe);
	struct xprt_rdma_conn *conn = rep->conn;

	conn->reps_posted--;
	if (unlikely(wc->status != IB_WC_SUCCESS ||
		     !READ_ONCE(conn->established))) {
		trace_xprtrdma_wc_error(conn, "receive", wc);
		xprt_rdma_rep_put(rep);
		xprt_rdma_conn_lost(conn);
		return;
	}
	WRITE_ONCE(conn->received, conn->received + 1);
	ib_dma_sync_single_for_cpu(conn->device, rep->buf.addr, wc->byte_len,
				   DMA_FROM_DEVICE);
	xprt_rdma_reply(rep, wc->byte_len, wc->wc_flags & IB_WC_WITH_INVALIDATE,
			wc->ex.invalidate_rkey);
	xprt_rdma_recvs_post(conn);
}

static void rep_free(struct xprt_rdma_rep *rep)
{
	xprt_rdma_regbuf_free(&rep->buf);
	kfree(rep);
	xprt_rdma_count(reps_destroyed);
}

/*
 * Replies that make memory free wait behind a completion handler; so it does not
 * wait for memory.
 */
static gfp_t rep_gfp(const struct xprt_rdma_conn *conn)
{
	return READ_ONCE(conn->established) ? GFP_NOWAIT | __GFP_NOWARN :
					      XPRT_RDMA_GFP;
}

/* A message that is not a multiple of four is made one. */
static size_t buf_size(const struct xprt_rdma_conn *conn)
{
	return rpcrdma_xdr_align(conn->recv_size);
}

static struct xprt_rdma_rep *rep_alloc(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_rep *rep;

	rep = kzalloc(sizeof(*rep), rep_gfp(conn));
	if (!rep)
		return NULL;
	if (xprt_rdma_regbuf_alloc(&rep->buf, buf_size(conn), rep_gfp(conn),
				   DMA_FROM_DEVICE)) {
		kfree(rep);
		return NULL;
	}
	xprt_rdma_count(reps_created);
	return rep;
}

/* One that an earlier connection has left, if it is large enough. */
static struct xprt_rdma_rep *rep_reuse(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma *rx = conn->rx;
	struct xprt_rdma_rep *rep;

	while ((rep = list_first_entry_or_null(&rx->reps_kept,
					       struct xprt_rdma_rep, all))) {
		list_del(&rep->all);
		rx->reps_kept_count--;
		if (rep->buf.size >= buf_size(conn))
			return rep;
		rep_free(rep);
	}
	return NULL;
}

static struct xprt_rdma_rep *rep_create(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_rep *rep;

	if (conn->reps_count >= conn->reps_max)
		return NULL;
	rep = rep_reuse(conn) ?: rep_alloc(conn);
	if (!rep)
		return NULL;
	if (xprt_rdma_regbuf_map(&rep->buf, conn->device)) {
		rep_free(rep);
		return NULL;
	}
	rep->conn = conn;
	rep->error = 0;
	rep->cqe.done = wc_recv;
	rep->sge.addr = rep->buf.addr;
	rep->sge.length = conn->recv_size;
	rep->sge.lkey = conn->pd->local_dma_lkey;
	rep->wr.wr_cqe = &rep->cqe;
	rep->wr.sg_list = &rep->sge;
	rep->wr.num_sge = 1;
	INIT_LIST_HEAD(&rep->list);
	list_add_tail(&rep->all, &conn->reps_all);
	conn->reps_count++;
	return rep;
}

static struct xprt_rdma_rep *rep_get(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_rep *rep;

	rep = list_first_entry_or_null(&conn->reps_free, struct xprt_rdma_rep,
				       list);
	if (!rep)
		return rep_create(conn);
	list_del_init(&rep->list);
	return rep;
}

/**
 * xprt_rdma_rep_put - a received message is no longer needed
 * @rep: its Receive
 *
 * Context: completion handler.
 */
void xprt_rdma_rep_put(struct xprt_rdma_rep *rep)
{
	list_add(&rep->list, &rep->conn->reps_free);
}

/**
 * xprt_rdma_recvs_post - keep the Receive Queue filled
 * @conn: connection
 *
 * Context: completion handler, or before there are any completions.
 * Return: 0, or a negative errno if there is not a single Receive posted.
 */
int xprt_rdma_recvs_post(struct xprt_rdma_conn *conn)
{
	u32 target = conn->credits + READ_ONCE(conn->rx->bc_slots) +
		     XPRT_RDMA_SPARE_RECVS;
	struct ib_recv_wr *first = NULL;
	struct xprt_rdma_rep *rep;
	u32 n = 0;
	int rc;

	if (conn->reps_posted + RECV_BATCH > target)
		return 0;
	while (conn->reps_posted + n < target) {
		rep = rep_get(conn);
		if (!rep)
			break;
		ib_dma_sync_single_for_device(conn->device, rep->buf.addr,
					      rep->buf.size, DMA_FROM_DEVICE);
		rep->wr.next = first;
		first = &rep->wr;
		n++;
	}
	if (!n)
		return conn->reps_posted ? 0 : -ENOBUFS;

	rc = ib_post_recv(conn->qp, first, NULL);
	if (unlikely(rc)) {
		/* Which of them were posted shows when the queue is drained. */
		xprt_rdma_conn_lost(conn);
		return rc;
	}
	conn->reps_posted += n;
	xprt_rdma_count_add(recvs_posted, n);
	return 0;
}

/* Keep @rep for the next connection, unless there are enough. */
static void rep_keep(struct xprt_rdma *rx, struct xprt_rdma_rep *rep)
{
	if (rx->reps_kept_count >= XPRT_RDMA_RESERVE_RECVS) {
		rep_free(rep);
		return;
	}
	xprt_rdma_regbuf_unmap(&rep->buf);
	rep->conn = NULL;
	list_add(&rep->all, &rx->reps_kept);
	rx->reps_kept_count++;
}

/**
 * xprt_rdma_reps_destroy - free Receives, or keep them for the next connection
 * @conn: connection, whose Queue Pair is drained
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_reps_destroy(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_rep *rep, *next;

	list_for_each_entry_safe(rep, next, &conn->reps_all, all) {
		list_del(&rep->all);
		rep_keep(conn->rx, rep);
		conn->reps_count--;
	}
	WARN_ON_ONCE(conn->reps_count);
	INIT_LIST_HEAD(&conn->reps_free);
	conn->reps_posted = 0;
}

/**
 * xprt_rdma_reps_free - free the Receives that were kept
 * @rx: transport without a connection, which will not have another one
 *
 * Context: process.
 */
void xprt_rdma_reps_free(struct xprt_rdma *rx)
{
	struct xprt_rdma_rep *rep, *next;

	list_for_each_entry_safe(rep, next, &rx->reps_kept, all) {
		list_del(&rep->all);
		rx->reps_kept_count--;
		rep_free(rep);
	}
	WARN_ON_ONCE(rx->reps_kept_count);
}
