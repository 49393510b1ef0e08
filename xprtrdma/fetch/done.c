// SPDX-License-Identifier: GPL-2.0-only
/*
 * RDMA_DONE tells the responder that it may release the memory that holds a
 * reply.
 *
 * RFC 5666 section 3.8, reliable-reply draft section 4.1.3. The message has the
 * XID of that reply and no body. If the responder has named a handle that may
 * be invalidated, the message is sent with Send With Invalidate (section
 * 4.1.4).
 *
 * Credits: an RDMA_DONE is not answered, so no grant tells when the responder
 * has a Receive for the next message. Its Send completes when the responder has
 * used a Receive for it; until then, it counts as a call in flight
 * (message/credit.c).
 */

#include "../conn.h"
#include "../limits.h"
#include "../stats.h"
#include "../tunables.h"
#include "fetch.h"
#include "../verbs/verbs.h"

#include <trace/events/xprtrdma.h>

static u32 xprt_rdma_done_encode(const struct xprt_rdma_conn *conn, void *buf,
				 __be32 xid)
{
	struct rpcrdma_encoder enc;

	rpcrdma_encode_init(&enc, buf, RPCRDMA2_PREFIX_SIZE);
	rpcrdma_encode_fixed(&enc, xid, conn->ver->number, conn->credits.max,
			     RPCRDMA_DONE);
	if (conn->ver->has_flags)
		rpcrdma_encode_word(&enc, 0);
	return rpcrdma_encode_finish(&enc);
}

/**
 * xprt_rdma_done_prepare - build an RDMA_DONE
 * @conn: connection
 * @done: filled in, except for its cqe
 * @hdr: decoded header of the reply, with a Read list
 *
 * It must not be posted before the RDMA Reads have completed.
 *
 * Context: process.
 * Return: 0, -ENOMEM or -EIO.
 */
int xprt_rdma_done_prepare(struct xprt_rdma_conn *conn,
			   struct xprt_rdma_done *done,
			   const struct rpcrdma_hdr *hdr)
{
	u32 handle = 0;
	int rc;

	if (READ_ONCE(xprt_rdma_remote_invalidation))
		handle = conn->ver->done_handle(conn, hdr);
	rc = xprt_rdma_regbuf_alloc(&done->buf, RPCRDMA2_PREFIX_SIZE,
				    XPRT_RDMA_GFP, DMA_TO_DEVICE);
	if (rc)
		return rc;
	done->sge.length =
		xprt_rdma_done_encode(conn, done->buf.data, hdr->xid);
	rc = xprt_rdma_regbuf_map(&done->buf, conn->device);
	if (rc) {
		xprt_rdma_regbuf_free(&done->buf);
		return rc;
	}
	done->sge.addr = done->buf.addr;
	done->sge.lkey = conn->pd->local_dma_lkey;
	done->wr = (struct ib_send_wr) {
		.wr_cqe		= &done->cqe,
		.sg_list	= &done->sge,
		.num_sge	= 1,
		.opcode		= handle ? IB_WR_SEND_WITH_INV : IB_WR_SEND,
		.send_flags	= IB_SEND_SIGNALED,
		.ex.invalidate_rkey = handle,
	};
	trace_xprtrdma_done(conn, hdr->xid, handle);
	return 0;
}

/**
 * xprt_rdma_done_begin - count an RDMA_DONE as in flight, before it is posted
 * @conn: connection with a free entry (read_ops)
 * @done: RDMA_DONE
 *
 * Context: completion handler.
 */
void xprt_rdma_done_begin(struct xprt_rdma_conn *conn,
			  struct xprt_rdma_done *done)
{
	done->posted = true;
	conn->reads.ops--;
	conn->reads.dones++;
	conn->ops->dones_changed(conn);
	xprt_rdma_count(dones_sent);
	if (done->wr.opcode == IB_WR_SEND_WITH_INV)
		xprt_rdma_count(dones_invalidating);
}

/**
 * xprt_rdma_done_release - free an RDMA_DONE
 * @conn: connection
 * @done: RDMA_DONE, sent or not, or never prepared
 *
 * Context: completion handler, or process when no completion handler is left.
 */
void xprt_rdma_done_release(struct xprt_rdma_conn *conn,
			    struct xprt_rdma_done *done)
{
	if (done->posted) {
		done->posted = false;
		conn->reads.ops++;
		conn->reads.dones--;
		conn->ops->dones_changed(conn);
	}
	xprt_rdma_regbuf_free(&done->buf);
}
