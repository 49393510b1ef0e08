// SPDX-License-Identifier: GPL-2.0-only
/*
 * Predicting whether a reply that may exceed the inline threshold will do so.
 *
 * Reliable-reply draft section 5.3.1. A call has only the maximum length of its
 * reply. The procedure's last few replies predict the actual length, as in a
 * branch predictor: each transport has a small saturating counter per
 * procedure, which counts up when a reply was too long to come inline, and down
 * when it was not. Procedures may share a counter. A wrong prediction only
 * costs a registration or a round trip.
 */

#include <linux/hash.h>
#include <linux/sunrpc/clnt.h>

#include "../../limits.h"
#include "../../req.h"
#include "../../sizes.h"
#include "../../xprt.h"
#include "pulled.h"

/* Counters saturate at the first, and predict a long reply from the second. */
#define PREDICT_MAX	3
#define PREDICT_LONG	2

static u8 *xprt_rdma_predict_counter_of(const struct xprt_rdma_req *req)
{
	const struct rpc_task *task = req->rqst.rq_task;
	const struct rpc_procinfo *proc = task->tk_msg.rpc_proc;
	u32 key = task->tk_client->cl_prog + (task->tk_client->cl_vers << 16) +
		  (proc->p_statidx << 20);

	return &req->r_xprt->predict[hash_32(key, XPRT_RDMA_PREDICT_BITS)];
}

/**
 * xprt_rdma_predict_long - predict whether a reply exceeds the inline threshold
 * @req: request to be sent
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: true if it probably does.
 */
bool xprt_rdma_predict_long(const struct xprt_rdma_req *req)
{
	return READ_ONCE(*xprt_rdma_predict_counter_of(req)) >= PREDICT_LONG;
}

/**
 * xprt_rdma_predict_learn - update the prediction for a procedure
 * @req: request whose reply might have been too long to come inline
 * @len: bytes in the reply
 *
 * Context: completion handler; @req is pinned, and owns its reply.
 */
void xprt_rdma_predict_learn(const struct xprt_rdma_req *req, u32 len)
{
	const struct xprt_rdma_conn *conn = req->recv->conn;
	u8 *counter = xprt_rdma_predict_counter_of(req);
	u8 value = READ_ONCE(*counter);

	if (conn->ver->hdr_min + len > READ_ONCE(conn->sizes.inline_recv))
		WRITE_ONCE(*counter, min(value + 1, PREDICT_MAX));
	else if (value)
		WRITE_ONCE(*counter, value - 1);
}
