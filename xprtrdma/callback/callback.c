// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reverse-direction calls and their replies (RFC 8167; v2 draft section 4.2.2).
 *
 * Operation: with version 1, a message whose RPC header says CALL is a
 * backchannel call; with version 2, every message without the response flag is
 * a reverse-direction message. A call is copied into a request of its own, or,
 * if it has Read chunks, read into it (fetch/read.c). The request is then
 * queued for the callback service. The reply is sent inline like a small call.
 * If it is too long for that, it is written into the call's Reply chunk.
 *
 * We are the responder here: Write chunks are returned unused, as no callback
 * has a result that is eligible for one, and the reply's Send invalidates the
 * handle that the call names.
 *
 * Ownership: see backchannel.c for the request. The reply's memory belongs to
 * the request, to which the Send has a reference until it and the Writes in
 * front of it have completed.
 *
 * Errors: no call is dropped while its connection lasts, and no reply. A message
 * that cannot be a call, a call for which there is no callback service, and one
 * whose reply cannot be sent, are answered with RDMA_ERROR or RDMA2_ERROR. With
 * version 1 this requires an RPC header: without one, a call cannot be told from
 * a reply. If memory is short, or the peer has more calls outstanding than any
 * grant allows, the connection ends, and the server sends its calls again.
 *
 * Bound: xprt->bc_slot_count is the number of received calls that were not
 * served yet. sunrpc decrements it when the callback service has served a call.
 */

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sunrpc/svc.h>

#include "../conn.h"
#include "../limits.h"
#include "../req.h"
#include "../stats.h"
#include "../xprt.h"
#include "callback.h"
#include "../version/version.h"
#include "../message/message.h"
#include "../fetch/fetch.h"
#include "../verbs/verbs.h"

#include <trace/events/xprtrdma.h>

/* v2 draft section 5.3.3: more chunks or segments than we can process */
static void xprt_rdma_bc_check_chunks(const struct xprt_rdma_conn *conn,
				      const struct rpcrdma_hdr *hdr,
				      struct xprt_rdma_fault *fault)
{
	u32 chunks = hdr->writes.chunks + hdr->reply.chunks;
	u32 reads = !READ_ONCE(conn->peer.no_own_reads) ? XPRT_RDMA_GAPS : 0;

	if (hdr->reads.chunks > reads) {
		fault->code = RPCRDMA2_ERR_READ_CHUNKS;
		fault->value = reads;
	} else if (hdr->writes.chunks > XPRT_RDMA_BC_CHUNKS) {
		fault->code = RPCRDMA2_ERR_WRITE_CHUNKS;
		fault->value = XPRT_RDMA_BC_CHUNKS;
	} else if (hdr->writes.segments + hdr->reply.segments >
		   XPRT_RDMA_MAX_SEGS) {
		fault->code = RPCRDMA2_ERR_SEGMENTS;
		fault->value = XPRT_RDMA_MAX_SEGS / chunks;
	}
}

/*
 * Note in @fault what is wrong with a message that should be a call, if
 * anything. Return the bytes of RPC message in it, or 0.
 */
static u32 xprt_rdma_bc_check_call(const struct xprt_rdma_recv_ctx *recv,
				   struct xprt_rdma_layout *layout,
				   struct xprt_rdma_fault *fault)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;
	int rc;

	fault->value = 0;
	if (!recv->error)
		fault->code = recv->conn->ver->check_type(recv);
	else if (recv->error == RPCRDMA_ETYPE)
		fault->code = RPCRDMA2_ERR_INVAL_HTYPE;
	else
		fault->code = RPCRDMA2_ERR_BAD_XDR;
	if (!fault->code)
		xprt_rdma_bc_check_chunks(recv->conn, hdr, fault);
	if (fault->code)
		return 0;
	rc = hdr->len - hdr->payload;
	if (hdr->reads.segments || hdr->type == RPCRDMA2_NOMSG) {
		rc = xprt_rdma_layout_reads(layout, hdr);
		if (!rc)
			rc = xprt_rdma_layout_check(layout,
						    XPRT_RDMA_BC_CALL_MAX);
	}
	if (rc == -EOVERFLOW)
		fault->code = RPCRDMA2_ERR_SYSTEM;
	else if (rc < 0)
		fault->code = RPCRDMA2_ERR_BAD_XDR;
	return fault->code ? 0 : rc;
}

static u32 xprt_rdma_bc_copy_segments(struct rpcrdma_cursor *cur,
				      struct rpcrdma_segment *segs)
{
	u32 n = 0;

	while (rpcrdma_segments_next(cur, &segs[n]))
		n++;
	return n;
}

static bool xprt_rdma_bc_names_handle(const struct rpcrdma_hdr *hdr,
				      const struct xprt_rdma_callback *cb)
{
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;
	u32 i;

	for (i = 0; i < cb->nsegs + cb->nreply; i++)
		if (cb->segs[i].handle == hdr->inv_handle)
			return true;
	rpcrdma_reads_begin(hdr, &cur);
	while (rpcrdma_reads_next(&cur, &rseg))
		if (rseg.seg.handle == hdr->inv_handle)
			return true;
	return false;
}

/*
 * Save the fields of the call's header that the reply needs. The counts were
 * checked.
 */
static void xprt_rdma_bc_take_chunks(struct xprt_rdma_callback *cb,
				     const struct rpcrdma_hdr *hdr, u32 serial)
{
	struct rpcrdma_cursor cur;
	u32 count;

	cb->serial = serial;
	cb->nwrites = 0;
	cb->nsegs = 0;
	cb->nreply = 0;
	rpcrdma_chunks_begin(hdr, &hdr->writes, &cur);
	while (rpcrdma_chunks_next(&cur, &count)) {
		cb->counts[cb->nwrites++] = count;
		cb->nsegs +=
			xprt_rdma_bc_copy_segments(&cur, cb->segs + cb->nsegs);
	}
	rpcrdma_chunks_begin(hdr, &hdr->reply, &cur);
	if (rpcrdma_chunks_next(&cur, &count))
		cb->nreply =
			xprt_rdma_bc_copy_segments(&cur, cb->segs + cb->nsegs);
	cb->room = hdr->reply.bytes;
	cb->inv_handle = 0;
	if (hdr->inv_handle && xprt_rdma_bc_names_handle(hdr, cb))
		cb->inv_handle = hdr->inv_handle;
}

/* Add pages for the part of the call that exceeds the request's buffer. */
static int xprt_rdma_bc_call_pages_add(struct xprt_rdma_req *req, u32 len)
{
	struct xdr_buf *xdr = &req->rqst.rq_rcv_buf;
	struct xprt_rdma_callback *cb = req->cb;
	u32 n, want;

	if (len <= req->rcv.size)
		return 0;
	want = DIV_ROUND_UP(len - req->rcv.size, PAGE_SIZE);
	cb->pages = kcalloc(want, sizeof(*cb->pages), XPRT_RDMA_GFP);
	if (!cb->pages)
		return -ENOMEM;
	for (n = 0; n < want; n++) {
		cb->pages[n] = alloc_page(XPRT_RDMA_GFP);
		if (!cb->pages[n])
			return -ENOMEM;
		cb->npages++;
	}
	xdr->pages = cb->pages;
	xdr->page_len = len - req->rcv.size;
	xdr->buflen += xdr->page_len;
	return 0;
}

static int xprt_rdma_bc_req_prepare(struct xprt_rdma_req *req,
				    const struct xprt_rdma_recv_ctx *recv,
				    u32 len)
{
	struct rpc_rqst *rqst = &req->rqst;

	memset(rqst, 0, sizeof(*rqst));
	INIT_LIST_HEAD(&rqst->rq_bc_pa_list);
	rqst->rq_xprt = &req->r_xprt->xprt;
	rqst->rq_xid = recv->hdr.xid;
	__set_bit(RPC_BC_PA_IN_USE, &rqst->rq_bc_pa_state);
	xdr_buf_init(&rqst->rq_snd_buf, req->snd.data, req->snd.size);
	xdr_buf_init(&rqst->rq_rcv_buf, req->rcv.data, req->rcv.size);
	rqst->rq_rcv_buf.head[0].iov_len = min_t(u32, len, req->rcv.size);
	rqst->rq_rcv_buf.len = len;
	rqst->rq_private_buf.len = len;
	xprt_rdma_bc_take_chunks(req->cb, &recv->hdr, recv->conn->life.serial);
	return xprt_rdma_bc_call_pages_add(req, len);
}

/* The call is not for the callback service. */
static void xprt_rdma_bc_release_call(struct xprt_rdma_req *req)
{
	struct rpc_xprt *xprt = &req->r_xprt->xprt;

	xprt_rdma_bc_release(req);
	atomic_dec(&xprt->bc_slot_count);
}

/* The call cannot be taken. The server sends it again on a new connection. */
static void xprt_rdma_bc_lose_call(struct xprt_rdma_conn *conn,
				   struct xprt_rdma_req *req)
{
	xprt_rdma_count(bc_dropped);
	xprt_rdma_bc_release_call(req);
	xprt_rdma_conn_lost(conn);
}

/*
 * Queue a call for the callback service, if there is one. The lock excludes
 * xprt_rdma_op_bc_destroy(), after which NFS frees the service.
 */
static bool xprt_rdma_bc_queue_call(struct xprt_rdma_req *req)
{
	struct xprt_rdma *r_xprt = req->r_xprt;
	struct rpc_xprt *xprt = &r_xprt->xprt;
	struct rpc_rqst *rqst = &req->rqst;
	struct svc_serv *serv;
	bool queued;

	spin_lock(&xprt->bc_pa_lock);
	serv = r_xprt->bc_slots ? xprt->bc_serv : NULL;
	queued = serv && xprt_get(xprt);
	if (queued) {
		xprt_rdma_credit_exempt(r_xprt, rqst);
		trace_xprtrdma_bc_call(req);
		rpcrdma_queue_callback(serv, rqst);
	}
	spin_unlock(&xprt->bc_pa_lock);
	return queued;
}

static void xprt_rdma_bc_deliver_call(struct xprt_rdma_conn *conn,
				      struct xprt_rdma_req *req)
{
	const struct xprt_rdma_fault fault = { .code = RPCRDMA2_ERR_SYSTEM };

	if (likely(xprt_rdma_bc_queue_call(req)))
		return;
	xprt_rdma_error_send(conn, req->rqst.rq_xid, &fault);
	xprt_rdma_bc_release_call(req);
}

static void xprt_rdma_bc_call_read(struct xprt_rdma_read_ctx *read, int status)
{
	struct xprt_rdma_req *req = read->req;
	const struct kvec *head = req->rqst.rq_rcv_buf.head;

	/* If the Reads have failed, the connection ends. */
	if (status) {
		xprt_rdma_bc_release_call(req);
		return;
	}
	if (!xprt_rdma_rpc_is_call(head->iov_base, head->iov_len,
				   req->rqst.rq_xid)) {
		xprt_rdma_count(messages_ignored);
		xprt_rdma_bc_release_call(req);
		return;
	}
	xprt_rdma_count(bc_calls_read);
	xprt_rdma_bc_deliver_call(read->conn, req);
}

/* Fetch the Read chunks of a call. The Receive passes to the read context. */
static void xprt_rdma_bc_read_call(struct xprt_rdma_req *req,
				   struct xprt_rdma_recv_ctx *recv,
				   const struct xprt_rdma_layout *layout)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;
	struct xprt_rdma_read_args args = {
		.req		= req,
		.xdr		= &req->rqst.rq_rcv_buf,
		.layout		= *layout,
		.complete	= xprt_rdma_bc_call_read,
	};

	if (!xprt_rdma_layout_place(layout, args.xdr,
				    hdr->type == RPCRDMA2_MSG ?
				    hdr->base + hdr->payload : NULL) &&
	    !xprt_rdma_read_start(recv, &args))
		return;
	xprt_rdma_bc_lose_call(recv->conn, req);
	xprt_rdma_recv_put(recv);
}

/* Get a request for a call, unless the peer has too many outstanding. */
static struct xprt_rdma_req *xprt_rdma_bc_admit_call(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma *r_xprt = conn->r_xprt;
	atomic_t *calls = &r_xprt->xprt.bc_slot_count;
	struct xprt_rdma_req *req;

	xprt_rdma_count(bc_calls);
	r_xprt->stats.bcall_count++;
	if (likely(atomic_add_unless(calls, 1, XPRT_RDMA_BC_CALLS))) {
		req = xprt_rdma_bc_get(r_xprt);
		if (likely(req))
			return req;
		atomic_dec(calls);
	} else {
		xprt_rdma_life_blame(&conn->life, RPCRDMA_NL_LOST_PROTOCOL);
	}
	xprt_rdma_count(bc_dropped);
	xprt_rdma_conn_lost(conn);
	return NULL;
}

static void xprt_rdma_bc_take_call(struct xprt_rdma_recv_ctx *recv, u32 len,
				   const struct xprt_rdma_layout *layout)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;
	struct xprt_rdma_conn *conn = recv->conn;
	struct xprt_rdma_req *req;
	int rc;

	req = xprt_rdma_bc_admit_call(conn);
	if (!req)
		goto out_put;
	if (xprt_rdma_bc_req_prepare(req, recv, len)) {
		xprt_rdma_bc_lose_call(conn, req);
		goto out_put;
	}
	if (hdr->reads.segments) {
		xprt_rdma_bc_read_call(req, recv, layout);
		return;
	}
	/* xprt_rdma_bc_req_prepare() has made room for all of it. */
	rc = write_bytes_to_xdr_buf(&req->rqst.rq_rcv_buf, 0,
				    (void *)hdr->base + hdr->payload, len);
	WARN_ON_ONCE(rc);
	if (unlikely(rc))
		xprt_rdma_bc_lose_call(conn, req);
	else
		xprt_rdma_bc_deliver_call(conn, req);
out_put:
	xprt_rdma_recv_put(recv);
}

/**
 * xprt_rdma_bc_receive - handle a message of the reverse direction
 * @recv: its Receive, consumed
 *
 * Context: completion handler.
 */
void xprt_rdma_bc_receive(struct xprt_rdma_recv_ctx *recv)
{
	struct xprt_rdma_layout layout = {};
	struct xprt_rdma_fault fault;
	u32 len;

	if (recv->conn->ver->ignores && recv->conn->ver->ignores(recv)) {
		xprt_rdma_count(messages_ignored);
		goto out_put;
	}
	len = xprt_rdma_bc_check_call(recv, &layout, &fault);
	if (fault.code) {
		xprt_rdma_error_send(recv->conn, recv->hdr.xid, &fault);
		goto out_put;
	}
	if (recv->hdr.reads.segments || xprt_rdma_rpc_has_call(&recv->hdr)) {
		xprt_rdma_bc_take_call(recv, len, &layout);
		return;
	}
out_put:
	xprt_rdma_recv_put(recv);
}

/* Add a Write for each segment of the Reply chunk that the reply needs. */
static int xprt_rdma_bc_add_writes(struct xprt_rdma_conn *conn,
				   struct xprt_rdma_req *req)
{
	const struct kvec *head = req->rqst.rq_snd_buf.head;
	struct xprt_rdma_callback *cb = req->cb;
	u32 i, done = 0, len = head->iov_len;
	struct rpcrdma_segment *seg;
	int rc = 0;

	for (i = 0; i < cb->nreply && rc >= 0; i++) {
		seg = &cb->segs[cb->nsegs + i];
		seg->length = min(seg->length, len - done);
		if (!seg->length)
			continue;
		rc = xprt_rdma_send_add_write(conn, req, head->iov_base + done,
					      seg);
		done += seg->length;
	}
	return min(rc, 0);
}

static int xprt_rdma_bc_encode_reply(struct xprt_rdma_conn *conn,
				     struct xprt_rdma_req *req, u32 room,
				     bool nomsg)
{
	const struct xprt_rdma_callback *cb = req->cb;
	const struct rpcrdma_segment *seg = cb->segs;
	struct rpcrdma_segment unused;
	struct rpcrdma_encoder enc;
	u32 i, j;

	rpcrdma_encode_init(&enc, req->hdr.data, min(room, XPRT_RDMA_HDR_SIZE));
	rpcrdma_encode_fixed(&enc, req->rqst.rq_xid, conn->ver->number,
			     XPRT_RDMA_BC_SLOTS,
			     nomsg ? RPCRDMA_NOMSG : RPCRDMA_MSG);
	if (conn->ver->has_flags)
		rpcrdma_encode_flags(&enc, RPCRDMA2_F_RESPONSE, 0);
	rpcrdma_encode_list_end(&enc);
	for (i = 0; i < cb->nwrites; i++) {
		rpcrdma_encode_chunk_begin(&enc);
		for (j = 0; j < cb->counts[i]; j++) {
			unused = *seg++;
			unused.length = 0;
			rpcrdma_encode_segment(&enc, &unused);
		}
		rpcrdma_encode_chunk_end(&enc);
	}
	rpcrdma_encode_list_end(&enc);
	if (nomsg) {
		rpcrdma_encode_chunk_begin(&enc);
		for (i = 0; i < cb->nreply; i++)
			rpcrdma_encode_segment(&enc, seg++);
		rpcrdma_encode_chunk_end(&enc);
	} else {
		rpcrdma_encode_list_end(&enc);
	}
	return rpcrdma_encode_finish(&enc);
}

/* Encode the header, add the Writes. Return bytes of header, or an errno. */
static int xprt_rdma_bc_build_reply(struct xprt_rdma_conn *conn,
				    struct xprt_rdma_req *req)
{
	const struct xdr_buf *xdr = &req->rqst.rq_snd_buf;
	u32 room = READ_ONCE(conn->sizes.inline_send);
	int len;

	req->nr_mrs = 0;
	req->rtype = XPRT_RDMA_CALL_INLINE;
	len = xprt_rdma_bc_encode_reply(conn, req, room, false);
	if (len < 0)
		return len;
	if (len + xdr->len <= room && xprt_rdma_send_fits(conn, req, true))
		return len;
	if (xdr->len > req->cb->room || xdr->len != xdr->head[0].iov_len)
		return -EMSGSIZE;
	req->rtype = XPRT_RDMA_CALL_LONG;
	len = xprt_rdma_bc_add_writes(conn, req);
	if (!len)
		len = xprt_rdma_bc_encode_reply(conn, req, room, true);
	if (len > 0)
		xprt_rdma_count(bc_replies_written);
	return len;
}

/*
 * The reply cannot be sent now, or not at all: then an error is sent in its
 * place. sunrpc gives the return value to the task that holds XPRT_LOCKED, which
 * may be that of another call, so only a temporary error is returned.
 */
static int xprt_rdma_bc_reply_failed(struct xprt_rdma_conn *conn,
				     struct xprt_rdma_req *req, int rc)
{
	const struct xprt_rdma_fault fault = {
		.code	= RPCRDMA2_ERR_REPLY_RESOURCE,
		.value	= req->rqst.rq_snd_buf.len,
	};

	xprt_rdma_send_drop_writes(conn, req);
	if (rc == -EAGAIN)
		return xprt_rdma_sq_wait(conn);
	if (rc == -ENOMEM || rc == -ENOBUFS)
		return rc;
	xprt_rdma_error_send(conn, req->rqst.rq_xid, &fault);
	return 0;
}

/**
 * xprt_rdma_bc_reply_send - send the reply to a backchannel call
 * @rqst: backchannel request with a reply in its rq_snd_buf
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: 0 if the reply, or an error in its place, was sent, or if the
 * connection that the call came from is gone, so that no peer waits for a
 * reply; -EAGAIN, -ENOMEM or -ENOBUFS to be called again; -ENOTCONN if the
 * connection must be given up.
 */
int xprt_rdma_bc_reply_send(struct rpc_rqst *rqst)
{
	struct xprt_rdma_req *req = rqst_to_req(rqst);
	struct xprt_rdma_conn *conn = req->r_xprt->conn;
	int rc;

	if (!xprt_connected(rqst->rq_xprt) || !conn ||
	    conn->life.serial != req->cb->serial)
		return 0;
	rc = xprt_rdma_bc_build_reply(conn, req);
	if (rc > 0)
		rc = xprt_rdma_send_prepare(conn, req, rc);
	if (rc)
		return xprt_rdma_bc_reply_failed(conn, req, rc);
	if (req->cb->inv_handle && READ_ONCE(conn->peer.remote_inv)) {
		req->send_wr.opcode = IB_WR_SEND_WITH_INV;
		req->send_wr.ex.invalidate_rkey = req->cb->inv_handle;
		xprt_rdma_count(bc_invalidations);
	}
	trace_xprtrdma_bc_reply(req);
	xprt_rdma_count(bc_replies);
	return xprt_rdma_send_post(conn, req);
}
