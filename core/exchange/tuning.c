// SPDX-License-Identifier: GPL-2.0-only
/*
 * The policy for the sizes of Receives: which requests of the peer are granted,
 * when to ask it for larger Receives, and when ours shrink.
 *
 * Operation: a WRITE of 8 or 16 KiB takes a fifth fewer instructions if its
 * data is sent inline. But Receives for 16 KiB take four times the memory, used
 * or not. So a connection has them only while its traffic benefits
 * (decisions/15).
 *
 * A side asks the peer for larger Receives if its messages are repeatedly a
 * little too long for the present ones. The peer grants sizes up to
 * receive_buffer_max, as long as all its connections together stay within a
 * budget. Receives return to their first size if no message was longer than
 * that for a whole tuning_interval, or memory is short.
 *
 * Why this does not oscillate: growing takes many long messages in one
 * interval, and staying large takes one. After a change, nothing grows for an
 * interval; and a peer that has not granted a request is not asked again for
 * several intervals. A connection without larger Receives has no timer.
 *
 * Ownership: a connection is charged for the largest number of Receives that it
 * may have, from before they grow until they have their first size again, or it
 * ends.
 */

#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/shrinker.h>

#include "exchange.h"

/* Limits of the interval, in milliseconds */
#define INTERVAL_MIN	10u
#define INTERVAL_MAX	3600000u
/* How long nothing grows after memory was short */
#define PRESSURE	(10UL * HZ)
/* Longest time between two checks of a connection with larger Receives */
#define LOOK		((unsigned long)HZ)
/* How long a peer may take to answer */
#define ANSWER_WITHIN	(10UL * HZ)

static unsigned long rpcrdma_tuning_interval(const struct rpcrdma_exchange *x)
{
	return msecs_to_jiffies(clamp(READ_ONCE(*x->budget->interval),
				      INTERVAL_MIN, INTERVAL_MAX));
}

static bool rpcrdma_tuning_pressed(const struct rpcrdma_exchange *x,
				   unsigned long now)
{
	return time_before(now, READ_ONCE(x->budget->pressed_until));
}

/* A buffer of several pages is allocated in pages. */
static unsigned long rpcrdma_tuning_cost(const struct rpcrdma_exchange *x,
					 u32 size)
{
	return size <= x->base ? 0 : x->recvs * (PAGE_ALIGN(size) - x->base);
}

/* Only a higher charge has to fit the budget. */
static bool rpcrdma_tuning_charge(struct rpcrdma_exchange *x,
				  unsigned long charge)
{
	long more = charge - x->charge, all;

	all = atomic_long_add_return(more, &x->budget->charged);
	if (more > 0 && all > x->budget->total) {
		atomic_long_sub(more, &x->budget->charged);
		return false;
	}
	x->charge = charge;
	return true;
}

/**
 * rpcrdma_tuning_may_grow_locked - decide whether our Receives may grow
 * @x: exchange of a connection whose peer asks for that
 * @size: bytes; more than they have
 * @now: jiffies
 *
 * Context: the caller holds the lock.
 * Return: true if they may; then the connection is charged for them.
 */
bool rpcrdma_tuning_may_grow_locked(struct rpcrdma_exchange *x, u32 size,
				    unsigned long now)
{
	lockdep_assert_held(&x->lock);
	if (size > rpcrdma_budget_max(x->budget) ||
	    time_before(now, x->since + rpcrdma_tuning_interval(x)) ||
	    rpcrdma_tuning_pressed(x, now) ||
	    !rpcrdma_tuning_charge(x, rpcrdma_tuning_cost(x, size)))
		return false;
	WRITE_ONCE(x->longest, size);
	x->look_after = now + rpcrdma_tuning_interval(x);
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
		x->ops->kick(x);
}
EXPORT_SYMBOL_GPL(rpcrdma_exchange_long);

/*
 * Do not ask a peer that lacks these messages, or announced that nothing
 * changes.
 */
static void rpcrdma_tuning_ask_locked(struct rpcrdma_exchange *x,
				      unsigned long now)
{
	u32 size = min(roundup(READ_ONCE(x->long_max), RPCRDMA_TUNING_STEP),
		       x->ask_max);

	if (!rpcrdma_exchange_possible(x) ||
	    x->peer->nochange & RPCRDMA_PROPS_RBSIZ)
		WRITE_ONCE(x->ask_max, 0);
	if (!x->ask_max || size <= x->peer->recv_size || x->ask || x->wanted)
		return;
	x->ask = size;
	rpcrdma_tuning_wait_locked(x, 1, now);
	rpcrdma_exchange_count(x, tuning_asked);
}

/* Messages are counted for one interval, because only frequent ones matter. */
static void rpcrdma_tuning_look_at_longs_locked(struct rpcrdma_exchange *x,
						unsigned long now)
{
	bool recent = time_before(now, x->longs_since +
				       rpcrdma_tuning_interval(x));

	if (recent && READ_ONCE(x->longs) < RPCRDMA_TUNING_LONGS)
		return;
	if (recent && !time_before(now, x->ask_after))
		rpcrdma_tuning_ask_locked(x, now);
	WRITE_ONCE(x->longs, 0);
	WRITE_ONCE(x->long_max, 0);
	x->longs_since = now;
}

static void rpcrdma_tuning_shrink_locked(struct rpcrdma_exchange *x,
					 unsigned long now)
{
	if (x->state != RPCRDMA_EXCHANGE_STEADY || x->own.recv_size <= x->base ||
	    !rpcrdma_exchange_possible(x))
		return;
	x->size = x->base;
	x->ops->plan(x, x->size);
	rpcrdma_exchange_enter_locked(x, RPCRDMA_EXCHANGE_SETTLING, now);
}

/**
 * rpcrdma_tuning_check_locked - adapt to the traffic
 * @x: exchange of a connection
 * @now: jiffies
 *
 * Receives that have shrunk again, or did not grow, are not charged.
 *
 * Context: the caller holds the lock.
 * Return: jiffies after which to check again; RPCRDMA_EXCHANGE_NEVER: only
 * after many messages were too long.
 */
unsigned long rpcrdma_tuning_check_locked(struct rpcrdma_exchange *x,
					  unsigned long now)
{
	unsigned long interval = rpcrdma_tuning_interval(x);
	bool pressed = rpcrdma_tuning_pressed(x, now), used;

	lockdep_assert_held(&x->lock);
	rpcrdma_tuning_look_at_longs_locked(x, now);
	if (x->charge && x->state == RPCRDMA_EXCHANGE_STEADY)
		rpcrdma_tuning_charge(x, rpcrdma_tuning_cost(x, x->posted));
	if (!x->charge)
		return RPCRDMA_EXCHANGE_NEVER;
	if (pressed || !time_before(now, x->look_after)) {
		used = READ_ONCE(x->longest) > x->base;
		x->look_after = now + interval;
		WRITE_ONCE(x->longest, 0);
		if (pressed || !used)
			rpcrdma_tuning_shrink_locked(x, now);
	}
	return min(interval, LOOK);
}

/**
 * rpcrdma_exchange_stuck - check whether larger Receives can shrink again
 * @x: exchange of a connection
 * @now: jiffies
 *
 * Context: any.
 * Return: true if our Receives are larger than at first, and the peer has not
 * confirmed a size for too long, or has refused to.
 */
bool rpcrdma_exchange_stuck(const struct rpcrdma_exchange *x, unsigned long now)
{
	return x->charge && (x->failed || x->unanswered) &&
	       time_after(now, x->asked_at + ANSWER_WITHIN);
}
EXPORT_SYMBOL_GPL(rpcrdma_exchange_stuck);

/**
 * rpcrdma_exchange_stop - return the charge of a connection, for good
 * @x: exchange of a connection that takes no step any more
 *
 * The peer's messages may still be handled; nothing that they ask for is
 * granted.
 *
 * Context: process.
 */
void rpcrdma_exchange_stop(struct rpcrdma_exchange *x)
{
	spin_lock(&x->lock);
	x->failed = true;
	rpcrdma_tuning_charge(x, 0);
	spin_unlock(&x->lock);
}
EXPORT_SYMBOL_GPL(rpcrdma_exchange_stop);

static unsigned long rpcrdma_budget_count(struct shrinker *shrinker,
					  struct shrink_control *sc)
{
	struct rpcrdma_budget *budget = rpcrdma_shrinker_data(shrinker);

	return atomic_long_read(&budget->charged) >> PAGE_SHIFT;
}

/* Receives are freed later, when their connection is checked. */
static unsigned long rpcrdma_budget_scan(struct shrinker *shrinker,
					 struct shrink_control *sc)
{
	struct rpcrdma_budget *budget = rpcrdma_shrinker_data(shrinker);

	WRITE_ONCE(budget->pressed_until, jiffies + PRESSURE);
	return SHRINK_STOP;
}

/**
 * rpcrdma_budget_init - create the budget of a side's connections
 * @budget: budget, with its tunables
 * @name: name of the shrinker
 *
 * Context: module initialization.
 * Return: 0 or -ENOMEM.
 */
int rpcrdma_budget_init(struct rpcrdma_budget *budget, const char *name)
{
	budget->pressed_until = jiffies;
	budget->shrinker = shrinker_alloc(0, name);
	if (!budget->shrinker)
		return -ENOMEM;
	rpcrdma_shrinker_data(budget->shrinker) = budget;
	budget->shrinker->count_objects = rpcrdma_budget_count;
	budget->shrinker->scan_objects = rpcrdma_budget_scan;
	shrinker_register(budget->shrinker);
	return 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_budget_init);

/**
 * rpcrdma_budget_exit - undo rpcrdma_budget_init()
 * @budget: budget of a side without connections
 *
 * Context: module exit.
 */
void rpcrdma_budget_exit(struct rpcrdma_budget *budget)
{
	shrinker_free(budget->shrinker);
	WARN_ON_ONCE(atomic_long_read(&budget->charged));
}
EXPORT_SYMBOL_GPL(rpcrdma_budget_exit);
