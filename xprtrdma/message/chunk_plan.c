// SPDX-License-Identifier: GPL-2.0-only
/*
 * Choose the chunks of a call: how it is sent, and how its reply is returned.
 *
 * RFC 8166 section 3.5. A call is sent inline if it fits. Otherwise, a payload
 * that may be placed directly gets a Read chunk. If the call has no such
 * payload, or is too long even without it, it goes into a position-zero Read
 * chunk (RDMA_NOMSG).
 *
 * A reply that always fits into a Send of the peer needs no chunk. Otherwise, a
 * payload that may be placed directly gets a Write chunk, if the rest of the
 * reply is short enough to be sent inline. Any other reply gets a Reply chunk,
 * or no chunk if the peer can provide Read chunks and the reply will probably
 * be short (ext/pulled/).
 *
 * In version 2, the size limits of both directions may change at any time
 * (ext/properties.c), so each is read once per call.
 *
 * With RPCSEC_GSS integrity or privacy nothing is placed directly, because the
 * payload is not visible in the message (RFC 8166 section 8.2.2.1).
 *
 * Planning changes only the request. marshal.c registers memory when both
 * choices have been made.
 */

#include <linux/sunrpc/auth.h>

#include "../conn.h"
#include "../ext/ext.h"
#include "../limits.h"
#include "../req.h"
#include "../tunables.h"
#include "message.h"

/* Segments needed for a page list */
static u32 xprt_rdma_plan_page_segments(const struct xprt_rdma_conn *conn,
					const struct xdr_buf *xdr)
{
	u32 pages = DIV_ROUND_UP(offset_in_page(xdr->page_base) + xdr->page_len,
				 PAGE_SIZE);

	return DIV_ROUND_UP(pages, conn->mrs.depth);
}

/*
 * RFC 8267: may the responder place a result of this call directly? NFS marks
 * the data of READ, but not the text of a symbolic link.
 */
static bool xprt_rdma_plan_reply_has_payload(const struct rpc_rqst *rqst)
{
	if (!rqst->rq_rcv_buf.page_len)
		return false;
	return rqst->rq_rcv_buf.flags & XDRBUF_READ ||
	       xprt_rdma_nfs_places_link(rqst->rq_task);
}

/*
 * Can the peer provide a Read chunk if the reply turns out to be long? That is
 * not worthwhile for a payload that fits into a Write chunk, or with integrity
 * or privacy, where most replies are long.
 */
static bool xprt_rdma_plan_can_be_read(const struct xprt_rdma_conn *conn,
				       const struct xprt_rdma_req *req,
				       const struct xprt_rdma_chunk_plan *plan)
{
	return plan->ddp && !req->limits.reply_chunk &&
	       !xprt_rdma_plan_reply_has_payload(&req->rqst) &&
	       xprt_rdma_pulled_expects(conn, req);
}

/*
 * A Reply chunk covers the whole buffer: head, pages and tail. The Reply chunk
 * is larger if the reply may be longer than NFS expects: the excess is dropped,
 * and the peer need not know.
 */
static void xprt_rdma_plan_reply_chunk(const struct xprt_rdma_conn *conn,
				       struct xprt_rdma_req *req,
				       struct xprt_rdma_chunk_plan *plan,
				       u32 page_segs)
{
	u32 segs = 2 + page_segs;

	req->wtype = XPRT_RDMA_REPLY_LONG;
	if (unlikely(xprt_rdma_nfs_exceeds(req->rqst.rq_task)) &&
	    !req->limits.segments) {
		plan->discard = min_t(u32, XPRT_RDMA_EXCESS,
				      conn->mrs.depth * PAGE_SIZE);
		segs++;
	}
	plan->hdr += RPCRDMA_XDR_UNIT + segs * RPCRDMA_SEGMENT_SIZE;
}

static void xprt_rdma_plan_reply(const struct xprt_rdma_conn *conn,
				 struct xprt_rdma_req *req,
				 struct xprt_rdma_chunk_plan *plan)
{
	const struct xdr_buf *xdr = &req->rqst.rq_rcv_buf;
	u32 inline_recv = READ_ONCE(conn->sizes.inline_recv);
	u32 hdr, page_segs, rest;
	bool pad;

	req->wtype = XPRT_RDMA_REPLY_INLINE;
	if (conn->ver->hdr_min + xdr->buflen <= inline_recv &&
	    likely(!req->limits.reply_chunk) &&
	    likely(!xprt_rdma_nfs_exceeds(req->rqst.rq_task)))
		return;

	/* The reply's header repeats the segments of the Write chunk. */
	page_segs = xprt_rdma_plan_page_segments(conn, xdr);
	pad = !xprt_rdma_pad_optimize && xdr->page_len % RPCRDMA_XDR_UNIT &&
	      page_segs != req->limits.segments;
	hdr = 2 * RPCRDMA_XDR_UNIT + (page_segs + pad) * RPCRDMA_SEGMENT_SIZE;
	rest = xdr->head[0].iov_len + xdr->tail[0].iov_len;
	if (plan->ddp && !req->limits.reply_chunk &&
	    !READ_ONCE(conn->peer.no_write_chunks) &&
	    xprt_rdma_plan_reply_has_payload(&req->rqst) &&
	    conn->ver->hdr_min + hdr + rest <= inline_recv) {
		req->wtype = XPRT_RDMA_REPLY_WRITE;
		plan->discard = pad ? RPCRDMA_XDR_UNIT : 0;
		plan->hdr += hdr;
	} else if (xprt_rdma_plan_can_be_read(conn, req, plan)) {
		req->wtype = XPRT_RDMA_REPLY_READ;
	} else {
		xprt_rdma_plan_reply_chunk(conn, req, plan, page_segs);
	}
}

static void xprt_rdma_plan_call(struct xprt_rdma_conn *conn,
				struct xprt_rdma_req *req,
				const struct xprt_rdma_chunk_plan *plan)
{
	const struct xdr_buf *xdr = &req->rqst.rq_snd_buf;
	bool payload = plan->ddp && !req->limits.no_reads &&
		       (xdr->flags & XDRBUF_WRITE) && xdr->page_len;
	u32 reads;

	req->rtype = XPRT_RDMA_CALL_INLINE;
	if (plan->hdr + xdr->len <= plan->room &&
	    xprt_rdma_send_fits(conn, req, true))
		return;

	req->rtype = XPRT_RDMA_CALL_LONG;
	if (!payload)
		return;

	reads = xprt_rdma_plan_page_segments(conn, xdr) *
		RPCRDMA_READ_SEGMENT_SIZE;
	if (plan->hdr + reads + xdr->len - xdr->page_len <= plan->room &&
	    xprt_rdma_send_fits(conn, req, false))
		req->rtype = XPRT_RDMA_CALL_DDP;
}

/**
 * xprt_rdma_chunk_plan - choose the chunks of a call and of its reply
 * @conn: connection
 * @req: request with an encoded call; its rtype, wtype and data_at are set
 * @plan: filled in
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_chunk_plan(struct xprt_rdma_conn *conn,
			  struct xprt_rdma_req *req,
			  struct xprt_rdma_chunk_plan *plan)
{
	const struct rpc_auth *auth = req->rqst.rq_cred->cr_auth;

	*plan = (struct xprt_rdma_chunk_plan) {
		.ddp = !test_bit(RPCAUTH_AUTH_DATATOUCH, &auth->au_flags),
		.hdr = conn->ver->hdr_min,
		.room = READ_ONCE(conn->sizes.inline_send),
	};
	xprt_rdma_plan_reply(conn, req, plan);
	xprt_rdma_plan_call(conn, req, plan);
	xprt_rdma_msgp_plan(conn, req, plan);
}
