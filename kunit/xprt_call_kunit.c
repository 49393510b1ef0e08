// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a call that cannot be sent now is sent later, and one that can never be
 * sent fails, and no other. sunrpc gives an error of the transport to the task
 * that sends, which sends the calls of others as well: they would fail instead.
 */
#include <linux/module.h>

#include "xprt_fakes.h"
#include "fake_balance.h"

/**
 * struct outside - calls to other files, and their outcome
 * @marshal: return value of marshaling
 * @posted: number of calls posted
 * @waits: number of tasks told to wait
 * @lost: number of times that the connection was given up
 * @completed: the task of the call that was completed, or NULL
 * @bytes: length of its reply
 * @again: it may be sent again
 */
static struct outside {
	int marshal;
	u32 posted;
	u32 waits;
	u32 lost;
	const struct rpc_task *completed;
	int bytes;
	bool again;
} outside;

static void fake_complete(const struct rpc_task *task, int bytes)
{
	balance.wrong += balance.held != 1;
	outside.completed = task;
	outside.bytes = bytes;
}

#define xprt_rdma_marshal(conn, req)	((void)(req), outside.marshal)
#define xprt_rdma_send_post(conn, req)	((void)(req), (int)(0 * outside.posted++))
#define xprt_rdma_send_unlink(conn, req)	((void)(conn), (void)(req), true)
#define xprt_rdma_conn_lost(conn)	((void)(conn), (void)outside.lost++)
#define xprt_rdma_rpc_fail(rqst, may)	\
	((void)(rqst), (void)(outside.again = (may)), 4)
#define xprt_complete_rqst		fake_complete
#define xprt_request_get_cong(xprt, rqst)	((void)(rqst), true)
#define xprt_wait_for_buffer_space(xprt) ((void)(xprt), (void)outside.waits++)
#define xprt_write_space(xprt)		((void)(xprt))

#include "../xprtrdma/message/call.c"

static int decode_nothing(struct rpc_rqst *rqst, struct xdr_stream *xdr,
			  void *obj)
{
	return 0;
}

static const struct rpc_procinfo procedure = { .p_decode = decode_nothing };

/* A call of a connected transport, not sent on this connection yet */
static struct xprt_rdma_req *call(struct kunit *test)
{
	struct xprt_rdma_req *req = fake_req(test);
	struct rpc_xprt *xprt = &req->r_xprt->xprt;

	memset(&outside, 0, sizeof(outside));
	outside.again = true;
	spin_lock_init(&xprt->queue_lock);
	xprt_set_connected(xprt);
	xprt->connect_cookie = 5;
	req->rqst.rq_connect_cookie = 4;
	req->rqst.rq_xprt = xprt;
	req->rqst.rq_task->tk_msg.rpc_proc = &procedure;
	return req;
}

/* Neither the call nor the task that sends it has a reason to fail. */
static void delayed_call_does_not_fail(struct kunit *test)
{
	static const int delays[] = { -EAGAIN, -ENOBUFS };
	struct xprt_rdma_req *req;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(delays); i++) {
		req = call(test);
		outside.marshal = delays[i];
		KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), delays[i]);
		KUNIT_EXPECT_NULL(test, outside.completed);
		KUNIT_EXPECT_EQ(test, outside.posted, 0);
	}
}

/* The call itself gets the error; the task that sends it continues. */
static void unsendable_call_fails_alone(struct kunit *test)
{
	static const int errors[] = { -EIO, -EMSGSIZE };
	struct xprt_rdma_req *req;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		req = call(test);
		outside.marshal = errors[i];
		KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), 0);
		KUNIT_EXPECT_PTR_EQ(test, outside.completed,
				    (const struct rpc_task *)req->rqst.rq_task);
		KUNIT_EXPECT_EQ(test, outside.bytes, 4);
		KUNIT_EXPECT_FALSE(test, outside.again);
		KUNIT_EXPECT_FALSE(test, req->unanswered);
		KUNIT_EXPECT_EQ(test, outside.posted, 0);
		KUNIT_EXPECT_EQ(test, outside.lost, 0);
	}
}

static struct kunit_case xprt_call_cases[] = {
	KUNIT_CASE(delayed_call_does_not_fail),
	KUNIT_CASE(unsendable_call_fails_alone),
	{}
};

static struct kunit_suite xprt_call_suite = {
	.name = "xprt_rdma_call",
	.exit = balance_exit,
	.test_cases = xprt_call_cases,
};

kunit_test_suite(xprt_call_suite);

MODULE_DESCRIPTION("KUnit suite of sending calls");
MODULE_LICENSE("GPL");
