// SPDX-License-Identifier: GPL-2.0-only
/*
 * Choose the replies that the peer may provide in Read chunks: those that are
 * probably short enough to be sent inline, unless the administrator wants all
 * or none.
 *
 * Reliable-reply draft section 5.3.1. A call determines only the maximum length
 * of its reply. The procedure's last few replies predict the actual length, as
 * in a branch predictor. Each transport has a small saturating counter per
 * procedure, which counts up when a reply was too long to be sent inline, and
 * down when it was not. Procedures may share a counter. A wrong prediction only
 * costs a registration or a round trip.
 */

#include <linux/hash.h>
#include <linux/sunrpc/clnt.h>

#include "../../limits.h"
#include "../../tunables.h"
#include "../../xprt.h"
#include "pulled.h"

/* Saturation value; threshold for predicting a long reply */
#define PREDICT_MAX	3
#define PREDICT_LONG	2

unsigned int xprt_rdma_read_replies = XPRT_RDMA_READ_REPLIES_SHORT;

XPRT_RDMA_PARAM(read_replies, XPRT_RDMA_READ_REPLIES_OFF,
		XPRT_RDMA_READ_REPLIES_ALL);
MODULE_PARM_DESC(read_replies, "Offer no Reply chunk: 0 never, 1 if the reply is probably short, 2 always (new connections)");

/*
 * RFC 8166 does not have replies in Read chunks. A server that sends them
 * anyway, as RFC 5666 allows, has no way to announce that.
 */
static bool xprt_rdma_read_replies_v1;
module_param_named(read_replies_v1, xprt_rdma_read_replies_v1, bool, 0644);
MODULE_PARM_DESC(read_replies_v1, "Apply read_replies to version 1 as well (new connections)");

/**
 * xprt_rdma_pulled_offer - decide whether to announce replies in Read chunks
 * @conn: connection that was just established
 *
 * Context: process.
 * Return: true if the peer may provide Read chunks.
 */
bool xprt_rdma_pulled_offer(const struct xprt_rdma_conn *conn)
{
	return READ_ONCE(xprt_rdma_read_replies) &&
	       !READ_ONCE(conn->peer.no_own_reads);
}

/**
 * xprt_rdma_pulled_begin - decide which replies the peer may provide in Read
 * chunks
 * @conn: connection whose version is known
 * @props: the peer's properties, or NULL in version 1, which has none
 *
 * Context: process, including completion handlers.
 */
void xprt_rdma_pulled_begin(struct xprt_rdma_conn *conn,
			    const struct rpcrdma_props *props)
{
	if (props ? props->read_replies : READ_ONCE(xprt_rdma_read_replies_v1))
		conn->fetches.replies = READ_ONCE(xprt_rdma_read_replies);
}

static u8 *xprt_rdma_predict_counter_of(const struct xprt_rdma_req *req)
{
	const struct rpc_task *task = req->rqst.rq_task;
	const struct rpc_procinfo *proc = task->tk_msg.rpc_proc;
	u32 key = task->tk_client->cl_prog + (task->tk_client->cl_vers << 16) +
		  (proc->p_statidx << 20);

	return &req->r_xprt->predict[hash_32(key, XPRT_RDMA_PREDICT_BITS)];
}

/**
 * xprt_rdma_pulled_expects - decide whether the peer may provide a long reply
 * in Read chunks
 * @conn: connection
 * @req: request to be sent, whose reply may be too long to be sent inline
 *
 * Reliable-reply draft section 5.3.1: fetching a long reply costs a round trip,
 * but for a reply that turns out to be short, no memory was registered.
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: true if no Reply chunk is needed.
 */
bool xprt_rdma_pulled_expects(const struct xprt_rdma_conn *conn,
			      const struct xprt_rdma_req *req)
{
	u32 replies = conn->fetches.replies;

	if (!replies || READ_ONCE(conn->peer.no_own_reads))
		return false;
	return replies == XPRT_RDMA_READ_REPLIES_ALL ||
	       READ_ONCE(*xprt_rdma_predict_counter_of(req)) < PREDICT_LONG;
}

/**
 * xprt_rdma_predict_learn - update the prediction for a procedure
 * @req: request whose reply might have been too long to be sent inline
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
