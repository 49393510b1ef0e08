// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is a reply that may be long going to be?
 *
 * Reliable-reply draft section 5.3.1. Nothing in a call says how long its
 * reply is going to be, only how long it may be; but what a procedure returned
 * the last few times does. So each transport has a small saturating counter
 * per procedure, as branch predictors do: up if a reply was too long to come
 * inline, down if it was not. Procedures that share a counter cost a
 * registration, or a round trip, now and then, and nothing else.
 */

#include <linux/hash.h>
#include <linux/sunrpc/clnt.h>

#include "../limits.h"
#include "../req.h"
#include "../xprt.h"
#include "message.h"

/* Counters saturate here, and predict a long reply from the half on. */
#define PREDICT_MAX	3u
#define PREDICT_LONG	2u

static u8 *xprt_rdma_predict_counter_of(struct xprt_rdma *r_xprt,
					const struct rpc_task *task)
{
	const struct rpc_procinfo *proc = task->tk_msg.rpc_proc;
	u32 key = task->tk_client->cl_prog + (task->tk_client->cl_vers << 16) +
		  (proc->p_statidx << 20);

	return &r_xprt->predict[hash_32(key, XPRT_RDMA_PREDICT_BITS)];
}

/**
 * xprt_rdma_predict_long - will the reply be too long to come inline
 * @req: request to be sent
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: true if it probably will.
 */
bool xprt_rdma_predict_long(const struct xprt_rdma_req *req)
{
	return READ_ONCE(*xprt_rdma_predict_counter_of(req->r_xprt,
						       req->rqst.rq_task)) >=
	       PREDICT_LONG;
}

/**
 * xprt_rdma_predict_learn - take note of how long a reply was
 * @req: request whose reply could have been too long to come inline
 * @is_long: it was
 *
 * Context: completion handler; @req is pinned.
 */
void xprt_rdma_predict_learn(const struct xprt_rdma_req *req, bool is_long)
{
	u8 *counter =
		xprt_rdma_predict_counter_of(req->r_xprt, req->rqst.rq_task);
	u8 value = READ_ONCE(*counter);

	if (is_long && value < PREDICT_MAX)
		WRITE_ONCE(*counter, value + 1);
	else if (!is_long && value)
		WRITE_ONCE(*counter, value - 1);
}
