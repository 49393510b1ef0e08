// SPDX-License-Identifier: GPL-2.0-only
/*
 * The policy by which the sizes of Receives follow the traffic.
 *
 * A WRITE of 8 or 16 KiB takes a fifth fewer instructions if its data is sent
 * inline, because nothing is registered and nothing read by RDMA.
 * But Receives for 16 KiB take four times the memory. So only connections whose
 * traffic gains from them have them. version/prop_change.c does the changes.
 *
 * Operation: while anything is outstanding on a connection of version 2, or its
 * Receives are not of their initial size, watch.c has this check what the
 * traffic has needed. If calls keep being a little too long for the server's
 * Receives, it asks the server for larger ones. Ours grow if the server asks for
 * that (its replies are too long), within receive_buffer_max and
 * receive_buffers_total. If no message has needed the larger size for
 * tuning_interval, or memory is short, they shrink.
 *
 * Why this does not oscillate: growing takes many long messages in a short
 * time, and staying large takes one now and then; our Receives change once per
 * tuning_interval at most, and so often is the server asked; after each request
 * that it rejects, the time until the next one doubles.
 *
 * Ownership: what a connection may use beyond its initial size is set aside
 * before its Receives grow, as if all its slots were in use, and is returned
 * when they have shrunk or the connection ends.
 */

#include <linux/shrinker.h>

#include "../conn.h"
#include "../limits.h"
#include "../stats.h"
#include "../tunables.h"
#include "../xprt.h"
#include "control.h"
#include "../version/version.h"

#include <trace/events/xprtrdma.h>

/* Longest time between two checks, and checks per tuning_interval */
#define CHECK_MAX	((unsigned long)HZ)
#define CHECKS		5U
/* Long calls between two checks for which the server is asked */
#define LONG_CALLS	16U
/* How often the time until the next request doubles */
#define ASK_DOUBLINGS	6U
/* How long nothing grows after memory was short */
#define PRESSURE_HOLD	(30UL * HZ)

/* Bytes that connections may use beyond their initial size */
static atomic_long_t reserved_all;

/* When memory was short; valid if @pressure_seen is set */
static unsigned long pressure_at;
static bool pressure_seen;

static struct shrinker *shrinker;

static unsigned long xprt_rdma_tuning_interval_jiffies(void)
{
	return msecs_to_jiffies(READ_ONCE(xprt_rdma_tuning_interval));
}

static bool xprt_rdma_tuning_pressure(void)
{
	return READ_ONCE(pressure_seen) &&
	       time_before(jiffies, READ_ONCE(pressure_at) + PRESSURE_HOLD);
}

/* Let @conn use @bytes, which it may already do in part. */
static bool xprt_rdma_tuning_reserve(struct xprt_rdma_conn *conn,
				     unsigned long bytes)
{
	long more = bytes - conn->tuning.reserved;

	if (atomic_long_add_return(more, &reserved_all) >
	    (long)READ_ONCE(xprt_rdma_receive_buffers_total) && more > 0) {
		atomic_long_sub(more, &reserved_all);
		return false;
	}
	conn->tuning.reserved = bytes;
	return true;
}

static unsigned long xprt_rdma_tuning_cost(const struct xprt_rdma_conn *conn,
					   u32 size)
{
	return (unsigned long)(size - conn->change.base) * xprt_rdma_recvs_max(&conn->recvs);
}

/**
 * xprt_rdma_tuning_may_grow - decide whether our Receives may grow
 * @conn: connection on which the server asks for that
 * @size: bytes; more than they have
 *
 * Context: completion handler; the caller holds the lock of @conn->change.
 * Return: true if they may.
 */
bool xprt_rdma_tuning_may_grow(struct xprt_rdma_conn *conn, u32 size)
{
	struct xprt_rdma_tuning *tuning = &conn->tuning;

	if (size > READ_ONCE(xprt_rdma_receive_buffer_max) ||
	    time_before(jiffies, tuning->next_change) ||
	    xprt_rdma_tuning_pressure() ||
	    !xprt_rdma_tuning_reserve(conn,
				      xprt_rdma_tuning_cost(conn, size)))
		return false;
	tuning->window = jiffies;
	tuning->next_change = jiffies + xprt_rdma_tuning_interval_jiffies();
	return true;
}

/* The smallest size that messages of @len bytes fit into */
static u32 xprt_rdma_tuning_fit(const struct xprt_rdma_conn *conn, u32 len)
{
	u32 i;

	if (len <= conn->change.base)
		return conn->change.base;
	for (i = 0; i < XPRT_RDMA_TUNING_STEPS - 1; i++)
		if (len <= xprt_rdma_tuning_size(i))
			break;
	return xprt_rdma_tuning_size(i);
}

/* Size that our Receives should shrink to, or 0 */
static u32 xprt_rdma_tuning_smaller(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_tuning *tuning = &conn->tuning;
	unsigned long interval = xprt_rdma_tuning_interval_jiffies();
	u32 size;

	if (xprt_rdma_tuning_pressure())
		return conn->change.base;
	if (time_before(jiffies, tuning->window + interval))
		return 0;
	size = xprt_rdma_tuning_fit(conn, READ_ONCE(tuning->longest));
	tuning->window = jiffies;
	WRITE_ONCE(tuning->longest, 0);
	return time_before(jiffies, tuning->next_change) ? 0 : size;
}

static void xprt_rdma_tuning_check_own(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_prop_change *change = &conn->change;
	unsigned long cost;
	bool stable;
	u32 size;

	spin_lock(&change->lock);
	stable = change->state == XPRT_RDMA_RESIZE_NONE;
	cost = xprt_rdma_tuning_cost(conn, change->told);
	if (stable)
		xprt_rdma_tuning_reserve(conn, cost);
	spin_unlock(&change->lock);
	size = xprt_rdma_tuning_smaller(conn);
	if (!stable || !size || size >= change->told ||
	    !xprt_rdma_prop_change_shrink(conn, size))
		return;
	conn->tuning.next_change =
		jiffies + xprt_rdma_tuning_interval_jiffies();
	trace_xprtrdma_tuning(conn, "shrink", size);
}

/* Size of the server's Receives that recent calls would gain from, or 0 */
static u32 xprt_rdma_tuning_wanted(struct xprt_rdma_tuning *tuning)
{
	u32 i, calls[XPRT_RDMA_TUNING_STEPS], all = 0, size = 0;

	for (i = 0; i < XPRT_RDMA_TUNING_STEPS; i++) {
		calls[i] = READ_ONCE(tuning->long_calls[i]);
		calls[i] -= tuning->seen_calls[i];
		tuning->seen_calls[i] += calls[i];
		all += calls[i];
	}
	if (all < LONG_CALLS)
		return 0;
	for (i = 0; i < XPRT_RDMA_TUNING_STEPS; i++)
		if (calls[i] >= all / 4)
			size = xprt_rdma_tuning_size(i);
	return min(size, READ_ONCE(xprt_rdma_receive_buffer_max));
}

/* Wait longer for the next request if the server has rejected the last one. */
static void xprt_rdma_tuning_back_off(struct xprt_rdma_conn *conn)
{
	unsigned long interval = xprt_rdma_tuning_interval_jiffies();
	struct xprt_rdma_tuning *tuning = &conn->tuning;
	u32 refusals = READ_ONCE(conn->change.refusals);

	if (tuning->refusals != refusals) {
		tuning->refusals = refusals;
		tuning->ask_delay = min(2 * tuning->ask_delay,
					interval << ASK_DOUBLINGS);
		tuning->next_ask = jiffies + tuning->ask_delay;
	} else if (time_after(jiffies, tuning->next_ask + tuning->ask_delay)) {
		tuning->ask_delay = interval;
	}
}

static void xprt_rdma_tuning_check_calls(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_tuning *tuning = &conn->tuning;
	u32 size = xprt_rdma_tuning_wanted(tuning);

	xprt_rdma_tuning_back_off(conn);
	if (size <= xprt_rdma_sizes_send(&conn->sizes) ||
	    time_before(jiffies, tuning->next_ask) ||
	    !xprt_rdma_prop_change_ask(conn, size))
		return;
	tuning->next_ask = jiffies + tuning->ask_delay;
	xprt_rdma_count(tuning_asked);
	trace_xprtrdma_tuning(conn, "ask", size);
}

/**
 * xprt_rdma_tuning_check_interval - time between two checks
 *
 * Context: process.
 * Return: jiffies.
 */
unsigned long xprt_rdma_tuning_check_interval(void)
{
	return clamp(xprt_rdma_tuning_interval_jiffies() / CHECKS, 1UL,
		     CHECK_MAX);
}

/**
 * xprt_rdma_tuning_check - check what the traffic needs
 * @conn: connection of a connected transport
 *
 * Context: process; xprt_rdma_watch_stop() waits for it, so the connection
 * stays.
 */
void xprt_rdma_tuning_check(struct xprt_rdma_conn *conn)
{
	if (!READ_ONCE(conn->change.on))
		return;
	xprt_rdma_tuning_check_own(conn);
	xprt_rdma_tuning_check_calls(conn);
}

/**
 * xprt_rdma_tuning_needed - may our Receives have to shrink?
 * @conn: connection
 *
 * Context: process.
 * Return: false if there is nothing to check while no call is outstanding.
 */
bool xprt_rdma_tuning_needed(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_prop_change *change = &conn->change;
	bool needed;

	spin_lock(&change->lock);
	needed = change->on && (change->told != change->base ||
				change->state != XPRT_RDMA_RESIZE_NONE ||
				conn->tuning.reserved);
	spin_unlock(&change->lock);
	return needed;
}

/**
 * xprt_rdma_tuning_start - start to follow the traffic of a new connection
 * @r_xprt: transport
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_tuning_start(struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_tuning *tuning = &r_xprt->conn->tuning;

	if (!READ_ONCE(r_xprt->conn->change.on))
		return;
	tuning->window = jiffies;
	tuning->next_change = jiffies;
	tuning->next_ask = jiffies;
	tuning->ask_delay = xprt_rdma_tuning_interval_jiffies();
}

/**
 * xprt_rdma_tuning_stop - stop to follow the traffic of a connection
 * @r_xprt: transport
 *
 * Context: process; the caller holds XPRT_LOCKED. No check is running.
 */
void xprt_rdma_tuning_stop(struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_conn *conn = r_xprt->conn;

	spin_lock(&conn->change.lock);
	conn->change.on = false;
	xprt_rdma_tuning_reserve(conn, 0);
	spin_unlock(&conn->change.lock);
}

static unsigned long xprt_rdma_tuning_shrink_count(struct shrinker *s,
						   struct shrink_control *sc)
{
	return atomic_long_read(&reserved_all) / PAGE_SIZE;
}

/* Receives are freed when their connection is checked: later. */
static unsigned long xprt_rdma_tuning_shrink_scan(struct shrinker *s,
						  struct shrink_control *sc)
{
	if (!xprt_rdma_tuning_pressure())
		xprt_rdma_count(tuning_pressure);
	WRITE_ONCE(pressure_at, jiffies);
	WRITE_ONCE(pressure_seen, true);
	return SHRINK_STOP;
}

/**
 * xprt_rdma_tuning_init - be told when memory is short
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int xprt_rdma_tuning_init(void)
{
	shrinker = shrinker_alloc(0, "xprtrdma-receives");
	if (!shrinker)
		return -ENOMEM;
	shrinker->count_objects = xprt_rdma_tuning_shrink_count;
	shrinker->scan_objects = xprt_rdma_tuning_shrink_scan;
	shrinker_register(shrinker);
	return 0;
}

/**
 * xprt_rdma_tuning_exit - undo xprt_rdma_tuning_init()
 *
 * Context: process.
 */
void xprt_rdma_tuning_exit(void)
{
	shrinker_free(shrinker);
}
