// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sending a call: when it may be sent at all, its credit, marshaling, posting.
 *
 * A call is sent at most once per connection, unless the peer has refused it:
 * a second one would upset the peer's credit accounting and its reply cache.
 */

#include "../req.h"
#include "../xprt.h"
#include "message.h"
#include "../verbs/verbs.h"

#include <trace/events/xprtrdma.h>

/*
 * Lets the call wait until its first Send is done. As in xprt_rdma_sq_wait(),
 * that is looked at afterwards, so that no wakeup is lost.
 */
static int xprt_rdma_call_await_first_send(struct xprt_rdma_req *req)
{
	struct rpc_xprt *xprt = &req->r_xprt->xprt;

	xprt_wait_for_buffer_space(xprt);
	/* Pairs with the one in xprt_rdma_sq_release(). */
	smp_mb__after_atomic();
	if (!READ_ONCE(req->posted))
		xprt_write_space(xprt);
	return -EAGAIN;
}

/*
 * A call that the peer refused is sent again, in another way; nothing must be
 * left of the first attempt but its Send. Any other call that was sent on this
 * connection already must not be.
 */
static int xprt_rdma_call_check_again(struct xprt_rdma_conn *conn,
				      struct xprt_rdma_req *req)
{
	struct rpc_rqst *rqst = &req->rqst;

	if (unlikely(rqst->rq_connect_cookie == rqst->rq_xprt->connect_cookie ||
		     !list_empty(&req->mrs)))
		goto out_lost;
	if (likely(!req->posted))
		return 0;
	if (!xprt_rdma_limited(req))
		goto out_lost;
	return xprt_rdma_send_unlink(conn, req) ?
	       0 : xprt_rdma_call_await_first_send(req);

out_lost:
	xprt_rdma_conn_lost(conn);
	return -ENOTCONN;
}

/**
 * xprt_rdma_call_send - send an RPC call
 * @req: request with an encoded call
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: 0; -ENOTCONN to reconnect first; -EBADSLT, -EAGAIN and -ENOBUFS to
 * be called again later; -EIO and -EMSGSIZE when it cannot be sent at all.
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
	if (rc)
		return rc;
	rqst->rq_xtime = ktime_get();
	trace_xprtrdma_send(req);
	req->unanswered = true;
	rc = xprt_rdma_send_post(conn, req);
	if (rc)
		return rc;
	rqst->rq_xmit_bytes_sent += rqst->rq_snd_buf.len;

	/* A call without a reply would hold its credit for good. */
	if (unlikely(!rpc_reply_expected(rqst->rq_task)))
		xprt_rdma_conn_lost(conn);
	return 0;
}
