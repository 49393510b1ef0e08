// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a killed call keeps its credit until the server replies, and no longer
 * (RFC 5666 section 3.3). Otherwise, the server would get more calls than it
 * has granted, or a mount would hang for want of credits.
 */
#include "fake_cong.h"
#include "xprt_fakes.h"
#include "fake_memory.h"
#include "fake_balance.h"

#define SLOTS		4u
#define NREQS		5u

#include "../xprtrdma/message/abandoned.c"

/* A transport and its requests */
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

/* NREQS calls in flight, each with a credit */
static struct surroundings *surroundings(struct kunit *test)
{
	struct surroundings *s = fake_zalloc(test, sizeof(*s));
	u32 i;

	fake_cong_wakes = 0;
	fake_memory_left = -1;
	s->r_xprt = fake_r_xprt(test);
	s->r_xprt->xprt.max_reqs = SLOTS;
	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_abandoned_init(s->r_xprt));
	fake_defer(test, exit_action, s->r_xprt);
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

/* A killed call keeps its credit until its reply arrives, which counts once. */
static void killed_call_keeps_credit(struct kunit *test)
{
	static const u32 order[] = { 1, 0, 2 };
	struct surroundings *s = surroundings(test);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		release(s, i);
	KUNIT_EXPECT_EQ(test, held(s), NREQS);
	KUNIT_EXPECT_EQ(test, fake_cong_wakes, 0);
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		__be32 id = xid(order[i]);

		KUNIT_EXPECT_TRUE(test,
				  xprt_rdma_abandoned_answered(s->r_xprt, id));
		KUNIT_EXPECT_EQ(test, held(s), NREQS - i - 1);
		KUNIT_EXPECT_EQ(test, fake_cong_wakes, i + 1);
		KUNIT_EXPECT_FALSE(test,
				   xprt_rdma_abandoned_answered(s->r_xprt, id));
		KUNIT_EXPECT_EQ(test, held(s), NREQS - i - 1);
	}
	KUNIT_EXPECT_EQ(test, s->r_xprt->abandoned.answered, ARRAY_SIZE(order));
}

/*
 * The reply arrives after sunrpc has stopped looking for it, and before the
 * call is recorded as abandoned.
 */
static void reply_crosses_kill(struct kunit *test)
{
	struct surroundings *s = surroundings(test);

	KUNIT_EXPECT_TRUE(test,
			  xprt_rdma_abandoned_answered(s->r_xprt, xid(3)));
	KUNIT_EXPECT_EQ(test, held(s), NREQS);
	release(s, 3);
	KUNIT_EXPECT_EQ(test, held(s), NREQS - 1);
	KUNIT_EXPECT_EQ(test, s->r_xprt->abandoned.count, 0);
}

/* A call that was never sent on this connection, or was answered, keeps no credit. */
static void others_keep_no_credit(struct kunit *test)
{
	struct surroundings *s = surroundings(test);

	s->reqs[0]->rqst.rq_cong = 0;
	release(s, 0);
	s->reqs[1]->unanswered = false;
	release(s, 1);
	KUNIT_EXPECT_EQ(test, s->r_xprt->abandoned.count, 0);
	KUNIT_EXPECT_EQ(test, held(s), NREQS - 1);
}

/* There are as many entries for abandoned calls as the transport has slots. */
static void entries_bounded_by_slots(struct kunit *test)
{
	struct surroundings *s = surroundings(test);
	u32 i;

	for (i = 0; i < NREQS; i++)
		release(s, i);
	KUNIT_EXPECT_EQ(test, s->r_xprt->abandoned.count, SLOTS);
	KUNIT_EXPECT_EQ(test, held(s), SLOTS);
}

static void no_memory_reported(struct kunit *test)
{
	struct xprt_rdma *r_xprt = fake_r_xprt(test);

	r_xprt->xprt.max_reqs = SLOTS;
	fake_memory_left = 0;
	KUNIT_EXPECT_EQ(test, -ENOMEM, xprt_rdma_abandoned_init(r_xprt));
	fake_memory_left = -1;
}

static struct kunit_case xprt_abandoned_cases[] = {
	KUNIT_CASE(killed_call_keeps_credit),
	KUNIT_CASE(reply_crosses_kill),
	KUNIT_CASE(others_keep_no_credit),
	KUNIT_CASE(entries_bounded_by_slots),
	KUNIT_CASE(no_memory_reported),
	{}
};

SUITE("xprt_rdma_abandoned", xprt_abandoned_cases, .exit = balance_exit);
