// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a thread always takes a message that has arrived, for every order of
 * the steps of the completion handler and the polling thread. If this failed, a
 * call would be served only when the next call arrives, or never.
 */

#include "suite.h"
#include "svc_fakes.h"
#include "fake_balance.h"

/* A completion queue, an adapter, and sunrpc */
static struct steps {
	u32 entries;	/* completions in the queue */
	bool armed;	/* the next completion calls the handler */
	u32 calls;	/* times that the handler was called */
	u32 polls;	/* times that the queue was polled */
	u32 taken;	/* completions that were polled */
	bool queued;	/* sunrpc has queued the transport for a thread */
	u32 works;	/* times that the work item was queued */
	u32 cancelled;	/* times it was cancelled after freeing the queue */
	u32 freed;	/* times that the queue was freed */
	u32 now;	/* steps executed */
	u32 arrives;	/* step at which one more completion is added */
	/* Step at which the handler continues after its first write */
	u32 tells;
	bool telling;	/* the handler was called, and has not continued */
	u32 faults;	/* times that the handler wrote in the wrong order */
} steps;

/* The connection in the running case; connection() creates it. */
static struct svc_rdma_conn *conn;
static struct ib_cq fake_cq;
static bool fake_no_cq, fake_may_enqueue;

static void fake_enqueue(struct svc_xprt *xprt)
{
	if (test_bit(XPT_DATA, &xprt->xpt_flags) &&
	    !test_and_set_bit(XPT_BUSY, &xprt->xpt_flags))
		steps.queued = true;
}

static void go_on(void)
{
	steps.telling = false;
	set_bit(XPT_DATA, &conn->xprt.xpt_flags);
	fake_enqueue(&conn->xprt);
}

/* Expects that the handler has done only its first write. */
static void fake_before(void)
{
	steps.faults += !READ_ONCE(conn->recv_cq.event) ||
			test_bit(XPT_DATA, &conn->xprt.xpt_flags);
}

/* Executes a step; at step @arrives, another processor adds a completion. */
static void point(void)
{
	u32 now = steps.now++;

	if (now == steps.arrives) {
		steps.entries++;
		if (steps.armed) {
			steps.armed = false;
			steps.calls++;
			WRITE_ONCE(conn->recv_cq.event, true);
			steps.telling = true;
		}
	}
	if (now >= steps.tells && steps.telling)
		go_on();
}

static int fake_process(struct ib_cq *cq, int budget)
{
	u32 n;

	point();
	n = min_t(u32, steps.entries, budget);
	steps.entries -= n;
	steps.taken += n;
	steps.polls++;
	point();
	return n;
}

static int fake_arm(bool report)
{
	int missed;

	point();
	steps.armed = true;
	missed = steps.entries > 0;
	point();
	return report && missed;
}

#undef smp_mb
#undef smp_mb__before_atomic
#undef smp_mb__after_atomic
#define smp_mb()			point() /* a step */
#define smp_mb__before_atomic()		fake_before() /* in the handler */
#define smp_mb__after_atomic()		point() /* a step */
#define ib_alloc_cq_any(dev, conn, n, how) \
	(fake_cq.cq_context = (conn), fake_cq.poll_ctx = (how), \
	 fake_no_cq ? ERR_PTR(-ENOMEM) : &fake_cq)
#define ib_free_cq(cq)			((void)(cq), (void)steps.freed++)
#define ib_process_cq_direct		fake_process
#define ib_req_notify_cq(cq, flags) \
	((void)(cq), fake_arm((flags) & IB_CQ_REPORT_MISSED_EVENTS))
#undef rpcrdma_may_enqueue
#define rpcrdma_may_enqueue()		fake_may_enqueue
#define svc_rdma_conn_enqueue(conn)	fake_enqueue(&(conn)->xprt)
#define queue_work(wq, work)		((void)(work), (void)steps.works++)
#define cancel_work_sync(work)		((void)(work), (void)(steps.cancelled += steps.freed))

#include "../svcrdma/verbs/recv_cq.c"

#define NO_STEP		~0u

static int connection(struct kunit *test)
{
	conn = fake_conn(test);
	memset(&steps, 0, sizeof(steps));
	memset(&fake_cq, 0, sizeof(fake_cq));
	fake_no_cq = false;
	fake_may_enqueue = true;
	steps.arrives = NO_STEP;
	KUNIT_ASSERT_EQ(test, 0, svc_rdma_recv_cq_create(conn, 100));
	return 0;
}

/* Adds @n completions; the first calls the handler if the queue is armed. */
static void arrive(u32 n)
{
	steps.entries += n;
	if (!steps.armed)
		return;
	steps.armed = false;
	steps.calls++;
	fake_cq.comp_handler(&fake_cq, fake_cq.cq_context);
}

/* Like svc_rdma_message_next(); @left counts messages polled but not taken. */
static void thread_takes(u32 *left)
{
	u32 before = steps.taken;

	steps.queued = false;
	if (!*left)
		svc_rdma_recv_cq_poll(conn);
	*left += steps.taken - before;
	*left -= !!*left;
	if (!*left)
		svc_rdma_recv_cq_idle_locked(conn);
	point();
	clear_bit(XPT_BUSY, &conn->xprt.xpt_flags);
	point();
	fake_enqueue(&conn->xprt);
}

static u32 threads_take_all(void)
{
	u32 left = 0, rounds = 0;

	do {
		while (steps.queued && rounds++ < 1000)
			thread_takes(&left);
		/* The slowest handler continues when nothing else happens. */
		if (steps.telling)
			go_on();
	} while (steps.queued && rounds < 1000);
	return left;
}

/* No message is lost in any order of arrival, handler and thread. */
static void every_order(struct kunit *test)
{
	u32 first, arrives, tells, n = 20;

	for (first = 0; first <= 2; first++) {
		for (arrives = 0; arrives < n; arrives++) {
			for (tells = arrives; tells <= n; tells++) {
				unsigned long *flags;
				u32 left;

				connection(test);
				flags = &conn->xprt.xpt_flags;
				steps.now = 0;
				if (first) {
					arrive(first);
				} else {	/* A thread has another task. */
					set_bit(XPT_BUSY, flags);
					steps.queued = true;
				}
				steps.arrives = arrives;
				steps.tells = tells;
				left = threads_take_all();
				if (steps.now <= arrives)
					break;
				KUNIT_EXPECT_EQ_MSG(test, steps.taken, first + 1,
						    "%u: %u, %u", first, arrives,
						    tells);
				KUNIT_EXPECT_EQ(test, left, 0);
				KUNIT_EXPECT_TRUE(test, steps.armed);
				KUNIT_EXPECT_EQ(test, steps.faults, 0);
				KUNIT_EXPECT_FALSE(test,
						   test_bit(XPT_DATA, flags));
			}
		}
	}
}

/* One call wakes one thread, once, and the thread polls the queue once. */
static void one_thread(struct kunit *test)
{
	u32 left = 0;

	arrive(1);
	KUNIT_EXPECT_TRUE(test, steps.queued);
	KUNIT_EXPECT_EQ(test, steps.polls, 0);
	thread_takes(&left);
	KUNIT_EXPECT_EQ(test, steps.taken, 1);
	KUNIT_EXPECT_EQ(test, steps.polls, 1);
	KUNIT_EXPECT_FALSE(test, steps.queued);
	/* Without an event, polling does nothing. */
	svc_rdma_recv_cq_poll(conn);
	KUNIT_EXPECT_EQ(test, steps.polls, 1);
}

/* A throttled connection is not polled, and loses no message. */
static void not_queued(struct kunit *test)
{
	u32 left = 0;

	set_bit(XPT_BUSY, &conn->xprt.xpt_flags);
	arrive(3);
	arrive(3);
	KUNIT_EXPECT_EQ(test, steps.calls, 1);
	KUNIT_EXPECT_FALSE(test, steps.queued);
	clear_bit(XPT_BUSY, &conn->xprt.xpt_flags);
	fake_enqueue(&conn->xprt);
	/* A thread that leaves messages behind wakes the next thread. */
	thread_takes(&left);
	KUNIT_EXPECT_EQ(test, left, 5);
	KUNIT_EXPECT_TRUE(test, steps.queued);
	while (steps.queued)
		thread_takes(&left);
	KUNIT_EXPECT_EQ(test, steps.taken, 6);
	KUNIT_EXPECT_EQ(test, steps.polls, 1);
	KUNIT_EXPECT_TRUE(test, steps.armed);
}

/* If the handler must not enqueue the transport, a work item enqueues it. */
static void enqueued_later(struct kunit *test)
{
	fake_may_enqueue = false;
	arrive(1);
	KUNIT_EXPECT_FALSE(test, steps.queued);
	KUNIT_EXPECT_EQ(test, steps.works, 1);
	conn->recv_cq.work.func(&conn->recv_cq.work);
	KUNIT_EXPECT_TRUE(test, steps.queued);
	KUNIT_EXPECT_EQ(test, steps.polls, 0);
	KUNIT_EXPECT_EQ(test, threads_take_all(), 0);
	KUNIT_EXPECT_EQ(test, steps.taken, 1);
}

/*
 * On some kernels, a work item is cancelled after the queue's handler can no
 * longer run.
 */
static void destroyed(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, fake_cq.poll_ctx, IB_POLL_DIRECT);
	svc_rdma_recv_cq_destroy(conn);
	KUNIT_EXPECT_EQ(test, steps.freed, 1);
	KUNIT_EXPECT_EQ(test, steps.cancelled, 1);
	KUNIT_EXPECT_NULL(test, conn->recv_cq.cq);
	svc_rdma_recv_cq_destroy(conn);
	KUNIT_EXPECT_EQ(test, steps.freed, 1);

	/* Without memory, creating the queue fails and leaves NULL. */
	fake_no_cq = true;
	KUNIT_EXPECT_EQ(test, svc_rdma_recv_cq_create(conn, 1), -ENOMEM);
	KUNIT_EXPECT_NULL(test, conn->recv_cq.cq);
}

static struct kunit_case svc_recv_cq_cases[] = {
	KUNIT_CASE(every_order),
	KUNIT_CASE(one_thread),
	KUNIT_CASE(not_queued),
	KUNIT_CASE(enqueued_later),
	KUNIT_CASE(destroyed),
	{}
};

SUITE("svc_rdma_recv_cq", svc_recv_cq_cases, .init = connection, .exit = balance_exit);
