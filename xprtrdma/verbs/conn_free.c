// SPDX-License-Identifier: GPL-2.0-only
/*
 * Free the last parts of a connection, the CM identifier and the struct. Both
 * are freed together, possibly later (core/verbs/deferred_id.c).
 */

#include <linux/module.h>
#include <linux/slab.h>

#include <rpcrdma/cm.h>

#include "../conn.h"
#include "../stats.h"
#include "verbs.h"

static void xprt_rdma_conn_id_destroyed(struct rpcrdma_deferred_id *deferred)
{
	xprt_rdma_count_add(deferred_ids_now, -1);
	kfree(container_of(deferred, struct xprt_rdma_conn, deferred_id));
}

/**
 * xprt_rdma_conn_free_deferred - free a connection once its port is active
 * @conn: connection without verbs objects, to which nothing else refers
 *
 * Destroying an identifier that has sent no connect request sends no message,
 * so it need not wait. Attempts to connect while the port is down therefore
 * leave nothing behind: a transport has one deferred identifier for each time
 * that the port goes down.
 *
 * Context: process.
 */
void xprt_rdma_conn_free_deferred(struct xprt_rdma_conn *conn)
{
	xprt_rdma_count(deferred_ids_now);
	if (conn->life.requested) {
		rpcrdma_id_destroy_deferred(&conn->deferred_id, conn->id,
					    &conn->life.device_gone,
					    xprt_rdma_conn_id_destroyed,
					    THIS_MODULE);
		return;
	}
	if (conn->id)
		rpcrdma_destroy_id(conn->id);
	xprt_rdma_conn_id_destroyed(&conn->deferred_id);
}
