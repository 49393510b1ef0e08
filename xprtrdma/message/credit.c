// SPDX-License-Identifier: GPL-2.0-only
/*
 * Flow control: the peer's credit grant is sunrpc's congestion window.
 *
 * RFC 5666 section 3.3. A new connection starts with one credit; each reply
 * carries a new grant. A grant of zero would block the connection for good, so
 * it counts as one. A grant larger than the request is reduced to the request,
 * because no more Receives than that can be posted for the replies. Those that a
 * grant needs are posted before a call makes use of it.
 */

#include "../conn.h"
#include "../req.h"
#include "../xprt.h"
#include "message.h"
#include "../verbs/verbs.h"

/**
 * xprt_rdma_credit_reset - begin a connection with one credit
 * @r_xprt: transport
 *
 * Requests and abandoned calls lose the credits that they hold: those belong to
 * the previous connection, as do the replies that are awaited.
 *
 * Context: process; the caller holds XPRT_LOCKED, nothing is in flight.
 */
void xprt_rdma_credit_reset(struct xprt_rdma *r_xprt)
{
	struct rpc_xprt *xprt = &r_xprt->xprt;
	struct xprt_rdma_req *req;

	spin_lock(&xprt->reserve_lock);
	spin_lock(&xprt->transport_lock);
	list_for_each_entry(req, &r_xprt->reqs_all, all) {
		req->rqst.rq_cong = 0;
		WRITE_ONCE(req->unanswered, false);
	}
	r_xprt->abandoned.count = 0;
	xprt->cong = 0;
	xprt->cwnd = RPC_CWNDSCALE;
	spin_unlock(&xprt->transport_lock);
	spin_unlock(&xprt->reserve_lock);
}

/**
 * xprt_rdma_credit_apply - set sunrpc's congestion window
 * @conn: connection
 *
 * RFC 5666 section 3.8: an RDMA_DONE in flight uses a credit, as a call does.
 * If RDMA_DONEs use all credits, no call is sent until one of them has arrived.
 *
 * Context: completion handler.
 */
void xprt_rdma_credit_apply(struct xprt_rdma_conn *conn)
{
	struct rpc_xprt *xprt = &conn->r_xprt->xprt;
	u32 credits = max(conn->credits.granted, 1u);
	u32 dones = conn->fetches.dones;
	u32 calls = credits > dones ? credits - dones : 0;
	bool full;

	spin_lock(&xprt->transport_lock);
	full = RPCXPRT_CONGESTED(xprt);
	xprt->cwnd = (unsigned long)calls << RPC_CWNDSHIFT;
	/*
	 * A wider window alone wakes no sender: sunrpc looks for waiting ones
	 * when a credit is released, and the calls that hold the others may never
	 * be answered. So take a credit and release it.
	 */
	if (full && !RPCXPRT_CONGESTED(xprt)) {
		xprt->cong += RPC_CWNDSCALE;
		xprt_rdma_abandoned_release_credit(&conn->r_xprt->abandoned);
	}
	spin_unlock(&xprt->transport_lock);
}

/**
 * xprt_rdma_credit_grant - apply the credit grant of a reply
 * @conn: connection on which the reply arrived
 * @grant: rdma_credit of the reply, not validated
 *
 * Context: completion handler.
 */
void xprt_rdma_credit_grant(struct xprt_rdma_conn *conn, u32 grant)
{
	grant = clamp_t(u32, grant, 1, conn->credits.max);
	if (likely(conn->credits.granted == grant))
		return;

	conn->credits.granted = grant;
	xprt_rdma_recvs_post(conn);
	xprt_rdma_credit_apply(conn);
}

/**
 * xprt_rdma_credit_exempt - let a backchannel reply be sent without a credit
 * @r_xprt: transport
 * @rqst: the backchannel request
 *
 * RFC 8167 section 4: credits of the two directions are independent. sunrpc
 * sends a request that already holds a place in the congestion window ahead of
 * others and without waiting. So a backchannel request gets an additional
 * place, which is returned when the request is released, or by
 * xprt_rdma_credit_return().
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
 * xprt_rdma_credit_return - undo xprt_rdma_credit_exempt() if it is in effect
 * @r_xprt: transport
 * @rqst: the backchannel request
 *
 * A backchannel call that is dropped has no task, so sunrpc does not call
 * ->release_request() for it. Without this function, the window would stay one
 * place smaller for our own calls.
 *
 * Context: process.
 */
void xprt_rdma_credit_return(struct xprt_rdma *r_xprt, struct rpc_rqst *rqst)
{
	struct rpc_xprt *xprt = &r_xprt->xprt;

	spin_lock(&xprt->transport_lock);
	if (unlikely(rqst->rq_cong)) {
		xprt_rdma_abandoned_release_credit(&r_xprt->abandoned);
		rqst->rq_cong = 0;
	}
	spin_unlock(&xprt->transport_lock);
}
