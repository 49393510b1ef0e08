// SPDX-License-Identifier: GPL-2.0-only
/*
 * From an encoded RPC call to a transport header: how the call travels, and
 * which memory the peer gets for the reply.
 *
 * RFC 8166 section 3.5. A call goes inline if it fits. One that does not, and
 * that has a payload that may be placed directly, has a Read chunk for the
 * payload; without such a payload, or if the rest is still too long, it goes
 * into a position-zero Read chunk (RDMA_NOMSG), and the payload, if there is
 * one, into a Read chunk of its own. A reply that cannot be longer than the
 * peer may Send needs no chunk. Otherwise a payload that may be placed
 * directly gets a Write chunk, if the rest of the reply is short enough, and
 * everything else a Reply chunk. With a peer that provides Read chunks itself,
 * that is only for replies that are expected to be long (see predict.c).
 *
 * XDR roundup (RFC 8166 sections 3.4.5.2 and 3.4.6.2): never in a Read chunk,
 * and left out of the inline part; for Write chunks see xprt_rdma_map_discard().
 *
 * With RPCSEC_GSS integrity or privacy nothing is placed directly, because
 * the payload is not there as such (RFC 8166 section 8.2.2.1).
 */

#include <linux/sunrpc/auth.h>
#include <linux/sunrpc/clnt.h>

#include "../conn.h"
#include "../limits.h"
#include "../req.h"
#include "../stats.h"
#include "../tunables.h"
#include "../xprt.h"
#include "message.h"
#include "../verbs/verbs.h"

#include <trace/events/xprtrdma.h>

/* What a call's header will need; computed before anything is registered. */
struct plan {
	bool	ddp;		/* payload may be placed directly */
	bool pad; /* the Write chunk ends with a roundup segment */
	u32	excess;		/* bytes in the Reply chunk beyond the buffer */
	u32	hdr;		/* bytes of transport header */
};

static u32 xprt_rdma_marshal_pad_size(u32 len)
{
	return -len & (RPCRDMA_XDR_UNIT - 1);
}

/* Segments that a page list takes. */
static u32 xprt_rdma_marshal_page_segments(const struct xprt_rdma_conn *conn,
					   const struct xdr_buf *xdr)
{
	u32 pages = DIV_ROUND_UP(offset_in_page(xdr->page_base) + xdr->page_len,
				 PAGE_SIZE);

	return DIV_ROUND_UP(pages, conn->mr_depth);
}

static u32 xprt_rdma_marshal_all_segments(const struct xprt_rdma_conn *conn,
					  const struct xdr_buf *xdr)
{
	return 2 + xprt_rdma_marshal_page_segments(conn, xdr);
}

/*
 * Results that RFC 8267 lets a responder place directly: those that NFS marks,
 * and a symbolic link's content, which it does not.
 */
static bool xprt_rdma_marshal_reply_has_payload(const struct rpc_rqst *rqst)
{
	if (!rqst->rq_rcv_buf.page_len)
		return false;
	return rqst->rq_rcv_buf.flags & XDRBUF_READ ||
	       xprt_rdma_nfs_places_link(rqst->rq_task);
}

/*
 * Reliable-reply draft section 5.3.1: should the reply turn out to be long, the
 * peer provides for it. With integrity or privacy it mostly is, and a payload
 * that cannot be placed directly is long for sure.
 */
static bool xprt_rdma_marshal_can_be_read(const struct xprt_rdma_conn *conn,
					  const struct xprt_rdma_req *req,
					  const struct plan *plan)
{
	if (!conn->read_replies || !plan->ddp || req->limits.no_inline_reply ||
	    xprt_rdma_marshal_reply_has_payload(&req->rqst))
		return false;
	return conn->read_replies == XPRT_RDMA_READ_REPLIES_ALL ||
	       !xprt_rdma_predict_long(req);
}

/*
 * A Reply chunk for all of the buffer, and for more if NFS may get more than it
 * has asked for: what exceeds the buffer is dropped, but the peer need not know.
 */
static void
xprt_rdma_marshal_plan_reply_chunk(const struct xprt_rdma_conn *conn,
				   struct xprt_rdma_req *req, struct plan *plan)
{
	u32 segs = xprt_rdma_marshal_all_segments(conn, &req->rqst.rq_rcv_buf);

	req->wtype = XPRT_RDMA_REPLY_LONG;
	if (unlikely(xprt_rdma_nfs_exceeds(req->rqst.rq_task)) &&
	    !req->limits.segments) {
		plan->excess = min_t(u32, XPRT_RDMA_EXCESS,
				     conn->mr_depth * PAGE_SIZE);
		segs++;
	}
	plan->hdr += RPCRDMA_XDR_UNIT + segs * RPCRDMA_SEGMENT_SIZE;
}

static void xprt_rdma_marshal_plan_reply(const struct xprt_rdma_conn *conn,
					 struct xprt_rdma_req *req,
					 struct plan *plan)
{
	const struct xdr_buf *xdr = &req->rqst.rq_rcv_buf;
	u32 hdr, segs, rest;

	req->wtype = XPRT_RDMA_REPLY_INLINE;
	if (conn->hdr_min + xdr->buflen <= conn->inline_recv &&
	    likely(!req->limits.no_inline_reply) &&
	    likely(!xprt_rdma_nfs_exceeds(req->rqst.rq_task)))
		return;

	/* Write chunk: the reply's header repeats its segments. */
	segs = xprt_rdma_marshal_page_segments(conn, xdr);
	plan->pad = !xprt_rdma_pad_optimize &&
		    xprt_rdma_marshal_pad_size(xdr->page_len) &&
		    segs != req->limits.segments;
	segs += plan->pad;
	hdr = 2 * RPCRDMA_XDR_UNIT + segs * RPCRDMA_SEGMENT_SIZE;
	rest = xdr->head[0].iov_len + xdr->tail[0].iov_len;
	if (plan->ddp && !req->limits.no_writes && !conn->no_write_chunks &&
	    xprt_rdma_marshal_reply_has_payload(&req->rqst) &&
	    conn->hdr_min + hdr + rest <= conn->inline_recv) {
		req->wtype = XPRT_RDMA_REPLY_WRITE;
		plan->hdr += hdr;
		return;
	}

	plan->pad = false;
	if (xprt_rdma_marshal_can_be_read(conn, req, plan)) {
		req->wtype = XPRT_RDMA_REPLY_READ;
		return;
	}
	xprt_rdma_marshal_plan_reply_chunk(conn, req, plan);
}

static void xprt_rdma_marshal_plan_call(struct xprt_rdma_conn *conn,
					struct xprt_rdma_req *req,
					struct plan *plan)
{
	const struct xdr_buf *xdr = &req->rqst.rq_snd_buf;
	bool payload = plan->ddp && !req->limits.no_reads &&
		       (xdr->flags & XDRBUF_WRITE) && xdr->page_len;
	u32 reads;

	if (plan->hdr + xdr->len <= conn->inline_send &&
	    xprt_rdma_send_fits(conn, req, true)) {
		req->rtype = XPRT_RDMA_CALL_INLINE;
		return;
	}
	if (!payload) {
		req->rtype = XPRT_RDMA_CALL_LONG;
		return;
	}
	reads = xprt_rdma_marshal_page_segments(conn, xdr) *
		RPCRDMA_READ_SEGMENT_SIZE;
	if (plan->hdr + reads + xdr->len - xdr->page_len <= conn->inline_send &&
	    xprt_rdma_send_fits(conn, req, false))
		req->rtype = XPRT_RDMA_CALL_DDP;
	else
		req->rtype = XPRT_RDMA_CALL_LONG_DDP;
}

/* The tail of a call without the roundup of the payload before it. */
static void *xprt_rdma_marshal_tail_base(const struct xdr_buf *xdr, u32 *len)
{
	u32 pad = min_t(u32, xprt_rdma_marshal_pad_size(xdr->page_len),
			xdr->tail[0].iov_len);

	*len = xdr->tail[0].iov_len - pad;
	return xdr->tail[0].iov_base + pad;
}

/* The whole call, or all but its payload, at position zero. */
static int xprt_rdma_marshal_map_long_call(struct xprt_rdma_conn *conn,
					   struct xprt_rdma_req *req,
					   bool payload)
{
	const struct xdr_buf *xdr = &req->rqst.rq_snd_buf;
	void *tail = xdr->tail[0].iov_base;
	u32 len = xdr->tail[0].iov_len;
	int rc;

	rc = xprt_rdma_map_kvec(conn, req, xdr->head[0].iov_base,
				xdr->head[0].iov_len, XPRT_RDMA_USE_READ, 0);
	if (rc)
		return rc;
	if (!payload) {
		rc = xprt_rdma_map_pages(conn, req, xdr, XPRT_RDMA_USE_READ, 0);
		if (rc)
			return rc;
	} else {
		tail = xprt_rdma_marshal_tail_base(xdr, &len);
	}
	return xprt_rdma_map_kvec(conn, req, tail, len, XPRT_RDMA_USE_READ, 0);
}

static int xprt_rdma_marshal_map_call(struct xprt_rdma_conn *conn,
				      struct xprt_rdma_req *req)
{
	const struct xdr_buf *xdr = &req->rqst.rq_snd_buf;
	bool payload = req->rtype == XPRT_RDMA_CALL_DDP ||
		       req->rtype == XPRT_RDMA_CALL_LONG_DDP;
	int rc = 0;

	if (req->rtype == XPRT_RDMA_CALL_LONG ||
	    req->rtype == XPRT_RDMA_CALL_LONG_DDP)
		rc = xprt_rdma_marshal_map_long_call(conn, req, payload);
	if (!rc && payload)
		rc = xprt_rdma_map_pages(conn, req, xdr, XPRT_RDMA_USE_READ,
					 xdr->head[0].iov_len);
	return rc;
}

static int xprt_rdma_marshal_map_reply(struct xprt_rdma_conn *conn,
				       struct xprt_rdma_req *req,
				       const struct plan *plan)
{
	const struct xdr_buf *xdr = &req->rqst.rq_rcv_buf;
	const enum xprt_rdma_use reply = XPRT_RDMA_USE_REPLY;
	int rc;

	if (req->wtype == XPRT_RDMA_REPLY_INLINE ||
	    req->wtype == XPRT_RDMA_REPLY_READ)
		return 0;
	if (req->wtype == XPRT_RDMA_REPLY_WRITE) {
		rc = xprt_rdma_map_pages(conn, req, xdr, XPRT_RDMA_USE_WRITE,
					 0);
		if (!rc && plan->pad)
			rc = xprt_rdma_map_discard(conn, req, RPCRDMA_XDR_UNIT,
						   XPRT_RDMA_USE_WRITE);
		return rc;
	}
	rc = xprt_rdma_map_kvec(conn, req, xdr->head[0].iov_base,
				xdr->head[0].iov_len, reply, 0);
	if (!rc)
		rc = xprt_rdma_map_pages(conn, req, xdr, reply, 0);
	if (!rc)
		rc = xprt_rdma_map_kvec(conn, req, xdr->tail[0].iov_base,
					xdr->tail[0].iov_len, reply, 0);
	if (!rc && plan->excess)
		rc = xprt_rdma_map_discard(conn, req, plan->excess, reply);
	return rc;
}

/*
 * ACL decoding leaves it to the transport to allocate the pages of a reply;
 * they have to exist before the peer can be given access to them.
 */
static int xprt_rdma_marshal_alloc_sparse_pages(struct xdr_buf *xdr)
{
	struct page **page = xdr->pages + (xdr->page_base >> PAGE_SHIFT);
	u32 n = DIV_ROUND_UP(offset_in_page(xdr->page_base) + xdr->page_len,
			     PAGE_SIZE);

	for (; n; n--, page++) {
		if (*page)
			continue;
		*page = alloc_page(XPRT_RDMA_GFP);
		if (!*page)
			return -ENOBUFS;
		xprt_rdma_count(sparse_pages);
	}
	return 0;
}

static u32 xprt_rdma_marshal_encode_reads(struct rpcrdma_encoder *enc,
					  struct xprt_rdma_req *req)
{
	struct xprt_rdma_mr *mr;
	u32 n = 0;

	list_for_each_entry(mr, &req->mrs, list) {
		if (mr->use != XPRT_RDMA_USE_READ)
			continue;
		rpcrdma_encode_read_segment(enc, mr->position, &mr->seg);
		n++;
	}
	rpcrdma_encode_list_end(enc);
	return n;
}

/* One chunk of all regions for @use; remember what was offered. */
static void xprt_rdma_marshal_encode_chunk(struct rpcrdma_encoder *enc,
					   struct xprt_rdma_req *req,
					   enum xprt_rdma_use use)
{
	struct xprt_rdma_mr *mr;

	rpcrdma_encode_chunk_begin(enc);
	list_for_each_entry(mr, &req->mrs, list) {
		if (mr->use != use)
			continue;
		rpcrdma_encode_segment(enc, &mr->seg);
		req->offered[req->nr_offered++] = mr->seg.length;
		req->r_xprt->stats.total_rdma_request += mr->seg.length;
	}
	rpcrdma_encode_chunk_end(enc);
}

/*
 * v2 draft section 3.3: which handle the responder may invalidate. One is as
 * good as another.
 */
static u32 xprt_rdma_marshal_inv_handle(struct xprt_rdma_req *req)
{
	struct xprt_rdma_mr *mr;

	mr = list_first_entry_or_null(&req->mrs, struct xprt_rdma_mr, list);
	if (!mr || !READ_ONCE(xprt_rdma_remote_invalidation))
		return 0;
	return mr->seg.handle;
}

static int xprt_rdma_marshal_encode(struct xprt_rdma_conn *conn,
				    struct xprt_rdma_req *req, u32 *reads)
{
	bool nomsg = req->rtype == XPRT_RDMA_CALL_LONG ||
		     req->rtype == XPRT_RDMA_CALL_LONG_DDP;
	struct rpcrdma_encoder enc;

	rpcrdma_encode_init(&enc, req->hdr.data, XPRT_RDMA_HDR_SIZE);
	rpcrdma_encode_fixed(&enc, req->rqst.rq_xid, conn->ver->number,
			     conn->max_reqs,
			     nomsg ? RPCRDMA_NOMSG : RPCRDMA_MSG);
	if (conn->ver->has_flags) {
		rpcrdma_encode_word(&enc, 0);
		rpcrdma_encode_word(&enc, xprt_rdma_marshal_inv_handle(req));
	}
	*reads = xprt_rdma_marshal_encode_reads(&enc, req);
	if (req->wtype == XPRT_RDMA_REPLY_WRITE)
		xprt_rdma_marshal_encode_chunk(&enc, req, XPRT_RDMA_USE_WRITE);
	rpcrdma_encode_list_end(&enc);
	if (req->wtype == XPRT_RDMA_REPLY_LONG)
		xprt_rdma_marshal_encode_chunk(&enc, req, XPRT_RDMA_USE_REPLY);
	else
		rpcrdma_encode_list_end(&enc);
	return rpcrdma_encode_finish(&enc);
}

static void xprt_rdma_marshal_count_reply(const struct xprt_rdma_conn *conn,
					  struct xprt_rdma_req *req)
{
	const struct xdr_buf *xdr = &req->rqst.rq_rcv_buf;
	struct xprt_rdma_stats *stats = &req->r_xprt->stats;
	u32 n;

	switch (req->wtype) {
	case XPRT_RDMA_REPLY_INLINE:
		break;
	case XPRT_RDMA_REPLY_WRITE:
		xprt_rdma_count(write_chunks);
		xprt_rdma_count_add(write_segments, req->nr_offered);
		stats->write_chunk_count += req->nr_offered;
		break;
	case XPRT_RDMA_REPLY_LONG:
		xprt_rdma_count(reply_chunks);
		xprt_rdma_count_add(reply_segments, req->nr_offered);
		stats->reply_chunk_count += req->nr_offered;
		break;
	case XPRT_RDMA_REPLY_READ:
		xprt_rdma_count(reply_chunks_avoided);
		n = xprt_rdma_marshal_page_segments(conn, xdr);
		xprt_rdma_count_add(registrations_avoided,
				    1 + n + !!xdr->tail[0].iov_len);
		break;
	}
}

static void xprt_rdma_marshal_count_call(struct xprt_rdma_req *req, u32 reads)
{
	struct xprt_rdma_stats *stats = &req->r_xprt->stats;

	switch (req->rtype) {
	case XPRT_RDMA_CALL_INLINE:
		xprt_rdma_count(calls_inline);
		break;
	case XPRT_RDMA_CALL_DDP:
		xprt_rdma_count(calls_read_chunk);
		break;
	case XPRT_RDMA_CALL_LONG:
		xprt_rdma_count(calls_position_zero);
		stats->nomsg_call_count++;
		break;
	case XPRT_RDMA_CALL_LONG_DDP:
		xprt_rdma_count(calls_position_zero_ddp);
		stats->nomsg_call_count++;
		break;
	}
	stats->read_chunk_count += reads;
	xprt_rdma_count_add(read_segments, reads);
	if (reads > 1 || req->nr_offered > 1)
		xprt_rdma_count(multi_segment_chunks);
}

/**
 * xprt_rdma_marshal - register a call's memory and encode its header
 * @conn: connection
 * @req: request with an encoded call; on success its header is in its header
 *	buffer, and its Send is ready to be posted
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: 0; -EAGAIN when sunrpc is to wait for write space; -ENOBUFS when it
 * is to try again later; -EIO or -EMSGSIZE when the call cannot be sent.
 */
int xprt_rdma_marshal(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req)
{
	struct rpc_rqst *rqst = &req->rqst;
	struct plan plan = { .hdr = conn->hdr_min };
	u32 reads = 0;
	int rc;

	plan.ddp = !test_bit(RPCAUTH_AUTH_DATATOUCH,
			     &rqst->rq_cred->cr_auth->au_flags);
	req->nr_mrs = 0;
	req->nr_offered = 0;
	if (unlikely(rqst->rq_rcv_buf.flags & XDRBUF_SPARSE_PAGES)) {
		rc = xprt_rdma_marshal_alloc_sparse_pages(&rqst->rq_rcv_buf);
		if (rc)
			return rc;
	}

	xprt_rdma_marshal_plan_reply(conn, req, &plan);
	xprt_rdma_marshal_plan_call(conn, req, &plan);
	/* RFC 5666 section 6.2: the peer can read nothing */
	if (unlikely(conn->no_peer_reads &&
		     req->rtype != XPRT_RDMA_CALL_INLINE))
		rc = -EIO;
	else
		rc = xprt_rdma_marshal_map_call(conn, req);
	if (!rc)
		rc = xprt_rdma_marshal_map_reply(conn, req, &plan);
	if (!rc)
		rc = xprt_rdma_marshal_encode(conn, req, &reads);
	if (unlikely(req->limits.segments &&
		     max(reads, req->nr_offered) > req->limits.segments))
		rc = -EIO;
	if (rc < 0)
		goto out_undo;
	if (plan.pad)
		xprt_rdma_count(write_pads);
	rc = xprt_rdma_send_prepare(conn, req, rc);
	if (rc)
		goto out_undo;
	xprt_rdma_marshal_count_call(req, reads);
	xprt_rdma_marshal_count_reply(conn, req);
	trace_xprtrdma_marshal(req);
	return 0;

out_undo:
	xprt_rdma_map_undo(conn, req);
	conn->r_xprt->stats.failed_marshal_count++;
	trace_xprtrdma_marshal_failed(req, rc);
	if (rc == -ENOBUFS)
		return xprt_rdma_mr_wait(conn);
	if (rc == -EAGAIN)
		return xprt_rdma_sq_wait(conn);
	return rc;
}
