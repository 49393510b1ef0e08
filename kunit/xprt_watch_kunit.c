// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the periodic checks of a connection run while something is outstanding,
 * and only then. Otherwise, thousands of idle mounts would keep a processor
 * busy; or a server that has vanished, or a stall, would not be noticed.
 */
#include <linux/module.h>

#include "xprt_fakes.h"
#include "fake_balance.h"

/**
 * struct watched - time, and what happens to the work item
 * @now: jiffies
 * @queued: the work item is queued
 * @delay: jiffies until it runs
 * @runs: number of times that it has run
 * @stalls: number of checks for progress
 * @probes: number of checks whether the server is there
 * @begins: number of times that these checks began anew
 * @pinned: a request is pinned although its reply has arrived
 */
static struct watched {
	unsigned long now;
	bool queued;
	unsigned long delay;
	u32 runs;
	u32 stalls;
	u32 probes;
	u32 begins;
	bool pinned;
} watched;

#undef jiffies
#define jiffies				watched.now
#undef queue_delayed_work
#undef cancel_delayed_work_sync
#define queue_delayed_work(wq, work, after) \
	((void)(wq), (void)(work), watched.queued = true, \
	 (void)(watched.delay = (after)))
#define cancel_delayed_work_sync(work) \
	((void)(work), (void)(watched.queued = false))
#define xprtiod_workqueue		NULL
#define xprt_rdma_stall_begin(r_xprt)	((void)(r_xprt), (void)watched.begins++)
#define xprt_rdma_stall_check(r_xprt)	((void)(r_xprt), (void)watched.stalls++)
#define xprt_rdma_stall_any_pinned_locked(r_xprt) \
	((void)(r_xprt), watched.pinned)
#define xprt_rdma_probe_begin(r_xprt)	((void)(r_xprt))
#define xprt_rdma_probe_check(conn)	((void)(conn), (void)watched.probes++)
#define xprt_rdma_probe_interval(conn)	((void)(conn), 2UL * HZ)

#include "../xprtrdma/control/watch.c"

/* Let @time jiffies pass. */
static void passes(struct xprt_rdma *r_xprt, unsigned long time)
{
	unsigned long end = watched.now + time;

	while (watched.queued && watched.now + watched.delay <= end) {
		watched.now += watched.delay;
		watched.queued = false;
		watched.runs++;
		xprt_rdma_watch_work(&r_xprt->watch.work.work);
	}
	watched.now = end;
}

/* A new connection that has been idle for a minute */
static struct xprt_rdma *transport(struct kunit *test)
{
	struct xprt_rdma *r_xprt = fake_r_xprt(test);

	memset(&watched, 0, sizeof(watched));
	watched.now = INITIAL_JIFFIES;
	r_xprt->conn->life.state = XPRT_RDMA_CONNECTED;
	r_xprt->xprt.cong = 0;
	r_xprt->xprt.cwnd = RPC_CWNDSCALE;
	xprt_rdma_watch_start(r_xprt);
	passes(r_xprt, 60 * HZ);
	KUNIT_ASSERT_FALSE(test, watched.queued);
	return r_xprt;
}

/* A call is sent. */
static void call(struct xprt_rdma *r_xprt)
{
	r_xprt->xprt.cong += RPC_CWNDSCALE;
	xprt_rdma_watch(r_xprt);
}

/* Nothing runs while nothing is outstanding, from the second check on. */
static void idle_not_checked(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);

	KUNIT_EXPECT_EQ(test, watched.runs, 1);
	call(r_xprt);
	r_xprt->xprt.cong = 0;
	passes(r_xprt, 3600 * HZ);
	KUNIT_EXPECT_EQ(test, watched.runs, 2);
	KUNIT_EXPECT_FALSE(test, watched.queued);
}

/* While a call is outstanding, each check is made in its interval. */
static void checked_during_call(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);
	struct watched before = watched;

	call(r_xprt);
	KUNIT_EXPECT_TRUE(test, watched.queued);
	KUNIT_EXPECT_EQ(test, watched.begins, before.begins + 1);
	passes(r_xprt, 60 * HZ);
	KUNIT_EXPECT_EQ(test, watched.stalls - before.stalls, 4);
	KUNIT_EXPECT_EQ(test, watched.probes - before.probes, 30);
	KUNIT_EXPECT_LE(test, watched.runs - before.runs, 34);

	/* Act and assert: further calls change nothing about that */
	call(r_xprt);
	KUNIT_EXPECT_EQ(test, watched.begins, before.begins + 1);
}

/* Things other than calls for which checks go on, and what ends them */
static void checked_for_other_reasons(struct kunit *test)
{
	struct xprt_rdma *r_xprt;
	u32 i;

	for (i = 0; i < 2; i++) {
		r_xprt = transport(test);
		call(r_xprt);
		r_xprt->xprt.cong = 0;
		if (i == 0)
			watched.pinned = true;
		else
			r_xprt->xprt.cwnd = 0;
		passes(r_xprt, 60 * HZ);
		KUNIT_EXPECT_TRUE(test, watched.queued);
		KUNIT_EXPECT_GE(test, watched.stalls, 4);

		watched.pinned = false;
		r_xprt->xprt.cwnd = RPC_CWNDSCALE;
		passes(r_xprt, 2 * HZ);
		KUNIT_EXPECT_FALSE(test, watched.queued);
	}
}

/* A connection that is lost is not checked any more; nor is one that ends. */
static void ends_with_connection(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);

	/* Act and assert: lost */
	call(r_xprt);
	r_xprt->conn->life.state = XPRT_RDMA_FAILED;
	passes(r_xprt, 2 * HZ);
	KUNIT_EXPECT_FALSE(test, watched.queued);

	/* Act and assert: ended; a completion handler comes late */
	r_xprt = transport(test);
	call(r_xprt);
	xprt_rdma_watch_stop(r_xprt);
	KUNIT_EXPECT_FALSE(test, watched.queued);
	xprt_rdma_watch(r_xprt);
	KUNIT_EXPECT_FALSE(test, watched.queued);

	/* Act and assert: it ends while the work item runs */
	r_xprt = transport(test);
	call(r_xprt);
	r_xprt->watch.on = false;
	passes(r_xprt, 2 * HZ);
	KUNIT_EXPECT_FALSE(test, watched.queued);

	/* Act and assert: the next connection */
	xprt_rdma_watch_start(r_xprt);
	KUNIT_EXPECT_TRUE(test, watched.queued);
	xprt_rdma_watch_stop(r_xprt);
}

static struct kunit_case xprt_watch_cases[] = {
	KUNIT_CASE(idle_not_checked),
	KUNIT_CASE(checked_during_call),
	KUNIT_CASE(checked_for_other_reasons),
	KUNIT_CASE(ends_with_connection),
	{}
};

static struct kunit_suite xprt_watch_suite = {
	.name = "xprt_rdma_watch",
	.test_cases = xprt_watch_cases,
	.exit = balance_exit,
};

kunit_test_suite(xprt_watch_suite);

MODULE_DESCRIPTION("KUnit suite of when xprtrdma's connections are checked");
MODULE_LICENSE("GPL");
