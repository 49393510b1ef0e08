// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reverse-direction calls and their replies (RFC 8167; v2 draft section 4.2.2).
 *
 * Operation: with version 1, a message whose RPC header says CALL is a
 * backchannel call; with version 2, every message without the response flag is
 * a reverse-direction message. Each call is copied into a request, which is
 * queued for the callback service. The reply is sent inline like a small call.
 * ext/pulled/ handles calls and replies with chunks.
 *
 * Ownership: see backchannel.c for the request. The reply's memory belongs to
 * the request, to which the Send holds a reference until it completes.
 *
 * Errors: no call and no reply is dropped while its connection lasts.
 * RDMA_ERROR or RDMA2_ERROR answers a message that cannot be a call, a call
 * that arrives when there is no callback service, and a call whose reply cannot
 * be sent. With version 1 an answer requires an RPC header: without one, calls
 * and replies cannot be distinguished. If memory is short, or the peer has more
 * calls outstanding than any grant allows, the connection ends, and the server
 * sends its calls again.
 *
 * Bound: xprt->bc_slot_count is the number of received calls that are not
 * served yet. sunrpc decrements it when the callback service has served a call.
 */

#include <linux/mm.h>
#include <linux/sunrpc/svc.h>

#include <rpcrdma/layout.h>

#include "../conn.h"
#include "../ext/ext.h"
#include "../limits.h"
#include "../req.h"
#include "../stats.h"
#include "../xprt.h"
#include "callback.h"
#include "../version/version.h"
#include "../message/message.h"
#include "../verbs/verbs.h"

#include <trace/events/xprtrdma.h>

/**
 * xprt_rdma_error_send - answer a message of the reverse direction with an
 * error
 * @conn: connection whose version is known
 * @xid: XID of the message
 * @code: reason, an enum rpcrdma2_errcode; version 1 reports every code as
 *	ERR_CHUNK
 * @value: depends on @code; see struct xprt_rdma_fault
 *
 * RFC 5666 section 4.2, v2 draft section 5.3.3. If the error cannot be sent, the
 * connection ends: otherwise, the peer would wait for an answer.
 *
 * Context: process, including completion handlers.
 */
void xprt_rdma_error_send(struct xprt_rdma_conn *conn, __be32 xid, u32 code,
			  u32 value)
{
	struct rpcrdma_encoder enc;
	u8 msg[48];
	int len;

	rpcrdma_encode_init(&enc, msg, sizeof(msg));
	rpcrdma_encode_error(&enc, xid, conn->ver->number, XPRT_RDMA_BC_SLOTS,
			     code, 0, value);
	len = rpcrdma_encode_finish(&enc);
	xprt_rdma_count(errors_sent);
	trace_xprtrdma_error_sent(conn->r_xprt, xid, code);
	if (unlikely(xprt_rdma_control_msg_send(conn, msg, len)))
		xprt_rdma_conn_lost(conn);
}

/*
 * Check a message that should be a call, and set @fault. If the message has
 * chunks, set @layout to the positions of its parts. Return the length of its
 * RPC message in bytes.
 */
static u32 xprt_rdma_bc_check_call(const struct xprt_rdma_recv_ctx *recv,
				   struct rpcrdma_layout *layout,
				   struct xprt_rdma_fault *fault)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;

	*fault = (struct xprt_rdma_fault){
		.code = recv->conn->ver->check_call(recv),
	};
	if (!fault->code && (hdr->reads.segments || hdr->writes.chunks ||
			     hdr->reply.chunks || hdr->type == RPCRDMA_NOMSG))
		return xprt_rdma_pulled_check_call(recv, layout, fault);
	return hdr->len - hdr->payload;
}

/* Add pages for the part of the call that exceeds the request's buffer. */
static int xprt_rdma_bc_add_pages(struct xprt_rdma_req *req, u32 len)
{
	struct xdr_buf *xdr = &req->rqst.rq_rcv_buf;
	struct xprt_rdma_callback *cb = req->cb;

	BUILD_BUG_ON(XPRT_RDMA_INLINE_MAX > XPRT_RDMA_BC_CALL_MAX);
	if (likely(len <= req->rcv.size))
		return 0;
	xdr->pages = cb->pages;
	xdr->page_len = len - req->rcv.size;
	xdr->buflen += xdr->page_len;
	while (cb->npages < DIV_ROUND_UP(xdr->page_len, PAGE_SIZE)) {
		cb->pages[cb->npages] = alloc_page(XPRT_RDMA_GFP);
		if (!cb->pages[cb->npages])
			return -ENOMEM;
		cb->npages++;
	}
	return 0;
}

static int xprt_rdma_bc_prepare(struct xprt_rdma_req *req,
				const struct xprt_rdma_recv_ctx *recv, u32 len)
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
	req->cb->serial = recv->conn->life.serial;
	return xprt_rdma_bc_add_pages(req, len);
}

/**
 * xprt_rdma_bc_release_call - release a call that does not reach the callback
 * service
 * @req: request of the call
 *
 * Context: completion handler.
 */
void xprt_rdma_bc_release_call(struct xprt_rdma_req *req)
{
	struct rpc_xprt *xprt = &req->r_xprt->xprt;

	xprt_rdma_bc_release(req);
	atomic_dec(&xprt->bc_slot_count);
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

/**
 * xprt_rdma_bc_deliver_call - pass a complete call to the callback service, or
 * refuse it
 * @conn: connection that the call arrived on
 * @req: request of the call
 *
 * Context: completion handler.
 */
void xprt_rdma_bc_deliver_call(struct xprt_rdma_conn *conn,
			       struct xprt_rdma_req *req)
{
	if (likely(xprt_rdma_bc_queue_call(req)))
		return;
	xprt_rdma_error_send(conn, req->rqst.rq_xid, RPCRDMA2_ERR_SYSTEM, 0);
	xprt_rdma_bc_release_call(req);
}

/* Get a request for a call, unless the peer has too many calls outstanding. */
static struct xprt_rdma_req *xprt_rdma_bc_admit_call(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma *r_xprt = conn->r_xprt;
	atomic_t *calls = &r_xprt->xprt.bc_slot_count;
	struct xprt_rdma_req *req;

	xprt_rdma_count(bc_calls);
	if (likely(atomic_add_unless(calls, 1, XPRT_RDMA_BC_CALLS))) {
		req = xprt_rdma_bc_get(r_xprt);
		if (likely(req))
			return req;
		atomic_dec(calls);
	} else {
		xprt_rdma_life_blame(&conn->life,
				     RPCRDMA_CAUSE(PROTOCOL, NONE));
	}
	xprt_rdma_count(bc_dropped);
	xprt_rdma_conn_lost(conn);
	return NULL;
}

/*
 * Accept a call of @len bytes. If that is impossible, the connection ends, and
 * the server sends the call again.
 */
static void xprt_rdma_bc_take_call(struct xprt_rdma_recv_ctx *recv,
				   const struct rpcrdma_layout *layout, u32 len)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;
	struct xprt_rdma_conn *conn = recv->conn;
	struct xprt_rdma_req *req;
	int rc;

	req = xprt_rdma_bc_admit_call(conn);
	if (!req)
		goto out_put;
	rc = xprt_rdma_bc_prepare(req, recv, len);
	if (!rc)
		rc = xprt_rdma_pulled_call(req, recv, layout);
	if (!rc)
		return;
	if (rc > 0)
		rc = write_bytes_to_xdr_buf(&req->rqst.rq_rcv_buf, 0,
					    (void *)hdr->base + hdr->payload,
					    len);
	if (likely(!rc)) {
		xprt_rdma_bc_deliver_call(conn, req);
	} else {
		xprt_rdma_count(bc_dropped);
		xprt_rdma_bc_release_call(req);
		xprt_rdma_conn_lost(conn);
	}
out_put:
	xprt_rdma_recv_put(recv);
}

/**
 * xprt_rdma_bc_receive - handle a message of the reverse direction
 * @recv: Receive of the message, consumed
 *
 * Context: completion handler.
 */
void xprt_rdma_bc_receive(struct xprt_rdma_recv_ctx *recv)
{
	struct rpcrdma_layout layout;
	struct xprt_rdma_fault fault;
	u32 len;

	len = xprt_rdma_bc_check_call(recv, &layout, &fault);
	if (fault.code == XPRT_RDMA_NO_ANSWER) {
		xprt_rdma_count(messages_ignored);
	} else if (fault.code) {
		xprt_rdma_error_send(recv->conn, recv->hdr.xid, fault.code,
				     fault.value);
	} else if (recv->hdr.reads.segments ||
		   xprt_rdma_rpc_has_call(&recv->hdr)) {
		xprt_rdma_bc_take_call(recv, &layout, len);
		return;
	}
	xprt_rdma_recv_put(recv);
}

/*
 * Encode the header of a reply. If @nomsg, the whole reply is written into the
 * Reply chunk. Return the length of the header in bytes, or a negative errno.
 */
static int xprt_rdma_bc_encode_reply(struct xprt_rdma_conn *conn,
				     struct xprt_rdma_req *req, bool nomsg)
{
	u32 room = min(READ_ONCE(conn->sizes.inline_send), XPRT_RDMA_HDR_SIZE);
	struct rpcrdma_encoder enc;
	int rc;

	rpcrdma_encode_init(&enc, req->hdr.data, room);
	rpcrdma_encode_head(&enc, req->rqst.rq_xid, conn->ver->number,
			    XPRT_RDMA_BC_SLOTS,
			    nomsg ? RPCRDMA_NOMSG : RPCRDMA_MSG, true, 0);
	rc = xprt_rdma_pulled_encode(conn, req, &enc, nomsg);
	return rc ?: rpcrdma_encode_finish(&enc);
}

/*
 * Encode the header and add the Writes. Return the length of the header, or an
 * errno.
 */
static int xprt_rdma_bc_build_reply(struct xprt_rdma_conn *conn,
				    struct xprt_rdma_req *req)
{
	const struct xdr_buf *xdr = &req->rqst.rq_snd_buf;
	int len;

	req->nr_mrs = 0;
	req->rtype = XPRT_RDMA_CALL_INLINE;
	len = xprt_rdma_bc_encode_reply(conn, req, false);
	if (len < 0)
		return len;
	if (len + xdr->len <= READ_ONCE(conn->sizes.inline_send) &&
	    xprt_rdma_send_fits(conn, req, true))
		return len;
	if (xdr->len > req->cb->chunks.reply.bytes ||
	    xdr->len != xdr->head[0].iov_len)
		return -EMSGSIZE;
	req->rtype = XPRT_RDMA_CALL_LONG;
	len = xprt_rdma_bc_encode_reply(conn, req, true);
	if (len > 0)
		xprt_rdma_count(bc_replies_written);
	return len;
}

/*
 * The reply could not be sent. A temporary error is returned, so that sunrpc
 * tries again. After any other, an error message is sent in place of the reply,
 * and 0 is returned: sunrpc gives the return value to the task that holds
 * XPRT_LOCKED, which may belong to another call.
 */
static int xprt_rdma_bc_reply_failed(struct xprt_rdma_conn *conn,
				     struct xprt_rdma_req *req, int rc)
{
	xprt_rdma_send_drop_writes(conn, req);
	if (rc == -EAGAIN || rc == -ENOMEM || rc == -ENOBUFS)
		return rc;
	xprt_rdma_error_send(conn, req->rqst.rq_xid, RPCRDMA2_ERR_REPLY_RESOURCE,
			     req->rqst.rq_snd_buf.len);
	return 0;
}

/**
 * xprt_rdma_bc_reply_send - send the reply to a backchannel call
 * @rqst: backchannel request with a reply in its rq_snd_buf
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: 0 if the reply, or an error in its place, was sent, or if the call's
 * connection is gone, so that no peer waits for a reply; -EAGAIN, -ENOMEM or
 * -ENOBUFS to be called again; -ENOTCONN if the connection must be given up.
 */
int xprt_rdma_bc_reply_send(struct rpc_rqst *rqst)
{
	struct xprt_rdma_req *req = rqst_to_req(rqst);
	struct xprt_rdma_conn *conn = req->r_xprt->conn;
	int rc;

	/* A Send in flight belongs to an earlier try, and could not be posted. */
	if (!xprt_connected(rqst->rq_xprt) || !conn ||
	    conn->life.serial != req->cb->serial ||
	    xprt_rdma_send_in_flight(req))
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
	return xprt_rdma_send_post(conn, req);
}
