// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a server connection takes no calls while too many of its replies are
 * outstanding, and resumes when enough have completed. If this failed, a slow
 * client could use up the server's memory, or wait forever.
 */
#include "suite.h"
#include "svc_headers.h"

/* Called at memory barriers of the code, as if on another processor */
static void (*fake_race)(struct svc_rdma_conn *conn);
static u32 fake_enqueued;	/* number of times the transport was enqueued */

static void fake_barrier(struct svc_rdma_conn *conn)
{
	if (fake_race)
		fake_race(conn);
}

#undef smp_mb
#define smp_mb()			fake_barrier(conn) /* orders nothing */
/* 64 GiB */
#define totalram_pages()		(64ul << (30 - PAGE_SHIFT))
#define svc_rdma_conn_enqueue(conn)	((void)(conn), (void)fake_enqueued++)

#include "../svcrdma/verbs/throttle.c"

#define GRANT_MAX	16u

/* Connection of the current case; each case begins with a new one */
static struct svc_rdma_conn *conn;

static int connection(struct kunit *test)
{
	conn = fake_zalloc(test, sizeof(*conn));
	fake_counters_clear();
	fake_race = NULL;
	fake_enqueued = 0;
	INIT_LIST_HEAD(&conn->sq.waiters);
	conn->credits.max = GRANT_MAX;
	return 0;
}

/* Outstanding replies, and whether the connection takes calls */
static const struct outstanding {
	const char *name;
	u32 busy, pages;
	bool waiter;	/* a Send waits for the Send Queue */
	int taken;
} outstandings[] = {
	{ "fewer replies", GRANT_MAX + SVC_RDMA_UNSIGNALED - 1, .taken = 1 },
	{ "more replies than credits", GRANT_MAX + SVC_RDMA_UNSIGNALED },
	{ "less memory", 0, SVC_RDMA_REPLY_PAGES - 1, .taken = 1 },
	{ "memory of replies", 0, SVC_RDMA_REPLY_PAGES },
	{ "Send Queue", .waiter = true },
};

KUNIT_ARRAY_PARAM_DESC(outstanding, outstandings, name);

/* A throttled transport is enqueued once when all replies have completed. */
static void throttled(struct kunit *test)
{
	const struct outstanding *o = test->param_value;
	struct list_head waiter;

	atomic_set(&conn->sends.busy, o->busy);
	atomic_set(&conn->sends.pages, o->pages);
	if (o->waiter)
		list_add(&waiter, &conn->sq.waiters);
	KUNIT_EXPECT_EQ(test, svc_rdma_conn_has_wspace(&conn->xprt), o->taken);
	KUNIT_EXPECT_EQ(test, fake_count(throttled), !o->taken);
	svc_rdma_conn_unthrottle(conn);
	KUNIT_EXPECT_EQ(test, fake_enqueued, 0);

	INIT_LIST_HEAD(&conn->sq.waiters);
	atomic_set(&conn->sends.busy, 0);
	atomic_set(&conn->sends.pages, 0);
	svc_rdma_conn_unthrottle(conn);
	svc_rdma_conn_unthrottle(conn);
	KUNIT_EXPECT_EQ(test, fake_enqueued, !o->taken);
	KUNIT_EXPECT_EQ(test, svc_rdma_conn_has_wspace(&conn->xprt), 1);
}

static void race_sent(struct svc_rdma_conn *conn)
{
	atomic_dec(&conn->sends.busy);
}

static void race_throttled(struct svc_rdma_conn *conn)
{
	conn->sends.throttled = true;
}

/* A call is not left waiting if replies complete during the decision. */
static void throttled_or_sent(struct kunit *test)
{
	/* Act and assert: a reply completes before the second check */
	atomic_set(&conn->sends.busy, GRANT_MAX + SVC_RDMA_UNSIGNALED);
	fake_race = race_sent;
	KUNIT_EXPECT_EQ(test, svc_rdma_conn_has_wspace(&conn->xprt), 1);
	KUNIT_EXPECT_TRUE(test, conn->sends.throttled);

	/* Act and assert: the connection is throttled during the completion */
	conn->sends.throttled = false;
	fake_race = race_throttled;
	svc_rdma_conn_unthrottle(conn);
	KUNIT_EXPECT_EQ(test, fake_enqueued, 1);
	KUNIT_EXPECT_FALSE(test, conn->sends.throttled);
}

/* Many connections whose clients take no replies cannot use up the memory. */
static void throttled_with_others(struct kunit *test)
{
	static const struct { int conns; unsigned long pages; } cases[] = {
		{ 0, SVC_RDMA_REPLY_PAGES }, { 800, SVC_RDMA_REPLY_PAGES },
		{ 1600, 1310 }, { 100000, SVC_RDMA_REPLY_PAGES_LEAST },
		{ 0, SVC_RDMA_REPLY_PAGES },
	};
	int conns = 0;

	for_each_case(c, cases) {
		svc_rdma_replies_share(c->conns - conns);
		conns = c->conns;
		atomic_set(&conn->sends.pages, c->pages - 1);
		KUNIT_EXPECT_EQ(test, svc_rdma_conn_has_wspace(&conn->xprt), 1);
		atomic_inc(&conn->sends.pages);
		KUNIT_EXPECT_EQ(test, svc_rdma_conn_has_wspace(&conn->xprt), 0);
	}
}

static struct kunit_case svc_throttle_cases[] = {
	KUNIT_CASE_PARAM(throttled, outstanding_gen_params),
	KUNIT_CASE(throttled_or_sent),
	KUNIT_CASE(throttled_with_others),
	{}
};

SUITE("svc_rdma_throttle", svc_throttle_cases, .init = connection);
