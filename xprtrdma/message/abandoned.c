// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that were given up before they were answered.
 *
 * RFC 5666 section 3.3: a call has its credit until its reply has come. sunrpc
 * takes the credit back with the task, which a signal may end at any time; the
 * peer would be sent more calls than it has Receives for. So the credit of such
 * a call is kept here, until its reply comes or the connection ends.
 *
 * Matching is exact: a call is either still with its request, or in the list
 * of orphans, or was answered. Replies to neither of the former two change
 * nothing. All of this is under the transport_lock, as the congestion window
 * is.
 *
 * A peer that does not answer takes credits away from itself. Should none be
 * left, stall.c ends the connection.
 */

#include <linux/slab.h>

#include "../req.h"
#include "../stats.h"
#include "../xprt.h"
#include "message.h"

/**
 * xprt_rdma_abandoned_init - make room for the orphans of a transport
 * @r_xprt: transport, whose number of slots is known
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
 * xprt_rdma_abandoned_exit - undo xprt_rdma_abandoned_init()
 * @r_xprt: transport
 *
 * Context: process.
 */
void xprt_rdma_abandoned_exit(struct xprt_rdma *r_xprt)
{
	kfree(r_xprt->abandoned.xids);
}

/**
 * xprt_rdma_abandoned_forget - nothing is owed any more
 * @r_xprt: transport, without a connection
 *
 * Context: the caller holds the reserve_lock and the transport_lock.
 */
void xprt_rdma_abandoned_forget(struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_req *req;

	list_for_each_entry(req, &r_xprt->reqs_all, all)
		req->unanswered = false;
	r_xprt->abandoned.count = 0;
}

/**
 * xprt_rdma_op_release_request - sunrpc is done with a request (release_request)
 * @task: its task
 *
 * Context: process; the caller holds the transport_lock. No reply is matched to
 * the request any more.
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
	req->unanswered = false;
	xprt_release_rqst_cong(task);
}

/* Takes @xid from the list, and gives the credit back. */
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
	abandoned->rqst.rq_cong = 1;
	xprt_release_rqst_cong(&abandoned->task);
	return true;
}

/* Its task is about to end, and will give the credit back. */
static bool xprt_rdma_abandoned_by_task(struct xprt_rdma *r_xprt, __be32 xid)
{
	struct xprt_rdma_req *req;

	list_for_each_entry(req, &r_xprt->reqs_all, all) {
		if (!req->unanswered || req->rqst.rq_xid != xid)
			continue;
		req->unanswered = false;
		return true;
	}
	return false;
}

/**
 * xprt_rdma_abandoned_answered - a reply has come that nobody waits for
 * @r_xprt: transport
 * @xid: of the reply
 *
 * Context: completion handler.
 * Return: whether it answers a call that was given up.
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
