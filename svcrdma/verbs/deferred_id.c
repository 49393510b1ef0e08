// SPDX-License-Identifier: GPL-2.0-only
/*
 * CM identifiers of connections and connect requests that have ended, to be
 * destroyed when their port can send: rpcrdma/deferred_id.h says why.
 */

#include "verbs.h"

static struct rpcrdma_deferred_ids svc_rdma_deferred_ids;

/**
 * svc_rdma_id_destroy_deferred - destroy a CM identifier when its port can send
 * @deferred: uninitialized; in use until @done is called
 * @id: CM identifier without a Queue Pair; its event handler is replaced
 * @gone: set by the previous event handler if the device is being removed
 * @done: called when @id has been destroyed, possibly before this returns
 *
 * Context: process, but not the event handler of @id.
 */
void svc_rdma_id_destroy_deferred(struct rpcrdma_deferred_id *deferred,
				  struct rdma_cm_id *id, const bool *gone,
				  void (*done)(struct rpcrdma_deferred_id *id))
{
	rpcrdma_id_destroy_deferred(&svc_rdma_deferred_ids, deferred, id, gone,
				    done);
}

/**
 * svc_rdma_deferred_ids_init - initialize the module's deferred identifiers
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int svc_rdma_deferred_ids_init(void)
{
	return rpcrdma_deferred_ids_init(&svc_rdma_deferred_ids);
}

/**
 * svc_rdma_deferred_ids_exit - destroy the identifiers that are still deferred
 *
 * Context: process.
 */
void svc_rdma_deferred_ids_exit(void)
{
	rpcrdma_deferred_ids_exit(&svc_rdma_deferred_ids);
}
