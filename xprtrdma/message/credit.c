// SPDX-License-Identifier: GPL-2.0-only
/*
 * Flow control: the peer's credit grant is sunrpc's congestion window.
 *
 * RFC 5666 section 3.3. A new connection starts with one credit; each reply
 * carries a new grant. A grant of zero would block the connection for good, so
 * it counts as one. A grant larger than the request is reduced to the request,
 * because no more Receives than that can be posted for the replies. The
 * Receives for a new grant are posted before a call uses it.
 *
 * A call holds its credit until its reply arrives. sunrpc releases the credit
 * when the task ends, which a signal can cause at any time; the peer might then
 * have no Receive for the next call. So the call is abandoned: it keeps its
 * credit until its reply arrives or the connection ends.
 *
 * Each call that was sent is in exactly one of three states: its request waits
 * for the reply, it is abandoned, or it is answered. Abandoned calls are only
 * counted. A reply that matches no request answers one of them, or the next
 * call to be abandoned: replies stop matching before a killed task releases its
 * credit. A peer that sends more replies than it received calls thus returns
 * its own credits early; it might as well grant more. The transport_lock
 * protects these states and the congestion window.
 *
 * Each call that the peer never answers costs a credit. When none is left,
 * control/watch.c ends the connection.
 *
 * A task of our own is needed because releasing a credit must also wake the
 * next sender. The only function that sunrpc exports for this,
 * xprt_release_rqst_cong(), takes a task and uses only its tk_rqstp. The call's
 * own task has ended.
 */

#include "../conn.h"
#include "../req.h"
#include "../stats.h"
#include "../xprt.h"
#include "message.h"
#include "../verbs/verbs.h"

/**
 * xprt_rdma_credit_reset - begin a connection with one credit
 * @r_xprt: transport
 *
 * Requests and abandoned calls lose their credits, which belong to the previous
 * connection. Replies from that connection are no longer expected.
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
	r_xprt->abandoned.early = 0;
	xprt->cong = 0;
	xprt->cwnd = RPC_CWNDSCALE;
	spin_unlock(&xprt->transport_lock);
	spin_unlock(&xprt->reserve_lock);
}

/* Release a credit that no task holds. The caller holds the transport_lock. */
static void
xprt_rdma_abandoned_release_credit(struct xprt_rdma_abandoned *abandoned)
{
	abandoned->rqst.rq_cong = 1;
	xprt_release_rqst_cong(&abandoned->task);
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
	u32 credits = conn->credits.granted;
	u32 dones = conn->fetches.dones;
	u32 calls = credits > dones ? credits - dones : 0;
	bool full;

	spin_lock(&xprt->transport_lock);
	full = RPCXPRT_CONGESTED(xprt);
	xprt->cwnd = (unsigned long)calls << RPC_CWNDSHIFT;
	/*
	 * A wider window alone wakes no sender: sunrpc looks for waiting
	 * senders when a credit is released, and the calls that hold the other
	 * credits may never be answered. So take a credit and release it.
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
 * others and without waiting. So a backchannel request takes a place, whether
 * or not one is free. Our own calls have one place less until the request is
 * released, or xprt_rdma_credit_return() returns the place. The place is soon
 * free again, because NFS answers a callback without calling the server.
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

/**
 * xprt_rdma_abandoned_init - prepare a transport's count of abandoned calls
 * @r_xprt: transport
 *
 * Context: process.
 */
void xprt_rdma_abandoned_init(struct xprt_rdma *r_xprt)
{
	r_xprt->abandoned.rqst.rq_xprt = &r_xprt->xprt;
	r_xprt->abandoned.task.tk_rqstp = &r_xprt->abandoned.rqst;
}

/**
 * xprt_rdma_op_release_request - keep or release the credit of a call that ends
 * @task: task of the call
 *
 * Context: process; the caller holds the transport_lock. Replies no longer
 * match the request.
 */
void xprt_rdma_op_release_request(struct rpc_task *task)
{
	struct rpc_rqst *rqst = task->tk_rqstp;
	struct xprt_rdma_req *req = rqst_to_req(rqst);
	struct xprt_rdma_abandoned *abandoned = &req->r_xprt->abandoned;

	if (unlikely(req->unanswered && rqst->rq_cong)) {
		if (abandoned->early) {
			abandoned->early--;
		} else {
			abandoned->count++;
			rqst->rq_cong = 0;
			xprt_rdma_count(calls_abandoned);
		}
	}
	WRITE_ONCE(req->unanswered, false);
	xprt_release_rqst_cong(task);
}

/**
 * xprt_rdma_abandoned_answered - handle a reply that matches no request
 * @r_xprt: transport
 *
 * Context: completion handler.
 * Return: true if it answers an abandoned call.
 */
bool xprt_rdma_abandoned_answered(struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_abandoned *abandoned = &r_xprt->abandoned;
	bool found;

	spin_lock(&r_xprt->xprt.transport_lock);
	found = abandoned->count;
	if (found) {
		abandoned->count--;
		abandoned->answered++;
		xprt_rdma_abandoned_release_credit(abandoned);
	} else {
		abandoned->early++;
	}
	spin_unlock(&r_xprt->xprt.transport_lock);
	return found;
}
