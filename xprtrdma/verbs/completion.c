// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion queues, and the workqueue that polls them.
 *
 * The workqueue is unbound. A reply wakes a task of rpciod, and over soft-RoCE
 * it comes from a work item of the device, whose workqueues are also unbound.
 * All of them share one pool of workers, and a worker that still has something
 * to do takes the next work item without a wakeup. The RDMA core's workqueue
 * for completions is bound to processors and has high priority, so each of
 * these steps would wake a worker of another pool.
 *
 * Affinity: a bound workqueue polls on the processor that has handled the
 * device's interrupt. An unbound one begins on a processor that shares a cache
 * with that one, and the scheduler may move the worker.
 * Documentation/tunables.rst has a switch for adapters with carefully placed
 * interrupts.
 *
 * Memory reclaim waits for replies, so the workqueue has a rescuer. Its work
 * items wait for no other workqueue.
 */

#include <linux/workqueue.h>

#include "../conn.h"
#include "../tunables.h"
#include "verbs.h"

static struct workqueue_struct *completion_wq;

/**
 * xprt_rdma_cq_alloc - allocate a connection's completion queue
 * @conn: connection bound to a device
 * @entries: number of its entries
 *
 * Nothing completes before a Queue Pair uses the completion queue. Until then,
 * the workqueue that polls it may be replaced.
 *
 * Context: process.
 * Return: the completion queue, or an ERR_PTR.
 */
struct ib_cq *xprt_rdma_cq_alloc(struct xprt_rdma_conn *conn, u32 entries)
{
	struct ib_cq *cq;

	cq = ib_alloc_cq_any(conn->device, conn, entries, IB_POLL_WORKQUEUE);
	if (!IS_ERR(cq) && READ_ONCE(xprt_rdma_completion_workqueue) ==
			   XPRT_RDMA_COMPLETION_UNBOUND)
		cq->comp_wq = completion_wq;
	return cq;
}

/**
 * xprt_rdma_completion_init - allocate the workqueue for completions
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int xprt_rdma_completion_init(void)
{
	completion_wq = alloc_workqueue("xprtrdma_comp",
					WQ_UNBOUND | WQ_MEM_RECLAIM | WQ_SYSFS,
					0);
	return completion_wq ? 0 : -ENOMEM;
}

/**
 * xprt_rdma_completion_exit - free the workqueue for completions
 *
 * Context: process; there is no completion queue any more.
 */
void xprt_rdma_completion_exit(void)
{
	destroy_workqueue(completion_wq);
}
