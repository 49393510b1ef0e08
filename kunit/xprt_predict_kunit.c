// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: how xprtrdma predicts whether a reply is going to be long
 * (reliable-reply draft section 5.3.1).
 */
#include <linux/module.h>

#include "xprt_fakes.h"

#include "../xprtrdma/message/predict.c"

/* A call of a procedure that the transport has not seen yet */
static struct xprt_rdma_req *call(struct kunit *test, struct xprt_rdma *r_xprt,
				  u32 statidx)
{
	struct rpc_procinfo *proc = fake_zalloc(test, sizeof(*proc));
	struct rpc_clnt *clnt = fake_zalloc(test, sizeof(*clnt));
	struct xprt_rdma_req *req = fake_req(test);

	if (r_xprt)
		req->r_xprt = r_xprt;
	proc->p_statidx = statidx;
	clnt->cl_prog = 100003;
	clnt->cl_vers = 4;
	req->rqst.rq_task->tk_client = clnt;
	req->rqst.rq_task->tk_msg.rpc_proc = proc;
	return req;
}

static void learn(const struct xprt_rdma_req *req, bool is_long, u32 times)
{
	while (times--)
		xprt_rdma_predict_learn(req, is_long);
}

/* Until there is a reason to think otherwise, replies are short. */
static void threshold(struct kunit *test)
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

/* However long it was one way, it takes as few replies to change that. */
static void saturating(struct kunit *test)
{
	struct xprt_rdma_req *req = call(test, NULL, 1);

	learn(req, true, 1000);
	KUNIT_EXPECT_TRUE(test, xprt_rdma_predict_long(req));
	learn(req, false, PREDICT_MAX - PREDICT_LONG);
	KUNIT_EXPECT_TRUE(test, xprt_rdma_predict_long(req));
	learn(req, false, 1);
	KUNIT_EXPECT_FALSE(test, xprt_rdma_predict_long(req));
	learn(req, false, 1000);
	KUNIT_EXPECT_FALSE(test, xprt_rdma_predict_long(req));
	learn(req, true, PREDICT_LONG);
	KUNIT_EXPECT_TRUE(test, xprt_rdma_predict_long(req));
}

/* One that is short among many that are long changes nothing. */
static void exceptions(struct kunit *test)
{
	struct xprt_rdma_req *req = call(test, NULL, 1);
	u32 i;

	learn(req, true, PREDICT_MAX);
	for (i = 0; i < 10; i++) {
		learn(req, false, 1);
		KUNIT_EXPECT_TRUE(test, xprt_rdma_predict_long(req));
		learn(req, true, 1);
	}
	learn(req, false, 1000);
	for (i = 0; i < 10; i++) {
		learn(req, true, 1);
		KUNIT_EXPECT_FALSE(test, xprt_rdma_predict_long(req));
		learn(req, false, 1);
	}
}

/* Procedures, versions and transports: what is true of one is not of others. */
static void procedures(struct kunit *test)
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
	KUNIT_CASE(threshold),
	KUNIT_CASE(saturating),
	KUNIT_CASE(exceptions),
	KUNIT_CASE(procedures),
	{}
};

static struct kunit_suite xprt_predict_suite = {
	.name = "xprt_rdma_predict",
	.test_cases = xprt_predict_cases,
};

kunit_test_suite(xprt_predict_suite);

MODULE_DESCRIPTION("KUnit suite of xprtrdma's predictions");
MODULE_LICENSE("GPL");
