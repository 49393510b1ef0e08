// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion queues of an adapter. Their handlers are called in hard interrupt,
 * as with mlx4 and mlx5, from a timer that expires immediately or late. A queue
 * has room for as many entries as were asked for, and no more.
 */

#include <linux/hrtimer.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <rpcrdma/kunit.h>

#include "adapter.h"

/*
 * @free: entries that no work queue has reserved; @armed: the handler may be
 * called; @next: the driver's next completion; @waits: @next has not been
 * reported yet, because flushed Work Requests come first
 */
struct adapter_cq {
	struct ib_cq	*cq;
	ib_comp_handler	handler;	/* of the user */
	unsigned long	armed;
	struct hrtimer	timer;
	atomic_t	free;
	struct ib_wc	next;
	bool		waits;
};

/* Indexed by the address of a struct ib_cq */
static DEFINE_XARRAY(adapter_cqs);

static struct adapter_cq *adapter_cq_find(const struct ib_cq *cq)
{
	return xa_load(&adapter_cqs, (unsigned long)cq);
}

/*
 * Reserve room for the completions of a work queue. After an error, every Work
 * Request completes, signaled or not.
 */
void adapter_cq_reserve(struct ib_cq *cq, u32 entries)
{
	struct adapter_cq *acq = adapter_cq_find(cq);

	if (acq)
		WARN_ONCE(atomic_sub_return(entries, &acq->free) < 0,
			  "a completion queue can overflow\n");
}

/* Release the room of a work queue that does not complete to @cq any more. */
void adapter_cq_release(struct ib_cq *cq, u32 entries)
{
	struct adapter_cq *acq = adapter_cq_find(cq);

	if (acq)
		atomic_add(entries, &acq->free);
}

static enum hrtimer_restart adapter_cq_expire(struct hrtimer *timer)
{
	struct adapter_cq *acq = container_of(timer, struct adapter_cq, timer);

	acq->handler(acq->cq, acq->cq->cq_context);
	return HRTIMER_NORESTART;
}

/* Context: any. The provider may hold locks, but not when the timer calls the handler. */
static void adapter_cq_event(struct ib_cq *cq, void *context)
{
	struct adapter_cq *acq = adapter_cq_find(cq);
	uint delay_us = READ_ONCE(adapter_delay_us);
	u64 late = 0;

	/*
	 * Delay only some events: without high-resolution timers, each delay
	 * lasts until the next tick.
	 */
	if (delay_us && !get_random_u32_below(16))
		late = (u64)get_random_u32_below(delay_us) * NSEC_PER_USEC;
	clear_bit(0, &acq->armed);
	hrtimer_start(&acq->timer, ns_to_ktime(late), HRTIMER_MODE_REL_HARD);
}

/* Replace the handler here: the user may set it until the queue is armed. */
static int adapter_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	struct adapter_cq *acq = adapter_cq_find(cq);

	if (acq && cq->comp_handler != adapter_cq_event) {
		acq->handler = cq->comp_handler;
		if (adapter_is.hard_irq)
			cq->comp_handler = adapter_cq_event;
	}
	if (acq)
		set_bit(0, &acq->armed);
	return adapter_driver(cq->device)->req_notify_cq(cq, flags);
}

/* Call the handler of a queue to which newly posted Work Requests complete. */
void adapter_cq_posted(struct ib_cq *cq)
{
	struct adapter_cq *acq = adapter_cq_find(cq);

	if (acq && adapter_is.in_post && test_and_clear_bit(0, &acq->armed))
		acq->handler(cq, cq->cq_context);
}

/* Get the next completion. Before an error, executed unsignaled Work Requests may be flushed. */
static int adapter_poll_one(struct adapter_cq *acq, struct ib_wc *wc)
{
	int ret = 1;

	if (!acq->waits)
		ret = adapter_driver(acq->cq->device)->poll_cq(acq->cq, 1, &acq->next);
	if (ret != 1)
		return ret;
	acq->waits = adapter_is.flush_done && adapter_qp_flush(&acq->next, wc);
	if (!acq->waits) {
		*wc = acq->next;
		adapter_qp_completed(wc);
	}
	return 1;
}

static int adapter_poll_cq(struct ib_cq *cq, int n, struct ib_wc *wc)
{
	struct adapter_cq *acq = adapter_cq_find(cq);
	int i;

	for (i = 0; acq && i < n && adapter_poll_one(acq, &wc[i]) == 1; i++)
		adapter_step(cq->device);
	return i;
}

static int adapter_cq_add(struct ib_cq *cq, u32 entries)
{
	struct adapter_cq *acq = kzalloc(sizeof(*acq), GFP_KERNEL);
	int ret;

	if (!acq)
		return -ENOMEM;
	acq->cq = cq;
	atomic_set(&acq->free, entries);
	hrtimer_setup(&acq->timer, adapter_cq_expire, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	ret = xa_err(xa_store(&adapter_cqs, (unsigned long)cq, acq, GFP_KERNEL));
	if (ret)
		kfree(acq);
	return ret;
}

/* The type of @udata depends on the kernel, but it is always NULL for kernel users. */
static int adapter_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr, void *udata)
{
	const struct ib_device_ops *driver = adapter_driver(cq->device);
	int ret = driver->create_cq(cq, attr, udata);

	adapter_step(cq->device);
	if (ret || udata)
		return ret;
	ret = adapter_cq_add(cq, attr->cqe);
	if (ret)
		driver->destroy_cq(cq, NULL);
	return ret;
}

/* After ib_free_cq() cancelled the work item, an interrupt may have queued it again. */
static void adapter_cq_stop(struct adapter_cq *acq)
{
	struct ib_cq *cq = acq->cq;

	hrtimer_cancel(&acq->timer);
	if (cq->poll_ctx == IB_POLL_WORKQUEUE || cq->poll_ctx == IB_POLL_UNBOUND_WORKQUEUE)
		cancel_work_sync(&cq->work);
}

static int adapter_destroy_cq(struct ib_cq *cq, struct ib_udata *udata)
{
	struct adapter_cq *acq = adapter_cq_find(cq);
	int ret;

	if (acq)
		adapter_cq_stop(acq);
	ret = adapter_driver(cq->device)->destroy_cq(cq, udata);
	if (ret || !acq)
		return ret;
	/* No Queue Pair uses @cq, so there was no event meanwhile. */
	WARN_ON_ONCE(hrtimer_cancel(&acq->timer));
	xa_erase(&adapter_cqs, (unsigned long)cq);
	kfree(acq);
	return 0;
}

void adapter_change_cqs(struct ib_device_ops *ops)
{
	ops->create_cq = (void *)adapter_create_cq;
	ops->destroy_cq = adapter_destroy_cq;
	ops->req_notify_cq = adapter_req_notify_cq;
	ops->poll_cq = adapter_poll_cq;
}
