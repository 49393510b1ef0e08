// SPDX-License-Identifier: GPL-2.0-only
/*
 * CM identifiers of soft-RoCE whose destruction is deferred until their port can
 * send.
 *
 * rdma_destroy_id() sends a CM message (a DREQ or REJ) to the peer. Sending it
 * while the port of a soft-RoCE device is down breaks the Queue Pair that
 * carries all CM messages of the device. So an identifier whose port is down is
 * kept until the port is active again, the device is removed, or the module
 * that deferred it is unloaded. On other devices that message is only lost, so
 * destruction is not deferred there: an identifier pins its network namespace,
 * which might be exiting.
 *
 * Operation: one work item checks all deferred identifiers, every second while
 * there are any. Port and network interface events would report sooner that a
 * port is active, but nothing waits for that. Device removal does wait for its
 * identifiers, so the work item runs immediately when the CM announces a
 * removal.
 *
 * Ownership: a deferred identifier belongs to the list, and its event handler
 * is rpcrdma_deferred_id_cm_event(). The CM reports the removal of a device
 * only once per identifier. So that this event is not missed, the handler is
 * replaced under the handler lock, and the new one takes over the state that
 * the previous one recorded. Only rpcrdma_deferred_ids_check() removes
 * identifiers from the list. Because rdma_destroy_id() sleeps, this function
 * first moves all identifiers to a private list, and puts back those that must
 * wait. Then it queues the work item again, which may have found the list empty
 * meanwhile.
 */

#include <linux/workqueue.h>

#include <rpcrdma/cm.h>
#include <rpcrdma/quirks.h>

#include "../core.h"

/* Held while the identifiers are checked */
static DEFINE_MUTEX(rpcrdma_deferred_ids_mutex);
static DEFINE_SPINLOCK(rpcrdma_deferred_ids_lock);
/* List of struct rpcrdma_deferred_id, protected by rpcrdma_deferred_ids_lock */
static LIST_HEAD(rpcrdma_deferred_ids);

static void rpcrdma_deferred_ids_worker(struct work_struct *work);
static DECLARE_DELAYED_WORK(rpcrdma_deferred_ids_work,
			    rpcrdma_deferred_ids_worker);

static bool rpcrdma_deferred_id_due(const struct rpcrdma_deferred_id *deferred)
{
	return READ_ONCE(deferred->gone) ||
	       !rpcrdma_on_rxe(deferred->id->device) ||
	       rpcrdma_port_active(deferred->id);
}

/**
 * rpcrdma_deferred_ids_check - destroy identifiers that need not wait any
 * longer
 * @owner: NULL, or a module that is being unloaded and defers no more
 *	identifiers: all of its identifiers are destroyed
 *
 * Context: process.
 */
void rpcrdma_deferred_ids_check(const struct module *owner)
{
	struct rpcrdma_deferred_id *deferred, *next;
	LIST_HEAD(ids);

	mutex_lock(&rpcrdma_deferred_ids_mutex);
	spin_lock(&rpcrdma_deferred_ids_lock);
	list_splice_init(&rpcrdma_deferred_ids, &ids);
	spin_unlock(&rpcrdma_deferred_ids_lock);
	list_for_each_entry_safe(deferred, next, &ids, entry) {
		if (!(owner && deferred->owner == owner) &&
		    !rpcrdma_deferred_id_due(deferred))
			continue;
		list_del(&deferred->entry);
		rpcrdma_destroy_id(deferred->id);
		deferred->done(deferred);
	}
	spin_lock(&rpcrdma_deferred_ids_lock);
	list_splice(&ids, &rpcrdma_deferred_ids);
	if (!list_empty(&rpcrdma_deferred_ids))
		queue_delayed_work(system_unbound_wq,
				   &rpcrdma_deferred_ids_work, HZ);
	spin_unlock(&rpcrdma_deferred_ids_lock);
	mutex_unlock(&rpcrdma_deferred_ids_mutex);
}
EXPORT_SYMBOL_GPL(rpcrdma_deferred_ids_check);

static void rpcrdma_deferred_ids_worker(struct work_struct *work)
{
	rpcrdma_deferred_ids_check(NULL);
}

static void rpcrdma_deferred_ids_wake(void)
{
	mod_delayed_work(system_unbound_wq, &rpcrdma_deferred_ids_work, 0);
}

static int rpcrdma_deferred_id_cm_event(struct rdma_cm_id *id,
					struct rdma_cm_event *event)
{
	struct rpcrdma_deferred_id *deferred = id->context;

	if (event->event == RDMA_CM_EVENT_DEVICE_REMOVAL) {
		WRITE_ONCE(deferred->gone, true);
		rpcrdma_deferred_ids_wake();
	}
	return 0;
}

/**
 * rpcrdma_id_destroy_deferred - destroy a CM identifier; on soft-RoCE, once its
 *	port is active
 * @deferred: uninitialized; in use until @done is called
 * @id: CM identifier without a Queue Pair; its event handler is replaced
 * @gone: set by the previous event handler when the device is being removed
 * @done: called when @id has been destroyed, possibly before this function
 *	returns
 * @owner: module that @done belongs to
 *
 * Context: process; not from within the event handler of @id.
 */
void rpcrdma_id_destroy_deferred(struct rpcrdma_deferred_id *deferred,
				 struct rdma_cm_id *id, const bool *gone,
				 void (*done)(struct rpcrdma_deferred_id *id),
				 const struct module *owner)
{
	deferred->owner = owner;
	deferred->id = id;
	deferred->done = done;
	rdma_lock_handler(id);
	deferred->gone = READ_ONCE(*gone);
	id->context = deferred;
	id->event_handler = rpcrdma_deferred_id_cm_event;
	rdma_unlock_handler(id);
	if (!id->device || rpcrdma_deferred_id_due(deferred)) {
		rpcrdma_destroy_id(id);
		done(deferred);
		return;
	}
	spin_lock(&rpcrdma_deferred_ids_lock);
	list_add_tail(&deferred->entry, &rpcrdma_deferred_ids);
	spin_unlock(&rpcrdma_deferred_ids_lock);
	/* An event may have preceded the insertion, so check again. */
	rpcrdma_deferred_ids_wake();
}
EXPORT_SYMBOL_GPL(rpcrdma_id_destroy_deferred);

/**
 * rpcrdma_deferred_ids_exit - stop checking identifiers
 *
 * Context: module exit, when no identifiers are left.
 */
void rpcrdma_deferred_ids_exit(void)
{
	cancel_delayed_work_sync(&rpcrdma_deferred_ids_work);
}
