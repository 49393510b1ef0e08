// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: credits of calls that were given up (RFC 5666 section 3.3), and the
 * connection that stands still because of them.
 */
#include <linux/module.h>

#include "xprt_fakes.h"
#include "fake_memory.h"
#include "fake_balance.h"

#define SLOTS		4u
#define NREQS		5u

/* What was asked of sunrpc and of connect.c */
static struct {
	u32 wakeups;
	u32 queued;
	u32 cancelled;
	u32 lost;
} outside;

static void fake_release_cong(struct rpc_task *task)
{
	struct rpc_rqst *rqst = task->tk_rqstp;

	if (!rqst->rq_cong)
		return;
	rqst->rq_cong = 0;
	rqst->rq_xprt->cong -= RPC_CWNDSCALE;
	outside.wakeups++;
}

#undef queue_delayed_work
#undef cancel_delayed_work_sync
#define xprt_release_rqst_cong		fake_release_cong
#define queue_delayed_work(wq, work, delay) \
	((void)(wq), (void)(work), (void)outside.queued++)
#define cancel_delayed_work_sync(work)	((void)(work), (void)outside.cancelled++)
#define xprt_rdma_conn_lost(conn)	((void)(conn), (void)outside.lost++)

#include "../xprtrdma/message/abandoned.c"
#include "../xprtrdma/control/stall.c"

struct surroundings {
	struct xprt_rdma *r_xprt;
	struct xprt_rdma_req *reqs[NREQS];
};

static void exit_action(void *r_xprt)
{
	xprt_rdma_abandoned_exit(r_xprt);
}

static __be32 xid(u32 i)
{
	return cpu_to_be32(0x8166 + i);
}

/* Calls are in flight, all with a credit. */
static struct surroundings *surroundings(struct kunit *test)
{
	struct surroundings *s = fake_zalloc(test, sizeof(*s));
	u32 i;

	memset(&outside, 0, sizeof(outside));
	fake_memory_left = -1;
	s->r_xprt = fake_r_xprt(test);
	s->r_xprt->xprt.max_reqs = SLOTS;
	s->r_xprt->xprt.address_strings[RPC_DISPLAY_ADDR] = "192.0.2.1";
	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_abandoned_init(s->r_xprt));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, exit_action,
							   s->r_xprt));
	for (i = 0; i < NREQS; i++) {
		struct xprt_rdma_req *req = fake_zalloc(test, sizeof(*req));
		struct rpc_rqst *rqst = &req->rqst;

		req->r_xprt = s->r_xprt;
		req->unanswered = true;
		rqst->rq_xprt = &s->r_xprt->xprt;
		rqst->rq_xid = xid(i);
		rqst->rq_cong = 1;
		rqst->rq_task = fake_zalloc(test, sizeof(*rqst->rq_task));
		rqst->rq_task->tk_rqstp = rqst;
		list_add_tail(&req->all, &s->r_xprt->reqs_all);
		s->reqs[i] = req;
	}
	s->r_xprt->xprt.cong = NREQS * RPC_CWNDSCALE;
	s->r_xprt->xprt.cwnd = NREQS * RPC_CWNDSCALE;
	return s;
}

static unsigned long held(const struct surroundings *s)
{
	return s->r_xprt->xprt.cong / RPC_CWNDSCALE;
}

static void release(struct surroundings *s, u32 i)
{
	xprt_rdma_op_release_request(s->reqs[i]->rqst.rq_task);
}

/* What was answered gives its credit back at once. */
static void answered(struct kunit *test)
{
	struct surroundings *s = surroundings(test);

	s->reqs[0]->unanswered = false;
	release(s, 0);
	KUNIT_EXPECT_EQ(test, held(s), NREQS - 1);
	KUNIT_EXPECT_EQ(test, s->r_xprt->abandoned.count, 0);
	KUNIT_EXPECT_FALSE(test,
			   xprt_rdma_abandoned_answered(s->r_xprt, xid(0)));
	KUNIT_EXPECT_EQ(test, held(s), NREQS - 1);
}

/* What was not has it until the reply comes, which counts once only. */
static void given_up(struct kunit *test)
{
	static const u32 order[] = { 1, 0, 2 };
	struct surroundings *s = surroundings(test);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		release(s, i);
	KUNIT_EXPECT_EQ(test, held(s), NREQS);
	KUNIT_EXPECT_EQ(test, outside.wakeups, 0);
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		__be32 id = xid(order[i]);

		KUNIT_EXPECT_TRUE(test,
				  xprt_rdma_abandoned_answered(s->r_xprt, id));
		KUNIT_EXPECT_EQ(test, held(s), NREQS - i - 1);
		KUNIT_EXPECT_EQ(test, outside.wakeups, i + 1);
		KUNIT_EXPECT_FALSE(test,
				   xprt_rdma_abandoned_answered(s->r_xprt, id));
		KUNIT_EXPECT_EQ(test, held(s), NREQS - i - 1);
	}
	KUNIT_EXPECT_EQ(test, s->r_xprt->abandoned.answered, ARRAY_SIZE(order));
}

/* The reply comes when it is not looked for any more, and not yet an orphan. */
static void crossed(struct kunit *test)
{
	struct surroundings *s = surroundings(test);

	KUNIT_EXPECT_TRUE(test,
			  xprt_rdma_abandoned_answered(s->r_xprt, xid(3)));
	KUNIT_EXPECT_EQ(test, held(s), NREQS);
	release(s, 3);
	KUNIT_EXPECT_EQ(test, held(s), NREQS - 1);
	KUNIT_EXPECT_EQ(test, s->r_xprt->abandoned.count, 0);
}

/* A call that was never sent on this connection owes nothing. */
static void not_sent(struct kunit *test)
{
	struct surroundings *s = surroundings(test);

	s->reqs[0]->rqst.rq_cong = 0;
	release(s, 0);
	s->reqs[1]->unanswered = false;
	release(s, 1);
	KUNIT_EXPECT_EQ(test, s->r_xprt->abandoned.count, 0);
	KUNIT_EXPECT_EQ(test, held(s), NREQS - 1);
}

/* Replies to nothing change nothing. */
static void unknown(struct kunit *test)
{
	struct surroundings *s = surroundings(test);
	u32 i;

	release(s, 0);
	for (i = NREQS; i < 1000; i++)
		KUNIT_ASSERT_FALSE(test, xprt_rdma_abandoned_answered(s->r_xprt,
								      xid(i)));
	KUNIT_EXPECT_EQ(test, held(s), NREQS);
	KUNIT_EXPECT_EQ(test, s->r_xprt->abandoned.count, 1);
}

/* There is room for as many as there are slots. */
static void no_room(struct kunit *test)
{
	struct surroundings *s = surroundings(test);
	u32 i;

	for (i = 0; i < NREQS; i++)
		release(s, i);
	KUNIT_EXPECT_EQ(test, s->r_xprt->abandoned.count, SLOTS);
	KUNIT_EXPECT_EQ(test, held(s), SLOTS);
}

/* The next connection begins with none. */
static void forgotten(struct kunit *test)
{
	struct surroundings *s = surroundings(test);

	release(s, 0);
	xprt_rdma_abandoned_forget(s->r_xprt);
	s->r_xprt->xprt.cong = 0;
	KUNIT_EXPECT_FALSE(test,
			   xprt_rdma_abandoned_answered(s->r_xprt, xid(0)));
	KUNIT_EXPECT_FALSE(test,
			   xprt_rdma_abandoned_answered(s->r_xprt, xid(1)));
	KUNIT_EXPECT_EQ(test, s->r_xprt->xprt.cong, 0);
}

static void no_memory(struct kunit *test)
{
	struct xprt_rdma *r_xprt = fake_r_xprt(test);

	r_xprt->xprt.max_reqs = SLOTS;
	fake_memory_left = 0;
	KUNIT_EXPECT_EQ(test, -ENOMEM, xprt_rdma_abandoned_init(r_xprt));
	fake_memory_left = -1;
}

/* Looks @n times; returns how often the connection was ended. */
static u32 look(struct surroundings *s, u32 n)
{
	outside.lost = 0;
	while (n-- && !outside.lost)
		xprt_rdma_stall_work(&s->r_xprt->stall.work.work);
	return outside.lost;
}

static struct surroundings *watched(struct kunit *test)
{
	struct surroundings *s = surroundings(test);

	xprt_rdma_stall_start(s->r_xprt);
	KUNIT_EXPECT_EQ(test, outside.queued, 1);
	return s;
}

/* Calls that wait for their replies have timers of their own. */
static void nothing_stands_still(struct kunit *test)
{
	struct surroundings *s = watched(test);

	KUNIT_EXPECT_EQ(test, 0, look(s, 10 * STALL_LIMIT));
	KUNIT_EXPECT_EQ(test, outside.queued, 1 + 10 * STALL_LIMIT);
}

/* A reply that is there, and whose memory is not. */
static void pinned_stall(struct kunit *test)
{
	struct surroundings *s = watched(test);
	struct xprt_rdma_recv_ctx *recv = fake_zalloc(test, sizeof(*recv));

	s->reqs[2]->recv = recv;
	KUNIT_EXPECT_EQ(test, 0, look(s, STALL_LIMIT - 1));
	KUNIT_EXPECT_EQ(test, 1, look(s, 1));
	/* It is not looked at again, until there is another connection */
	KUNIT_EXPECT_EQ(test, outside.queued, STALL_LIMIT);
}

/* Only what has not moved for the whole time stands still. */
static void progress_made(struct kunit *test)
{
	struct surroundings *s = watched(test);
	struct xprt_rdma_recv_ctx *recv = fake_zalloc(test, sizeof(*recv));
	u32 i;

	s->reqs[2]->recv = recv;
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, 0, look(s, STALL_LIMIT - 1));
		s->r_xprt->xprt.stat.recvs++;
		KUNIT_EXPECT_EQ(test, 0, look(s, 1));
	}
	KUNIT_EXPECT_EQ(test, 0, look(s, STALL_LIMIT - 1));
	s->reqs[2]->recv = NULL;
	KUNIT_EXPECT_EQ(test, 0, look(s, 1));
	s->reqs[2]->recv = recv;
	KUNIT_EXPECT_EQ(test, 0, look(s, STALL_LIMIT - 1));
	KUNIT_EXPECT_EQ(test, 1, look(s, 1));
}

/* All credits are with calls that were given up, and one is enough. */
static void credits_stall(struct kunit *test)
{
	struct surroundings *s = watched(test);

	release(s, 0);
	release(s, 1);
	KUNIT_EXPECT_EQ(test, 0, look(s, STALL_LIMIT - 1));
	KUNIT_EXPECT_TRUE(test,
			  xprt_rdma_abandoned_answered(s->r_xprt, xid(0)));
	KUNIT_EXPECT_EQ(test, 0, look(s, 2 * STALL_LIMIT));
	s->r_xprt->xprt.cwnd = 1;
	KUNIT_EXPECT_EQ(test, 1, look(s, STALL_LIMIT));
}

/* All credits are with RDMA_DONEs, of which none gets there. */
static void dones_stall(struct kunit *test)
{
	struct surroundings *s = watched(test);

	s->r_xprt->xprt.cong = 0;
	s->r_xprt->xprt.cwnd = 0;
	KUNIT_EXPECT_EQ(test, 0, look(s, STALL_LIMIT - 1));
	s->r_xprt->xprt.cwnd = RPC_CWNDSCALE;
	KUNIT_EXPECT_EQ(test, 0, look(s, 2 * STALL_LIMIT));
	s->r_xprt->xprt.cwnd = 0;
	KUNIT_EXPECT_EQ(test, 1, look(s, STALL_LIMIT));
}

/* A new connection has all the time again. */
static void started_again(struct kunit *test)
{
	struct surroundings *s = watched(test);
	struct xprt_rdma_recv_ctx *recv = fake_zalloc(test, sizeof(*recv));

	s->reqs[0]->recv = recv;
	KUNIT_EXPECT_EQ(test, 0, look(s, STALL_LIMIT - 1));
	xprt_rdma_stall_stop(s->r_xprt);
	KUNIT_EXPECT_EQ(test, outside.cancelled, 1);
	xprt_rdma_stall_start(s->r_xprt);
	KUNIT_EXPECT_EQ(test, 0, look(s, STALL_LIMIT - 1));
}

static struct kunit_case xprt_abandoned_cases[] = {
	KUNIT_CASE(answered),
	KUNIT_CASE(given_up),
	KUNIT_CASE(crossed),
	KUNIT_CASE(not_sent),
	KUNIT_CASE(unknown),
	KUNIT_CASE(no_room),
	KUNIT_CASE(forgotten),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(nothing_stands_still),
	KUNIT_CASE(pinned_stall),
	KUNIT_CASE(progress_made),
	KUNIT_CASE(credits_stall),
	KUNIT_CASE(dones_stall),
	KUNIT_CASE(started_again),
	{}
};

static struct kunit_suite xprt_abandoned_suite = {
	.name = "xprt_rdma_abandoned",
	.exit = balance_exit,
	.test_cases = xprt_abandoned_cases,
};

kunit_test_suite(xprt_abandoned_suite);

MODULE_DESCRIPTION("KUnit suite of calls that were given up");
MODULE_LICENSE("GPL");
