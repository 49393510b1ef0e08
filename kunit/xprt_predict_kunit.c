// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the transport learns from replies which procedures return long ones
 * (reliable-reply draft section 5.3.1). Otherwise, each call would register
 * memory for a Reply chunk that is not used, or each long reply would take an
 * extra round trip.
 */
#include "xprt_fakes.h"

#include "../xprtrdma/ext/pulled/predict.c"

#define INLINE	1024u

/* A call of a procedure that the transport has not learned about yet */
static struct xprt_rdma_req *call(struct kunit *test, struct xprt_rdma *r_xprt,
				  u32 statidx)
{
	struct rpc_procinfo *proc = fake_zalloc(test, sizeof(*proc));
	struct rpc_clnt *clnt = fake_zalloc(test, sizeof(*clnt));
	struct xprt_rdma_req *req = fake_req(test);

	if (r_xprt)
		req->r_xprt = r_xprt;
	req->recv = fake_zalloc(test, sizeof(*req->recv));
	req->recv->conn = req->r_xprt->conn;
	req->recv->conn->sizes.inline_recv = INLINE;
	proc->p_statidx = statidx;
	clnt->cl_prog = 100003;
	clnt->cl_vers = 4;
	req->rqst.rq_task->tk_client = clnt;
	req->rqst.rq_task->tk_msg.rpc_proc = proc;
	return req;
}

/* Learn of replies that have just fitted inline, or are longer by a word. */
static void learn(const struct xprt_rdma_req *req, bool is_long, u32 times)
{
	while (times--)
		xprt_rdma_predict_learn(req, INLINE - RPCRDMA_V1_MIN_SIZE +
					     4 * is_long);
}

/* Replies are predicted to be short until several were long. */
static void short_until_several_long(struct kunit *test)
{
	struct xprt_rdma_req *req = call(test, NULL, 1);

	KUNIT_EXPECT_FALSE(test, xprt_rdma_predict_long(req));
	learn(req, true, PREDICT_LONG - 1);
	KUNIT_EXPECT_FALSE(test, xprt_rdma_predict_long(req));
	learn(req, true, 1);
	KUNIT_EXPECT_TRUE(test, xprt_rdma_predict_long(req));
	learn(req, false, 1);
	KUNIT_EXPECT_FALSE(test, xprt_rdma_predict_long(req));
}

/* However many replies were long, a few short ones change the prediction. */
static void few_replies_change_it(struct kunit *test)
{
	struct xprt_rdma_req *req = call(test, NULL, 1);

	learn(req, true, 1000);
	KUNIT_EXPECT_TRUE(test, xprt_rdma_predict_long(req));
	learn(req, false, PREDICT_MAX - PREDICT_LONG);
	KUNIT_EXPECT_TRUE(test, xprt_rdma_predict_long(req));
	learn(req, false, 1);
	KUNIT_EXPECT_FALSE(test, xprt_rdma_predict_long(req));
	learn(req, false, 1000);
	learn(req, true, PREDICT_LONG - 1);
	KUNIT_EXPECT_FALSE(test, xprt_rdma_predict_long(req));
	learn(req, true, 1);
	KUNIT_EXPECT_TRUE(test, xprt_rdma_predict_long(req));
}

/* Each procedure, program version and transport is predicted by itself. */
static void each_procedure_by_itself(struct kunit *test)
{
	struct xprt_rdma_req *first = call(test, NULL, 0), *other;
	struct xprt_rdma *r_xprt = first->r_xprt;
	u32 i, shared = 0;

	learn(first, true, PREDICT_MAX);
	for (i = 1; i < 64; i++)
		shared += xprt_rdma_predict_long(call(test, r_xprt, i));
	KUNIT_EXPECT_LE(test, shared, 2);
	other = call(test, r_xprt, 0);
	KUNIT_EXPECT_TRUE(test, xprt_rdma_predict_long(other));
	other->rqst.rq_task->tk_client->cl_vers = 3;
	KUNIT_EXPECT_FALSE(test, xprt_rdma_predict_long(other));
	KUNIT_EXPECT_FALSE(test, xprt_rdma_predict_long(call(test, NULL, 0)));
}

static struct kunit_case xprt_predict_cases[] = {
	KUNIT_CASE(short_until_several_long),
	KUNIT_CASE(few_replies_change_it),
	KUNIT_CASE(each_procedure_by_itself),
	{}
};

SUITE("xprt_rdma_predict", xprt_predict_cases);
