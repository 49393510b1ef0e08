// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the periodic checks of a connection run while something is outstanding,
 * and only then. Otherwise, thousands of idle mounts would keep a processor
 * busy; or a server that has vanished, or a stall, would not be noticed.
 */
#include "xprt_fakes.h"
#include "fake_balance.h"

/* Time, and what happens to the work item */
static struct watched {
	unsigned long now;	/* jiffies */
	bool queued;		/* the work item is queued */
	unsigned long delay;	/* jiffies until it runs */
	u32 runs;		/* number of times that it has run */
	u32 lost;		/* number of times that the connection was reported as lost */
	u32 probes;		/* number of checks whether the server is there */
	u32 begins;		/* number of times that these checks began anew */
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
#define xprt_rdma_conn_lost(conn)	((void)(conn), (void)watched.lost++)
#define xprt_rdma_probe_begin(r_xprt)	((void)(r_xprt), (void)watched.begins++)
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

/* A reply has arrived; its request is pinned until the reply is handled. */
static void reply_arrives(struct kunit *test, struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_req *req = fake_zalloc(test, sizeof(*req));

	req->recv = fake_zalloc(test, sizeof(*req->recv));
	list_add(&req->all, &r_xprt->reqs_all);
}

static void reply_handled(struct xprt_rdma *r_xprt)
{
	INIT_LIST_HEAD(&r_xprt->reqs_all);
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

/*
 * While a call is outstanding, checks go on. Calls that wait for replies have
 * their own timers: that is no stall.
 */
static void checked_during_call(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);
	struct watched before = watched;

	call(r_xprt);
	KUNIT_EXPECT_TRUE(test, watched.queued);
	KUNIT_EXPECT_EQ(test, watched.begins, before.begins + 1);
	passes(r_xprt, 60 * HZ);
	KUNIT_EXPECT_EQ(test, watched.probes - before.probes, 30);

	/* Act and assert: further calls change nothing about that */
	call(r_xprt);
	KUNIT_EXPECT_EQ(test, watched.begins, before.begins + 1);
	passes(r_xprt, 600 * HZ);
	KUNIT_EXPECT_EQ(test, watched.lost, 0);
	KUNIT_EXPECT_TRUE(test, watched.queued);
}

/* A reply's memory is being invalidated, or all credits belong to RDMA_DONEs. */
static void hold_up(struct kunit *test, struct xprt_rdma *r_xprt, bool reply)
{
	call(r_xprt);
	r_xprt->xprt.cong = 0;
	if (reply)
		reply_arrives(test, r_xprt);
	else
		r_xprt->xprt.cwnd = 0;
}

/*
 * Checks go on for these reasons, too. A stall: the invalidation never completes, or no
 * RDMA_DONE is delivered.
 */
static void stall_ends_connection(struct kunit *test)
{
	struct xprt_rdma *r_xprt;
	u32 i;

	for (i = 0; i < 2; i++) {
		r_xprt = transport(test);
		hold_up(test, r_xprt, i);
		passes(r_xprt, 50 * HZ);
		KUNIT_EXPECT_TRUE(test, watched.queued);
		reply_handled(r_xprt);
		r_xprt->xprt.cwnd = RPC_CWNDSCALE;
		passes(r_xprt, 2 * HZ);
		KUNIT_EXPECT_FALSE(test, watched.queued);

		hold_up(test, r_xprt, i);
		passes(r_xprt, 58 * HZ);
		KUNIT_EXPECT_EQ(test, watched.lost, 0);
		passes(r_xprt, 2 * HZ);
		KUNIT_EXPECT_EQ(test, watched.lost, 1);
		KUNIT_EXPECT_EQ(test, rpcrdma_cause_reason(r_xprt->conn->life.cause),
				RPCRDMA_NL_LOST_STALLED);
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

/* Any progress restarts the time that a stall takes, as does a reply's end. */
static void progress_prevents_end(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);
	u32 i;

	call(r_xprt);
	reply_arrives(test, r_xprt);
	for (i = 0; i < 4; i++) {
		passes(r_xprt, 56 * HZ);
		if (i & 1)
			r_xprt->xprt.stat.recvs++;
		else
			r_xprt->abandoned.answered++;
		passes(r_xprt, 2 * HZ);
	}
	passes(r_xprt, 56 * HZ);
	reply_handled(r_xprt);
	passes(r_xprt, 2 * HZ);
	reply_arrives(test, r_xprt);
	passes(r_xprt, 58 * HZ);
	KUNIT_EXPECT_EQ(test, watched.lost, 0);
	passes(r_xprt, 2 * HZ);
	KUNIT_EXPECT_EQ(test, watched.lost, 1);
}

/* A stall: all credits belong to abandoned calls. One free credit is enough. */
static void no_credit_ends_connection(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);

	r_xprt->xprt.cwnd = 2 * RPC_CWNDSCALE;
	call(r_xprt);
	call(r_xprt);
	r_xprt->abandoned.count = 1;
	passes(r_xprt, 58 * HZ);
	r_xprt->xprt.cong = RPC_CWNDSCALE;
	passes(r_xprt, 120 * HZ);
	KUNIT_EXPECT_EQ(test, watched.lost, 0);
	r_xprt->xprt.cwnd = 1;
	passes(r_xprt, 60 * HZ);
	KUNIT_EXPECT_EQ(test, watched.lost, 1);
}

static void new_connection_has_full_time(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);

	call(r_xprt);
	reply_arrives(test, r_xprt);
	passes(r_xprt, 58 * HZ);
	xprt_rdma_watch_stop(r_xprt);
	xprt_rdma_watch_start(r_xprt);
	passes(r_xprt, 58 * HZ);
	KUNIT_EXPECT_EQ(test, watched.lost, 0);
}

static struct kunit_case xprt_watch_cases[] = {
	KUNIT_CASE(idle_not_checked),
	KUNIT_CASE(checked_during_call),
	KUNIT_CASE(ends_with_connection),
	KUNIT_CASE(stall_ends_connection),
	KUNIT_CASE(progress_prevents_end),
	KUNIT_CASE(no_credit_ends_connection),
	KUNIT_CASE(new_connection_has_full_time),
	{}
};

SUITE("xprt_rdma_watch", xprt_watch_cases, .exit = balance_exit);
