// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: no more Work Requests are posted than the Send Queue has entries.
 * Callers that find too few free entries wait in FIFO order, and none of them
 * posts after the queue has closed. If this failed, posting would break
 * connections, or a reply would wait forever.
 */
#include <linux/delay.h>

#include "suite.h"
#include "svc_headers.h"

static u32 unthrottled, slept;

#define svc_rdma_conn_unthrottle(conn)	((void)(conn), (void)unthrottled++)
#define fsleep(us)			((void)(us), conn->sq.serving = ++slept < 3)

#include "fake_balance.h"
#include "../svcrdma/verbs/sq.c"

#define DEPTH		10u
#define MAX_WAITERS	4u

/* A caller that waits for entries */
struct waiter {
	struct svc_rdma_sq_wait wait;	/* entry in the queue of waiters */
	u32 calls;	/* number of callbacks */
	u32 order;	/* position among all callbacks, from 1 */
	/* Action of the callback, or NULL */
	void (*act)(struct waiter *w);
};

static u32 served;

static int waiter_ready(struct svc_rdma_sq_wait *wait)
{
	struct waiter *w = container_of(wait, struct waiter, wait);

	w->calls++;
	w->order = ++served;
	if (w->act)
		w->act(w);
	return 0;
}

/* Connection of the current case; each case begins with a new one */
static struct svc_rdma_conn *conn;

static int queue_create(struct kunit *test)
{
	conn = fake_zalloc(test, sizeof(*conn));
	svc_rdma_sq_init(conn);
	conn->sq.depth = DEPTH;
	conn->sq.avail = DEPTH;
	fake_counters_clear();
	served = 0;
	unthrottled = 0;
	slept = 0;
	return 0;
}

static int queue(struct waiter *w, u32 entries)
{
	memset(w, 0, sizeof(*w));
	w->wait.entries = entries;
	w->wait.ready = waiter_ready;
	return svc_rdma_sq_queue(conn, &w->wait);
}

/* Take @entries entries, which must be free. */
static void take(struct kunit *test, u32 entries)
{
	struct waiter w;

	KUNIT_ASSERT_EQ(test, queue(&w, entries), 0);
	KUNIT_ASSERT_EQ(test, w.calls, 1);
	served--;
}

/* svc_rdma_sq_busy() reports entries in use, and whether any were returned. */
static void busy_and_advancing(struct kunit *test)
{
	u32 before, now;

	KUNIT_EXPECT_FALSE(test, svc_rdma_sq_busy(conn, &before));
	take(test, 2);
	KUNIT_EXPECT_TRUE(test, svc_rdma_sq_busy(conn, &now));
	KUNIT_EXPECT_EQ(test, now, before);
	svc_rdma_sq_give(conn, 1);
	take(test, 1);
	KUNIT_EXPECT_TRUE(test, svc_rdma_sq_busy(conn, &now));
	KUNIT_EXPECT_NE(test, now, before);
	svc_rdma_sq_give(conn, 2);
	KUNIT_EXPECT_FALSE(test, svc_rdma_sq_busy(conn, &now));
}

/*
 * A small request does not overtake a large one. The connection is unthrottled
 * whenever a waiter was served.
 */
static void served_in_order(struct kunit *test)
{
	struct waiter w[3];

	/* Arrange: no entries are left; three callers wait for 6, 1 and 3 */
	KUNIT_ASSERT_EQ(test, queue(&w[0], DEPTH), 0);
	KUNIT_EXPECT_EQ(test, w[0].calls, 1);
	KUNIT_EXPECT_FALSE(test, !list_empty(&conn->sq.waiters));
	KUNIT_EXPECT_EQ(test, fake_count(sq_starve), 0);
	served = 0;
	KUNIT_ASSERT_EQ(test, queue(&w[0], 6), 0);
	KUNIT_ASSERT_EQ(test, queue(&w[1], 1), 0);
	KUNIT_ASSERT_EQ(test, queue(&w[2], 3), 0);
	KUNIT_EXPECT_TRUE(test, !list_empty(&conn->sq.waiters));
	KUNIT_EXPECT_EQ(test, fake_count(sq_starve), 3);

	/* Act and assert: too few entries return for the first caller */
	svc_rdma_sq_give(conn, 5);
	KUNIT_EXPECT_EQ(test, served, 0);
	KUNIT_EXPECT_EQ(test, unthrottled, 0);

	/* Act and assert: now enough return for the first and the second */
	svc_rdma_sq_give(conn, 2);
	KUNIT_EXPECT_EQ(test, unthrottled, 1);
	KUNIT_EXPECT_EQ(test, w[0].order, 1);
	KUNIT_EXPECT_EQ(test, w[1].order, 2);
	KUNIT_EXPECT_EQ(test, w[2].calls, 0);

	/* Act and assert: now enough return for the third */
	svc_rdma_sq_give(conn, 3);
	KUNIT_EXPECT_EQ(test, w[2].order, 3);
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->sq.waiters));
	KUNIT_EXPECT_EQ(test, conn->sq.avail, 0);
	svc_rdma_sq_give(conn, 3);
	KUNIT_EXPECT_EQ(test, unthrottled, 2);
}

static struct waiter late;

/* Let another caller arrive while waiters are served. */
static void act_queue(struct waiter *w)
{
	if (!late.wait.ready)
		queue(&late, 1);
}

/* A caller that arrives while waiters are served is served after them. */
static void served_after_those_before(struct kunit *test)
{
	struct waiter w[2];

	/* Arrange: two wait; a third arrives when the first is called back */
	memset(&late, 0, sizeof(late));
	take(test, DEPTH);
	KUNIT_ASSERT_EQ(test, queue(&w[0], 1), 0);
	KUNIT_ASSERT_EQ(test, queue(&w[1], 1), 0);
	w[0].act = act_queue;

	/* Act: return enough entries for all three */
	svc_rdma_sq_give(conn, 5);

	KUNIT_EXPECT_EQ(test, w[0].order, 1);
	KUNIT_EXPECT_EQ(test, w[1].order, 2);
	KUNIT_EXPECT_EQ(test, late.calls, 1);
	KUNIT_EXPECT_EQ(test, late.order, 3);
	KUNIT_EXPECT_EQ(test, conn->sq.avail, 2);
	take(test, 2);
}

static u32 depth, deepest;

/* Return the entries immediately, as if posting had failed. */
static void act_give(struct waiter *w)
{
	deepest = max(deepest, ++depth);
	svc_rdma_sq_give(conn, w->wait.entries);
	depth--;
}

/* Waiters that return their entries immediately do not cause recursion. */
static void served_without_recursion(struct kunit *test)
{
	struct waiter w[MAX_WAITERS];
	u32 i;

	depth = 0;
	deepest = 0;
	take(test, DEPTH);
	for (i = 0; i < MAX_WAITERS; i++) {
		KUNIT_ASSERT_EQ(test, queue(&w[i], DEPTH), 0);
		w[i].act = act_give;
	}
	svc_rdma_sq_give(conn, DEPTH);
	for (i = 0; i < MAX_WAITERS; i++)
		KUNIT_EXPECT_EQ(test, w[i].order, i + 1);
	KUNIT_EXPECT_EQ(test, deepest, 1);
	KUNIT_EXPECT_EQ(test, conn->sq.avail, DEPTH);
}

static void act_close(struct waiter *w)
{
	fake_sq_close(conn);
}

/* If a waiter closes the queue, the others are never called back. */
static void closed_while_served(struct kunit *test)
{
	struct waiter w[3];

	take(test, DEPTH);
	KUNIT_ASSERT_EQ(test, queue(&w[0], 2), 0);
	KUNIT_ASSERT_EQ(test, queue(&w[1], DEPTH), 0);
	KUNIT_ASSERT_EQ(test, queue(&w[2], 1), 0);
	w[0].act = act_close;
	svc_rdma_sq_give(conn, 2);
	svc_rdma_sq_give(conn, DEPTH);
	KUNIT_EXPECT_EQ(test, w[0].calls, 1);
	KUNIT_EXPECT_EQ(test, served, 1);
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->sq.waiters));
	KUNIT_EXPECT_EQ(test, queue(&w[0], 1), -ENOTCONN);
}

static void act_drain(struct waiter *w)
{
	svc_rdma_sq_drain(conn);
}

/* svc_rdma_sq_drain() waits until the callback of a waiter has returned. */
static void drained(struct kunit *test)
{
	struct waiter w;

	take(test, DEPTH);
	KUNIT_ASSERT_EQ(test, queue(&w, 1), 0);
	w.act = act_drain;
	svc_rdma_sq_give(conn, DEPTH);
	KUNIT_EXPECT_EQ(test, slept, 3);
	svc_rdma_sq_drain(conn);
	KUNIT_EXPECT_EQ(test, slept, 3);
}

static struct kunit_case svc_sq_cases[] = {
	KUNIT_CASE(busy_and_advancing),
	KUNIT_CASE(served_in_order),
	KUNIT_CASE(served_after_those_before),
	KUNIT_CASE(served_without_recursion),
	KUNIT_CASE(closed_while_served),
	KUNIT_CASE(drained),
	{}
};

SUITE("svc_rdma_sq", svc_sq_cases, .init = queue_create, .exit = balance_exit);
