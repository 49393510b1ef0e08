// SPDX-License-Identifier: GPL-2.0-only
/*
 * The oldest call of a transport that has no reply, and what it waits for, for
 * the administrator.
 *
 * Operation: this looks at what sunrpc and the transport know anyway; nothing is
 * recorded as calls are sent. Its age is that of its task: a call that was sent
 * again on another connection is as old as before.
 *
 * A probe (probe.c) in flight tells a network that loses messages from a server
 * that does not answer: Sends are mostly unsignaled, and the server's adapter
 * acknowledges Work Requests in order. Over iWARP, TCP takes the probe, so the
 * server is blamed for both.
 *
 * Ownership: a call in sunrpc's receive queue has its task and its request.
 */

#include <linux/lockdep.h>
#include <linux/rbtree.h>

#include "../req.h"
#include "../xprt.h"
#include "control.h"

/* A probe that is in flight for so long is late. */
#define PROBE_LATE	HZ

static struct rpc_rqst *xprt_rdma_oldest_find_locked(struct rpc_xprt *xprt)
{
	struct rpc_rqst *rqst, *next, *oldest = NULL;

	lockdep_assert_held(&xprt->queue_lock);
	rbtree_postorder_for_each_entry_safe(rqst, next, &xprt->recv_queue,
					     rq_recv)
		if (!oldest || ktime_before(rqst->rq_task->tk_start,
					    oldest->rq_task->tk_start))
			oldest = rqst;
	return oldest;
}

static enum rpcrdma_nl_stage
xprt_rdma_oldest_stage(const struct xprt_rdma *r_xprt,
		       const struct xprt_rdma_req *req)
{
	const struct xprt_rdma_probe *probe = &r_xprt->probe;
	const struct rpc_xprt *xprt = &r_xprt->xprt;

	if (!xprt_connected((struct rpc_xprt *)xprt))
		return RPCRDMA_NL_STAGE_CONNECTION;
	/* The reply has arrived; its memory is not invalidated, or not read. */
	if (READ_ONCE(req->recv))
		return RPCRDMA_NL_STAGE_NETWORK;
	if (READ_ONCE(req->unanswered))
		return READ_ONCE(probe->posted) &&
		       time_after(jiffies, READ_ONCE(probe->since) + PROBE_LATE) ?
		       RPCRDMA_NL_STAGE_NETWORK : RPCRDMA_NL_STAGE_SERVER;
	if (!READ_ONCE(req->rqst.rq_cong) &&
	    test_bit(XPRT_CWND_WAIT, &xprt->state))
		return RPCRDMA_NL_STAGE_CREDIT;
	return RPCRDMA_NL_STAGE_MEMORY;
}

/**
 * xprt_rdma_oldest - look for the oldest call that has no reply
 * @r_xprt: transport
 * @age: set to the seconds since its task began
 *
 * Context: process.
 * Return: what it waits for; RPCRDMA_NL_STAGE_NONE if there is none.
 */
enum rpcrdma_nl_stage xprt_rdma_oldest(struct xprt_rdma *r_xprt, u32 *age)
{
	enum rpcrdma_nl_stage stage = RPCRDMA_NL_STAGE_NONE;
	struct rpc_xprt *xprt = &r_xprt->xprt;
	struct rpc_rqst *rqst;

	spin_lock(&xprt->queue_lock);
	rqst = xprt_rdma_oldest_find_locked(xprt);
	if (rqst) {
		stage = xprt_rdma_oldest_stage(r_xprt, rqst_to_req(rqst));
		*age = (u32)ktime_ms_delta(ktime_get(),
					   rqst->rq_task->tk_start) /
		       MSEC_PER_SEC;
	}
	spin_unlock(&xprt->queue_lock);
	return stage;
}
