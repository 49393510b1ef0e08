// SPDX-License-Identifier: GPL-2.0-only
/*
 * Build the transport header of an encoded RPC call: register the memory that
 * the peer may access, and encode the chunk lists.
 *
 * chunk_plan.c chooses the chunks. XDR roundup of a payload (RFC 8166 sections
 * 3.4.5.2 and 3.4.6.2) is neither in its Read chunk nor in the inline part; for
 * Write chunks see xprt_rdma_map_discard().
 *
 * Errors: if regions, memory or Send Queue entries are missing, all
 * registrations are undone, and sunrpc tries again.
 */

#include "../conn.h"
#include "../ext/ext.h"
#include "../limits.h"
#include "../req.h"
#include "../stats.h"
#include "../tunables.h"
#include "../xprt.h"
#include "message.h"
#include "../verbs/verbs.h"

#include <trace/events/xprtrdma.h>

static int xprt_rdma_marshal_map_message(struct xprt_rdma_conn *conn,
					 struct xprt_rdma_req *req,
					 const struct xdr_buf *xdr,
					 enum dma_data_direction dir)
{
	int rc;

	rc = xprt_rdma_map_kvec(conn, req, xdr->head[0].iov_base,
				xdr->head[0].iov_len, dir);
	if (!rc)
		rc = xprt_rdma_map_pages(conn, req, xdr, dir);
	return rc ?: xprt_rdma_map_kvec(conn, req, xdr->tail[0].iov_base,
					xdr->tail[0].iov_len, dir);
}

static int xprt_rdma_marshal_map_call(struct xprt_rdma_conn *conn,
				      struct xprt_rdma_req *req)
{
	const struct xdr_buf *xdr = &req->rqst.rq_snd_buf;

	if (likely(req->rtype == XPRT_RDMA_CALL_INLINE))
		return 0;
	/* RFC 5666 section 6.2: the peer cannot issue RDMA Reads */
	if (unlikely(READ_ONCE(conn->peer.no_reads)))
		return -EIO;
	if (req->rtype == XPRT_RDMA_CALL_LONG)
		return xprt_rdma_marshal_map_message(conn, req, xdr,
						     DMA_TO_DEVICE);
	return xprt_rdma_map_pages(conn, req, xdr, DMA_TO_DEVICE);
}

static int xprt_rdma_marshal_map_reply(struct xprt_rdma_conn *conn,
				       struct xprt_rdma_req *req,
				       const struct xprt_rdma_chunk_plan *plan)
{
	const struct xdr_buf *xdr = &req->rqst.rq_rcv_buf;
	int rc;

	if (req->wtype == XPRT_RDMA_REPLY_WRITE)
		rc = xprt_rdma_map_pages(conn, req, xdr, DMA_FROM_DEVICE);
	else if (req->wtype == XPRT_RDMA_REPLY_LONG)
		rc = xprt_rdma_marshal_map_message(conn, req, xdr,
						   DMA_FROM_DEVICE);
	else
		return 0;
	if (!rc && plan->discard)
		rc = xprt_rdma_map_discard(conn, req, plan->discard);
	return rc;
}

/*
 * NFS leaves it to the transport to allocate the pages of an ACL. The pages
 * must exist before they can be registered.
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
	}
	return 0;
}

/* Encode the Read list at the XDR position of the payload, or at zero. */
static u32 xprt_rdma_marshal_encode_reads(struct rpcrdma_encoder *enc,
					  struct xprt_rdma_req *req)
{
	u32 position = req->rtype == XPRT_RDMA_CALL_LONG ?
			       0 : req->rqst.rq_snd_buf.head[0].iov_len;
	struct xprt_rdma_mr *mr;
	u32 n = 0;

	list_for_each_entry(mr, &req->mrs, list) {
		if (mr->dir != DMA_TO_DEVICE)
			continue;
		rpcrdma_encode_read_segment(enc, position, &mr->seg);
		n++;
	}
	rpcrdma_encode_list_end(enc);
	return n;
}

static void xprt_rdma_marshal_encode_chunk(struct rpcrdma_encoder *enc,
					   struct xprt_rdma_req *req,
					   u32 segments)
{
	struct xprt_rdma_mr *mr;

	rpcrdma_encode_chunk_begin(enc, segments);
	list_for_each_entry(mr, &req->mrs, list) {
		if (mr->dir != DMA_FROM_DEVICE)
			continue;
		rpcrdma_encode_segment(enc, &mr->seg);
		req->offered[req->nr_offered++] = mr->seg.length;
		req->r_xprt->stats.total_rdma_request += mr->seg.length;
	}
}

/* v2 draft section 3.3: permit the responder to invalidate any one of the handles. */
static u32 xprt_rdma_marshal_inv_handle(struct xprt_rdma_req *req)
{
	struct xprt_rdma_mr *mr;

	mr = list_first_entry_or_null(&req->mrs, struct xprt_rdma_mr, list);
	if (!mr || !READ_ONCE(xprt_rdma_remote_invalidation))
		return 0;
	return mr->seg.handle;
}

/* Encode the header. With chunks, the header may be too long for tiny Receives. */
static int xprt_rdma_marshal_encode(struct xprt_rdma_conn *conn,
				    struct xprt_rdma_req *req, u32 room,
				    u32 *reads)
{
	struct rpcrdma_encoder enc;
	u32 type = RPCRDMA_MSG;

	if (xprt_rdma_msgp_is_padded(req))
		return xprt_rdma_msgp_encode(conn, req);
	if (!req->nr_mrs)
		return rpcrdma_encode_plain(req->hdr.data, XPRT_RDMA_HDR_SIZE,
					    req->rqst.rq_xid,
					    conn->ver->number,
					    conn->credits.max, false);
	if (req->rtype == XPRT_RDMA_CALL_LONG)
		type = RPCRDMA_NOMSG;
	rpcrdma_encode_init(&enc, req->hdr.data, min(room, XPRT_RDMA_HDR_SIZE));
	rpcrdma_encode_fixed(&enc, req->rqst.rq_xid, conn->ver->number,
			     conn->credits.max, type);
	if (conn->ver->has_flags)
		rpcrdma_encode_flags(&enc, 0, xprt_rdma_marshal_inv_handle(req));
	*reads = xprt_rdma_marshal_encode_reads(&enc, req);
	if (req->wtype == XPRT_RDMA_REPLY_WRITE)
		xprt_rdma_marshal_encode_chunk(&enc, req, req->nr_mrs - *reads);
	rpcrdma_encode_list_end(&enc);
	if (req->wtype == XPRT_RDMA_REPLY_LONG)
		xprt_rdma_marshal_encode_chunk(&enc, req, req->nr_mrs - *reads);
	else
		rpcrdma_encode_list_end(&enc);
	return rpcrdma_encode_finish(&enc);
}

/* Count a call that the peer could have received inline with larger Receives. */
static void
xprt_rdma_marshal_count_long(struct xprt_rdma_conn *conn,
			     struct xprt_rdma_req *req,
			     const struct xprt_rdma_chunk_plan *plan)
{
	u32 len = plan->hdr + req->rqst.rq_snd_buf.len;

	if (conn->properties.on && len <= conn->sizes.send_most &&
	    xprt_rdma_send_fits(conn, req, true))
		xprt_rdma_properties_long_call(conn, len);
}

static noinline void
xprt_rdma_marshal_count(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req,
			const struct xprt_rdma_chunk_plan *plan, u32 reads)
{
	struct xprt_rdma_stats *stats = &req->r_xprt->stats;
	u32 offered = req->nr_offered;

	if (req->rtype == XPRT_RDMA_CALL_LONG)
		stats->nomsg_call_count++;
	if (req->rtype != XPRT_RDMA_CALL_INLINE)
		xprt_rdma_marshal_count_long(conn, req, plan);
	stats->read_chunk_count += reads;
	stats->read_call_count += !!reads;
	if (req->wtype == XPRT_RDMA_REPLY_WRITE) {
		stats->write_chunk_count += offered;
		stats->write_call_count++;
	} else if (req->wtype == XPRT_RDMA_REPLY_LONG) {
		stats->reply_chunk_count += offered;
		stats->reply_call_count++;
	} else if (req->wtype == XPRT_RDMA_REPLY_READ) {
		xprt_rdma_count(reply_chunks_avoided);
	}
}

/**
 * xprt_rdma_marshal - register a call's memory and encode its header
 * @conn: connection
 * @req: request with an encoded call; on success its header is in its header
 *	buffer, and its Send is ready to be posted
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: 0; -EAGAIN if sunrpc must wait for write space; -ENOBUFS if it must
 * try again later; -EIO or -EMSGSIZE if the call cannot be sent.
 */
int xprt_rdma_marshal(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req)
{
	struct rpc_rqst *rqst = &req->rqst;
	struct xprt_rdma_chunk_plan plan;
	u32 reads = 0;
	int rc;

	req->nr_mrs = 0;
	req->nr_offered = 0;
	if (unlikely(rqst->rq_rcv_buf.flags & XDRBUF_SPARSE_PAGES)) {
		rc = xprt_rdma_marshal_alloc_sparse_pages(&rqst->rq_rcv_buf);
		if (rc)
			return rc;
	}

	xprt_rdma_chunk_plan(conn, req, &plan);
	rc = xprt_rdma_marshal_map_call(conn, req);
	if (!rc)
		rc = xprt_rdma_marshal_map_reply(conn, req, &plan);
	if (!rc)
		rc = xprt_rdma_marshal_encode(conn, req, plan.room, &reads);
	if (unlikely(req->limits.segments &&
		     max(reads, req->nr_offered) > req->limits.segments))
		rc = -EIO;
	if (rc < 0)
		goto out_undo;
	rc = xprt_rdma_send_prepare(conn, req, rc);
	if (rc)
		goto out_undo;
	if (unlikely(req->rtype != XPRT_RDMA_CALL_INLINE ||
		     req->wtype != XPRT_RDMA_REPLY_INLINE))
		xprt_rdma_marshal_count(conn, req, &plan, reads);
	trace_xprtrdma_marshal(req);
	return 0;

out_undo:
	xprt_rdma_map_undo(conn, req);
	conn->r_xprt->stats.failed_marshal_count++;
	trace_xprtrdma_marshal_failed(conn->r_xprt, req->rqst.rq_xid, rc);
	return rc;
}
