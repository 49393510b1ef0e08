// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a call is sent once per connection, or again in another form if it was
 * refused, and a reply matches it from when it is posted on. Otherwise, credits
 * would be lost, or a reply would change lists that the sender is building. A call
 * that cannot be sent fails alone: sunrpc gives an error of the transport to the
 * task that sends, which sends the calls of others as well.
 */
#include "xprt_send_fakes.h"

static int decode_nothing(struct rpc_rqst *rqst, struct xdr_stream *xdr,
			  void *data)
{
	return 0;
}

static const struct rpc_procinfo procedure = { .p_decode = decode_nothing };

/* A call of a connected transport, not sent on this connection yet */
static struct xprt_rdma_req *call(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);
	struct xprt_rdma_req *req = request(test, conn, 100, 0, 0);
	struct rpc_xprt *xprt = &conn->r_xprt->xprt;

	xprt_set_connected(xprt);
	xprt->connect_cookie = 5;
	req->rqst.rq_connect_cookie = 4;
	req->rqst.rq_xprt = xprt;
	req->rqst.rq_task = fake_zalloc(test, sizeof(*req->rqst.rq_task));
	req->rqst.rq_task->tk_msg.rpc_proc = &procedure;
	return req;
}

/*
 * A reply matches a call from when the adapter gets it on, and not earlier; not
 * at all if it does not get it; and never the reply to a callback. Its handler
 * invalidates nothing that is still to be registered.
 */
static void matched_when_posted(struct kunit *test)
{
	struct xprt_rdma_callback cb = {};
	struct xprt_rdma_req *req = call(test);

	outside.watched = req;
	outside.refuses = true;
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), -ENOTCONN);
	KUNIT_EXPECT_FALSE(test, req->unanswered);
	outside.refuses = false;
	xprt_rdma_sends_flush(req->r_xprt->conn);
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), 0);
	KUNIT_EXPECT_FALSE(test, outside.matched_early);
	KUNIT_EXPECT_TRUE(test, outside.matched);
	KUNIT_EXPECT_TRUE(test, outside.locked);
	KUNIT_EXPECT_TRUE(test, req->unanswered);
	KUNIT_EXPECT_EQ(test, outside.posted, 1);
	KUNIT_EXPECT_EQ(test, outside.lost, 1);
	KUNIT_EXPECT_EQ(test, req->rqst.rq_xmit_bytes_sent, 100);
	KUNIT_EXPECT_NE(test, ktime_to_ns(req->rqst.rq_xtime), 0);

	req = request(test, req->r_xprt->conn, 100, 0, 0);
	req->cb = &cb;
	KUNIT_EXPECT_EQ(test, post(req->r_xprt->conn, req, NULL, 0), 0);
	KUNIT_EXPECT_FALSE(test, req->unanswered);
}

/* A call without a reply would keep its credit: the connection is given up. */
static void call_without_reply_ends_connection(struct kunit *test)
{
	struct xprt_rdma_req *req = call(test);
	struct rpc_procinfo no_reply = { };

	req->rqst.rq_task->tk_msg.rpc_proc = &no_reply;
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), 0);
	KUNIT_EXPECT_EQ(test, outside.lost, 1);
}

/*
 * A call that cannot be sent returns an error. The connection is given up if
 * posting failed, or if the call would be sent twice on it.
 */
static void unsent_call_returns_error(struct kunit *test)
{
	struct xprt_rdma_req *req = call(test);
	struct xprt_rdma *r_xprt = req->r_xprt;
	struct xprt_rdma_conn *conn = r_xprt->conn;

	xprt_clear_connected(&r_xprt->xprt);
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), -ENOTCONN);
	xprt_set_connected(&r_xprt->xprt);
	r_xprt->conn = NULL;
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), -ENOTCONN);
	r_xprt->conn = conn;
	outside.no_credit = true;
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), -EBADSLT);
	outside.no_credit = false;
	outside.marshal = -ENOBUFS;
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), -ENOBUFS);
	outside.marshal = -EAGAIN;
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), -EAGAIN);
	KUNIT_EXPECT_NULL(test, outside.failed);
	KUNIT_EXPECT_EQ(test, outside.lost, 0);
	outside.marshal = 0;
	outside.refuses = true;
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, outside.lost, 1);

	/* RFC 8166 section 3.3: not twice on the same connection */
	outside.refuses = false;
	req->rqst.rq_connect_cookie = 5;
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, outside.lost, 2);
	req->rqst.rq_connect_cookie = 4;
	kref_get(&req->ref);
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, outside.lost, 3);
	KUNIT_EXPECT_EQ(test, outside.posted, 0);
}

/* A call that can never be sent gets the error; the task that sends it goes on. */
static void unsendable_call_fails_alone(struct kunit *test)
{
	static const int errors[] = { -EIO, -EMSGSIZE };
	struct xprt_rdma_req *req;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		req = call(test);
		outside.marshal = errors[i];
		KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), 0);
		KUNIT_EXPECT_PTR_EQ(test, outside.failed,
				    (const struct rpc_task *)req->rqst.rq_task);
		KUNIT_EXPECT_EQ(test, outside.bytes, 4);
		KUNIT_EXPECT_FALSE(test, req->unanswered);
		KUNIT_EXPECT_EQ(test, outside.posted, 0);
		KUNIT_EXPECT_EQ(test, outside.lost, 0);
	}
}

/* v2 draft section 6: a refused call may be sent again in another way. */
static void refused_call_sent_again(struct kunit *test)
{
	struct xprt_rdma_req *req = call(test);
	struct xprt_rdma_conn *conn = req->r_xprt->conn;

	/* Act and assert: its first Send is not signaled */
	KUNIT_ASSERT_EQ(test, xprt_rdma_call_send(req), 0);
	req->limits.no_reads = true;
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), 0);
	KUNIT_EXPECT_EQ(test, outside.posted, 2);
	KUNIT_EXPECT_EQ(test, outside.lost, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq.avail), SQ_SIZE - 2);

	/* Act and assert: the second Send returns the entries of both */
	completes(conn, req, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq.avail), SQ_SIZE);
	KUNIT_EXPECT_EQ(test, outside.puts, 2);

	/* Act and assert: a signaled Send is waited for */
	conn->sends.unsignaled = XPRT_RDMA_SEND_BATCH;
	KUNIT_ASSERT_EQ(test, xprt_rdma_call_send(req), 0);
	outside.write_space = 0;
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), -EAGAIN);
	KUNIT_EXPECT_EQ(test, outside.write_space, 0);
	completes(conn, req, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, outside.write_space, 1);
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), 0);
	KUNIT_EXPECT_EQ(test, outside.lost, 0);

	/* Act and assert: it completes before the wait begins */
	completes(conn, req, IB_WC_SUCCESS);
	outside.write_space = 0;
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_await_first_send(req), -EAGAIN);
	KUNIT_EXPECT_EQ(test, outside.write_space, 1);
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), 0);

	/*
	 * Act and assert: one whose completion is being handled is waited for
	 */
	*xprt_rdma_send_entry(conn, req->send_nr) = NULL;
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), -EAGAIN);
	xprt_rdma_sq_release(conn, xprt_rdma_send_release(conn, req));
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq.avail), SQ_SIZE);
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), 0);
}

static struct kunit_case xprt_post_cases[] = {
	KUNIT_CASE(matched_when_posted),
	KUNIT_CASE(call_without_reply_ends_connection),
	KUNIT_CASE(unsent_call_returns_error),
	KUNIT_CASE(unsendable_call_fails_alone),
	KUNIT_CASE(refused_call_sent_again),
	{}
};

SUITE("xprt_rdma_post", xprt_post_cases, .exit = balance_exit);
