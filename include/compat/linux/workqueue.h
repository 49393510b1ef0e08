/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * disable_delayed_work_sync() and disable_work_sync() for kernels whose work items cannot be
 * disabled.
 *
 * Disabling an item replaces its function by one that does nothing, so the item has no effect if it
 * is still queued. The queue_delayed_work() and mod_delayed_work() below check the function and
 * queue the item inside one RCU read-side critical section. After a grace period, callers that saw
 * the old function have queued the item, so it can be cancelled; all others see the new function
 * and do not queue it. Then the memory can be freed, as with the kernel's own functions. Other
 * functions, such as mod_delayed_work_on(), do not check.
 */
#ifndef RPCRDMA_COMPAT_WORKQUEUE_H
#define RPCRDMA_COMPAT_WORKQUEUE_H

#include_next <linux/workqueue.h>
#include <rpcrdma_probes.h>

#if !RPCRDMA_HAVE_DISABLE_DELAYED_WORK_SYNC

#include <linux/rcupdate.h>

/* One instance per module: its address marks a disabled item. */
void rpcrdma_work_disabled(struct work_struct *work);
__weak notrace void rpcrdma_work_disabled(struct work_struct *work)
{
}

static inline bool rpcrdma_work_is_disabled(const struct delayed_work *dwork)
{
	return READ_ONCE(dwork->work.func) == rpcrdma_work_disabled;
}

static inline bool rpcrdma_queue_delayed_work(struct workqueue_struct *wq,
					      struct delayed_work *dwork, unsigned long delay)
{
	bool queued;

	rcu_read_lock();
	queued = !rpcrdma_work_is_disabled(dwork) && queue_delayed_work(wq, dwork, delay);
	rcu_read_unlock();
	return queued;
}

static inline bool rpcrdma_mod_delayed_work(struct workqueue_struct *wq,
					    struct delayed_work *dwork, unsigned long delay)
{
	bool modified;

	rcu_read_lock();
	modified = !rpcrdma_work_is_disabled(dwork) && mod_delayed_work(wq, dwork, delay);
	rcu_read_unlock();
	return modified;
}

/* Context: process; waits for the item and for a grace period. */
static inline bool disable_delayed_work_sync(struct delayed_work *dwork)
{
	WRITE_ONCE(dwork->work.func, rpcrdma_work_disabled);
	synchronize_rcu();
	return cancel_delayed_work_sync(dwork);
}

/* Only cancels the item, which belongs to the RDMA core: the RDMA core might queue it again. */
static inline bool disable_work_sync(struct work_struct *work)
{
	return cancel_work_sync(work);
}

#define queue_delayed_work	rpcrdma_queue_delayed_work
#define mod_delayed_work	rpcrdma_mod_delayed_work

#endif

#endif /* RPCRDMA_COMPAT_WORKQUEUE_H */
