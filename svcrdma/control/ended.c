// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ends of connections and refused connect requests, recorded for the
 * administrator (core/report/ended.c keeps them).
 *
 * Operation: the context that ends a connection records the cause
 * (svc_rdma_conn_blame()). The end is noted when nfsd closes the connection. If
 * the cause is still unknown then, because only flushed Work Requests were
 * seen, the end is noted when the connection is released.
 *
 * Ownership: when a connection is released, sunrpc has already dropped its
 * reference to the network namespace. The CM identifier, which is destroyed
 * later, holds another reference.
 */

#include <rpcrdma/ended.h>

#include "../version/version.h"
#include "control.h"

static void svc_rdma_ended_note(const struct rdma_cm_id *cm_id,
				struct rpcrdma_end *end)
{
	const struct rdma_addr *addr = &cm_id->route.addr;

	memcpy(&end->peer, &addr->dst_addr, sizeof(end->peer));
	strscpy(end->device, cm_id->device->name, sizeof(end->device));
	end->side = RPCRDMA_NL_SIDE_SERVER;
	rpcrdma_ended_note(addr->dev_addr.net, end);
}

/**
 * svc_rdma_ended_conn - note the end of a connection, if its cause is known
 * @conn: connection; its end is noted only once
 *
 * Context: process; no other context may call this for @conn at the same time.
 */
void svc_rdma_ended_conn(struct svc_rdma_conn *conn)
{
	struct rpcrdma_end end = {
		.cause		= READ_ONCE(conn->life.cause),
		.version	= READ_ONCE(conn->ver)->number,
		.id		= conn->life.shown.number,
		.calls		= READ_ONCE(conn->traffic.messages),
	};

	if (!end.cause || conn->life.noted)
		return;
	conn->life.noted = true;
	if (end.id)
		end.lasted = ktime_get_seconds() - conn->life.since;
	svc_rdma_ended_note(conn->cm_id, &end);
}

/**
 * svc_rdma_ended_refused - note that a connect request was refused
 * @cm_id: CM identifier of the new connection
 * @cause: why, encoded by rpcrdma_cause()
 *
 * Context: process.
 */
void svc_rdma_ended_refused(const struct rdma_cm_id *cm_id, u32 cause)
{
	struct rpcrdma_end end = { .cause = cause };

	svc_rdma_ended_note(cm_id, &end);
}
