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

#include "xprtrdma.h"

/**
 * xprt_rdma_orphans_init - make room for the orphans of a transport
 * @rx: transport, whose number of slots is known
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int xprt_rdma_orphans_init(struct xprt_rdma *rx)
{
	struct xprt_rdma_orphans *orphans = &rx->orphans;

	orphans->xids = kcalloc(rx->xprt.max_reqs, sizeof(*orphans->xids),
				GFP_KERNEL);
	if (!orphans->xids)
		return -ENOMEM;
	orphans->rqst.rq_xprt = &rx->xprt;
	orphans->task.tk_rqstp = &orphans->rqst;
	return 0;
}

/**
 * xprt_rdma_orphans_exit - undo xprt_rdma_orphans_init()
 * @rx: transport
 *
 * Context: process.
 */
void xprt_rdma_orphans_exit(struct xprt_rdma *rx)
{
	kfree(rx->orphans.xids);
}

/**
 * xprt_rdma_orphans_forget - nothing is owed any more
 * @rx: transport, without a connection
 *
 * Context: the caller holds the reserve_lock and the transport_lock.
 */
void xprt_rdma_orphans_forget(struct xprt_rdma *rx)
{
	struct xprt_rdma_req *req;

	list_for_each_entry(req, &rx->reqs_all, all)
		req->awaited = false;
	rx->orphans.count = 0;
}

/**
 * xprt_rdma_orphan_release - sunrpc is done with a request (release_request)
 * @task: its task
 *
 * Context: process; the caller holds the transport_lock. No reply is matched to
 * the request any more.
 */
void xprt_rdma_orphan_release(struct rpc_task *task)
{
	struct rpc_rqst *rqst = task->tk_rqstp;
	struct xprt_rdma_req *req = rqst_to_req(rqst);
	struct xprt_rdma_orphans *orphans = &req->rx->orphans;

	if (unlikely(req->awaited && rqst->rq_cong &&
		     orphans->count < rqst->rq_xprt->max_reqs)) {
		orphans->xids[orphans->count++] = rqst->rq_xid;
		rqst->rq_cong = 0;
		xprt_rdma_count(calls_orphaned);
	}
	req->awaited = false;
	xprt_release_rqst_cong(task);
}

/* Takes @xid from the list, and gives the credit back. */
static bool orphan_end(struct xprt_rdma_orphans *orphans, __be32 xid)
{
	u32 i;

	for (i = 0; i < orphans->count; i++)
		if (orphans->xids[i] == xid)
			break;
	if (i == orphans->count)
		return false;
	orphans->xids[i] = orphans->xids[--orphans->count];
	orphans->answered++;
	orphans->rqst.rq_cong = 1;
	xprt_release_rqst_cong(&orphans->task);
	return true;
}

/* Its task is about to end, and will give the credit back. */
static bool leaving(struct xprt_rdma *rx, __be32 xid)
{
	struct xprt_rdma_req *req;

	list_for_each_entry(req, &rx->reqs_all, all) {
		if (!req->awaited || req->rqst.rq_xid != xid)
			continue;
		req->awaited = false;
		return true;
	}
	return false;
}

/**
 * xprt_rdma_orphan_answered - a reply has come that nobody waits for
 * @rx: transport
 * @xid: of the reply
 *
 * Context: completion handler.
 * Return: whether it answers a call that was given up.
 */
bool xprt_rdma_orphan_answered(struct xprt_rdma *rx, __be32 xid)
{
	struct rpc_xprt *xprt = &rx->xprt;
	bool found;

	spin_lock(&xprt->reserve_lock);
	spin_lock(&xprt->transport_lock);
	found = orphan_end(&rx->orphans, xid) || leaving(rx, xid);
	spin_unlock(&xprt->transport_lock);
	spin_unlock(&xprt->reserve_lock);
	return found;
}
