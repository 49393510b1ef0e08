// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CM identifiers of connections that have ended, and the port they belong
 * to: the last CM message of a connection waits until the port can send it, and
 * so do new connections (rpcrdma/retire.h).
 *
 * Ownership: nothing of a connection is left but the identifier and the struct,
 * which is freed with it.
 */

#include <linux/slab.h>

#include "xprtrdma.h"

static struct rpcrdma_retire_list xprt_rdma_retired;

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

static void xprt_rdma_retired_done(struct rpcrdma_retired *retired)
{
	xprt_rdma_count(retired_destroyed);
	kfree(container_of(retired, struct xprt_rdma_conn, retired));
}

/**
 * xprt_rdma_conn_retire - free a connection, now or when its port is active
 * @conn: connection that nobody knows any more, without verbs objects
 *
 * Context: process.
 */
void xprt_rdma_conn_retire(struct xprt_rdma_conn *conn)
{
	conn->retired.done = xprt_rdma_retired_done;
	xprt_rdma_count(retired_created);
	if (!conn->id || rpcrdma_retire(&xprt_rdma_retired, &conn->retired,
					conn->id, &conn->device_gone))
		xprt_rdma_retired_done(&conn->retired);
}

/**
 * xprt_rdma_retire_init - be prepared for identifiers that have to wait
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int xprt_rdma_retire_init(void)
{
	return rpcrdma_retire_list_init(&xprt_rdma_retired, "xprtrdma_retire");
}

/**
 * xprt_rdma_retire_exit - destroy the identifiers that still wait
 *
 * Context: process.
 */
void xprt_rdma_retire_exit(void)
{
	rpcrdma_retire_list_exit(&xprt_rdma_retired);
}
