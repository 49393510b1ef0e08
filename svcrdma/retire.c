// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CM identifiers of connections and connect requests that have ended: the
 * last CM message waits until the port can send it (rpcrdma/retire.h).
 */

#include "svcrdma.h"

static struct rpcrdma_retire_list svc_rdma_retired;

/**
 * svc_rdma_id_retire - destroy a CM identifier, now or when its port is active
 * @retired: what stands for @id meanwhile
 * @id: CM identifier without a Queue Pair; its own handler does not run any
 *	more when this returns
 * @gone: set by that handler when the device is being removed
 * @done: called when @id has been destroyed, maybe before this returns
 *
 * Context: process; not from within the handler of @id.
 */
void svc_rdma_id_retire(struct rpcrdma_retired *retired, struct rdma_cm_id *id,
			const bool *gone,
			void (*done)(struct rpcrdma_retired *retired))
{
	retired->done = done;
	if (rpcrdma_retire(&svc_rdma_retired, retired, id, gone))
		done(retired);
}

/**
 * svc_rdma_retire_init - be prepared for identifiers that have to wait
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int svc_rdma_retire_init(void)
{
	return rpcrdma_retire_list_init(&svc_rdma_retired, "svcrdma_retire");
}

/**
 * svc_rdma_retire_exit - destroy the identifiers that still wait
 *
 * Context: process.
 */
void svc_rdma_retire_exit(void)
{
	rpcrdma_retire_list_exit(&svc_rdma_retired);
}
