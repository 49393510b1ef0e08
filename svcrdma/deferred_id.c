// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CM identifiers of connections and connect requests that have ended: the
 * last CM message waits until the port can send it (rpcrdma/deferred_id.h).
 */

#include "svcrdma.h"

static struct rpcrdma_deferred_ids svc_rdma_deferred_ids;

/**
 * svc_rdma_id_destroy_deferred - destroy a CM identifier once its port is active
 * @deferred: what stands for @id meanwhile
 * @id: CM identifier without a Queue Pair; its own handler does not run any
 *	more when this returns
 * @gone: set by that handler when the device is being removed
 * @done: called when @id has been destroyed, maybe before this returns
 *
 * Context: process; not from within the handler of @id.
 */
void svc_rdma_id_destroy_deferred(struct rpcrdma_deferred_id *deferred,
				  struct rdma_cm_id *id, const bool *gone,
				  void (*done)(struct rpcrdma_deferred_id *))
{
	deferred->done = done;
	if (rpcrdma_id_destroy_deferred(&svc_rdma_deferred_ids, deferred, id,
					gone))
		done(deferred);
}

/**
 * svc_rdma_deferred_ids_init - be prepared for identifiers that have to wait
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int svc_rdma_deferred_ids_init(void)
{
	return rpcrdma_deferred_ids_init(&svc_rdma_deferred_ids,
					 "svcrdma_deferred_ids");
}

/**
 * svc_rdma_deferred_ids_exit - destroy the identifiers that still wait
 *
 * Context: process.
 */
void svc_rdma_deferred_ids_exit(void)
{
	rpcrdma_deferred_ids_exit(&svc_rdma_deferred_ids);
}
