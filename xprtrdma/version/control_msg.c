// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages that carry no RPC: RDMA2_CONNPROP, and errors in answer to messages
 * of the reverse direction.
 *
 * Each has its own buffer and a signaled Send. They use no credit: the peer has
 * posted a few Receives for them (v2 draft section 8.2), so at most
 * XPRT_RDMA_CONTROLS of them are in flight.
 *
 * Ownership: a message is freed when its Send completes, or when the completion
 * queue of its connection has been destroyed.
 *
 * Errors: a message that cannot be sent is dropped; a failed Send ends the
 * connection.
 */

#include <linux/slab.h>

#include "../conn.h"
#include "../limits.h"
#include "../stats.h"
#include "version.h"
#include "../verbs/verbs.h"

#include <trace/events/xprtrdma.h>

/**
 * struct xprt_rdma_control_msg - a message in flight
 * @all: entry of the connection's list of these messages
 * @conn: connection
 * @cqe: completion of the Send
 * @wr: Send
 * @sge: the one gather entry of @wr
 * @buf: the message
 */
struct xprt_rdma_control_msg {
	struct list_head	all;
	struct xprt_rdma_conn	*conn;
	struct ib_cqe		cqe;
	struct ib_send_wr	wr;
	struct ib_sge		sge;
	struct xprt_rdma_regbuf	buf;
};

static void xprt_rdma_control_msg_free(struct xprt_rdma_control_msg *msg_ctx)
{
	struct xprt_rdma_conn *conn = msg_ctx->conn;

	spin_lock(&conn->controls.lock);
	list_del(&msg_ctx->all);
	spin_unlock(&conn->controls.lock);
	xprt_rdma_regbuf_free(&msg_ctx->buf);
	kfree(msg_ctx);
	atomic_dec(&conn->controls.count);
	xprt_rdma_count(controls_destroyed);
	xprt_rdma_sq_release(conn, 1);
}

static void xprt_rdma_wc_control(struct ib_cq *cq, struct ib_wc *wc)
{
	struct xprt_rdma_control_msg *msg_ctx =
		container_of(wc->wr_cqe, struct xprt_rdma_control_msg, cqe);
	struct xprt_rdma_conn *conn = msg_ctx->conn;

	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		trace_xprtrdma_wc_error(conn, "control", wc);
		xprt_rdma_conn_lost(conn);
	}
	xprt_rdma_control_msg_free(msg_ctx);
}

/* Reserve a Send Queue entry and one of the peer's Receives. */
static bool xprt_rdma_control_msg_reserve(struct xprt_rdma_conn *conn)
{
	if (!atomic_add_unless(&conn->controls.count, 1, XPRT_RDMA_CONTROLS))
		return false;
	if (xprt_rdma_sq_reserve(&conn->sq, 1))
		return true;
	atomic_dec(&conn->controls.count);
	return false;
}

static struct xprt_rdma_control_msg *
xprt_rdma_control_msg_create(struct xprt_rdma_conn *conn, const void *msg,
			     u32 len)
{
	struct xprt_rdma_control_msg *msg_ctx;

	msg_ctx = kzalloc(sizeof(*msg_ctx), XPRT_RDMA_GFP);
	if (!msg_ctx)
		return NULL;
	if (!xprt_rdma_control_msg_reserve(conn)) {
		kfree(msg_ctx);
		return NULL;
	}
	xprt_rdma_count(controls_created);
	msg_ctx->conn = conn;
	spin_lock(&conn->controls.lock);
	list_add_tail(&msg_ctx->all, &conn->controls.all);
	spin_unlock(&conn->controls.lock);
	if (xprt_rdma_regbuf_alloc(&msg_ctx->buf, len, XPRT_RDMA_GFP,
				   DMA_TO_DEVICE))
		goto out_free;
	memcpy(msg_ctx->buf.data, msg, len);
	if (!xprt_rdma_regbuf_map(&msg_ctx->buf, conn->device))
		return msg_ctx;
out_free:
	xprt_rdma_control_msg_free(msg_ctx);
	return NULL;
}

/**
 * xprt_rdma_control_msg_send - send a message that carries no RPC
 * @conn: connection
 * @msg: message, which is copied
 * @len: bytes in @msg
 *
 * Context: process, including completion handlers.
 * Return: 0; -ENOBUFS if too many are in flight, the Send Queue is full or
 * memory is short; -ENOTCONN if posting failed, which ends the connection.
 */
int xprt_rdma_control_msg_send(struct xprt_rdma_conn *conn, const void *msg,
			       u32 len)
{
	struct xprt_rdma_control_msg *msg_ctx =
		xprt_rdma_control_msg_create(conn, msg, len);

	if (!msg_ctx) {
		xprt_rdma_count(controls_dropped);
		return -ENOBUFS;
	}
	msg_ctx->cqe.done = xprt_rdma_wc_control;
	msg_ctx->sge.addr = msg_ctx->buf.addr;
	msg_ctx->sge.length = len;
	msg_ctx->sge.lkey = conn->pd->local_dma_lkey;
	msg_ctx->wr.wr_cqe = &msg_ctx->cqe;
	msg_ctx->wr.sg_list = &msg_ctx->sge;
	msg_ctx->wr.num_sge = 1;
	msg_ctx->wr.opcode = IB_WR_SEND;
	msg_ctx->wr.send_flags = IB_SEND_SIGNALED;
	if (likely(!ib_post_send(conn->qp, &msg_ctx->wr, NULL)))
		return 0;
	xprt_rdma_control_msg_free(msg_ctx);
	xprt_rdma_conn_lost(conn);
	return -ENOTCONN;
}

/**
 * xprt_rdma_control_msgs_flush - free all messages that have not completed
 * @conn: connection without a Queue Pair
 *
 * Context: process; the caller holds XPRT_LOCKED. There is no completion queue,
 * so no completion is being handled.
 */
void xprt_rdma_control_msgs_flush(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_control_msg *msg_ctx, *next;

	list_for_each_entry_safe(msg_ctx, next, &conn->controls.all, all)
		xprt_rdma_control_msg_free(msg_ctx);
}
