// SPDX-License-Identifier: GPL-2.0-only
/*
 * CM identifiers whose destruction is deferred until their port can send.
 *
 * rdma_destroy_id() sends a CM message (a DREQ or REJ) to the peer. While the
 * port is down that message is lost, and on soft-RoCE sending it breaks the
 * Queue Pair that carries all CM messages of the device. So an identifier whose
 * port is down is kept until the port is active again, the device is removed,
 * or the module of its connection is unloaded.
 *
 * Operation: one work item checks all deferred identifiers. Three kinds of
 * events queue it, and each is needed: the device reports that a port has
 * become active; a network interface comes up or regains its carrier, which can
 * be later (rpcrdma_port_active()); and the CM announces that a device is being
 * removed, which must not wait for identifiers that are waiting for its port.
 * No thread sleeps meanwhile, and nothing is polled.
 *
 * Ownership: a deferred identifier belongs to the list, and its event handler
 * is rpcrdma_deferred_id_cm_event(). The CM reports the removal of a device
 * once per identifier. Handlers are exchanged under the handler lock, together
 * with the state that the previous one has recorded, so that the event is not
 * missed. Only rpcrdma_deferred_ids_check() removes identifiers from the list.
 * As rdma_destroy_id() sleeps, it first moves them to a list of its own; those
 * that must wait go back.
 */

#include <linux/netdevice.h>
#include <linux/workqueue.h>

#include <rpcrdma/deferred_id.h>

#include "../core.h"

/* Held while the identifiers are checked */
static DEFINE_MUTEX(rpcrdma_deferred_ids_mutex);
static DEFINE_SPINLOCK(rpcrdma_deferred_ids_lock);
/* List of struct rpcrdma_deferred_id, protected by the spin lock */
static LIST_HEAD(rpcrdma_deferred_ids);

static bool rpcrdma_deferred_id_due(const struct rpcrdma_deferred_id *deferred)
{
	return READ_ONCE(deferred->gone) ||
	       rpcrdma_port_active(deferred->id->device,
				   deferred->id->port_num);
}

/**
 * rpcrdma_deferred_ids_check - destroy identifiers that need not wait any more
 * @owner: module that is being unloaded, and defers no more of them: all of its
 *	identifiers are destroyed; or NULL
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
		ib_unregister_event_handler(&deferred->events);
		rpcrdma_destroy_id(deferred->id);
		deferred->done(deferred);
	}
	spin_lock(&rpcrdma_deferred_ids_lock);
	list_splice(&ids, &rpcrdma_deferred_ids);
	spin_unlock(&rpcrdma_deferred_ids_lock);
	mutex_unlock(&rpcrdma_deferred_ids_mutex);
}
EXPORT_SYMBOL_GPL(rpcrdma_deferred_ids_check);

static void rpcrdma_deferred_ids_worker(struct work_struct *work)
{
	rpcrdma_deferred_ids_check(NULL);
}

static DECLARE_WORK(rpcrdma_deferred_ids_work, rpcrdma_deferred_ids_worker);

static void rpcrdma_deferred_ids_wake(void)
{
	queue_work(system_unbound_wq, &rpcrdma_deferred_ids_work);
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

static void rpcrdma_deferred_id_port_event(struct ib_event_handler *handler,
					   struct ib_event *event)
{
	if (event->event == IB_EVENT_PORT_ACTIVE)
		rpcrdma_deferred_ids_wake();
}

static int rpcrdma_deferred_ids_netdev_event(struct notifier_block *nb,
					     unsigned long event, void *info)
{
	if (event == NETDEV_UP || event == NETDEV_CHANGE)
		rpcrdma_deferred_ids_wake();
	return NOTIFY_DONE;
}

static struct notifier_block rpcrdma_deferred_ids_netdev = {
	.notifier_call = rpcrdma_deferred_ids_netdev_event,
};

/**
 * rpcrdma_id_destroy_deferred - destroy a CM identifier once its port is active
 * @deferred: uninitialized; in use until @done is called
 * @id: CM identifier without a Queue Pair; its event handler is replaced
 * @gone: set by the previous event handler when the device is being removed
 * @done: called when @id has been destroyed, maybe before this returns
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
	INIT_IB_EVENT_HANDLER(&deferred->events, id->device,
			      rpcrdma_deferred_id_port_event);
	ib_register_event_handler(&deferred->events);
	spin_lock(&rpcrdma_deferred_ids_lock);
	list_add_tail(&deferred->entry, &rpcrdma_deferred_ids);
	spin_unlock(&rpcrdma_deferred_ids_lock);
	/*
	 * Check again: an event may have preceded the insertion into the list.
	 */
	rpcrdma_deferred_ids_wake();
}
EXPORT_SYMBOL_GPL(rpcrdma_id_destroy_deferred);

/**
 * rpcrdma_deferred_ids_init - begin to watch network interfaces
 *
 * Context: module initialization.
 * Return: 0 or a negative errno.
 */
int rpcrdma_deferred_ids_init(void)
{
	return register_netdevice_notifier(&rpcrdma_deferred_ids_netdev);
}

/**
 * rpcrdma_deferred_ids_exit - undo rpcrdma_deferred_ids_init()
 *
 * Context: module exit: there are no identifiers any more.
 */
void rpcrdma_deferred_ids_exit(void)
{
	unregister_netdevice_notifier(&rpcrdma_deferred_ids_netdev);
	/* No handler is left, but one may have queued the work as it ran. */
	cancel_work_sync(&rpcrdma_deferred_ids_work);
}
