// SPDX-License-Identifier: GPL-2.0-only
/*
 * Flow control: the peer's credit grant is sunrpc's congestion window.
 *
 * RFC 5666 section 3.3. A new connection starts with one call in flight; each
 * reply says how many there may be. A grant of zero would stop the connection
 * for good and is taken as one; a grant beyond what was asked for is cut down
 * to that, because there are no more Receives to be posted for it.
 */

#include "../conn.h"
#include "../req.h"
#include "../stats.h"
#include "../xprt.h"
#include "message.h"

#include <trace/events/xprtrdma.h>

/**
 * xprt_rdma_credit_reset - begin a connection with one credit
 * @r_xprt: transport
 *
 * Credits that requests hold are worth nothing on the next connection, and
 * are taken away from them.
 *
 * Context: process; the caller holds XPRT_LOCKED, nothing is in flight.
 */
void xprt_rdma_credit_reset(struct xprt_rdma *r_xprt)
{
	struct rpc_xprt *xprt = &r_xprt->xprt;
	struct xprt_rdma_req *req;

	spin_lock(&xprt->reserve_lock);
	spin_lock(&xprt->transport_lock);
	list_for_each_entry(req, &r_xprt->reqs_all, all)
		req->rqst.rq_cong = 0;
	xprt_rdma_abandoned_forget(r_xprt);
	xprt->cong = 0;
	xprt->cwnd = RPC_CWNDSCALE;
	spin_unlock(&xprt->transport_lock);
	spin_unlock(&xprt->reserve_lock);
}

/*
 * The window was closed: no reply will have sunrpc look for calls that wait.
 * Giving back a place in it does so. The caller holds the transport_lock.
 */
static void xprt_rdma_credit_wake_next(struct xprt_rdma *r_xprt)
{
	r_xprt->abandoned.rqst.rq_cong = 1;
	r_xprt->xprt.cong += RPC_CWNDSCALE;
	xprt_release_rqst_cong(&r_xprt->abandoned.task);
}

/**
 * xprt_rdma_credit_apply - tell sunrpc how many calls may be in flight
 * @conn: connection
 *
 * RFC 5666 section 3.8: RDMA_DONEs that are on their way count like calls. If
 * they need all credits, no call is sent until the first of them has arrived.
 *
 * Context: completion handler.
 */
void xprt_rdma_credit_apply(struct xprt_rdma_conn *conn)
{
	struct rpc_xprt *xprt = &conn->r_xprt->xprt;
	u32 credits = max(conn->credits, 1u);
	u32 calls = credits > conn->dones ? credits - conn->dones : 0;
	bool closed;

	spin_lock(&xprt->transport_lock);
	closed = !xprt->cwnd;
	xprt->cwnd = (unsigned long)calls << RPC_CWNDSHIFT;
	if (closed && calls)
		xprt_rdma_credit_wake_next(conn->r_xprt);
	spin_unlock(&xprt->transport_lock);
}

/**
 * xprt_rdma_credit_grant - apply the credits of a reply
 * @conn: connection on which the reply arrived
 * @grant: rdma_credit of the reply, not to be trusted
 *
 * Context: completion handler.
 */
void xprt_rdma_credit_grant(struct xprt_rdma_conn *conn, u32 grant)
{
	if (unlikely(!grant)) {
		xprt_rdma_count(credits_zero);
		grant = 1;
	} else if (unlikely(grant > conn->max_reqs)) {
		xprt_rdma_count(credits_clamped);
		grant = conn->max_reqs;
	}
	if (likely(conn->credits == grant))
		return;

	trace_xprtrdma_credits(conn, grant);
	conn->credits = grant;
	xprt_rdma_credit_apply(conn);
}

/**
 * xprt_rdma_credit_exempt - let a backchannel reply be sent without a credit
 * @r_xprt: transport
 * @rqst: the backchannel request
 *
 * RFC 8167 section 4: credits of the two directions are independent. To
 * sunrpc, a request that already holds a place in the congestion window goes
 * first and never waits; so it gets one beyond the window, and returns it when
 * it is released, or in xprt_rdma_credit_return().
 *
 * Context: completion handler.
 */
void xprt_rdma_credit_exempt(struct xprt_rdma *r_xprt, struct rpc_rqst *rqst)
{
	struct rpc_xprt *xprt = &r_xprt->xprt;

	spin_lock(&xprt->transport_lock);
	rqst->rq_cong = 1;
	xprt->cong += RPC_CWNDSCALE;
	spin_unlock(&xprt->transport_lock);
}

/**
 * xprt_rdma_credit_return - a backchannel request is over
 * @r_xprt: transport
 * @rqst: the backchannel request
 *
 * A call that is dropped has no task, and release_request is not called for it.
 * Its place in the congestion window would be lost for calls of ours.
 *
 * Context: process.
 */
void xprt_rdma_credit_return(struct xprt_rdma *r_xprt, struct rpc_rqst *rqst)
{
	struct rpc_xprt *xprt = &r_xprt->xprt;

	spin_lock(&xprt->transport_lock);
	if (unlikely(rqst->rq_cong)) {
		r_xprt->abandoned.rqst.rq_cong = 1;
		xprt_release_rqst_cong(&r_xprt->abandoned.task);
		rqst->rq_cong = 0;
	}
	spin_unlock(&xprt->transport_lock);
}
