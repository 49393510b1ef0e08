// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: every message that arrives is handled exactly once, in order, and
 * enough threads are woken for the messages still waiting. If this failed, a
 * call would hang until the client retransmits it. svc_v2_kunit.c tests the
 * answer to each message.
 */
#include "svc_fakes.h"
#include "fake_balance.h"
#include "svc_v2_fakes.h"
#include "padded_messages.h"

static const struct words v1_call = WORDS(W_V1_CALL);

/* RFC 8166 sections 3.3.1, 4.5: a message without an XID cannot be answered. */
static void odd_lengths(struct kunit *test)
{
	static const struct { u32 len, closed; } cases[] = {
		{ 0, 1 }, { 2, 1 }, { 3, 1 }, { 4, 0 }, { 6, 0 }, { 7 * 4 + 2, 0 },
	};
	struct svc_rdma_recv_ctx *recv;

	for_each_case(c, cases) {
		conn_create(test, 0);
		recv = arrive(test, &v1_call);
		recv->len = c->len;
		recv->buf = memcpy(fake_zalloc(test, recv->len), recv->buf, recv->len);
		KUNIT_EXPECT_EQ(test, received(), 0);
		KUNIT_EXPECT_EQ(test, fake_closed, c->closed);
		KUNIT_EXPECT_EQ(test, conn->ver == &svc_rdma_undecided, c->len < 8);
		KUNIT_EXPECT_EQ(test, out.put, 1);
		/* The Receive is put back before the error is sent. */
		KUNIT_EXPECT_EQ(test, out.put_posted, !c->closed);
		if (!c->closed)
			EXPECT_SENT(0, W_V1_ERROR(2));
	}
}

#ifdef RPCRDMA_EXT_MSGP
/* RFC 5666 section 3.9: svcrdma removes the padding from a padded call. */
static void padded_call(struct kunit *test)
{
	static const struct padded_shape s = { NULL, 512, 512, 24, 0, 32, 2048, 356 };
	struct padded_message m = { .buf = fake_zalloc(test, PADDED_MAX) };
	struct svc_rdma_recv_ctx *recv = arrive(test, &v1_call);
	u32 before, len;
	const u8 *call;

	padded_build_call(&m, &s);
	recv->buf = memcpy(fake_zalloc(test, m.len), m.buf, m.len);
	recv->len = m.len;
	before = (m.item + 1) * RPCRDMA_XDR_UNIT - PADDED_HEADER;
	len = m.len - PADDED_HEADER - s.padding;

	KUNIT_ASSERT_EQ(test, received(), len);
	KUNIT_ASSERT_EQ(test, rqst->rq_arg.head[0].iov_len, len);
	call = rqst->rq_arg.head[0].iov_base;
	KUNIT_EXPECT_MEMEQ(test, call, m.buf + PADDED_HEADER, before);
	KUNIT_EXPECT_MEMEQ(test, call + before, m.buf + m.len - s.length, s.length);
	KUNIT_EXPECT_EQ(test, fake_count(msgp_calls), 1);
}
#endif

/* Reliable-reply draft section 4.1.4: only RDMA_DONE can invalidate handles. */
static void invalidated(struct kunit *test)
{
	static const struct { struct words in; u32 handle; bool closed; } cases[] = {
		{ WORDS(XID, 1, 1, 3), GOOD_HANDLE, false },
		{ WORDS(XID, 1, 1, 3), GOOD_HANDLE + 1, true },
		{ WORDS(W_V1_CALL), GOOD_HANDLE, true },
		{ WORDS(XID, 1, 1, 4, 2), GOOD_HANDLE, true },
		{ WORDS(XID, 1, 1, 9, 0, 0, 0), GOOD_HANDLE, true },
		{ NOTHING, GOOD_HANDLE, true },
	};
	struct svc_rdma_recv_ctx *recv;

	for_each_case(c, cases) {
		conn_create(test, 1);
		recv = arrive(test, &c->in);
		recv->invalidated = true;
		recv->inv_handle = c->handle;
		KUNIT_EXPECT_EQ(test, received(), 0);
		KUNIT_EXPECT_EQ_MSG(test, fake_closed, c->closed, "case %td", c - cases);
		KUNIT_EXPECT_EQ(test, out.count, 0);
		KUNIT_EXPECT_EQ(test, out.put, 1);
	}
}

/* An inline call overwrites every field of the previous call's xdr_buf. */
static void inline_call(struct kunit *test)
{
	struct xdr_buf *arg = &rqst->rq_arg;
	__be32 words[4];

	/* Arrange: the xdr_buf holds data of an earlier call */
	memset(arg, 0x5a, sizeof(*arg));
	arrive(test, &v1_call);

	KUNIT_ASSERT_EQ(test, received(), 16);
	KUNIT_EXPECT_TRUE(test, test_bit(RQ_SECURE, &rqst->rq_flags));
	KUNIT_EXPECT_EQ(test, rqst->rq_prot, IPPROTO_MAX);
	KUNIT_EXPECT_EQ(test, out.addressed, 1);
	KUNIT_EXPECT_EQ(test, out.lent, 0);
	KUNIT_EXPECT_PTR_EQ(test, arg->tail[0].iov_base, arg->head[0].iov_base + 16);
	KUNIT_EXPECT_PTR_EQ(test, arg->pages, &rqst->rq_pages[0]);
	KUNIT_EXPECT_EQ(test, arg->page_base, 0);
	KUNIT_EXPECT_EQ(test, arg->buflen, 16);
	KUNIT_ASSERT_EQ(test, arg->len, 16);
	KUNIT_ASSERT_EQ(test, arg->head[0].iov_len, 16);
	KUNIT_EXPECT_EQ(test, arg->page_len, 0);
	KUNIT_EXPECT_EQ(test, arg->tail[0].iov_len, 0);
	memcpy(words, arg->head[0].iov_base, sizeof(words));
	KUNIT_EXPECT_EQ(test, be32_to_cpu(words[0]), XID);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(words[3]), 100003);
}

/* Long calls and calls with Write or Reply chunks are counted. */
static void counted(struct kunit *test)
{
	static const struct { struct words in; u32 nomsg, writes, replies; } cases[] = {
		{ WORDS(XID, 1, 1, 0, 0, 1, 1, W_SEG, 0, 0, W_CALL), 0, 1, 0 },
		{ WORDS(XID, 1, 1, 0, 0, 1, 2, W_SEG, W_SEG, 0, 0, W_CALL), 0, 1, 0 },
		{ WORDS(XID, 1, 1, 0, 0, 0, 1, 2, W_SEG, W_SEG, W_CALL), 0, 0, 1 },
		{ WORDS(XID, 1, 1, 1, 1, 0, W_SEG, 0, 0, 0), 1, 0, 0 },
	};

	for_each_case(c, cases) {
		conn_create(test, 0);
		take(test, &c->in);
		KUNIT_EXPECT_EQ_MSG(test, conn->traffic.long_calls,
				    c->nomsg, "case %td", c - cases);
		KUNIT_EXPECT_EQ_MSG(test, conn->traffic.write_calls,
				    c->writes, "case %td", c - cases);
		KUNIT_EXPECT_EQ_MSG(test, conn->traffic.reply_calls,
				    c->replies, "case %td", c - cases);
	}
}

/* If no message is taken, the thread keeps its pages and sends no answer. */
static void nothing(struct kunit *test)
{
	rqst->rq_respages = rqst->rq_pages + 7;
	rqst->rq_next_page = rqst->rq_respages;
	rqst->rq_xprt_ctxt = rqst;
	KUNIT_EXPECT_EQ(test, received(), 0);
	KUNIT_EXPECT_PTR_EQ(test, rqst->rq_respages, rpcrdma_rqst_reply_pages(rqst, 0));
	KUNIT_EXPECT_PTR_EQ(test, rqst->rq_next_page, rqst->rq_respages);
	KUNIT_EXPECT_NULL(test, rqst->rq_xprt_ctxt);

	/* A closing connection leaves received messages in its list. */
	arrive(test, &v1_call);
	atomic_set(&conn->life.state, SVC_RDMA_CLOSING);
	KUNIT_EXPECT_EQ(test, received(), 0);
	KUNIT_EXPECT_FALSE(test, list_empty(&conn->recvs.done));
}

/* Unreadable chunks get an error reply; other failures close the connection. */
static void reads_refused(struct kunit *test)
{
	static const struct { int status; u32 error; } cases[] = {
		{ -EBADMSG, RPCRDMA2_ERR_BAD_XDR },
		{ -E2BIG, RPCRDMA2_ERR_SYSTEM },
		{ -ENOMEM }, { -EIO }, { -ENOTCONN },
	};

	for_each_case(c, cases) {
		conn_create(test, 2);
		out.read_status = c->status;
		TAKE(W_HEAD(0, 0, 0), 1, 8, W_SEG, 0, 0, 0, W_CALL);
		KUNIT_EXPECT_EQ(test, out.served, 0);
		KUNIT_EXPECT_EQ(test, out.count, !!c->error);
		KUNIT_EXPECT_EQ(test, fake_closed, !c->error);
		KUNIT_EXPECT_EQ(test, out.put, 1);
		if (out.count)
			KUNIT_EXPECT_EQ(test, c->error, get_unaligned_be32(out.sent[0] + 20));
	}
}

/* Adds a call to @head, one of the connection's lists of Reads. */
static struct svc_rdma_read_ctx *read_create(struct kunit *test,
					     struct list_head *head, u32 npages)
{
	struct svc_rdma_read_ctx *read = fake_zalloc(test, sizeof(*read));

	read->recv = fake_zalloc(test, sizeof(*read->recv));
	read->recv->read = read;
	read->npages = npages;
	list_add_tail(&read->list, head);
	return read;
}

/* Threads take calls in this order: read, waiting for pages, new. */
static void in_order(struct kunit *test)
{
	struct svc_rdma_read_ctx *done;

	arrive(test, &v1_call);
	read_create(test, &conn->reads.waiting, 0);
	done = read_create(test, &conn->reads.done, 1);

	KUNIT_EXPECT_EQ(test, received(), WAITED_LEN);
	KUNIT_EXPECT_PTR_EQ(test, rqst->rq_xprt_ctxt, (void *)done->recv);
	KUNIT_EXPECT_FALSE(test, out.reading);
	KUNIT_EXPECT_EQ(test, received(), 0);
	KUNIT_EXPECT_TRUE(test, out.reading);
	KUNIT_EXPECT_EQ(test, out.put, 0);
	KUNIT_EXPECT_EQ(test, received(), 16);
}

/* A call that fails after waiting gets an error, or closes the connection. */
static void later_refused(struct kunit *test)
{
	conn_create(test, 1);
	out.read_status = -E2BIG;
	read_create(test, &conn->reads.done, 1)->recv->len = 28;
	KUNIT_EXPECT_EQ(test, received(), 0);
	KUNIT_EXPECT_EQ(test, out.count, 1);
	KUNIT_EXPECT_EQ(test, fake_closed, 0);
	KUNIT_EXPECT_EQ(test, out.put, 1);
	read_create(test, &conn->reads.waiting, 0)->recv->len = 28;
	out.read_status = -ENOMEM;
	KUNIT_EXPECT_EQ(test, received(), 0);
	KUNIT_EXPECT_EQ(test, fake_closed, 1);
	KUNIT_EXPECT_EQ(test, rpcrdma_cause_reason(fake_cause), RPCRDMA_NL_LOST_MEMORY);
	KUNIT_EXPECT_EQ(test, out.put, 2);
}

/* Calls at each stage: newly received, Reads done, waiting for pages */
static const struct wake_case {
	const char *name;
	u32 recvs, reads, waiting;
} wake_cases[] = {
	{ "nothing", 0, 0, 0 },
	{ "two messages", 2, 0, 0 },
	{ "two calls that were read", 0, 2, 0 },
	{ "two calls that wait for pages", 0, 0, 2 },
	{ "a call that was read, one that waits", 0, 1, 1 },
	{ "two of each", 2, 2, 2 },
};

KUNIT_ARRAY_PARAM_DESC(wake_case, wake_cases, name);

/* A thread that takes a message wakes another thread if more messages wait. */
static void woken_as_needed(struct kunit *test)
{
	const struct wake_case *c = test->param_value;
	u32 i, left = c->recvs + c->reads + c->waiting;

	for (i = 0; i < c->recvs; i++)
		arrive(test, &v1_call);
	for (i = 0; i < c->reads; i++)
		read_create(test, &conn->reads.done, 1);
	for (i = 0; i < c->waiting; i++)
		read_create(test, &conn->reads.waiting, 0);
	set_bit(XPT_DATA, &conn->xprt.xpt_flags);
	do {
		out.woken = 0;
		received();
		left -= !!left;
		KUNIT_EXPECT_EQ(test, out.woken, !!left);
	} while (left);
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->recvs.done));
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->reads.done));
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->reads.waiting));
}

/* A call that is short of pages wakes no thread. */
static void short_of_pages(struct kunit *test)
{
	out.short_of_pages = true;
	read_create(test, &conn->reads.waiting, 0);
	arrive(test, &v1_call);
	KUNIT_EXPECT_GT(test, received(), 0);
	KUNIT_EXPECT_EQ(test, out.woken, 0);
}

static struct kunit *the_test;

static void arrive_now(struct svc_rdma_conn *conn)
{
	KUNIT_EXPECT_EQ(the_test, svc_rdma_version_of(conn)->number, 1);
	out.on_received = NULL;
	arrive(the_test, &v1_call);
}

/* A message that arrives while the first one is handled wakes a thread. */
static void comes_after_the_last(struct kunit *test)
{
	the_test = test;
	arrive(test, &v1_call);
	out.on_received = arrive_now;
	KUNIT_EXPECT_GT(test, received(), 0);
	KUNIT_EXPECT_EQ(test, out.woken, 1);
	KUNIT_EXPECT_GT(test, received(), 0);
	KUNIT_EXPECT_EQ(test, out.woken, 1);
}

/* A thread polls the queue only when the list of messages is empty. */
static void polled_when_empty(struct kunit *test)
{
	arrive(test, &v1_call);
	arrive(test, &v1_call);
	out.event = true;
	KUNIT_EXPECT_GT(test, received(), 0);
	KUNIT_EXPECT_GT(test, received(), 0);
	KUNIT_EXPECT_EQ(test, out.polled, 0);
	KUNIT_EXPECT_EQ(test, out.woken, 2);
	KUNIT_EXPECT_EQ(test, received(), 0);
	KUNIT_EXPECT_EQ(test, out.polled, 1);
	KUNIT_EXPECT_EQ(test, out.woken, 3);
	out.event = false;
	KUNIT_EXPECT_EQ(test, received(), 0);
	KUNIT_EXPECT_EQ(test, out.polled, 2);
	KUNIT_EXPECT_EQ(test, out.woken, 3);
}

static struct kunit_case svc_recvfrom_cases[] = {
	KUNIT_CASE(odd_lengths),
#ifdef RPCRDMA_EXT_MSGP
	KUNIT_CASE(padded_call),
#endif
	KUNIT_CASE(invalidated),
	KUNIT_CASE(inline_call),
	KUNIT_CASE(counted),
	KUNIT_CASE(nothing),
	KUNIT_CASE(reads_refused),
	KUNIT_CASE(in_order),
	KUNIT_CASE(later_refused),
	KUNIT_CASE_PARAM(woken_as_needed, wake_case_gen_params),
	KUNIT_CASE(short_of_pages),
	KUNIT_CASE(comes_after_the_last),
	KUNIT_CASE(polled_when_empty),
	{}
};

SUITE("svc_rdma_call", svc_recvfrom_cases, .init = begin_case, .exit = balance_exit);
