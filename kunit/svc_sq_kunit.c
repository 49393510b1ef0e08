// SPDX-License-Identifier: GPL-2.0-only
/* Suite: svcrdma's Send Queue accounting: order, bounds, and close. */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/module.h>

#include "svc_headers.h"

DEFINE_PER_CPU(struct svc_rdma_counters, svc_rdma_counters);

static u32 unthrottled;

#define svc_rdma_conn_unthrottle(conn)	((void)(conn), (void)unthrottled++)

#include "fake_balance.h"
#include "../svcrdma/verbs/sq.c"

#define DEPTH		10u
#define MAX_WAITERS	4u

/**
 * struct waiter - somebody in line
 * @wait: what the queue sees
 * @conn: whose queue that is
 * @calls: how often it was told
 * @status: what it was told last
 * @order: 1 for the first one that was told
 * @act: what it does when it is told, or NULL
 */
struct waiter {
	struct svc_rdma_sq_wait wait;
	struct svc_rdma_conn *conn;
	u32 calls;
	int status;
	u32 order;
	void (*act)(struct waiter *w);
};

static u32 served;

static void waiter_ready(struct svc_rdma_sq_wait *wait, int status)
{
	struct waiter *w = container_of(wait, struct waiter, wait);

	w->calls++;
	w->status = status;
	w->order = ++served;
	if (w->act)
		w->act(w);
}

static u64 starved(void)
{
	return this_cpu_read(svc_rdma_counters.value[SVC_RDMA_STAT_sq_starve]);
}

static struct svc_rdma_conn *queue_create(struct kunit *test)
{
	struct svc_rdma_conn *conn;

	conn = kunit_kzalloc(test, sizeof(*conn), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, conn);
	spin_lock_init(&conn->sq_lock);
	INIT_LIST_HEAD(&conn->sq_waiters);
	svc_rdma_sq_init(conn, DEPTH);
	served = 0;
	unthrottled = 0;
	return conn;
}

static int queue(struct svc_rdma_conn *conn, struct waiter *w, u32 entries)
{
	memset(w, 0, sizeof(*w));
	w->conn = conn;
	w->wait.entries = entries;
	w->wait.ready = waiter_ready;
	return svc_rdma_sq_queue(conn, &w->wait);
}

/* All entries can be taken, and not one more. */
static void taken_to_the_last(struct kunit *test)
{
	struct svc_rdma_conn *conn = queue_create(test);

	KUNIT_EXPECT_TRUE(test, svc_rdma_sq_try(conn, DEPTH - 1));
	KUNIT_EXPECT_FALSE(test, svc_rdma_sq_try(conn, 2));
	KUNIT_EXPECT_TRUE(test, svc_rdma_sq_try(conn, 1));
	KUNIT_EXPECT_FALSE(test, svc_rdma_sq_try(conn, 1));
	svc_rdma_sq_give(conn, DEPTH);
	KUNIT_EXPECT_EQ(test, conn->sq_avail, DEPTH);
}

/* Whether anything is in use, and that something has been returned since */
static void busy_and_advancing(struct kunit *test)
{
	struct svc_rdma_conn *conn = queue_create(test);
	u32 before, now;

	KUNIT_EXPECT_FALSE(test, svc_rdma_sq_busy(conn, &before));
	svc_rdma_sq_try(conn, 2);
	KUNIT_EXPECT_TRUE(test, svc_rdma_sq_busy(conn, &now));
	KUNIT_EXPECT_EQ(test, now, before);
	svc_rdma_sq_give(conn, 1);
	svc_rdma_sq_try(conn, 1);
	KUNIT_EXPECT_TRUE(test, svc_rdma_sq_busy(conn, &now));
	KUNIT_EXPECT_NE(test, now, before);
	svc_rdma_sq_give(conn, 2);
	KUNIT_EXPECT_FALSE(test, svc_rdma_sq_busy(conn, &now));
}

/* More than there will ever be is an error, not an endless wait. */
static void more_than_the_queue(struct kunit *test)
{
	struct svc_rdma_conn *conn = queue_create(test);
	struct waiter w;

	KUNIT_EXPECT_EQ(test, queue(conn, &w, DEPTH + 1), -E2BIG);
	KUNIT_EXPECT_EQ(test, queue(conn, &w, 0xffffffff), -E2BIG);
	KUNIT_EXPECT_EQ(test, conn->sq_avail, DEPTH);
	KUNIT_EXPECT_EQ(test, queue(conn, &w, DEPTH), 1);
	KUNIT_EXPECT_EQ(test, w.calls, 0);
}

/* First come, first served: one who wants little does not overtake. */
static void served_in_order(struct kunit *test)
{
	struct svc_rdma_conn *conn = queue_create(test);
	u64 before = starved();
	struct waiter w[3];

	/* Arrange: nothing is left; three wait for 6, 1 and 3 entries */
	KUNIT_ASSERT_EQ(test, queue(conn, &w[0], DEPTH), 1);
	KUNIT_EXPECT_FALSE(test, svc_rdma_sq_contended(conn));
	KUNIT_EXPECT_EQ(test, starved() - before, 0);
	KUNIT_ASSERT_EQ(test, queue(conn, &w[0], 6), 0);
	KUNIT_ASSERT_EQ(test, queue(conn, &w[1], 1), 0);
	KUNIT_ASSERT_EQ(test, queue(conn, &w[2], 3), 0);
	KUNIT_EXPECT_TRUE(test, svc_rdma_sq_contended(conn));
	KUNIT_EXPECT_EQ(test, starved() - before, 3);

	/* Act and assert: enough for the second and third, not the first */
	svc_rdma_sq_give(conn, 5);
	KUNIT_EXPECT_EQ(test, served, 0);
	KUNIT_EXPECT_FALSE(test, svc_rdma_sq_try(conn, 1));

	/* Act and assert: now for the first and the second */
	svc_rdma_sq_give(conn, 2);
	KUNIT_EXPECT_EQ(test, w[0].order, 1);
	KUNIT_EXPECT_EQ(test, w[1].order, 2);
	KUNIT_EXPECT_EQ(test, w[2].calls, 0);

	/* Act and assert: now for the third */
	svc_rdma_sq_give(conn, 3);
	KUNIT_EXPECT_EQ(test, w[2].order, 3);
	KUNIT_EXPECT_EQ(test, w[2].status, 0);
	KUNIT_EXPECT_FALSE(test, svc_rdma_sq_contended(conn));
	KUNIT_EXPECT_EQ(test, conn->sq_avail, 0);
}

/* Close tells everybody, once, and nobody waits after it. */
static void close_wakes_all(struct kunit *test)
{
	struct svc_rdma_conn *conn = queue_create(test);
	struct waiter w[MAX_WAITERS], late;
	u32 i;

	/* Arrange */
	KUNIT_ASSERT_TRUE(test, svc_rdma_sq_try(conn, DEPTH));
	for (i = 0; i < MAX_WAITERS; i++)
		KUNIT_ASSERT_EQ(test, queue(conn, &w[i], i + 1), 0);

	/* Act */
	svc_rdma_sq_close(conn);
	svc_rdma_sq_close(conn);
	svc_rdma_sq_give(conn, DEPTH);

	/* Assert */
	for (i = 0; i < MAX_WAITERS; i++) {
		KUNIT_EXPECT_EQ(test, w[i].calls, 1);
		KUNIT_EXPECT_EQ(test, w[i].status, -ENOTCONN);
		KUNIT_EXPECT_EQ(test, w[i].order, i + 1);
	}
	KUNIT_EXPECT_EQ(test, queue(conn, &late, 1), -ENOTCONN);
	KUNIT_EXPECT_FALSE(test, svc_rdma_sq_try(conn, 1));
	KUNIT_EXPECT_EQ(test, late.calls, 0);
}

/* A connection that takes no calls meanwhile is resumed, whoever waited. */
static void throttled_no_more(struct kunit *test)
{
	struct svc_rdma_conn *conn = queue_create(test);
	struct waiter w;

	KUNIT_ASSERT_TRUE(test, svc_rdma_sq_try(conn, DEPTH));
	KUNIT_ASSERT_EQ(test, queue(conn, &w, 4), 0);
	svc_rdma_sq_give(conn, 3);
	KUNIT_EXPECT_EQ(test, unthrottled, 0);
	svc_rdma_sq_give(conn, 1);
	KUNIT_EXPECT_EQ(test, unthrottled, 1);
	svc_rdma_sq_give(conn, 1);
	KUNIT_EXPECT_EQ(test, unthrottled, 1);
}

static struct waiter late;

/* Somebody comes while others are served, and there are entries enough. */
static void act_queue(struct waiter *w)
{
	if (!late.conn && queue(w->conn, &late, 1))
		late.status = 1;
}

/* Nobody overtakes those being served, nor is forgotten behind them. */
static void served_after_those_before(struct kunit *test)
{
	struct svc_rdma_conn *conn = queue_create(test);
	struct waiter w[2];

	/* Arrange: two wait; another comes when the first one is told */
	memset(&late, 0, sizeof(late));
	KUNIT_ASSERT_TRUE(test, svc_rdma_sq_try(conn, DEPTH));
	KUNIT_ASSERT_EQ(test, queue(conn, &w[0], 1), 0);
	KUNIT_ASSERT_EQ(test, queue(conn, &w[1], 1), 0);
	w[0].act = act_queue;

	/* Act: there are entries for all of them */
	svc_rdma_sq_give(conn, 5);

	/* Assert */
	KUNIT_EXPECT_EQ(test, w[0].order, 1);
	KUNIT_EXPECT_EQ(test, w[1].order, 2);
	KUNIT_EXPECT_EQ(test, late.calls, 1);
	KUNIT_EXPECT_EQ(test, late.order, 3);
	KUNIT_EXPECT_EQ(test, late.status, 0);
	KUNIT_EXPECT_EQ(test, conn->sq_avail, 2);
	KUNIT_EXPECT_TRUE(test, svc_rdma_sq_try(conn, 2));
}

static u32 depth, deepest;

/* What was posted has failed at once: its entries come back. */
static void act_give(struct waiter *w)
{
	deepest = max(deepest, ++depth);
	svc_rdma_sq_give(w->conn, w->wait.entries);
	depth--;
}

/* However many fail one after the other, none does so on top of another. */
static void served_without_recursion(struct kunit *test)
{
	struct svc_rdma_conn *conn = queue_create(test);
	struct waiter w[MAX_WAITERS];
	u32 i;

	depth = 0;
	deepest = 0;
	KUNIT_ASSERT_TRUE(test, svc_rdma_sq_try(conn, DEPTH));
	for (i = 0; i < MAX_WAITERS; i++) {
		KUNIT_ASSERT_EQ(test, queue(conn, &w[i], DEPTH), 0);
		w[i].act = act_give;
	}
	svc_rdma_sq_give(conn, DEPTH);
	for (i = 0; i < MAX_WAITERS; i++)
		KUNIT_EXPECT_EQ(test, w[i].order, i + 1);
	KUNIT_EXPECT_EQ(test, deepest, 1);
	KUNIT_EXPECT_EQ(test, conn->sq_avail, DEPTH);
}

static void act_close(struct waiter *w)
{
	svc_rdma_sq_close(w->conn);
}

/* What was posted has failed: the others are told, and once. */
static void closed_while_served(struct kunit *test)
{
	struct svc_rdma_conn *conn = queue_create(test);
	struct waiter w[3];

	KUNIT_ASSERT_TRUE(test, svc_rdma_sq_try(conn, DEPTH));
	KUNIT_ASSERT_EQ(test, queue(conn, &w[0], 2), 0);
	KUNIT_ASSERT_EQ(test, queue(conn, &w[1], DEPTH), 0);
	KUNIT_ASSERT_EQ(test, queue(conn, &w[2], 1), 0);
	w[0].act = act_close;
	svc_rdma_sq_give(conn, 2);
	KUNIT_EXPECT_EQ(test, w[0].status, 0);
	KUNIT_EXPECT_EQ(test, w[1].status, -ENOTCONN);
	KUNIT_EXPECT_EQ(test, w[2].status, -ENOTCONN);
	KUNIT_EXPECT_EQ(test, served, 3);
	KUNIT_EXPECT_EQ(test, queue(conn, &w[0], 1), -ENOTCONN);
}

static struct completion told, go_on;

/* Takes its time. */
static void act_wait(struct waiter *w)
{
	complete(&told);
	wait_for_completion(&go_on);
}

static int close_thread(void *data)
{
	svc_rdma_sq_close(data);
	return 0;
}

static int give_thread(void *data)
{
	svc_rdma_sq_give(data, DEPTH);
	return 0;
}

static int drain_thread(void *data)
{
	svc_rdma_sq_drain(data);
	complete(&told);
	return 0;
}

static void thread_run(struct kunit *test, int (*run)(void *data), void *data)
{
	struct task_struct *task = kthread_run(run, data, "sq_kunit");

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
}

/*
 * A connection is not released while somebody is told that it is closed, or that
 * there are entries.
 */
static void drained_when_told(struct kunit *test, int (*tell)(void *data))
{
	struct svc_rdma_conn *conn = queue_create(test);
	struct waiter w;

	/* Arrange: one is being told */
	init_completion(&told);
	init_completion(&go_on);
	KUNIT_ASSERT_TRUE(test, svc_rdma_sq_try(conn, DEPTH));
	KUNIT_ASSERT_EQ(test, queue(conn, &w, 1), 0);
	w.act = act_wait;
	thread_run(test, tell, conn);
	KUNIT_ASSERT_NE(test, wait_for_completion_timeout(&told, 10 * HZ), 0);

	/* Act and assert: nobody gets past it */
	thread_run(test, drain_thread, conn);
	KUNIT_EXPECT_EQ(test, wait_for_completion_timeout(&told, HZ / 5), 0);
	complete(&go_on);
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&told, 10 * HZ), 0);
	svc_rdma_sq_drain(conn);
}

static void drained_when_closed(struct kunit *test)
{
	drained_when_told(test, close_thread);
}

static void drained_when_given(struct kunit *test)
{
	drained_when_told(test, give_thread);
}

static struct kunit_case svc_sq_cases[] = {
	KUNIT_CASE(taken_to_the_last),
	KUNIT_CASE(busy_and_advancing),
	KUNIT_CASE(more_than_the_queue),
	KUNIT_CASE(served_in_order),
	KUNIT_CASE(close_wakes_all),
	KUNIT_CASE(throttled_no_more),
	KUNIT_CASE(served_after_those_before),
	KUNIT_CASE(served_without_recursion),
	KUNIT_CASE(closed_while_served),
	KUNIT_CASE(drained_when_closed),
	KUNIT_CASE(drained_when_given),
	{}
};

static struct kunit_suite svc_sq_suite = {
	.name = "svc_rdma_sq",
	.exit = balance_exit,
	.test_cases = svc_sq_cases,
};

kunit_test_suite(svc_sq_suite);

MODULE_DESCRIPTION("KUnit suite of svcrdma's Send Queue accounting");
MODULE_LICENSE("GPL");
