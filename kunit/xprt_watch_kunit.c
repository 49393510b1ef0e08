// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a connection is checked periodically only while work is outstanding. A
 * silent server that owes replies is probed; the connection ends if the server is
 * gone. If this failed, thousands of idle mounts would keep a processor busy,
 * mounts would hang for minutes after a server restart or a stall, or busy
 * servers would be taken for dead and get even more work.
 */
#include "xprt_fakes.h"
#include "fake_balance.h"

/* The time, the work item and the probes */
static struct watched {
	unsigned long now;	/* jiffies */
	bool queued;		/* the work item is queued */
	unsigned long delay;	/* jiffies until the work item runs */
	u32 runs;		/* number of times that the work item ran */
	u32 lost;		/* number of times that the connection was reported as lost */
	u32 posted;		/* number of probes posted */
	struct ib_send_wr wr;	/* the last probe */
	int post_result;	/* result of posting a probe */
	bool iwarp;		/* the device is an iWARP adapter */
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
#define xprt_rdma_conn_lost(conn) \
	((void)watched.lost++, (void)((conn)->life.state = XPRT_RDMA_FAILED))
#define rdma_protocol_iwarp(dev, port)	((void)(dev), watched.iwarp)
#define ib_post_send(qp, send, bad) \
	(watched.posted++, watched.wr = *(send), watched.post_result)

#include "../xprtrdma/control/probe.c"
#include "../xprtrdma/control/watch.c"

/* Created anew for each case */
static struct xprt_rdma *r_xprt;

static void probe_ends(enum ib_wc_status status)
{
	fake_completes(r_xprt->conn, watched.wr.wr_cqe, status);
}

/* Let @time jiffies pass; the server's adapter answers each probe. */
static void passes(unsigned long time)
{
	unsigned long end = watched.now + time;

	while (watched.queued && time_before_eq(watched.now + watched.delay, end)) {
		watched.now += watched.delay;
		watched.queued = false;
		watched.runs++;
		xprt_rdma_watch_work(&r_xprt->watch.work.work);
		if (r_xprt->probe.posted)
			probe_ends(IB_WC_SUCCESS);
	}
	watched.now = end;
}

/* Create a connection that has been idle for a minute; jiffies wrap soon. */
static int transport(struct kunit *test)
{
	r_xprt = fake_r_xprt(test);
	memset(&watched, 0, sizeof(watched));
	memset(this_cpu_ptr(&xprt_rdma_counters), 0,
	       sizeof(xprt_rdma_counters));
	r_xprt->conn->life.state = XPRT_RDMA_CONNECTED;
	r_xprt->xprt.cong = 0;
	r_xprt->xprt.cwnd = RPC_CWNDSCALE;
	xprt_rdma_watch_start(r_xprt);
	passes(60 * HZ);
	KUNIT_ASSERT_FALSE(test, watched.queued);
	watched.now = -3 * HZ;
	return 0;
}

/* Send a call. */
static void call(void)
{
	r_xprt->xprt.cong += RPC_CWNDSCALE;
	xprt_rdma_watch(r_xprt);
}

/* Create such a connection with an outstanding call. */
static int calling(struct kunit *test)
{
	transport(test);
	call();
	return 0;
}

/* Run the check when it is due. */
static void look(void)
{
	watched.now += xprt_rdma_probe_interval(r_xprt->conn);
	xprt_rdma_probe_check(r_xprt->conn);
}

/* Receive a reply, which pins its request until reply_handled(). */
static void reply_arrives(struct kunit *test)
{
	struct xprt_rdma_req *req = fake_zalloc(test, sizeof(*req));

	req->recv = fake_zalloc(test, sizeof(*req->recv));
	list_add(&req->all, &r_xprt->reqs_all);
}

static void reply_handled(void)
{
	INIT_LIST_HEAD(&r_xprt->reqs_all);
}

/* After one more check, an idle connection is not checked any more. */
static void idle_not_checked(struct kunit *test)
{
	transport(test);
	KUNIT_EXPECT_EQ(test, watched.runs, 1);
	call();
	r_xprt->xprt.cong = 0;
	passes(3600 * HZ);
	KUNIT_EXPECT_EQ(test, watched.runs, 2);
	KUNIT_EXPECT_FALSE(test, watched.queued);

	/* While a probe is in flight, checks continue. */
	call();
	look();
	r_xprt->xprt.cong = 0;
	passes(2 * HZ);
	KUNIT_EXPECT_TRUE(test, watched.queued);
	passes(2 * HZ);
	KUNIT_EXPECT_FALSE(test, watched.queued);
}

/* Calls that wait for replies are no stall; they have timers of their own. */
static void checked_during_call(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, watched.queued);
	passes(61 * HZ);
	KUNIT_EXPECT_EQ(test, watched.posted, 30);
	passes(600 * HZ);
	KUNIT_EXPECT_EQ(test, watched.lost, 0);
	KUNIT_EXPECT_TRUE(test, watched.queued);
}

/* Stall: an invalidation is pending, or RDMA_DONEs use all credits. */
static void hold_up(struct kunit *test, bool reply)
{
	call();
	r_xprt->xprt.cong = 0;
	if (reply)
		reply_arrives(test);
	else
		r_xprt->xprt.cwnd = 0;
}

/* A stall of a minute ends the connection. */
static void stall_ends_connection(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		transport(test);
		hold_up(test, i);
		passes(50 * HZ);
		KUNIT_EXPECT_TRUE(test, watched.queued);
		reply_handled();
		r_xprt->xprt.cwnd = RPC_CWNDSCALE;
		passes(2 * HZ);
		KUNIT_EXPECT_FALSE(test, watched.queued);

		hold_up(test, i);
		passes(58 * HZ);
		/* Further calls change nothing. */
		xprt_rdma_watch_wake(r_xprt);
		KUNIT_EXPECT_EQ(test, watched.lost, 0);
		passes(2 * HZ);
		KUNIT_EXPECT_EQ(test, watched.lost, 1);
		KUNIT_EXPECT_EQ(test, rpcrdma_cause_reason(r_xprt->conn->life.cause),
				RPCRDMA_NL_LOST_STALLED);
		KUNIT_EXPECT_FALSE(test, watched.queued);
	}
}

/* A connection is not checked any more once it is lost or ends. */
static void ends_with_connection(struct kunit *test)
{
	/* Act and assert: lost */
	r_xprt->conn->life.state = XPRT_RDMA_FAILED;
	passes(2 * HZ);
	KUNIT_EXPECT_FALSE(test, watched.queued);

	/* Act and assert: ended; then, a completion handler runs late */
	calling(test);
	xprt_rdma_watch_stop(r_xprt);
	KUNIT_EXPECT_FALSE(test, watched.queued);
	xprt_rdma_watch(r_xprt);
	KUNIT_EXPECT_FALSE(test, watched.queued);

	/* Act and assert: it ends while the work item runs */
	calling(test);
	r_xprt->watch.on = false;
	passes(2 * HZ);
	KUNIT_EXPECT_FALSE(test, watched.queued);

	/* Act and assert: the next connection */
	xprt_rdma_watch_start(r_xprt);
	KUNIT_EXPECT_TRUE(test, watched.queued);
	xprt_rdma_watch_stop(r_xprt);
}

/* Progress or a new connection restarts the time limit for stalls. */
static void progress_prevents_end(struct kunit *test)
{
	u32 i;

	reply_arrives(test);
	passes(58 * HZ);
	xprt_rdma_watch_stop(r_xprt);
	xprt_rdma_watch_start(r_xprt);
	for (i = 0; i < 4; i++) {
		passes(56 * HZ);
		if (i & 1)
			r_xprt->xprt.stat.recvs++;
		else
			r_xprt->abandoned.answered++;
		passes(2 * HZ);
	}
	passes(56 * HZ);
	reply_handled();
	passes(2 * HZ);
	reply_arrives(test);
	passes(58 * HZ);
	KUNIT_EXPECT_EQ(test, watched.lost, 0);
	passes(2 * HZ);
	KUNIT_EXPECT_EQ(test, watched.lost, 1);
}

/* It is a stall if abandoned calls hold all credits, but not if one is left. */
static void no_credit_ends_connection(struct kunit *test)
{
	transport(test);
	r_xprt->xprt.cwnd = 2 * RPC_CWNDSCALE;
	call();
	call();
	r_xprt->abandoned.count = 1;
	passes(58 * HZ);
	r_xprt->xprt.cong = RPC_CWNDSCALE;
	passes(120 * HZ);
	KUNIT_EXPECT_EQ(test, watched.lost, 0);
	r_xprt->xprt.cwnd = RPC_CWNDSCALE;
	passes(60 * HZ);
	KUNIT_EXPECT_EQ(test, watched.lost, 1);
}

/*
 * Only a silent server that owes replies is probed, with an empty RDMA Write.
 */
static void silent_server_probed(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 3; i++) {
		r_xprt->conn->recvs.received++;
		look();
	}
	r_xprt->xprt.cong = 0;
	look();
	KUNIT_EXPECT_EQ(test, watched.posted, 0);
	r_xprt->xprt.cong = RPC_CWNDSCALE;
	for (i = 1; i <= 3; i++) {
		look();
		KUNIT_EXPECT_EQ(test, watched.posted, i);
		KUNIT_EXPECT_EQ(test, watched.wr.opcode, IB_WR_RDMA_WRITE);
		KUNIT_EXPECT_EQ(test, watched.wr.num_sge, 0);
		KUNIT_EXPECT_EQ(test, watched.wr.send_flags, IB_SEND_SIGNALED);
		probe_ends(IB_WC_SUCCESS);
	}
	KUNIT_EXPECT_EQ(test, watched.lost, 0);
	KUNIT_EXPECT_EQ(test, fake_count(probes_sent), 3);
	KUNIT_EXPECT_EQ(test, fake_count(conns_vanished), 0);
}

/* Return whether the server's silence was recorded as the cause. */
static bool vanished(void)
{
	return r_xprt->conn->life.cause ==
	       rpcrdma_cause(RPCRDMA_NL_LOST_VANISHED, RPCRDMA_NL_DETAIL_NONE, 0);
}

/*
 * A failed probe ends the connection. A peer that refuses one gets no others.
 */
static void failed_probe_ends_connection(struct kunit *test)
{
	static const struct {
		enum ib_wc_status status;
		u64 vanished, refused;
	} cases[] = {
		{ IB_WC_RETRY_EXC_ERR, 1, 0 },
		{ IB_WC_RNR_RETRY_EXC_ERR, 1, 0 },
		{ IB_WC_REM_INV_REQ_ERR, 0, 1 },
		{ IB_WC_REM_ACCESS_ERR, 0, 1 },
		{ IB_WC_REM_OP_ERR, 0, 1 },
		/* Lost for another reason */
		{ IB_WC_WR_FLUSH_ERR, 0, 0 },
	};

	for_each_case(c, cases) {
		calling(test);
		look();
		probe_ends(c->status);
		KUNIT_EXPECT_FALSE(test, r_xprt->probe.posted);
		KUNIT_EXPECT_EQ(test, watched.lost, 1);
		KUNIT_EXPECT_EQ(test, fake_count(conns_vanished), c->vanished);
		KUNIT_EXPECT_EQ(test, vanished(), c->vanished);
		KUNIT_EXPECT_EQ(test, r_xprt->probe.refused, c->refused);

		/* Act and assert: on the next connection */
		r_xprt->conn->life.state = XPRT_RDMA_CONNECTED;
		look();
		KUNIT_EXPECT_EQ(test, watched.posted, 2 - c->refused);
	}

	/* Act and assert: one that cannot be posted */
	calling(test);
	watched.post_result = -EINVAL;
	look();
	KUNIT_EXPECT_FALSE(test, r_xprt->probe.posted);
	KUNIT_EXPECT_EQ(test, watched.lost, 1);
}

/* Probes have a time limit because some adapters retry forever. */
static void probe_time_limited(struct kunit *test)
{
	unsigned long posted;
	u32 i;

	look();
	posted = watched.now;
	for (i = 0; i < 100 && !watched.lost; i++)
		look();
	KUNIT_EXPECT_EQ(test, watched.lost, 1);
	KUNIT_EXPECT_EQ(test, watched.posted, 1);
	KUNIT_EXPECT_GE(test, watched.now - posted, 10UL * HZ);
	KUNIT_EXPECT_LE(test, watched.now - posted, 12UL * HZ);
	KUNIT_EXPECT_EQ(test, fake_count(conns_vanished), 1);
	KUNIT_EXPECT_TRUE(test, vanished());
}

/*
 * Messages that arrive while a probe is pending show that the server is alive.
 */
static void slow_but_alive(struct kunit *test)
{
	u32 i;

	look();
	for (i = 0; i < 20; i++) {
		look();
		r_xprt->conn->recvs.received++;
		look();
	}
	KUNIT_EXPECT_EQ(test, watched.lost, 0);
	KUNIT_EXPECT_EQ(test, watched.posted, 1);
}

/* Return the jiffies until the connect worker has posted the next probe. */
static unsigned long first_waits(void)
{
	unsigned long begin = watched.now;
	u32 posted = watched.posted;

	while (watched.posted == posted && watched.now - begin < 60 * HZ) {
		watched.now++;
		xprt_rdma_probe_first(r_xprt->conn);
	}
	return watched.now - begin;
}

/*
 * The client probes while its first message is unanswered: siw may have missed
 * the message, or a server with version 2 may have closed the connection. Other
 * connections time out too early for a probe.
 */
static void unanswered_first_message_probed(struct kunit *test)
{
	static const struct {
		bool iwarp;
		enum rpcrdma_hint hint;
		unsigned long after;
	} cases[] = {
		{ false, RPCRDMA_HINT_V2, PROBE_INTERVAL },
		{ true, RPCRDMA_HINT_V2, PROBE_FIRST },
		{ true, RPCRDMA_HINT_NONE, PROBE_FIRST },
		{ false, RPCRDMA_HINT_NONE, 60 * HZ },
		{ false, RPCRDMA_HINT_V1, 60 * HZ },
	};

	for_each_case(c, cases) {
		transport(test);
		watched.iwarp = c->iwarp;
		r_xprt->conn->peer.hint = c->hint;
		r_xprt->conn->life.state = XPRT_RDMA_NEGOTIATING;
		/* The last connection ended during a probe. */
		r_xprt->probe.posted = true;
		r_xprt->probe.received = 7;
		xprt_rdma_probe_begin(r_xprt);
		KUNIT_EXPECT_EQ(test, first_waits(), c->after);
		if (!watched.posted)
			continue;
		/* Only one probe is in flight at a time. */
		xprt_rdma_probe_first(r_xprt->conn);
		KUNIT_EXPECT_EQ(test, watched.posted, 1);
		probe_ends(IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, first_waits(), c->after);
		KUNIT_EXPECT_EQ(test, watched.lost, 0);
		probe_ends(IB_WC_RETRY_EXC_ERR);
		KUNIT_EXPECT_EQ(test, watched.lost, 1);
		KUNIT_EXPECT_TRUE(test, vanished());
	}
}

/* On iWARP, the first probe is early, because siw may have missed the call. */
static void early_with_iwarp(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, xprt_rdma_probe_interval(r_xprt->conn), PROBE_INTERVAL);
	watched.iwarp = true;
	KUNIT_EXPECT_EQ(test, xprt_rdma_probe_interval(r_xprt->conn), PROBE_FIRST);
	look();
	KUNIT_EXPECT_EQ(test, watched.posted, 1);
	r_xprt->conn->recvs.received = 1;
	KUNIT_EXPECT_EQ(test, xprt_rdma_probe_interval(r_xprt->conn), PROBE_INTERVAL);
}

static struct kunit_case xprt_watch_cases[] = {
	KUNIT_CASE(idle_not_checked),
	KUNIT_CASE(checked_during_call),
	KUNIT_CASE(ends_with_connection),
	KUNIT_CASE(stall_ends_connection),
	KUNIT_CASE(progress_prevents_end),
	KUNIT_CASE(no_credit_ends_connection),
	KUNIT_CASE(silent_server_probed),
	KUNIT_CASE(failed_probe_ends_connection),
	KUNIT_CASE(probe_time_limited),
	KUNIT_CASE(slow_but_alive),
	KUNIT_CASE(unanswered_first_message_probed),
	KUNIT_CASE(early_with_iwarp),
	{}
};

SUITE("xprt_rdma_watch", xprt_watch_cases, .init = calling, .exit = balance_exit);
