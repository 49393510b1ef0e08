// SPDX-License-Identifier: GPL-2.0-only
/*
 * The policy for the sizes of Receives: when to ask the peer for larger ones,
 * and how much ours may take.
 *
 * Operation: a WRITE of 8 or 16 KiB takes a fifth fewer instructions if its
 * data is sent inline. But Receives for 16 KiB take four times the memory. So a
 * connection has them only after its traffic has shown that it benefits
 * (decisions/15).
 *
 * A side asks the peer for larger Receives if its messages are repeatedly a
 * little too long for the present ones. The peer grants sizes up to
 * receive_buffer_max, as long as all its connections together stay within a
 * budget. A peer that has not granted a request is not asked again for several
 * intervals.
 *
 * Ownership: a connection is charged for the largest number of Receives that it
 * may have, from before they grow until it ends.
 */

#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/mm.h>

#include "exchange.h"

/* Limits of the interval, in milliseconds */
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
 * @size: bytes; what they have, or are to have
 *
 * Context: the caller holds the lock.
 * Return: false if that is more than before, and does not fit the budget.
 */
bool rpcrdma_tuning_charge_locked(struct rpcrdma_exchange *x, u32 size)
{
	/* A buffer of several pages is allocated in pages. */
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
 * rpcrdma_tuning_wait_locked - do not ask the peer for a while
 * @x: exchange of the connection
 * @intervals: how long
 * @now: jiffies
 *
 * Context: the caller holds the lock.
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
 * @len: bytes that the peer's Receives would need
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
 * The size to ask for, or 0. A peer that lacks these messages, or announced that
 * nothing changes, is never asked.
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
 * Messages are counted for one interval, because only frequent ones matter.
 *
 * Context: the caller holds the lock.
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
 * rpcrdma_exchange_stop - stop the work item, and return the charge of a
 * connection, for good
 * @x: exchange of a connection that takes no other step any more
 *
 * The peer's messages may still be handled; nothing that they ask for is
 * granted.
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
