/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CM identifiers that are no longer needed and wait for their port, for both
 * sides.
 *
 * Destroying an identifier sends a CM message to the peer. A message that is
 * sent while the port is down goes nowhere; with soft-RoCE it even puts an end
 * to the Queue Pair that carries all CM messages of the device. So an identifier
 * whose port is down is kept until the port is active, the device is removed,
 * or the module is unloaded.
 *
 * Operation: each module has one list of identifiers and one work item, which
 * looks at all of them. It is queued by port events: those of each identifier's
 * device, and those of network interfaces, which a port also depends on.
 *
 * Ownership: once deferred, an identifier has a handler that only notes the
 * removal of its device. That event is delivered once, and whether the previous
 * handler has seen it is read with the handler locked: it is not missed. The
 * work item takes the list for itself while it looks at the identifiers; only
 * it removes them from the list.
 *
 * Included by one file of each module, besides those that need the structs.
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
 * struct rpcrdma_deferred_ids - the identifiers of a module that wait
 * @wq: runs @work only
 * @work: looks at those that wait
 * @netdev: events of network interfaces
 * @lock: protects @ids
 * @ids: struct rpcrdma_deferred_id
 * @stopping: the module is being unloaded; wait no longer
 */
struct rpcrdma_deferred_ids {
	struct workqueue_struct	*wq;
	struct work_struct	work;
	struct notifier_block	netdev;
	spinlock_t		lock;
	struct list_head	ids;
	bool			stopping;
};

/**
 * struct rpcrdma_deferred_id - an identifier that waits for its port
 * @entry: in @list
 * @list: of the module
 * @id: CM identifier
 * @events: events of its device
 * @gone: its device is being removed
 * @done: called when @id has been destroyed; may free this
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
	queue_work(list->wq, &list->work);
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
 * @list: list of the module
 * @deferred: what stands for @id if it has to wait; @done is set by the caller
 * @id: CM identifier without a Queue Pair; its own handler does not run any
 *	more when this returns
 * @gone: set by that handler when the device is being removed
 *
 * Context: process; not from within the handler of @id.
 * Return: true if @id is destroyed, false if it waits; then the @done of
 * @deferred is called later, maybe before this returns.
 */
static inline bool
rpcrdma_id_destroy_deferred(struct rpcrdma_deferred_ids *list,
			    struct rpcrdma_deferred_id *deferred,
			    struct rdma_cm_id *id, const bool *gone)
{
	deferred->list = list;
	deferred->id = id;
	rdma_lock_handler(id);
	deferred->gone = READ_ONCE(*gone);
	id->context = deferred;
	id->event_handler = rpcrdma_deferred_id_cm_event;
	rdma_unlock_handler(id);
	if (!id->device || rpcrdma_deferred_id_due(deferred)) {
		rpcrdma_destroy_id(id);
		return true;
	}
	/* An event between the look above and this is covered by the next one. */
	INIT_IB_EVENT_HANDLER(&deferred->events, id->device,
			      rpcrdma_deferred_id_port_event);
	ib_register_event_handler(&deferred->events);
	spin_lock(&list->lock);
	list_add_tail(&deferred->entry, &list->ids);
	spin_unlock(&list->lock);
	rpcrdma_deferred_ids_check(list);
	return false;
}

/**
 * rpcrdma_deferred_ids_init - be prepared for identifiers that have to wait
 * @list: list of the module
 * @name: of the workqueue
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
static inline int rpcrdma_deferred_ids_init(struct rpcrdma_deferred_ids *list,
					    const char *name)
{
	int rc;

	INIT_WORK(&list->work, rpcrdma_deferred_ids_work);
	spin_lock_init(&list->lock);
	INIT_LIST_HEAD(&list->ids);
	list->stopping = false;
	list->wq = alloc_workqueue("%s", WQ_UNBOUND, 0, name);
	if (!list->wq)
		return -ENOMEM;
	list->netdev.notifier_call = rpcrdma_deferred_ids_netdev_event;
	rc = register_netdevice_notifier(&list->netdev);
	if (rc)
		destroy_workqueue(list->wq);
	return rc;
}

/**
 * rpcrdma_deferred_ids_exit - destroy the identifiers that still wait
 * @list: list of the module; nothing is added any more
 *
 * Context: process.
 */
static inline void rpcrdma_deferred_ids_exit(struct rpcrdma_deferred_ids *list)
{
	unregister_netdevice_notifier(&list->netdev);
	WRITE_ONCE(list->stopping, true);
	rpcrdma_deferred_ids_check(list);
	/* Nobody is left who could queue it once this has run. */
	flush_workqueue(list->wq);
	destroy_workqueue(list->wq);
}

#endif /* _RPCRDMA_DEFERRED_ID_H */
