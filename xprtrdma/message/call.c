// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send a call: preconditions, credit, marshaling, posting.
 *
 * A call is sent at most once per connection, unless the peer has refused it:
 * sending it twice would break the peer's credit accounting and might defeat
 * its duplicate reply cache.
 */

#include "../req.h"
#include "../xprt.h"
#include "message.h"
#include "../verbs/verbs.h"

#include <trace/events/xprtrdma.h>

/*
 * A call that the peer has refused is sent again in another form. Its first
 * Send may still be in flight. The peer has received that Send, so its buffers
 * may be filled again, unless that Send is signaled and may gather pages: then
 * sunrpc tries again later. Any other call that was already sent on this
 * connection must not be sent on it again.
 */
static int xprt_rdma_call_check_again(struct xprt_rdma_conn *conn,
				      struct xprt_rdma_req *req)
{
	struct rpc_rqst *rqst = &req->rqst;

	if (unlikely(rqst->rq_connect_cookie == rqst->rq_xprt->connect_cookie ||
		     !list_empty(&req->mrs)))
		goto out_lost;
	if (likely(!xprt_rdma_send_in_flight(req)))
		return 0;
	if (!xprt_rdma_limited(req))
		goto out_lost;
	return req->send_wr.send_flags & IB_SEND_SIGNALED ? -ENOBUFS : 0;

out_lost:
	xprt_rdma_conn_lost(conn);
	return -ENOTCONN;
}

/*
 * Fail a call that can never be sent. An error code would not reach its task:
 * sunrpc gives the return value of the transport to the task that holds
 * XPRT_LOCKED, which also sends the calls of other tasks.
 */
static void xprt_rdma_call_fail(struct xprt_rdma_req *req)
{
	struct rpc_xprt *xprt = &req->r_xprt->xprt;
	struct rpc_rqst *rqst = &req->rqst;

	spin_lock(&xprt->queue_lock);
	xprt_complete_rqst(rqst->rq_task, xprt_rdma_rpc_fail(rqst, false));
	spin_unlock(&xprt->queue_lock);
}

/**
 * xprt_rdma_call_send - send an RPC call
 * @req: request with an encoded call
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: 0 if the call was sent, or has failed because it can never be sent;
 * -ENOTCONN if sunrpc must reconnect first; -EBADSLT, -EAGAIN or -ENOBUFS if it
 * must try again later.
 */
int xprt_rdma_call_send(struct xprt_rdma_req *req)
{
	struct xprt_rdma_conn *conn = req->r_xprt->conn;
	struct rpc_xprt *xprt = &req->r_xprt->xprt;
	struct rpc_rqst *rqst = &req->rqst;
	int rc;

	if (unlikely(!xprt_connected(xprt) || !conn))
		return -ENOTCONN;
	rc = xprt_rdma_call_check_again(conn, req);
	if (unlikely(rc))
		return rc;
	if (!xprt_request_get_cong(xprt, rqst))
		return -EBADSLT;

	rc = xprt_rdma_marshal(conn, req);
	if (rc == -EAGAIN || rc == -ENOBUFS)
		return rc;
	if (unlikely(rc)) {
		xprt_rdma_call_fail(req);
		return 0;
	}
	rqst->rq_xtime = ktime_get();
	trace_xprtrdma_send(req);
	rc = xprt_rdma_send_post(conn, req);
	if (rc)
		return rc;
	rqst->rq_xmit_bytes_sent += rqst->rq_snd_buf.len;

	/* Without a reply, this call's credit is lost: reconnect. */
	if (unlikely(!rpc_reply_expected(rqst->rq_task)))
		xprt_rdma_conn_lost(conn);
	return 0;
}
