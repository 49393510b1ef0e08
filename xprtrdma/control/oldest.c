// SPDX-License-Identifier: GPL-2.0-only
/*
 * For the administrator: the oldest call of a transport that has no reply, and
 * the stage in which it waits.
 *
 * Operation: this file only reads the state of sunrpc and of the transport;
 * nothing is recorded when calls are sent. The age of a call is that of its
 * task, even if the call was sent again on another connection.
 *
 * A probe (probe.c) that is late means that the network loses messages;
 * otherwise the server does not answer. Sends are mostly unsignaled, but the
 * server's adapter acknowledges Work Requests in order. Over iWARP, TCP takes
 * the probe, so the server is blamed in both cases.
 *
 * Ownership: while a call is in sunrpc's receive queue, its task and its
 * request exist.
 */

#include <linux/lockdep.h>
#include <linux/rbtree.h>

#include "../req.h"
#include "../xprt.h"
#include "control.h"

/* A probe is late if it is in flight for this long (jiffies). */
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
	/* The reply has arrived, but invalidations or RDMA Reads are in flight. */
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
 * @age: set to the number of seconds since the task of that call began
 *
 * Context: process.
 * Return: stage in which that call waits, or RPCRDMA_NL_STAGE_NONE.
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
