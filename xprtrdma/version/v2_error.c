// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handle transport errors of version 2.
 *
 * v2 draft section 5.3.3. An error gives the reason why the responder could not
 * process a call. If the call can be sent in another form, the error is
 * recorded in the request's limits, and sunrpc sends the call again with the
 * same XID, at most twice. All other errors are permanent: the RPC ends with
 * -EIO.
 *
 * The connect cookie: sunrpc exports no function that retransmits an RPC.
 * sunrpc retransmits only if the request's connect cookie differs from the
 * transport's, normally because of a new connection. So the request's cookie is
 * changed here.
 */

#include "../conn.h"
#include "../req.h"
#include "../stats.h"
#include "../xprt.h"
#include "version.h"
#include "../verbs/verbs.h"

#include <trace/events/xprtrdma.h>

/*
 * The responder has executed the call, but could not return its results. If
 * NFSv4.1's reply cache has not kept the results, NFS repeats the operation as
 * a new call, with another XID. So all calls on this connection are restricted:
 * otherwise the operation would be repeated and fail without end.
 */
static void xprt_rdma_v2_error_limit_conn(struct xprt_rdma_conn *conn, u32 err,
					  u32 needed)
{
	u64 fits = (u64)conn->ver->hdr_min + needed - 1;

	if (err == RPCRDMA2_ERR_WRITE_RESOURCE)
		WRITE_ONCE(conn->peer.no_write_chunks, true);
	else if (needed)
		xprt_rdma_sizes_plan_recv(&conn->sizes,
					  clamp_t(u64, fits,
						  RPCRDMA2_FIRST_MAX,
						  U32_MAX), 0);
}

/* A reply that is longer than its buffer cannot be received in any form. */
static bool xprt_rdma_v2_error_want_reply_chunk(struct xprt_rdma_req *req,
						u32 needed)
{
	if (needed > req->rqst.rq_rcv_buf.buflen ||
	    req->wtype == XPRT_RDMA_REPLY_LONG)
		return false;
	req->limits.reply_chunk = true;
	return true;
}

static bool xprt_rdma_v2_error_can_resend(struct xprt_rdma_req *req,
					  const struct rpcrdma_hdr *hdr)
{
	struct xprt_rdma_limits *limits = &req->limits;
	u32 value = hdr->err_value;

	switch (hdr->err) {
	case RPCRDMA2_ERR_READ_CHUNKS:
		limits->no_reads |= req->rtype == XPRT_RDMA_CALL_DDP;
		return req->rtype == XPRT_RDMA_CALL_DDP;
	case RPCRDMA2_ERR_WRITE_CHUNKS:
		/* The Reply chunk receives the payload as well. */
		limits->reply_chunk |= req->wtype == XPRT_RDMA_REPLY_WRITE;
		return req->wtype == XPRT_RDMA_REPLY_WRITE;
	case RPCRDMA2_ERR_SEGMENTS:
		if (!value || (limits->segments && limits->segments <= value))
			return false;
		limits->segments = value;
		return true;
	case RPCRDMA2_ERR_WRITE_RESOURCE:
	case RPCRDMA2_ERR_REPLY_RESOURCE:
		xprt_rdma_v2_error_limit_conn(req->r_xprt->conn, hdr->err, value);
		return xprt_rdma_v2_error_want_reply_chunk(req, value);
	default:
		return false;
	}
}

/*
 * Have sunrpc send a call again on this connection, in another form. The
 * sending task sets the request's cookie after it has posted the Send. If that
 * task was preempted before it set the cookie, the cookie cannot be changed
 * yet, and the call waits for a new connection. The call must not be completed
 * in that case: sunrpc would not send it again on this connection, but find the
 * same result and fail it.
 */
static int xprt_rdma_v2_error_resend(struct xprt_rdma_req *req)
{
	struct rpc_rqst *rqst = &req->rqst;
	u32 cookie = req->r_xprt->xprt.connect_cookie;

	xprt_rdma_count(calls_resent);
	if (likely(READ_ONCE(rqst->rq_connect_cookie) == cookie)) {
		WRITE_ONCE(rqst->rq_connect_cookie, cookie - 1);
		return -EAGAIN;
	}
	xprt_rdma_conn_lost(req->r_xprt->conn);
	return -ENOTCONN;
}

/**
 * xprt_rdma_v2_error - handle an error that arrived instead of a reply
 * @req: request; the peer has no access to its memory
 * @hdr: decoded header of the error
 *
 * Context: completion handler; @req is pinned.
 * Return: -EAGAIN to complete the call so that sunrpc sends it again; -ENOTCONN
 * to leave it to the next connection; -EREMOTEIO to fail it.
 */
int xprt_rdma_v2_error(struct xprt_rdma_req *req, const struct rpcrdma_hdr *hdr)
{
	bool again = req->rqst.rq_task->tk_garb_retry &&
		     xprt_rdma_v2_error_can_resend(req, hdr);

	xprt_rdma_count(errors_received);
	trace_xprtrdma_error(req, hdr, again);
	return again ? xprt_rdma_v2_error_resend(req) : -EREMOTEIO;
}
