// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages that no sunrpc task sends: properties, CONF_RDMA, and errors in
 * answer to messages of the reverse direction.
 *
 * Each message has a buffer and a signaled Send. These messages use no credit:
 * the peer has posted a few Receives for them (v2 draft section 8.2), so at
 * most XPRT_RDMA_CONTROLS of them are in flight.
 *
 * Ownership: a message is in use until its Send completes. Its memory is freed
 * when it is used again, or when the completion queue of the connection has been
 * destroyed.
 *
 * Errors: a message that cannot be sent is dropped; a failed Send ends the
 * connection.
 */

#include "../conn.h"
#include "../limits.h"
#include "version.h"
#include "../verbs/verbs.h"

static void xprt_rdma_control_msg_put(struct xprt_rdma_conn *conn,
				      struct xprt_rdma_control_msg *msg)
{
	clear_bit_unlock(msg - conn->controls.msgs, &conn->controls.used);
	xprt_rdma_sq_release(conn, 1);
}

static void xprt_rdma_wc_control(struct ib_cq *cq, struct ib_wc *wc)
{
	struct xprt_rdma_conn *conn = cq->cq_context;

	if (unlikely(wc->status != IB_WC_SUCCESS))
		xprt_rdma_conn_failed(conn, "control", wc);
	xprt_rdma_control_msg_put(conn,
				  container_of(wc->wr_cqe,
					       struct xprt_rdma_control_msg,
					       cqe));
}

/* Reserve one of the peer's Receives, and a Send Queue entry. */
static struct xprt_rdma_control_msg *
xprt_rdma_control_msg_get(struct xprt_rdma_conn *conn)
{
	u32 i = 0;

	while (test_and_set_bit_lock(i, &conn->controls.used))
		if (++i == XPRT_RDMA_CONTROLS)
			return NULL;
	if (xprt_rdma_sq_reserve(&conn->sq, 1))
		return &conn->controls.msgs[i];
	clear_bit_unlock(i, &conn->controls.used);
	return NULL;
}

/**
 * xprt_rdma_control_msg_post - post the Send of a message that carries no RPC
 * @conn: connection
 * @msg: unused entry; its cqe names the completion handler
 * @data: the message, which is copied
 * @len: bytes in @data
 * @handle: the peer's handle that the Send invalidates, or 0
 *
 * Context: process, including completion handlers; the caller has a Send Queue
 * entry.
 * Return: 0; -ENOBUFS if memory is short; -ENOTCONN if posting failed.
 */
int xprt_rdma_control_msg_post(struct xprt_rdma_conn *conn,
			       struct xprt_rdma_control_msg *msg,
			       const void *data, u32 len, u32 handle)
{
	struct ib_sge sge = { .length = len, .lkey = conn->pd->local_dma_lkey };
	struct ib_send_wr wr = {
		.wr_cqe		= &msg->cqe,
		.sg_list	= &sge,
		.num_sge	= 1,
		.opcode		= handle ? IB_WR_SEND_WITH_INV : IB_WR_SEND,
		.send_flags	= IB_SEND_SIGNALED,
		.ex.invalidate_rkey = handle,
	};

	if (xprt_rdma_regbuf_alloc(&msg->buf, len, XPRT_RDMA_GFP))
		return -ENOBUFS;
	memcpy(msg->buf.data, data, len);
	if (xprt_rdma_regbuf_map(&msg->buf, conn->device, DMA_TO_DEVICE))
		return -ENOBUFS;
	sge.addr = msg->buf.addr;
	return ib_post_send(conn->qp, &wr, NULL) ? -ENOTCONN : 0;
}

/**
 * xprt_rdma_control_msg_send - send a message that carries no RPC
 * @conn: connection
 * @data: message, which is copied
 * @len: bytes in @data
 *
 * Context: process, including completion handlers.
 * Return: 0; -ENOBUFS if too many are in flight, the Send Queue is full or
 * memory is short; -ENOTCONN if posting failed, which ends the connection.
 */
int xprt_rdma_control_msg_send(struct xprt_rdma_conn *conn, const void *data,
			       u32 len)
{
	struct xprt_rdma_control_msg *msg = xprt_rdma_control_msg_get(conn);
	int rc;

	if (!msg)
		return -ENOBUFS;
	msg->cqe.done = xprt_rdma_wc_control;
	rc = xprt_rdma_control_msg_post(conn, msg, data, len, 0);
	if (likely(!rc))
		return 0;
	if (rc == -ENOTCONN)
		xprt_rdma_conn_lost(conn);
	xprt_rdma_control_msg_put(conn, msg);
	return rc;
}

/**
 * xprt_rdma_control_msgs_free - free the memory of all messages
 * @conn: connection without a Queue Pair
 *
 * Context: process; the caller holds XPRT_LOCKED. No completion handler can
 * run.
 */
void xprt_rdma_control_msgs_free(struct xprt_rdma_conn *conn)
{
	u32 i;

	for (i = 0; i < XPRT_RDMA_CONTROLS; i++)
		xprt_rdma_regbuf_free(&conn->controls.msgs[i].buf);
}
