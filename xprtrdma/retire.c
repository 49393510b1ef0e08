// SPDX-License-Identifier: GPL-2.0-only
/*
 * CM identifiers that are no longer needed, and the port they belong to.
 *
 * Destroying an identifier tells the peer. A CM message that is sent while the
 * port is down goes nowhere; with soft-RoCE it even puts an end to the Queue
 * Pair that carries all CM messages of the device. So the last message of a
 * connection waits until the port is up again, and so do new connections.
 *
 * Ownership: an identifier that waits has a context of its own. Nothing of its
 * connection is left but the identifier. The removal of its device, and the
 * module's end, cut the wait short.
 */

#include <linux/delay.h>
#include <linux/slab.h>

#include "xprtrdma.h"

/* How often a port that is down is looked at (milliseconds). */
#define POLL_MS		200

/**
 * struct retired - an identifier that waits for its port
 * @work: waits, and destroys @id
 * @id: CM identifier
 * @gone: its device is being removed
 */
struct retired {
	struct work_struct	work;
	struct rdma_cm_id	*id;
	bool			gone;
};

static struct workqueue_struct *retire_wq;
static bool stopping;

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

static int retired_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct retired *retired = id->context;

	if (event->event == RDMA_CM_EVENT_DEVICE_REMOVAL)
		WRITE_ONCE(retired->gone, true);
	return 0;
}

static void retire_work(struct work_struct *work)
{
	struct retired *retired = container_of(work, struct retired, work);

	while (!READ_ONCE(retired->gone) && !READ_ONCE(stopping) &&
	       !xprt_rdma_port_active(retired->id))
		msleep(POLL_MS);
	rpcrdma_destroy_id(retired->id);
	kfree(retired);
	xprt_rdma_count(retired_destroyed);
}

/**
 * xprt_rdma_id_retire - destroy a CM identifier, now or when its port is up
 * @id: CM identifier without a Queue Pair; its handler does not run any more
 *	when this returns
 *
 * Context: process.
 */
void xprt_rdma_id_retire(struct rdma_cm_id *id)
{
	struct retired *retired = NULL;

	if (id->device && !xprt_rdma_port_active(id))
		retired = kzalloc(sizeof(*retired), XPRT_RDMA_GFP);
	if (!retired) {
		rpcrdma_destroy_id(id);
		return;
	}
	xprt_rdma_count(retired_created);
	INIT_WORK(&retired->work, retire_work);
	retired->id = id;
	rdma_lock_handler(id);
	id->context = retired;
	id->event_handler = retired_event;
	rdma_unlock_handler(id);
	queue_work(retire_wq, &retired->work);
}

/**
 * xprt_rdma_retire_init - be prepared for identifiers that have to wait
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int xprt_rdma_retire_init(void)
{
	retire_wq = alloc_workqueue("xprtrdma_retire", WQ_UNBOUND, 0);
	return retire_wq ? 0 : -ENOMEM;
}

/**
 * xprt_rdma_retire_exit - destroy the identifiers that still wait
 *
 * Context: process.
 */
void xprt_rdma_retire_exit(void)
{
	WRITE_ONCE(stopping, true);
	destroy_workqueue(retire_wq);
}
