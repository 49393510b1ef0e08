// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the client may always have one call in flight, and never has more than
 * the server granted. A killed call keeps its credit until the server replies,
 * and no longer (RFC 5666 section 3.3). Otherwise, the server would run out of
 * Receives and end the connection, or the mount would hang.
 */
#include "xprt_fakes.h"
#include "fake_balance.h"

/* Number of times that tasks waiting for a credit were woken */
static u32 fake_cong_wakes;

/*
 * Return a call's credit once, and wake a task if there is room, like sunrpc.
 */
static void fake_release_cong(struct rpc_task *task)
{
	struct rpc_rqst *rqst = task->tk_rqstp;

	if (!rqst->rq_cong)
		return;
	rqst->rq_cong = 0;
	rqst->rq_xprt->cong -= RPC_CWNDSCALE;
	fake_cong_wakes += rqst->rq_xprt->cong < rqst->rq_xprt->cwnd;
}

#define xprt_release_rqst_cong		fake_release_cong

/* Grant and congestion window when Receives were posted last */
static u32 fake_posted_for;
static unsigned long fake_window;

#define xprt_rdma_recvs_post(conn) \
	((void)(fake_posted_for = (conn)->credits.granted), \
	 (void)(fake_window = (conn)->r_xprt->xprt.cwnd >> RPC_CWNDSHIFT))

#include "../xprtrdma/message/credit.c"

#define MAX_REQS	32u
#define NREQS		5u

static __be32 xid(u32 i)
{
	return cpu_to_be32(0x8166 + i);
}

/* The transport under test; init creates a new one for each case. */
static struct xprt_rdma *r_xprt;

/* A transport with requests that hold no credits */
static int transport(struct kunit *test)
{
	struct xprt_rdma_req *req;
	u32 i;

	r_xprt = fake_r_xprt(test);
	fake_cong_wakes = 0;
	r_xprt->conn->credits.max = MAX_REQS;
	xprt_rdma_abandoned_init(r_xprt);
	for (i = 0; i < NREQS; i++) {
		req = fake_zalloc(test, sizeof(*req));
		req->r_xprt = r_xprt;
		req->rqst.rq_xprt = &r_xprt->xprt;
		req->rqst.rq_xid = xid(i);
		req->rqst.rq_task = fake_zalloc(test, sizeof(*req->rqst.rq_task));
		req->rqst.rq_task->tk_rqstp = &req->rqst;
		list_add_tail(&req->all, &r_xprt->reqs_all);
	}
	return 0;
}

/* A transport with a call in flight for each request */
static int calling(struct kunit *test)
{
	struct xprt_rdma_req *req;

	transport(test);
	list_for_each_entry(req, &r_xprt->reqs_all, all) {
		req->unanswered = true;
		req->rqst.rq_cong = 1;
	}
	r_xprt->xprt.cong = NREQS * RPC_CWNDSCALE;
	r_xprt->xprt.cwnd = NREQS * RPC_CWNDSCALE;
	return 0;
}

static struct xprt_rdma_req *nth(u32 i)
{
	struct xprt_rdma_req *req;

	list_for_each_entry(req, &r_xprt->reqs_all, all)
		if (req->rqst.rq_xid == xid(i))
			break;
	return req;
}

/* Release call @i, as at the end of its task. */
static void release(u32 i)
{
	xprt_rdma_op_release_request(nth(i)->rqst.rq_task);
}

static unsigned long held(void)
{
	return r_xprt->xprt.cong / RPC_CWNDSCALE;
}

static unsigned long window(void)
{
	return r_xprt->xprt.cwnd >> RPC_CWNDSHIFT;
}

/* On a new connection, one call may be in flight until the first grant. */
static void starts_with_one(struct kunit *test)
{
	/* Arrange: calls of the previous connection, one abandoned */
	release(1);
	KUNIT_ASSERT_EQ(test, r_xprt->abandoned.count, 1);

	xprt_rdma_credit_reset(r_xprt);

	KUNIT_EXPECT_EQ(test, window(), 1);
	KUNIT_EXPECT_EQ(test, r_xprt->xprt.cong, 0);
	KUNIT_EXPECT_EQ(test, nth(0)->rqst.rq_cong, 0);
	KUNIT_EXPECT_FALSE(test, nth(0)->unanswered);
	KUNIT_EXPECT_EQ(test, r_xprt->abandoned.count, 0);
}

/* The window is the grant, limited to between 1 and the number of slots. */
static void window_follows_grant(struct kunit *test)
{
	static const struct { u32 grant, want; } cases[] = {
		/* A window of 0 would be a deadlock. */
		{ 0, 1 }, { 17, 17 }, { MAX_REQS, MAX_REQS }, { MAX_REQS + 1, MAX_REQS },
		/* The last grant times the scale is 2^32, which overflows. */
		{ 0xffffffff, MAX_REQS }, { 0x01000000, MAX_REQS },
	};

	for_each_case(c, cases) {
		transport(test);
		xprt_rdma_credit_reset(r_xprt);
		xprt_rdma_credit_grant(r_xprt->conn, c->grant);
		KUNIT_EXPECT_EQ(test, window(), c->want);
		/* The number of Receives follows the window. */
		KUNIT_EXPECT_EQ(test, r_xprt->conn->credits.granted, c->want);
	}
}

/* The grant can fall below the number of calls in flight, and rise again. */
static void grant_changes(struct kunit *test)
{
	transport(test);
	xprt_rdma_credit_reset(r_xprt);
	xprt_rdma_credit_grant(r_xprt->conn, 20);
	r_xprt->xprt.cong = 20 * RPC_CWNDSCALE;
	xprt_rdma_credit_grant(r_xprt->conn, 3);
	KUNIT_EXPECT_EQ(test, window(), 3);
	KUNIT_EXPECT_EQ(test, r_xprt->xprt.cong, 20 * RPC_CWNDSCALE);
	xprt_rdma_credit_grant(r_xprt->conn, 30);
	KUNIT_EXPECT_EQ(test, window(), 30);
	/* Receives are posted before the window allows more calls. */
	KUNIT_EXPECT_EQ(test, fake_posted_for, 30);
	KUNIT_EXPECT_EQ(test, fake_window, 3);
}

/* RFC 8167 section 4: callbacks use no credits of forward calls. */
static void callbacks_use_no_credits(struct kunit *test)
{
	struct rpc_rqst rqst = { .rq_cong = 0 };

	transport(test);
	xprt_rdma_credit_reset(r_xprt);
	r_xprt->xprt.cong = RPC_CWNDSCALE;
	xprt_rdma_credit_exempt(r_xprt, &rqst);
	KUNIT_EXPECT_EQ(test, rqst.rq_cong, 1);
	KUNIT_EXPECT_EQ(test, window(), 1);

	/* A dropped callback returns its congestion window entry once. */
	xprt_rdma_credit_return(r_xprt, &rqst);
	KUNIT_EXPECT_EQ(test, rqst.rq_cong, 0);
	KUNIT_EXPECT_EQ(test, r_xprt->xprt.cong, RPC_CWNDSCALE);
	xprt_rdma_credit_return(r_xprt, &rqst);
	KUNIT_EXPECT_EQ(test, r_xprt->xprt.cong, RPC_CWNDSCALE);
}

/* RFC 5666 section 3.8: each RDMA_DONE in flight uses a call's credit. */
static void dones_use_credits(struct kunit *test)
{
	static const struct {
		u32 grant, dones;
		unsigned long want;
	} cases[] = {
		{ 20, 0, 20 },
		{ 20, 19, 1 },
		{ 20, 20, 0 },
		{ 20, 0xffffffff, 0 },
		{ 1, 1, 0 },
	};

	transport(test);
	for_each_case(c, cases) {
		/* Act and assert: the DONEs are sent after the grant. */
		r_xprt->conn->fetches.dones = 0;
		xprt_rdma_credit_grant(r_xprt->conn, c->grant);
		r_xprt->conn->fetches.dones = c->dones;
		xprt_rdma_credit_apply(r_xprt->conn);
		KUNIT_EXPECT_EQ_MSG(test, window(), c->want, "case %td", c - cases);

		/* Act and assert: the grant arrives after the DONEs. */
		xprt_rdma_credit_grant(r_xprt->conn, 7);
		xprt_rdma_credit_grant(r_xprt->conn, c->grant);
		KUNIT_EXPECT_EQ_MSG(test, window(), c->want, "case %td", c - cases);

		/*
		 * Act and assert: the Sends complete. A call that waited
		 * because the window was 0 is woken; no reply would wake it.
		 */
		r_xprt->conn->fetches.dones = 0;
		fake_cong_wakes = 0;
		xprt_rdma_credit_apply(r_xprt->conn);
		KUNIT_EXPECT_EQ(test, window(), c->grant);
		KUNIT_EXPECT_EQ(test, fake_cong_wakes, !c->want);
		KUNIT_EXPECT_EQ(test, r_xprt->xprt.cong, 0);
	}
}

/*
 * A waiting task is woken whenever the window grows, because the calls in
 * flight may never be answered.
 */
static void room_wakes_sender(struct kunit *test)
{
	transport(test);
	/* Arrange: an RDMA_DONE and an abandoned call hold both credits. */
	xprt_rdma_credit_reset(r_xprt);
	r_xprt->conn->fetches.dones = 1;
	xprt_rdma_credit_grant(r_xprt->conn, 2);
	r_xprt->xprt.cong = RPC_CWNDSCALE;
	fake_cong_wakes = 0;

	/* Act and assert: the RDMA_DONE's Send completes. */
	r_xprt->conn->fetches.dones = 0;
	xprt_rdma_credit_apply(r_xprt->conn);
	KUNIT_EXPECT_EQ(test, window(), 2);
	KUNIT_EXPECT_EQ(test, fake_cong_wakes, 1);
	KUNIT_EXPECT_EQ(test, r_xprt->xprt.cong, RPC_CWNDSCALE);

	/* Act and assert: a grant used up by the calls, then a larger one */
	r_xprt->xprt.cong = 4 * RPC_CWNDSCALE;
	xprt_rdma_credit_grant(r_xprt->conn, 4);
	KUNIT_EXPECT_EQ(test, fake_cong_wakes, 1);
	xprt_rdma_credit_grant(r_xprt->conn, 5);
	KUNIT_EXPECT_EQ(test, fake_cong_wakes, 2);

	/* Act and assert: no task waits, because there was room already. */
	xprt_rdma_credit_grant(r_xprt->conn, 6);
	KUNIT_EXPECT_EQ(test, fake_cong_wakes, 2);
}

/*
 * Each killed call keeps its credit until a reply arrives that matches no other
 * call.
 */
static void killed_call_keeps_credit(struct kunit *test)
{
	u32 i, n = 3;

	for (i = 0; i < n; i++) {
		release(i);
		KUNIT_EXPECT_FALSE(test, nth(i)->unanswered);
	}
	KUNIT_EXPECT_EQ(test, held(), NREQS);
	KUNIT_EXPECT_EQ(test, fake_cong_wakes, 0);
	for (i = 0; i <= n; i++) {
		KUNIT_EXPECT_EQ(test, xprt_rdma_abandoned_answered(r_xprt), i < n);
		KUNIT_EXPECT_EQ(test, held(), NREQS - min(i + 1, n));
		KUNIT_EXPECT_EQ(test, fake_cong_wakes, min(i + 1, n));
	}
	KUNIT_EXPECT_EQ(test, r_xprt->abandoned.answered, n);
}

/*
 * A reply can arrive after sunrpc has removed the killed call, but before the
 * call is recorded as abandoned. The call's credit is returned then.
 */
static void reply_crosses_kill(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, xprt_rdma_abandoned_answered(r_xprt));
	KUNIT_EXPECT_EQ(test, held(), NREQS);
	release(3);
	KUNIT_EXPECT_EQ(test, held(), NREQS - 1);
	KUNIT_EXPECT_EQ(test, r_xprt->abandoned.count, 0);
	release(1);
	KUNIT_EXPECT_EQ(test, held(), NREQS - 1);
	KUNIT_EXPECT_EQ(test, r_xprt->abandoned.count, 1);

	/* A reply from the previous connection matches no later call. */
	KUNIT_EXPECT_TRUE(test, xprt_rdma_abandoned_answered(r_xprt));
	KUNIT_EXPECT_FALSE(test, xprt_rdma_abandoned_answered(r_xprt));
	xprt_rdma_credit_reset(r_xprt);
	nth(0)->unanswered = true;
	nth(0)->rqst.rq_cong = 1;
	release(0);
	KUNIT_EXPECT_EQ(test, r_xprt->abandoned.count, 1);
}

/*
 * A killed call keeps no credit if it was answered, or never sent on this
 * connection.
 */
static void others_keep_no_credit(struct kunit *test)
{
	nth(0)->rqst.rq_cong = 0;
	release(0);
	nth(1)->unanswered = false;
	release(1);
	KUNIT_EXPECT_EQ(test, r_xprt->abandoned.count, 0);
	KUNIT_EXPECT_EQ(test, held(), NREQS - 1);
}

static struct kunit_case xprt_credit_cases[] = {
	KUNIT_CASE(starts_with_one),
	KUNIT_CASE(window_follows_grant),
	KUNIT_CASE(grant_changes),
	KUNIT_CASE(dones_use_credits),
	KUNIT_CASE(room_wakes_sender),
	KUNIT_CASE(callbacks_use_no_credits),
	KUNIT_CASE(killed_call_keeps_credit),
	KUNIT_CASE(reply_crosses_kill),
	KUNIT_CASE(others_keep_no_credit),
	{}
};

SUITE("xprt_rdma_credit", xprt_credit_cases, .init = calling, .exit = balance_exit);
