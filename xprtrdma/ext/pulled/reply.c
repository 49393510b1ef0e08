// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replies in the peer's Read chunks (RFC 5666 section 3.4; reliable-reply draft
 * section 4.1). A reply that cannot be fetched is declined, so that the peer
 * need not keep it.
 *
 * Errors: a reply whose chunks do not fit together, or do not fit its call, fails
 * the call. If there is no memory, the connection ends, and sunrpc sends the call
 * again.
 */

#include <linux/sunrpc/xdr.h>

#include "../../limits.h"
#include "../../message/message.h"
#include "../../stats.h"
#include "../../verbs/verbs.h"
#include "pulled.h"

/*
 * Check the count before each item that arrived in a chunk: @written bytes if
 * it is the payload of a Write chunk, otherwise the length of its Read chunk.
 * Items that did not fit into the buffer do not matter.
 */
static bool xprt_rdma_pulled_counts_match(const struct xdr_buf *xdr,
					  const struct rpcrdma_layout *layout,
					  u32 written)
{
	const struct rpcrdma_layout_chunk *chunk = layout->chunks;

	for (; chunk < layout->chunks + layout->nchunks; chunk++)
		if (chunk->position < layout->end &&
		    !xprt_rdma_reply_count_matches(xdr, chunk->position,
						   written ?: chunk->length))
			return false;
	return true;
}

static void xprt_rdma_pulled_reply_fetched(struct xprt_rdma_fetch *fetch,
					   int status)
{
	const struct rpcrdma_layout *layout = &fetch->layout;
	u32 written = fetch->recv->hdr.writes.bytes;
	struct xprt_rdma_req *req = fetch->req;
	struct xdr_buf *xdr = &req->rqst.rq_rcv_buf;
	int len = -ENOTCONN;

	if (!status) {
		len = min_t(u32, rpcrdma_layout_length(layout), layout->end);
		xprt_rdma_count(replies_read);
		req->r_xprt->stats.read_reply_count++;
		req->r_xprt->stats.total_rdma_reply += len;
		if (written && layout->base.length < xdr->head[0].iov_len)
			xprt_rdma_reply_cut_head(&req->rqst, layout->base.length);
		if (!xprt_rdma_pulled_counts_match(xdr, layout, written))
			len = -EBADMSG;
	}
	xprt_rdma_reply_complete_rpc(req, len);
}

/*
 * Leave a gap after the head for the payload in the Write chunk. The gap
 * includes the roundup of the payload, which carries no data. The final length
 * of the head, and so the position of the gap, is a multiple of four, as is
 * that of an inline message (xprt_rdma_dispatch_pad()).
 */
static int xprt_rdma_pulled_lay_payload(struct xprt_rdma_req *req,
					const struct rpcrdma_hdr *hdr,
					struct rpcrdma_layout *layout)
{
	const struct xdr_buf *xdr = &req->rqst.rq_rcv_buf;
	u32 head, bytes;
	int rc;

	if (req->wtype != XPRT_RDMA_REPLY_WRITE || layout->nchunks)
		return -EBADMSG;
	rc = xprt_rdma_reply_returned_bytes(req, hdr, &hdr->writes, &bytes);
	if (rc)
		return rc;
	head = min_t(u32, layout->base.length, xdr->head[0].iov_len);
	bytes = rpcrdma_xdr_align(min(bytes, xdr->page_len));
	return rpcrdma_layout_add(layout, head, bytes, XPRT_RDMA_GAPS) ?:
	       rpcrdma_layout_length(layout);
}

static int xprt_rdma_pulled_lay_out(struct xprt_rdma_req *req,
				    const struct rpcrdma_hdr *hdr,
				    struct rpcrdma_layout *layout)
{
	const struct xdr_buf *xdr = &req->rqst.rq_rcv_buf;
	u32 room = xdr->head[0].iov_len + xdr->page_len + xdr->tail[0].iov_len;
	int rc;

	if (hdr->reply.bytes)
		return -EBADMSG;
	rc = rpcrdma_layout_reads(layout, hdr, XPRT_RDMA_GAPS);
	if (rc > 0 && hdr->writes.bytes)
		rc = xprt_rdma_pulled_lay_payload(req, hdr, layout);
	if (rc < 0)
		return rc;
	layout->end = round_down(room, RPCRDMA_XDR_UNIT);
	return rpcrdma_layout_copy(layout, xdr, hdr);
}

/**
 * xprt_rdma_pulled_reply - fetch a reply from the peer's Read chunks
 * @req: request that owns its reply
 *
 * Context: completion handler; @req is pinned until it is completed.
 * Return: 0 if the Receive and the request have been taken over; -EBADMSG if the
 * reply was declined; -ENOTCONN if there is no memory, and the connection ends.
 */
int xprt_rdma_pulled_reply(struct xprt_rdma_req *req)
{
	struct xprt_rdma_recv_ctx *recv = req->recv;
	struct xprt_rdma_conn *conn = recv->conn;
	struct xprt_rdma_fetch *fetch;

	fetch = xprt_rdma_fetch_create(recv, true);
	if (!fetch) {
		xprt_rdma_conn_lost(conn);
		return -ENOTCONN;
	}
	if (READ_ONCE(conn->peer.no_own_reads) ||
	    (conn->ver->has_props && !READ_ONCE(xprt_rdma_read_replies)) ||
	    xprt_rdma_pulled_lay_out(req, &recv->hdr, &fetch->layout)) {
		xprt_rdma_fetch_decline(fetch, conn);
		return -EBADMSG;
	}
	fetch->req = req;
	fetch->complete = xprt_rdma_pulled_reply_fetched;
	xprt_rdma_fetch_start(fetch, recv);
	return 0;
}

/**
 * xprt_rdma_pulled_decline - decline a reply for which no call waits
 * @recv: Receive of the reply; the caller still owns it
 *
 * Context: completion handler.
 */
void xprt_rdma_pulled_decline(struct xprt_rdma_recv_ctx *recv)
{
	xprt_rdma_fetch_decline(xprt_rdma_fetch_create(recv, true), recv->conn);
}
