// SPDX-License-Identifier: GPL-2.0-only
/*
 * Policy for the sizes of Receives: when to ask the peer for larger ones, and
 * how much memory ours may use.
 *
 * Operation: a WRITE of 8 or 16 KiB takes a fifth fewer instructions if its
 * data is sent inline. But Receives for 16 KiB need four times the memory, so a
 * connection gets them only after its traffic has shown that it benefits
 * (decisions/15).
 *
 * Each side asks its peer for larger Receives if messages are often slightly
 * too long for the present ones. The peer grants sizes up to receive_buffer_max
 * while all of its connections together stay within a budget. A peer that has
 * not granted a request is not asked again for several intervals.
 *
 * Ownership: a connection is charged for its maximum number of Receives, from
 * before they grow until it ends.
 */

#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/mm.h>

#include "exchange.h"

/* Limits of the tuning interval, in milliseconds */
#define INTERVAL_MIN	10u
#define INTERVAL_MAX	3600000u

static unsigned long rpcrdma_tuning_interval(const struct rpcrdma_exchange *x)
{
	return msecs_to_jiffies(clamp(READ_ONCE(*x->budget->interval),
				      INTERVAL_MIN, INTERVAL_MAX));
}

/**
 * rpcrdma_tuning_charge_locked - charge a connection for its Receives
 * @x: exchange of the connection
 * @size: bytes; present or planned size of a Receive
 *
 * Context: the caller holds @lock of @x.
 * Return: false if a higher charge would exceed the budget.
 */
bool rpcrdma_tuning_charge_locked(struct rpcrdma_exchange *x, u32 size)
{
	/* A buffer of more than one page occupies whole pages. */
	unsigned long charge = size <= x->base ?
				       0 : x->recvs * (PAGE_ALIGN(size) - x->base);
	long more = charge - x->charge, all;

	lockdep_assert_held(&x->lock);
	all = atomic_long_add_return(more, &x->budget->charged);
	if (more > 0 && all > x->budget->total) {
		atomic_long_sub(more, &x->budget->charged);
		return false;
	}
	x->charge = charge;
	return true;
}

/**
 * rpcrdma_tuning_wait_locked - do not ask the peer again for a while
 * @x: exchange of the connection
 * @intervals: number of intervals to wait
 * @now: jiffies
 *
 * Context: the caller holds @lock of @x.
 */
void rpcrdma_tuning_wait_locked(struct rpcrdma_exchange *x, u32 intervals,
				unsigned long now)
{
	x->ask_after = now + intervals * rpcrdma_tuning_interval(x);
}

/**
 * rpcrdma_exchange_long - count a message that used chunks only because of its
 * length
 * @x: exchange of the connection
 * @len: bytes; Receive size with which the message would have needed no chunks
 *
 * Context: any.
 */
void rpcrdma_exchange_long(struct rpcrdma_exchange *x, u32 len)
{
	u32 longs;

	if (len > READ_ONCE(x->ask_max))
		return;
	if (len > READ_ONCE(x->long_max))
		WRITE_ONCE(x->long_max, len);
	longs = READ_ONCE(x->longs) + 1;
	WRITE_ONCE(x->longs, longs);
	if (longs % RPCRDMA_TUNING_LONGS == 0)
		rpcrdma_exchange_kick(x);
}
EXPORT_SYMBOL_GPL(rpcrdma_exchange_long);

/*
 * Returns the size to ask for, or 0. A peer is never asked if it does not
 * support these messages, or has announced that its Receive size will not
 * change.
 */
static u32 rpcrdma_tuning_size_locked(struct rpcrdma_exchange *x)
{
	u32 size = min(roundup(READ_ONCE(x->long_max), RPCRDMA_TUNING_STEP),
		       x->ask_max);

	if (!rpcrdma_exchange_possible(x) ||
	    x->peer->nochange & RPCRDMA_PROPS_RBSIZ)
		WRITE_ONCE(x->ask_max, 0);
	return x->ask_max && !x->wanted && size > x->peer->recv_size ? size : 0;
}

/**
 * rpcrdma_tuning_ask_locked - decide whether to ask the peer for larger Receives
 * @x: exchange of a connection
 * @now: jiffies
 *
 * Long messages are counted per interval, because only frequent ones matter.
 *
 * Context: the caller holds @lock of @x.
 * Return: bytes; the size to ask for, or 0.
 */
u32 rpcrdma_tuning_ask_locked(struct rpcrdma_exchange *x, unsigned long now)
{
	bool recent = time_before(now, x->longs_since +
				       rpcrdma_tuning_interval(x));
	u32 size = 0;

	lockdep_assert_held(&x->lock);
	if (recent && READ_ONCE(x->longs) < RPCRDMA_TUNING_LONGS)
		return 0;
	if (recent && !time_before(now, x->ask_after))
		size = rpcrdma_tuning_size_locked(x);
	if (size)
		rpcrdma_tuning_wait_locked(x, 1, now);
	WRITE_ONCE(x->longs, 0);
	WRITE_ONCE(x->long_max, 0);
	x->longs_since = now;
	return size;
}

/**
 * rpcrdma_exchange_stop - stop the work item, and return a connection's charge
 * @x: exchange of a connection; nothing else may run its steps any more
 *
 * Messages of the peer may still be handled afterwards, but their requests are
 * rejected.
 *
 * Context: process; waits for a step in progress.
 */
void rpcrdma_exchange_stop(struct rpcrdma_exchange *x)
{
	disable_delayed_work_sync(&x->work);
	spin_lock(&x->lock);
	x->failed = true;
	rpcrdma_tuning_charge_locked(x, 0);
	spin_unlock(&x->lock);
}
EXPORT_SYMBOL_GPL(rpcrdma_exchange_stop);
