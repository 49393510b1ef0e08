// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CM identifiers of connections that have ended, and the port they belong
 * to: the last CM message of a connection waits until the port can send it, and
 * so do new connections (rpcrdma/deferred_id.h).
 *
 * Ownership: nothing of a connection is left but the identifier and the struct,
 * which is freed with it.
 */

#include <linux/slab.h>

#include "xprtrdma.h"

static struct rpcrdma_deferred_ids xprt_rdma_deferred_ids;

/**
 * xprt_rdma_port_active - can CM messages be sent?
 * @id: CM identifier that is bound to a device
 *
 * Context: process.
 * Return: true if the port that @id uses is active.
 */
bool xprt_rdma_port_active(struct rdma_cm_id *id)
{
	return rpcrdma_port_active(id->device, id->port_num);
}

static void xprt_rdma_conn_id_destroyed(struct rpcrdma_deferred_id *deferred)
{
	xprt_rdma_count(deferred_ids_destroyed);
	kfree(container_of(deferred, struct xprt_rdma_conn, deferred_id));
}

/**
 * xprt_rdma_conn_free_deferred - free a connection once its port is active
 * @conn: connection that nobody knows any more, without verbs objects
 *
 * Context: process.
 */
void xprt_rdma_conn_free_deferred(struct xprt_rdma_conn *conn)
{
	conn->deferred_id.done = xprt_rdma_conn_id_destroyed;
	xprt_rdma_count(deferred_ids_created);
	if (!conn->id ||
	    rpcrdma_id_destroy_deferred(&xprt_rdma_deferred_ids,
					&conn->deferred_id, conn->id,
					&conn->device_gone))
		xprt_rdma_conn_id_destroyed(&conn->deferred_id);
}

/**
 * xprt_rdma_deferred_ids_init - be prepared for identifiers that have to wait
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int xprt_rdma_deferred_ids_init(void)
{
	return rpcrdma_deferred_ids_init(&xprt_rdma_deferred_ids,
					 "xprtrdma_deferred_ids");
}

/**
 * xprt_rdma_deferred_ids_exit - destroy the identifiers that still wait
 *
 * Context: process.
 */
void xprt_rdma_deferred_ids_exit(void)
{
	rpcrdma_deferred_ids_exit(&xprt_rdma_deferred_ids);
}
