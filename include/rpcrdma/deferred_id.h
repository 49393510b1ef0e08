/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CM identifiers whose destruction is deferred until their port can send; for
 * both sides.
 *
 * rdma_destroy_id() sends a CM message (a DREQ or REJ) to the peer. While the
 * port is down that message is lost, and on soft-RoCE sending it breaks the
 * Queue Pair that carries all CM messages of the device. So an identifier whose
 * port is down is kept until the port is active again, the device is removed,
 * or the module is unloaded.
 *
 * Operation: each module has one list of deferred identifiers and one work item
 * that checks them all. Three kinds of events queue the work, and each is
 * needed: the device reports that a port has become active; a network interface
 * comes up or regains its carrier, which can be later (rpcrdma_port_active());
 * and the CM announces that a device is being removed, which must not wait for
 * identifiers that are waiting for its port. No thread sleeps meanwhile, and
 * nothing is polled.
 *
 * Ownership: a deferred identifier belongs to this list, and its event handler
 * is rpcrdma_deferred_id_cm_event(). The CM reports the removal of a device
 * once per identifier. Handlers are exchanged under the handler lock, together
 * with what the previous one has seen, so that the event is not missed. Only
 * the work item removes identifiers from the list. As rdma_destroy_id() sleeps,
 * it first moves them to a list of its own; those that must wait go back.
 *
 * Everything is inline because the two modules share no other code that calls
 * the verbs: the codec, which both use, must not depend on ib_core. Only
 * deferred_id.c of each module calls these functions.
 */
#ifndef _RPCRDMA_DEFERRED_ID_H
#define _RPCRDMA_DEFERRED_ID_H

#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include <rpcrdma/cm.h>

/**
 * struct rpcrdma_deferred_ids - deferred identifiers of a module
 * @work: destroys those that need not wait any more
 * @netdev: notifier of network interfaces
 * @lock: protects @ids
 * @ids: list of struct rpcrdma_deferred_id
 * @stopping: the module is being unloaded: destroy them all
 */
struct rpcrdma_deferred_ids {
	struct work_struct	work;
	struct notifier_block	netdev;
	spinlock_t		lock;
	struct list_head	ids;
	bool			stopping;
};

/**
 * struct rpcrdma_deferred_id - an identifier that waits for its port
 * @entry: entry in the list of @list
 * @list: deferred identifiers of the module
 * @id: CM identifier
 * @events: handler of events of the device
 * @gone: the device is being removed
 * @done: called when @id has been destroyed; may free this struct
 */
struct rpcrdma_deferred_id {
	struct list_head		entry;
	struct rpcrdma_deferred_ids	*list;
	struct rdma_cm_id		*id;
	struct ib_event_handler		events;
	bool				gone;
	void (*done)(struct rpcrdma_deferred_id *deferred);
};

static inline void rpcrdma_deferred_ids_check(struct rpcrdma_deferred_ids *list)
{
	queue_work(system_unbound_wq, &list->work);
}

static inline int rpcrdma_deferred_id_cm_event(struct rdma_cm_id *id,
					       struct rdma_cm_event *event)
{
	struct rpcrdma_deferred_id *deferred = id->context;

	if (event->event == RDMA_CM_EVENT_DEVICE_REMOVAL) {
		WRITE_ONCE(deferred->gone, true);
		rpcrdma_deferred_ids_check(deferred->list);
	}
	return 0;
}

static inline void
rpcrdma_deferred_id_port_event(struct ib_event_handler *handler,
			       struct ib_event *event)
{
	struct rpcrdma_deferred_id *deferred =
		container_of(handler, struct rpcrdma_deferred_id, events);

	if (event->event == IB_EVENT_PORT_ACTIVE)
		rpcrdma_deferred_ids_check(deferred->list);
}

static inline int rpcrdma_deferred_ids_netdev_event(struct notifier_block *nb,
						    unsigned long event,
						    void *info)
{
	struct rpcrdma_deferred_ids *list =
		container_of(nb, struct rpcrdma_deferred_ids, netdev);

	if (event == NETDEV_UP || event == NETDEV_CHANGE)
		rpcrdma_deferred_ids_check(list);
	return NOTIFY_DONE;
}

static inline bool
rpcrdma_deferred_id_due(const struct rpcrdma_deferred_id *deferred)
{
	return READ_ONCE(deferred->gone) ||
	       READ_ONCE(deferred->list->stopping) ||
	       rpcrdma_port_active(deferred->id->device,
				   deferred->id->port_num);
}

static inline void rpcrdma_deferred_ids_work(struct work_struct *work)
{
	struct rpcrdma_deferred_ids *list =
		container_of(work, struct rpcrdma_deferred_ids, work);
	struct rpcrdma_deferred_id *deferred, *next;
	LIST_HEAD(ids);

	spin_lock(&list->lock);
	list_splice_init(&list->ids, &ids);
	spin_unlock(&list->lock);
	list_for_each_entry_safe(deferred, next, &ids, entry) {
		if (!rpcrdma_deferred_id_due(deferred))
			continue;
		list_del(&deferred->entry);
		ib_unregister_event_handler(&deferred->events);
		rpcrdma_destroy_id(deferred->id);
		deferred->done(deferred);
	}
	spin_lock(&list->lock);
	list_splice(&ids, &list->ids);
	spin_unlock(&list->lock);
}

/**
 * rpcrdma_id_destroy_deferred - destroy a CM identifier once its port is active
 * @list: deferred identifiers of the module
 * @deferred: uninitialized; in use until @done is called
 * @id: CM identifier without a Queue Pair; its event handler is replaced
 * @gone: set by the previous event handler when the device is being removed
 * @done: called when @id has been destroyed, maybe before this returns
 *
 * Context: process; not from within the event handler of @id.
 */
static inline void
rpcrdma_id_destroy_deferred(struct rpcrdma_deferred_ids *list,
			    struct rpcrdma_deferred_id *deferred,
			    struct rdma_cm_id *id, const bool *gone,
			    void (*done)(struct rpcrdma_deferred_id *id))
{
	deferred->list = list;
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
	spin_lock(&list->lock);
	list_add_tail(&deferred->entry, &list->ids);
	spin_unlock(&list->lock);
	/* Check again: an event may have come before it was in the list. */
	rpcrdma_deferred_ids_check(list);
}

/**
 * rpcrdma_deferred_ids_init - initialize a module's deferred identifiers
 * @list: deferred identifiers of the module
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
static inline int rpcrdma_deferred_ids_init(struct rpcrdma_deferred_ids *list)
{
	INIT_WORK(&list->work, rpcrdma_deferred_ids_work);
	spin_lock_init(&list->lock);
	INIT_LIST_HEAD(&list->ids);
	list->stopping = false;
	list->netdev.notifier_call = rpcrdma_deferred_ids_netdev_event;
	return register_netdevice_notifier(&list->netdev);
}

/**
 * rpcrdma_deferred_ids_exit - destroy the identifiers that are still deferred
 * @list: deferred identifiers of the module; none is added any more
 *
 * Context: process.
 */
static inline void rpcrdma_deferred_ids_exit(struct rpcrdma_deferred_ids *list)
{
	unregister_netdevice_notifier(&list->netdev);
	WRITE_ONCE(list->stopping, true);
	rpcrdma_deferred_ids_check(list);
	flush_work(&list->work);
	/* No handler is left, but one may have queued the work as it ran. */
	cancel_work_sync(&list->work);
}

#endif /* _RPCRDMA_DEFERRED_ID_H */
