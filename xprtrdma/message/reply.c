// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handle a reply: match it to its call, and complete that call.
 *
 * Operation: match the XID, apply the credit grant, invalidate the call's
 * memory, check the returned lengths against the offered chunks, put the inline
 * part where the XDR decoder expects it, complete the call. ext/pulled/ handles
 * replies with Read chunks.
 *
 * Ownership: the request is pinned from the match until it completes, and owns
 * the Receive during that time. The reply's buffers are read only after the
 * peer's access to them has ended.
 *
 * Errors: a reply that matches no call posted on this connection is dropped and
 * counted. A reply that matches but is invalid fails its call with -EIO; the
 * connection is kept. The connection ends only if the peer invalidates a handle
 * that does not belong to the call. No message makes the client read or write
 * outside the Receive and the reply's buffers.
 *
 * Layout of a reply in the receive xdr_buf: as if it had been received as a
 * stream, that is, head, pages and tail are filled in this order. The payload
 * of a Write chunk is already in the pages. The inline part that precedes the
 * payload goes to the head, which is shortened to its length. The inline part
 * that follows the payload is placed after the payload and its roundup, whether
 * the peer has written roundup bytes into the chunk (RFC 5666 section 3.7) or
 * not (RFC 8166 section 3.4.6.2).
 *
 * Length of a reply: sunrpc rejects a length that is not a multiple of four,
 * but some servers omit the roundup of the last item, or get it wrong. Missing
 * bytes are set to zero. Bytes beyond the buffer are dropped, as with TCP: they
 * are roundup, or the reply is longer than NFS expects. NFS detects the latter
 * from the part that fits. XDR decoders check each item against the length of
 * the reply.
 */

#include <linux/sunrpc/xdr.h>

#include "../conn.h"
#include "../ext/ext.h"
#include "../req.h"
#include "../stats.h"
#include "../xprt.h"
#include "message.h"
#include "../verbs/verbs.h"

#include <trace/events/xprtrdma.h>

/**
 * xprt_rdma_reply_returned_bytes - get the number of bytes that the peer reports as
 * written
 * @req: request
 * @hdr: decoded header of the reply
 * @list: its Write list or Reply chunk
 * @bytes: set to the bytes in the one chunk of @list
 *
 * Segments are filled in order, so all but the last used one must be full.
 *
 * Context: any.
 * Return: 0; -EBADMSG or -EOVERFLOW if the peer reports more than was offered.
 */
int xprt_rdma_reply_returned_bytes(const struct xprt_rdma_req *req,
				   const struct rpcrdma_hdr *hdr,
				   const struct rpcrdma_list *list, u32 *bytes)
{
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	bool last = false;
	u32 count, i = 0;

	*bytes = 0;
	rpcrdma_chunks_begin(hdr, list, &cur);
	if (!rpcrdma_chunks_next(&cur, &count))
		return 0;
	if (list->chunks > 1 || count > req->nr_offered)
		return -EBADMSG;
	while (rpcrdma_segments_next(&cur, &seg)) {
		if (seg.length > req->offered[i] || (last && seg.length))
			return -EOVERFLOW;
		last = seg.length < req->offered[i];
		*bytes += seg.length;
		i++;
	}
	return 0;
}

/* Limit @len to the whole XDR units that @xdr has room for. */
static u32 xprt_rdma_reply_cut_to(const struct xdr_buf *xdr, u32 len)
{
	u32 room = round_down(xdr->buflen, RPCRDMA_XDR_UNIT);

	return min(len, room);
}

/* Place a reply whose Write chunk, if any, is empty. */
static int xprt_rdma_reply_place_inline(struct xprt_rdma_req *req,
					const void *src, u32 len)
{
	struct xdr_buf *xdr = &req->rqst.rq_rcv_buf;

	len = xprt_rdma_reply_cut_to(xdr, len);
	if (likely(len <= xdr->head[0].iov_len)) {
		memcpy(xdr->head[0].iov_base, src, len);
		return len;
	}
	if (write_bytes_to_xdr_buf(xdr, 0, (void *)src, len))
		return -EOVERFLOW;
	req->r_xprt->stats.fixup_copy_count +=
		min_t(u32, len - xdr->head[0].iov_len, xdr->page_len);
	return len;
}

/**
 * xprt_rdma_reply_cut_head - shorten the head of a reply's buffer
 * @rqst: the call, pinned
 * @len: bytes of the reply that precede the payload
 *
 * Context: any.
 */
void xprt_rdma_reply_cut_head(struct rpc_rqst *rqst, u32 len)
{
	u32 delta = rqst->rq_rcv_buf.head[0].iov_len - len;

	rqst->rq_rcv_buf.head[0].iov_len = len;
	rqst->rq_rcv_buf.buflen -= delta;
	rqst->rq_private_buf.head[0].iov_len = len;
	rqst->rq_private_buf.buflen -= delta;
}

/**
 * xprt_rdma_reply_count_matches - check the count that precedes an item
 * @xdr: buffer of the reply
 * @at: bytes from its start to the item
 * @payload: bytes of the item in its chunk
 *
 * RFC 5666 section 3.4: the count equals the number of bytes in the chunk,
 * unless the chunk includes roundup (section 3.7). If they differed, the upper
 * layer would decode fewer bytes than the peer has written, or mistake the rest
 * of the payload for the next item.
 *
 * Context: any.
 * Return: true if the count matches.
 */
bool xprt_rdma_reply_count_matches(const struct xdr_buf *xdr, u32 at,
				   u32 payload)
{
	__be32 word;
	u32 count;

	if (at < RPCRDMA_XDR_UNIT ||
	    read_bytes_from_xdr_buf(xdr, at - RPCRDMA_XDR_UNIT, &word,
				    sizeof(word)))
		return false;
	count = be32_to_cpu(word);
	return count <= payload && payload <= rpcrdma_xdr_align(count);
}

/*
 * Place the inline part around @payload bytes that are already in the pages. If
 * a peer sends roundup inline in spite of RFC 8166, there may be no room for it
 * after the payload. Such roundup carries no data, and is dropped.
 */
static int xprt_rdma_reply_place_around(struct rpc_rqst *rqst, const void *src,
					u32 len, u32 payload)
{
	struct xdr_buf *xdr = &rqst->rq_rcv_buf;
	u32 head = min_t(u32, len, xdr->head[0].iov_len);
	u32 rest = len - head;
	u32 at, end;

	memcpy(xdr->head[0].iov_base, src, head);
	if (head < xdr->head[0].iov_len)
		xprt_rdma_reply_cut_head(rqst, head);
	if (!xprt_rdma_reply_count_matches(xdr, head, payload))
		return -EBADMSG;
	payload = min(payload, xdr->page_len);
	at = head + rpcrdma_xdr_align(payload);
	if (!rest)
		return at;
	end = xprt_rdma_reply_cut_to(xdr, at + rest);
	if (end <= at)
		return at;
	if (write_bytes_to_xdr_buf(xdr, at, (void *)src + head, end - at))
		return -EOVERFLOW;
	return end;
}

static int xprt_rdma_reply_place_msg(struct xprt_rdma_req *req,
				     const struct rpcrdma_hdr *hdr)
{
	const void *src = hdr->base + hdr->payload;
	u32 len = hdr->len - hdr->payload;
	u32 bytes = 0;
	int rc;

	/*
	 * RFC 5666 section 4.1: at least the XID of an RPC message follows the
	 * header.
	 */
	if (hdr->reply.bytes || len < RPCRDMA_XDR_UNIT)
		return -EBADMSG;
	if (hdr->writes.bytes) {
		if (req->wtype != XPRT_RDMA_REPLY_WRITE)
			return -EBADMSG;
		rc = xprt_rdma_reply_returned_bytes(req, hdr, &hdr->writes,
						    &bytes);
		if (rc)
			return rc;
	}
	if (!bytes)
		return xprt_rdma_reply_place_inline(req, src, len);
	req->r_xprt->stats.total_rdma_reply += bytes;
	return xprt_rdma_reply_place_around(&req->rqst, src, len, bytes);
}

static int xprt_rdma_reply_place_nomsg(struct xprt_rdma_req *req,
				       const struct rpcrdma_hdr *hdr)
{
	const struct xdr_buf *xdr = &req->rqst.rq_rcv_buf;
	static const u8 zeroes[RPCRDMA_XDR_UNIT];
	u32 bytes, len;
	int rc;

	if (req->wtype != XPRT_RDMA_REPLY_LONG || hdr->writes.bytes)
		return -EBADMSG;
	rc = xprt_rdma_reply_returned_bytes(req, hdr, &hdr->reply, &bytes);
	if (rc)
		return rc;
	if (!bytes)
		return -EBADMSG;
	req->r_xprt->stats.total_rdma_reply += bytes;
	len = xprt_rdma_reply_cut_to(xdr, rpcrdma_xdr_align(bytes));
	if (unlikely(len > bytes) &&
	    write_bytes_to_xdr_buf(xdr, bytes, (void *)zeroes, len - bytes))
		return -EOVERFLOW;
	return len;
}

/* Return the length of the reply in the receive buffer, or an error. */
static int xprt_rdma_reply_place(struct xprt_rdma_req *req,
				 struct xprt_rdma_recv_ctx *recv)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;

	if (unlikely(recv->error))
		return recv->error;
	if (hdr->type == RPCRDMA_ERROR)
		return recv->conn->ver->error(req, hdr);
	if (likely(hdr->type == RPCRDMA_MSG))
		return xprt_rdma_reply_place_msg(req, hdr);
	if (hdr->type == RPCRDMA_NOMSG)
		return xprt_rdma_reply_place_nomsg(req, hdr);
	if (xprt_rdma_msgp_remove(req, recv))
		return xprt_rdma_reply_place_msg(req, hdr);
	return -EBADMSG;
}

/**
 * xprt_rdma_reply_complete_rpc - complete the RPC of a reply
 * @req: pinned request, which this function unpins
 * @rc: length of the reply in the receive buffer, in bytes. -EAGAIN to have
 *	sunrpc send the call again, -ENOTCONN to leave it to the next connection
 *	because this one was given up, any other error to fail it. After an
 *	error, the Receive may have been released already.
 *
 * Context: process, including completion handlers.
 */
void xprt_rdma_reply_complete_rpc(struct xprt_rdma_req *req, int rc)
{
	struct rpc_rqst *rqst = &req->rqst;
	struct xprt_rdma *r_xprt = req->r_xprt;

	trace_xprtrdma_reply_complete(r_xprt, rqst->rq_xid, rc);
	if (likely(rc >= 0)) {
		xprt_rdma_pulled_learn(req, rc);
	} else if (rc != -ENOTCONN) {
		if (rc != -EAGAIN)
			r_xprt->stats.bad_reply_count++;
		rc = xprt_rdma_rpc_fail(rqst, rc == -EAGAIN);
	}
	req->recv = NULL;

	spin_lock(&r_xprt->xprt.queue_lock);
	if (likely(rc >= 0))
		xprt_complete_rqst(rqst->rq_task, rc);
	xprt_unpin_rqst(rqst);
	spin_unlock(&r_xprt->xprt.queue_lock);
}

static bool xprt_rdma_reply_has_reads(const struct xprt_rdma_recv_ctx *recv)
{
	return !recv->error && recv->hdr.reads.segments &&
	       (recv->hdr.type == RPCRDMA_MSG ||
		recv->hdr.type == RPCRDMA_NOMSG);
}

/**
 * xprt_rdma_reply_process - process a reply after invalidation, and complete
 * its RPC
 * @req: request that owns its reply; the peer has no access to the memory of
 *	@req, unless @req still has regions
 *
 * If only the end of the connection can release remaining regions, the reply is
 * dropped, and the call is left to the next connection.
 *
 * Context: completion handler; @req is pinned until it is completed.
 */
void xprt_rdma_reply_process(struct xprt_rdma_req *req)
{
	struct xprt_rdma_recv_ctx *recv = req->recv;
	int rc;

	if (unlikely(!list_empty(&req->mrs))) {
		rc = -ENOTCONN;
	} else if (unlikely(xprt_rdma_reply_has_reads(recv))) {
		rc = xprt_rdma_pulled_reply(req);
		if (!rc)
			return;
	} else {
		rc = xprt_rdma_reply_place(req, recv);
	}
	xprt_rdma_reply_complete_rpc(req, rc);
	xprt_rdma_recv_put(recv);
}

/*
 * Find and pin the request that @recv answers, and attach @recv to it. A call
 * that was answered, or was not posted on this connection, does not match.
 */
static struct xprt_rdma_req *
xprt_rdma_reply_match(struct xprt_rdma_recv_ctx *recv)
{
	struct rpc_xprt *xprt = &recv->conn->r_xprt->xprt;
	struct xprt_rdma_req *req = NULL;
	struct rpc_rqst *rqst;

	spin_lock(&xprt->queue_lock);
	rqst = xprt_lookup_rqst(xprt, recv->hdr.xid);
	if (unlikely(!rqst)) {
		xprt_rdma_count(replies_unknown_xid);
		goto out_unlock;
	}
	req = rqst_to_req(rqst);
	/* Pairs with xprt_rdma_send_post(). */
	if (unlikely(!smp_load_acquire(&req->unanswered))) {
		if (!req->recv)
			xprt_rdma_count(replies_early);
		req = NULL;
		goto out_unlock;
	}
	xprt_pin_rqst(rqst);
	req->recv = recv;
	WRITE_ONCE(req->unanswered, false);
out_unlock:
	spin_unlock(&xprt->queue_lock);
	return req;
}

/* Apply the credit grant. An error of version 2 has none (v2 draft section 5.3.3). */
static void xprt_rdma_reply_take_grant(struct xprt_rdma_conn *conn,
				       const struct rpcrdma_hdr *hdr)
{
	if (likely(hdr->type != RPCRDMA_ERROR || !conn->ver->has_flags))
		xprt_rdma_credit_grant(conn, hdr->credits);
}

/*
 * No call waits for this reply. Its credit grant is applied if it answers an
 * abandoned call. Its Read chunks are declined (reliable-reply draft section
 * 4.1.3).
 */
static void xprt_rdma_reply_unmatched(struct xprt_rdma_recv_ctx *recv)
{
	struct xprt_rdma_conn *conn = recv->conn;

	if (xprt_rdma_abandoned_answered(conn->r_xprt))
		xprt_rdma_reply_take_grant(conn, &recv->hdr);
	if (xprt_rdma_reply_has_reads(recv))
		xprt_rdma_pulled_decline(recv);
}

/**
 * xprt_rdma_reply_handle - handle a reply
 * @recv: Receive, decoded or not; owned by this function
 * @invalidated: the reply has invalidated one of our handles
 * @rkey: that handle
 *
 * Context: completion handler.
 */
void xprt_rdma_reply_handle(struct xprt_rdma_recv_ctx *recv, bool invalidated,
			    u32 rkey)
{
	struct xprt_rdma_conn *conn = recv->conn;
	struct xprt_rdma_req *req;

	req = xprt_rdma_reply_match(recv);
	if (unlikely(!req)) {
		xprt_rdma_reply_unmatched(recv);
		conn->r_xprt->stats.bad_reply_count++;
		xprt_rdma_recv_put(recv);
		return;
	}

	trace_xprtrdma_reply(req, recv);
	if (unlikely(recv->hdr.credits !=
		     conn->credits.granted))
		xprt_rdma_reply_take_grant(conn, &recv->hdr);
	/* The server answers: no delay before the next attempt to connect. */
	if (xprt_rdma_life_answer(&conn->life))
		conn->r_xprt->backoff = 0;

	if (invalidated &&
	    unlikely(!xprt_rdma_invalidated_remotely(conn, req, rkey))) {
		xprt_rdma_life_blame(&conn->life,
				     RPCRDMA_CAUSE(PROTOCOL, INVALIDATION));
		xprt_rdma_conn_lost(conn);
	}
	if (list_empty(&req->mrs))
		xprt_rdma_reply_process(req);
	else
		xprt_rdma_invalidate_async(conn, req);
}
