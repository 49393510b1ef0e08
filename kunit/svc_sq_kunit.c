// SPDX-License-Identifier: GPL-2.0-only
/* Suite: svcrdma's Send Queue accounting: order, bounds, and close. */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/module.h>

#include "../svcrdma/svcrdma.h"

DEFINE_PER_CPU(struct svc_rdma_counters, svc_rdma_counters);

#include "fake_balance.h"
#include "../svcrdma/sq.c"

#define DEPTH		10u
#define MAX_WAITERS	4u

/**
 * struct waiter - somebody in line
 * @wait: what the queue sees
 * @calls: how often it was told
 * @status: what it was told last
 * @order: 1 for the first one that was told
 */
struct waiter {
	struct svc_rdma_sq_wait wait;
	u32 calls;
	int status;
	u32 order;
};

static u32 served;

static void waiter_ready(struct svc_rdma_sq_wait *wait, int status)
{
	struct waiter *w = container_of(wait, struct waiter, wait);

	w->calls++;
	w->status = status;
	w->order = ++served;
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
	return conn;
}

static int queue(struct svc_rdma_conn *conn, struct waiter *w, u32 entries)
{
	memset(w, 0, sizeof(*w));
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
	KUNIT_EXPECT_EQ(test, svc_rdma_sq_take(conn, DEPTH + 1), -E2BIG);
	KUNIT_EXPECT_EQ(test, conn->sq_avail, DEPTH);
	KUNIT_EXPECT_EQ(test, queue(conn, &w, DEPTH), 1);
	KUNIT_EXPECT_EQ(test, w.calls, 0);
}

/* First come, first served: one who wants little does not overtake. */
static void served_in_order(struct kunit *test)
{
	struct svc_rdma_conn *conn = queue_create(test);
	struct waiter w[3];

	/* Arrange: nothing is left; three wait for 6, 1 and 3 entries */
	KUNIT_ASSERT_TRUE(test, svc_rdma_sq_try(conn, DEPTH));
	KUNIT_ASSERT_EQ(test, queue(conn, &w[0], 6), 0);
	KUNIT_ASSERT_EQ(test, queue(conn, &w[1], 1), 0);
	KUNIT_ASSERT_EQ(test, queue(conn, &w[2], 3), 0);
	KUNIT_EXPECT_TRUE(test, svc_rdma_sq_contended(conn));

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
	KUNIT_EXPECT_EQ(test, svc_rdma_sq_take(conn, 1), -ENOTCONN);
	KUNIT_EXPECT_FALSE(test, svc_rdma_sq_try(conn, 1));
	KUNIT_EXPECT_EQ(test, late.calls, 0);
}

static int take_thread(void *data)
{
	struct svc_rdma_conn *conn = data;
	int ret = svc_rdma_sq_take(conn, 4);

	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return ret;
}

/* Waits until somebody stands in line. */
static struct task_struct *sleeper_start(struct kunit *test,
					 struct svc_rdma_conn *conn)
{
	struct task_struct *task;
	u32 i;

	task = kthread_run(take_thread, conn, "sq_take");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	for (i = 0; i < 500 && !svc_rdma_sq_contended(conn); i++)
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_TRUE(test, svc_rdma_sq_contended(conn));
	return task;
}

/* A thread sleeps until its entries are there. */
static void sleeper_served(struct kunit *test)
{
	struct svc_rdma_conn *conn = queue_create(test);
	struct task_struct *task;

	/* Arrange */
	KUNIT_ASSERT_TRUE(test, svc_rdma_sq_try(conn, DEPTH));
	task = sleeper_start(test, conn);

	/* Act */
	svc_rdma_sq_give(conn, 3);
	KUNIT_EXPECT_TRUE(test, svc_rdma_sq_contended(conn));
	svc_rdma_sq_give(conn, 1);

	/* Assert */
	KUNIT_EXPECT_EQ(test, kthread_stop(task), 0);
	KUNIT_EXPECT_EQ(test, conn->sq_avail, 0);
}

/* A thread that sleeps is woken by close. */
static void sleeper_closed(struct kunit *test)
{
	struct svc_rdma_conn *conn = queue_create(test);
	struct task_struct *task;

	/* Arrange */
	KUNIT_ASSERT_TRUE(test, svc_rdma_sq_try(conn, DEPTH));
	task = sleeper_start(test, conn);

	/* Act */
	svc_rdma_sq_close(conn);

	/* Assert */
	KUNIT_EXPECT_EQ(test, kthread_stop(task), -ENOTCONN);
}

static struct kunit_case svc_sq_cases[] = {
	KUNIT_CASE(taken_to_the_last),
	KUNIT_CASE(busy_and_advancing),
	KUNIT_CASE(more_than_the_queue),
	KUNIT_CASE(served_in_order),
	KUNIT_CASE(close_wakes_all),
	KUNIT_CASE(sleeper_served),
	KUNIT_CASE(sleeper_closed),
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
