// SPDX-License-Identifier: GPL-2.0-only
/*
 * Abandoned calls: calls whose task has ended before the reply arrived.
 *
 * RFC 5666 section 3.3: a call holds its credit until its reply arrives. sunrpc
 * releases the credit when the task ends, which a signal can cause at any time;
 * the next call might then find no Receive posted at the peer. So an abandoned
 * call keeps its credit until its reply arrives or the connection ends.
 *
 * Each call that was sent is in exactly one of three states: its request waits
 * for the reply, it is abandoned, or it is answered. A reply that matches no
 * call in one of the first two states changes nothing. The transport_lock
 * protects these states and the congestion window.
 *
 * Each call that the peer never answers costs a credit. When none is left,
 * control/watch.c ends the connection.
 *
 * Why a task of our own: releasing a credit must also wake the next sender. The
 * one function that sunrpc exports for this, xprt_release_rqst_cong(), takes a
 * task, of which it uses only tk_rqstp. The call's own task has ended.
 *
 * Why linear searches: only a reply that matches no request causes one. That is
 * rare, and there are at most max_reqs abandoned calls and about as many
 * requests.
 */

#include <linux/slab.h>

#include "../req.h"
#include "../stats.h"
#include "../xprt.h"
#include "message.h"

/**
 * xprt_rdma_abandoned_init - allocate a transport's table of abandoned calls
 * @r_xprt: transport; max_reqs is set
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int xprt_rdma_abandoned_init(struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_abandoned *abandoned = &r_xprt->abandoned;

	abandoned->xids = kcalloc(r_xprt->xprt.max_reqs,
				  sizeof(*abandoned->xids), GFP_KERNEL);
	if (!abandoned->xids)
		return -ENOMEM;
	abandoned->rqst.rq_xprt = &r_xprt->xprt;
	abandoned->task.tk_rqstp = &abandoned->rqst;
	return 0;
}

/**
 * xprt_rdma_abandoned_exit - free a transport's table of abandoned calls
 * @r_xprt: transport
 *
 * Context: process.
 */
void xprt_rdma_abandoned_exit(struct xprt_rdma *r_xprt)
{
	kfree(r_xprt->abandoned.xids);
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

	if (unlikely(req->unanswered && rqst->rq_cong &&
		     abandoned->count < rqst->rq_xprt->max_reqs)) {
		abandoned->xids[abandoned->count++] = rqst->rq_xid;
		rqst->rq_cong = 0;
		xprt_rdma_count(calls_abandoned);
	}
	WRITE_ONCE(req->unanswered, false);
	xprt_release_rqst_cong(task);
}

/* Remove the abandoned call @xid, if there is one, and release its credit. */
static bool xprt_rdma_abandoned_remove(struct xprt_rdma_abandoned *abandoned,
				       __be32 xid)
{
	u32 i;

	for (i = 0; i < abandoned->count; i++)
		if (abandoned->xids[i] == xid)
			break;
	if (i == abandoned->count)
		return false;
	abandoned->xids[i] = abandoned->xids[--abandoned->count];
	abandoned->answered++;
	xprt_rdma_abandoned_release_credit(abandoned);
	return true;
}

/*
 * A reply no longer matches this call, but its task has not yet called
 * xprt_rdma_op_release_request(). Mark the call answered, so that the task
 * releases the credit there.
 */
static bool xprt_rdma_abandoned_by_task(struct xprt_rdma *r_xprt, __be32 xid)
{
	struct xprt_rdma_req *req;

	list_for_each_entry(req, &r_xprt->reqs_all, all) {
		if (!READ_ONCE(req->unanswered) || req->rqst.rq_xid != xid)
			continue;
		WRITE_ONCE(req->unanswered, false);
		return true;
	}
	return false;
}

/**
 * xprt_rdma_abandoned_answered - handle the reply to an abandoned call
 * @r_xprt: transport
 * @xid: XID of a reply that matches no request
 *
 * Context: completion handler.
 * Return: true if it answers an abandoned call.
 */
bool xprt_rdma_abandoned_answered(struct xprt_rdma *r_xprt, __be32 xid)
{
	struct rpc_xprt *xprt = &r_xprt->xprt;
	bool found;

	spin_lock(&xprt->reserve_lock);
	spin_lock(&xprt->transport_lock);
	found = xprt_rdma_abandoned_remove(&r_xprt->abandoned, xid) ||
		xprt_rdma_abandoned_by_task(r_xprt, xid);
	spin_unlock(&xprt->transport_lock);
	spin_unlock(&xprt->reserve_lock);
	return found;
}
