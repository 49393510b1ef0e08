// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pass each received message to its layer: a control message, a call in the
 * reverse direction, or a reply. The control layer handles messages that arrive
 * before calls may be sent (control/early.c).
 *
 * Errors: a message that cannot be used is dropped and counted. v2 draft
 * section 10.1: a message in another version than the connection's is ignored.
 */

#include "../conn.h"
#include "../stats.h"
#include "../xprt.h"
#include "message.h"
#include "../verbs/verbs.h"

/* Pad the message to whole XDR units; a Receive's buffer has room for that. */
static void xprt_rdma_dispatch_pad(struct xprt_rdma_recv_ctx *recv)
{
	struct rpcrdma_hdr *hdr = &recv->hdr;
	u32 len = rpcrdma_xdr_align(hdr->len);

	if (likely(len == hdr->len))
		return;
	memset(recv->buf.data + hdr->len, 0, len - hdr->len);
	hdr->len = len;
}

/* Decode the header. Returns false if the message cannot be used. */
static bool xprt_rdma_dispatch_decode(struct xprt_rdma_recv_ctx *recv, u32 len)
{
	recv->error = recv->conn->ver->decode(&recv->hdr, recv->buf.data, len);
	if (likely(!recv->error))
		xprt_rdma_dispatch_pad(recv);
	if (unlikely(len < RPCRDMA_V1_FIXED_SIZE ||
		     recv->error == RPCRDMA_EVERSION))
		return false;
	/* In version 2, an RDMA_DONE without the response flag may need an answer. */
	if (unlikely(recv->hdr.type == RPCRDMA_DONE && !recv->error &&
		     !recv->conn->ver->is_call(recv)))
		return false;
	return true;
}

/**
 * xprt_rdma_dispatch - handle a received message
 * @recv: its Receive, owned by this function
 * @len: bytes received
 * @invalidated: the message has invalidated one of our handles
 * @rkey: that handle
 *
 * Context: completion handler.
 */
void xprt_rdma_dispatch(struct xprt_rdma_recv_ctx *recv, u32 len,
			bool invalidated, u32 rkey)
{
	struct xprt_rdma_conn *conn = recv->conn;

	if (unlikely(READ_ONCE(conn->life.state) != XPRT_RDMA_CONNECTED) &&
	    conn->ops->early(recv, len))
		return;
	if (unlikely(!xprt_rdma_dispatch_decode(recv, len))) {
		conn->r_xprt->stats.bad_reply_count++;
		xprt_rdma_recv_put(recv);
	} else if (unlikely(recv->hdr.type > RPCRDMA_NOMSG) &&
		   conn->ver->control && conn->ver->control(recv)) {
		xprt_rdma_recv_put(recv);
	} else if (conn->ver->is_call(recv)) {
		conn->ops->call(recv);
	} else {
		xprt_rdma_reply_handle(recv, invalidated, rkey);
	}
}
