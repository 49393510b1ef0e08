// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the watch closes a connection whose requester has vanished, takes no
 * replies, or never finishes connecting, and leaves a working connection open.
 * If this failed, dead clients would keep memory and threads, or live clients
 * would lose their connections.
 */

#include "suite.h"
#include "svc_headers.h"

/* Actions of the file under test */
static struct watched {
	u32 posted;	/* probes posted */
	struct ib_send_wr probe;	/* the last probe */
	u32 looks;	/* number of checks scheduled */
	unsigned long delay;	/* jiffies until the next check */
	u32 cancelled;	/* number of times the check was disabled */
	u32 trimmed;	/* calls that trim kept pages or Send contexts */
	bool sq_broken;	/* posting fails */
	/* Unsignaled Sends: not taken over; covered by a probe; released */
	u32 unsignaled, covered, ended;
} watched;

/* Connection of the current case; each case begins with a new one */
static struct svc_rdma_conn *conn;
struct workqueue_struct *svc_rdma_wq;
unsigned int svc_rdma_keepalive;
static unsigned long fake_jiffies;

#define DEPTH	12u

static struct llist_node fake_node;

static void fake_leave(u32 n)
{
	watched.unsignaled = n;
	init_llist_head(&conn->sends.unsignaled);
	if (n)
		llist_add(&fake_node, &conn->sends.unsignaled);
}

#undef jiffies
#define jiffies				fake_jiffies
#undef svc_rdma_conn_close
#define svc_rdma_conn_close(conn, why) \
	((void)(fake_cause = (why)), (void)fake_closed++, \
	 atomic_set(&(conn)->life.state, SVC_RDMA_CLOSING))
#define svc_rdma_conn_unthrottle(conn)	((void)(conn))
#define svc_rdma_unsignaled_take(conn, list) \
	((void)(conn), (void)((list)->count = watched.unsignaled), fake_leave(0))
#define svc_rdma_unsignaled_covered(conn, list) \
	((void)(conn), (void)(watched.covered += (list)->count))
#define svc_rdma_unsignaled_done(list) \
	((void)(watched.ended += (list)->count), (void)((list)->count = 0))
#define svc_rdma_stash_trim(conn)	((void)(conn), (void)watched.trimmed++)
#define svc_rdma_sends_trim(conn)	((void)(conn), (void)watched.trimmed++)
#define ib_post_send(qp, wr, bad) \
	(watched.posted++, watched.probe = *(wr), watched.sq_broken ? -ENOTCONN : 0)
#define queue_delayed_work(wq, work, time) \
	((void)(wq), (void)(work), (void)watched.looks++, \
	 (void)(watched.delay = (time)))
#undef disable_delayed_work_sync
#define disable_delayed_work_sync(work) \
	((void)(work), (void)watched.cancelled++)

#include "../svcrdma/verbs/sq.c"
#include "../svcrdma/control/watch.c"

/* Create a connection and start its watch with a keepalive of 7 s. */
static void connection(struct kunit *test, enum svc_rdma_state state)
{
	conn = fake_zalloc(test, sizeof(*conn));
	memset(&watched, 0, sizeof(watched));
	fake_counters_clear();
	svc_rdma_keepalive = 7;
	fake_jiffies = -3 * HZ;
	atomic_set(&conn->life.state, state);
	svc_rdma_sq_init(conn);
	conn->sq.depth = DEPTH;
	conn->sq.avail = DEPTH;
	svc_rdma_watch_init(conn);
	svc_rdma_watch_start(conn);
}

/* Advance time to the next check, and run the check. */
static void look(void)
{
	fake_jiffies += watched.delay;
	conn->watch.work.work.func(&conn->watch.work.work);
}

/* Complete the probe. */
static void probe_ends(enum ib_wc_status status)
{
	fake_completes(conn, watched.probe.wr_cqe, status);
}

/*
 * A probe releases unsignaled Sends that are left. A probe that does not
 * complete closes the connection.
 */
static void unsignaled_left(struct kunit *test)
{
	svc_rdma_keepalive = 0;
	/* Arrange: something has completed since the last check */
	fake_leave(2);
	conn->sq.returned = 5;
	conn->traffic.messages++;
	look();
	KUNIT_EXPECT_EQ(test, watched.posted, 0);

	/* Act and assert: nothing has completed; the probe takes 3 entries */
	conn->traffic.messages++;
	look();
	KUNIT_EXPECT_EQ(test, watched.posted, 1);
	KUNIT_EXPECT_EQ(test, conn->sq.avail, DEPTH - 3);
	KUNIT_EXPECT_EQ(test, watched.covered, 2);
	probe_ends(IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, watched.ended, 2);
	KUNIT_EXPECT_EQ(test, conn->sq.avail, DEPTH);

	/* Act and assert: no unsignaled Send is left, so no probe is posted */
	look();
	look();
	KUNIT_EXPECT_EQ(test, watched.posted, 1);

	/* Act and assert: a probe does not complete within one period */
	fake_leave(1);
	look();
	KUNIT_EXPECT_EQ(test, watched.posted, 2);
	KUNIT_EXPECT_EQ(test, fake_closed, 0);
	conn->traffic.messages++;
	look();
	KUNIT_EXPECT_EQ(test, fake_closed, 1);
}

/* If the Send Queue has no room for a probe, unsignaled Sends stay listed. */
static void unsignaled_without_room(struct kunit *test)
{
	fake_leave(2);
	conn->sq.avail -= DEPTH - 2;
	look();
	KUNIT_EXPECT_EQ(test, watched.posted, 0);
	KUNIT_EXPECT_EQ(test, conn->sq.avail, 2);
	KUNIT_EXPECT_FALSE(test, llist_empty(&conn->sends.unsignaled));
	KUNIT_EXPECT_EQ(test, watched.covered, 0);
}

/* A probe that fails or is flushed closes the connection. */
static void probes(struct kunit *test)
{
	static const struct {
		enum ib_wc_status status;
		bool ends;
		enum rpcrdma_nl_lost reason;
	} cases[] = {
		{ IB_WC_SUCCESS, false },
		{ IB_WC_RETRY_EXC_ERR, true, RPCRDMA_NL_LOST_VANISHED },
		{ IB_WC_WR_FLUSH_ERR, true, RPCRDMA_NL_LOST_NONE },
	};

	for_each_case(c, cases) {
		connection(test, SVC_RDMA_OPEN);
		look();
		KUNIT_EXPECT_EQ(test, watched.posted, 1);
		KUNIT_EXPECT_EQ(test, conn->sq.avail, DEPTH - 1);
		probe_ends(c->status);
		KUNIT_EXPECT_EQ(test, conn->watch.probing, c->ends);
		KUNIT_EXPECT_EQ(test, conn->sq.avail, DEPTH - c->ends);
		KUNIT_EXPECT_EQ(test, fake_closed, c->ends);
		if (c->ends)
			KUNIT_EXPECT_EQ(test, rpcrdma_cause_reason(fake_cause),
					c->reason);
	}

	/* A probe that cannot be posted closes the connection, too. */
	connection(test, SVC_RDMA_OPEN);
	watched.sq_broken = true;
	look();
	KUNIT_EXPECT_EQ(test, fake_closed, 1);
	KUNIT_EXPECT_EQ(test, watched.looks, 1);
	conn->sq.avail -= SVC_RDMA_UNSIGNALED;
	KUNIT_EXPECT_EQ(test, conn->watch.wait.ready(&conn->watch.wait), -ENOTCONN);
}

/* A silent connection is probed once per period and stays open. */
static void silent_is_probed(struct kunit *test)
{
	/* Arrange: a message arrives before the first check */
	KUNIT_EXPECT_EQ(test, watched.delay, 7 * HZ);
	conn->traffic.messages++;

	/* Act and assert: no message arrives before the second check */
	look();
	KUNIT_EXPECT_EQ(test, watched.posted, 0);
	look();
	KUNIT_EXPECT_EQ(test, watched.posted, 1);
	KUNIT_EXPECT_EQ(test, watched.probe.opcode, IB_WR_RDMA_WRITE);
	KUNIT_EXPECT_EQ(test, watched.probe.num_sge, 0);
	KUNIT_EXPECT_EQ(test, watched.probe.send_flags, IB_SEND_SIGNALED);
	KUNIT_EXPECT_PTR_EQ(test, watched.probe.wr_cqe, &conn->watch.cqe);
	KUNIT_EXPECT_TRUE(test, conn->watch.probing);
	probe_ends(IB_WC_SUCCESS);

	/* Act and assert: still no message, then a message arrives */
	look();
	KUNIT_EXPECT_EQ(test, watched.posted, 2);
	probe_ends(IB_WC_SUCCESS);
	conn->traffic.messages++;
	look();
	KUNIT_EXPECT_EQ(test, watched.posted, 2);

	/* Assert: checks continue at the interval of the keepalive */
	KUNIT_EXPECT_EQ(test, watched.looks, 5);
	KUNIT_EXPECT_EQ(test, watched.trimmed, 2 * 4);
	KUNIT_EXPECT_EQ(test, watched.delay, 7 * HZ);
	KUNIT_EXPECT_EQ(test, fake_closed, 0);
	KUNIT_EXPECT_EQ(test, fake_count(probes_sent), 2);
}

/* A probe that does not complete within a period closes the connection. */
static void probe_never_completes(struct kunit *test)
{
	look();
	KUNIT_EXPECT_EQ(test, watched.posted, 1);
	KUNIT_EXPECT_EQ(test, fake_closed, 0);
	look();
	KUNIT_EXPECT_EQ(test, fake_closed, 1);
	KUNIT_EXPECT_EQ(test, fake_cause, RPCRDMA_CAUSE(VANISHED, PROBE));
	KUNIT_EXPECT_EQ(test, watched.posted, 1);
	KUNIT_EXPECT_EQ(test, watched.looks, 2);
}

/* A requester that sends but does not receive loses the connection. */
static void nothing_completes(struct kunit *test)
{
	/* Arrange: a Work Request is posted, and messages keep arriving */
	conn->traffic.messages++;
	conn->sq.avail -= 2;
	look();
	KUNIT_EXPECT_EQ(test, fake_closed, 0);

	/* Act and assert: a Work Request completes, and another is posted */
	conn->traffic.messages++;
	svc_rdma_sq_give(conn, 1);
	conn->sq.avail -= 1;
	look();
	KUNIT_EXPECT_EQ(test, fake_closed, 0);

	/* Act and assert: a Work Request is posted, and none completes */
	conn->traffic.messages++;
	conn->sq.avail -= 1;
	look();
	KUNIT_EXPECT_EQ(test, fake_closed, 1);
	KUNIT_EXPECT_EQ(test, fake_cause, RPCRDMA_CAUSE(STALLED, NONE));
	KUNIT_EXPECT_EQ(test, watched.looks, 3);
}

/* A keepalive above the longest check interval does not cause more probes. */
static void long_keepalive(struct kunit *test)
{
	u32 i;

	svc_rdma_keepalive = 3 * SVC_RDMA_WATCH_MAX / HZ;
	conn->traffic.messages++;
	for (i = 0; i < 3; i++)
		look();
	KUNIT_EXPECT_EQ(test, watched.delay, SVC_RDMA_WATCH_MAX);
	KUNIT_EXPECT_EQ(test, watched.posted, 0);
	look();
	KUNIT_EXPECT_EQ(test, watched.posted, 1);
	probe_ends(IB_WC_SUCCESS);
	look();
	look();
	KUNIT_EXPECT_EQ(test, watched.posted, 1);
	look();
	KUNIT_EXPECT_EQ(test, watched.posted, 2);
}

/* A connection that is never established is closed once, after the timeout. */
static void never_established(struct kunit *test)
{
	unsigned long begin;

	connection(test, SVC_RDMA_ACCEPTED);
	begin = fake_jiffies;
	while (!fake_closed && watched.looks < 100)
		look();
	KUNIT_EXPECT_EQ(test, fake_closed, 1);
	KUNIT_EXPECT_GE(test, fake_jiffies - begin,
			(unsigned long)SVC_RDMA_ESTABLISH_TIMEOUT);
	KUNIT_EXPECT_LT(test, fake_jiffies - begin,
			(unsigned long)SVC_RDMA_ESTABLISH_TIMEOUT + 7 * HZ);
	KUNIT_EXPECT_EQ(test, watched.posted, 0);
	KUNIT_EXPECT_EQ(test, fake_cause, RPCRDMA_CAUSE(VANISHED, CONNECT));

	watched.looks = 0;
	look();
	KUNIT_EXPECT_EQ(test, fake_closed, 1);
	KUNIT_EXPECT_EQ(test, watched.looks, 0);
}

/* A check closes a connection with a recorded cause, unless it is CLOSING. */
static void event_closes(struct kunit *test)
{
	enum svc_rdma_state state;

	for (state = SVC_RDMA_NEW; state < SVC_RDMA_CLOSING; state++) {
		connection(test, state);
		svc_rdma_conn_blame(conn, RPCRDMA_CAUSE(PEER, QUEUE_PAIR));
		look();
		KUNIT_EXPECT_EQ(test, fake_closed, 1);
		KUNIT_EXPECT_EQ(test, fake_cause, RPCRDMA_CAUSE_UNKNOWN);
		KUNIT_EXPECT_EQ(test, watched.posted, 0);
		KUNIT_EXPECT_EQ(test, watched.looks, 1);
	}

	/* The watch no longer checks a connection that is being closed. */
	connection(test, SVC_RDMA_CLOSING);
	svc_rdma_conn_blame(conn, RPCRDMA_CAUSE(PEER, NONE));
	look();
	KUNIT_EXPECT_EQ(test, fake_closed, 0);
	KUNIT_EXPECT_EQ(test, watched.looks, 1);
	svc_rdma_watch_stop(conn);
	KUNIT_EXPECT_EQ(test, watched.cancelled, 1);
}

static int begin_case(struct kunit *test)
{
	connection(test, SVC_RDMA_OPEN);
	return 0;
}

static struct kunit_case svc_watch_cases[] = {
	KUNIT_CASE(probes),
	KUNIT_CASE(unsignaled_left),
	KUNIT_CASE(unsignaled_without_room),
	KUNIT_CASE(silent_is_probed),
	KUNIT_CASE(probe_never_completes),
	KUNIT_CASE(nothing_completes),
	KUNIT_CASE(long_keepalive),
	KUNIT_CASE(never_established),
	KUNIT_CASE(event_closes),
	{}
};

SUITE("svc_rdma_watch", svc_watch_cases, .init = begin_case);
