// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: callbacks of svcrdma, and what it makes of the answers to them, in
 * both versions (RFC 8167 sections 3 and 4; v2 draft sections 3.2, 4.2.2,
 * 5.3.3).
 */
#include <linux/module.h>
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/xprt.h>

#include "svc_fakes.h"

#define trace_svc_rdma_send(xprt, xid, len, wrs, ret) ((void)(xprt), (void)(xid))

#define XID		0x8167u
#define LIMIT		1024u
#define MAX_WORDS	24u

/**
 * struct outcome - what the file under test has done
 * @waiting: the callback that waits for its reply, or NULL
 * @completed: times that it was completed
 * @copied: bytes that it was completed with
 * @sent: bytes of the message that was sent
 * @puts: Send contexts given back
 * @disconnects: times that sunrpc was told of the end of the connection
 */
static struct outcome {
	struct rpc_rqst *waiting;
	u32 completed;
	int copied;
	u32 sent;
	u32 puts;
	u32 disconnects;
} out;

static struct svc_rdma_send *fake_send;
static struct svc_xprt_class fake_class;

static struct rpc_rqst *fake_lookup(struct rpc_xprt *xprt, __be32 xid)
{
	return out.waiting && xid == out.waiting->rq_xid ? out.waiting : NULL;
}

static void fake_complete(struct rpc_task *task, int copied)
{
	out.completed++;
	out.copied = copied;
}

static int fake_send_post(struct svc_rdma_send *send, u32 len)
{
	out.sent = len;
	return 0;
}

#define svc_rdma_class			fake_class
#define svc_rdma_receive_buffer_size	5120u
#define svc_rdma_version_of(conn)	((conn)->ver)
#define svc_rdma_send_get(conn)		fake_send
#define svc_rdma_conn_close(conn)	((void)(conn))
#define svc_rdma_send_put(send)		((void)out.puts++)
#define svc_rdma_send_post		fake_send_post
#define svc_rdma_props_receive(conn, recv) ((void)(recv), 0)
#define svc_rdma_props_send(conn, xid)	((void)(xid))
#define svc_rdma_expose_done(conn, recv) ((void)(recv))
/* svc_longcall_kunit.c has the callbacks with chunks. */
#define svc_rdma_longcall_build(send, rqst) ((void)(rqst), 0)
#define svc_rdma_longcall_take(conn, xid, recv) NULL
#define svc_rdma_longcall_length(expose, hdr) ((void)(hdr), 0)
#define svc_rdma_longcall_forget(conn, xid) ((void)(conn), (void)(xid))
#define svc_rdma_expose_release(expose)	((void)(expose))
#define xprt_disconnect_done(xprt)	((void)(xprt), (void)out.disconnects++)
#define xprt_lookup_rqst		fake_lookup
#define xprt_complete_rqst		fake_complete

#include "../svcrdma/v1.c"
#include "../svcrdma/v2.c"
#include "../svcrdma/backchannel.c"

/**
 * struct setup - a connection with a callback in flight
 * @conn: connection
 * @xprt: callback transport
 * @rqst: the callback
 * @task: its task
 * @reply: its buffer for the reply
 */
struct setup {
	struct svc_rdma_conn conn;
	struct rpc_xprt xprt;
	struct rpc_rqst rqst;
	struct rpc_task task;
	u8 reply[64];
};

static struct setup *setup(struct kunit *test, u32 version)
{
	struct setup *s = fake_zalloc(test, sizeof(*s));

	memset(&out, 0, sizeof(out));
	fake_send = fake_zalloc(test, sizeof(*fake_send));
	fake_send->buf = fake_zalloc(test, LIMIT);
	fake_send->limit = LIMIT;
	fake_send->size = LIMIT;
	fake_send->conn = &s->conn;
	s->conn.ver = version == 1 ? &svc_rdma_v1 : &svc_rdma_v2;
	s->conn.sq_depth = 1000;
	rpcrdma_props_default(&s->conn.peer);
	atomic_set(&s->conn.state, SVC_RDMA_OPEN);
	set_bit(SVC_RDMA_PROPS_SENT, &s->conn.flags);
	spin_lock_init(&s->xprt.transport_lock);
	spin_lock_init(&s->xprt.queue_lock);
	s->xprt.cwnd = 1 << RPC_CWNDSHIFT;
	s->xprt.bc_xprt = &s->conn.xprt;
	s->conn.xprt.xpt_bc_xprt = &s->xprt;
	s->rqst.rq_xid = cpu_to_be32(XID);
	s->rqst.rq_task = &s->task;
	s->rqst.rq_xprt = &s->xprt;
	s->rqst.rq_rcv_buf.head[0].iov_base = s->reply;
	s->rqst.rq_rcv_buf.head[0].iov_len = sizeof(s->reply);
	out.waiting = &s->rqst;
	return s;
}

/**
 * struct answer - a message that arrives while a callback waits
 * @name: what is special about it
 * @version: of the connection
 * @n: words in it
 * @words: the message
 * @copied: bytes that the callback is completed with; 0 if it goes on waiting
 * @status: of its task then
 * @window: callbacks that may be in flight afterwards
 * @kind: what else is to be done with the message
 */
struct answer {
	const char *name;
	u32 version;
	u32 n;
	u32 words[MAX_WORDS];
	int copied;
	int status;
	u32 window;
	enum svc_rdma_kind kind;
};

#define V1(credits, type)		XID, 1, (credits), (type)
#define V2(credits, type, flags)	XID, 2, (credits), (type), (flags)
#define W_REPLY				XID, 1, 0, 0
#define HANDLED				.kind = SVC_RDMA_HANDLED

static const struct answer answers[] = {
	/* RFC 8167 section 4: the grant is that of this direction */
	{ "v1: reply", 1, 11, { V1(2, 0), 0, 0, 0, W_REPLY }, 16, 0, 2,
	  HANDLED },
	{ "v1: reply, grant 0", 1, 11, { V1(0, 0), 0, 0, 0, W_REPLY }, 16, 0,
	  1, HANDLED },
	{ "v1: reply, grant 1000", 1, 11, { V1(1000, 0), 0, 0, 0, W_REPLY },
	  16, 0, SVC_RDMA_BC_REQUESTS, HANDLED },
	{ "v1: error", 1, 5, { V1(2, 4), 2 }, -EIO, -EIO, 1, HANDLED },
	{ "v1: reply with a Write chunk", 1, 17,
	  { V1(2, 0), 0, 1, 1, 5, 6, 0, 0, 0, 0, W_REPLY }, 0, 0, 1,
	  HANDLED },
	{ "v1: reply with another XID inside", 1, 11,
	  { V1(2, 0), 0, 0, 0, XID + 1, 1, 0, 0 }, 0, 0, 1, HANDLED },
	{ "v1: call", 1, 11, { V1(2, 0), 0, 0, 0, XID, 0, 2, 0 }, 0, 0, 1,
	  .kind = SVC_RDMA_CALL },

	/* v2 draft section 3.2 */
	{ "v2: reply", 2, 13, { V2(2, 0, 1), 0, 0, 0, 0, W_REPLY }, 16, 0, 2,
	  HANDLED },
	{ "v2: reply, grant 0", 2, 13,
	  { V2(0, 0, 1), 0, 0, 0, 0, W_REPLY }, 16, 0, 1, HANDLED },
	{ "v2: reply without the flag", 2, 13,
	  { V2(2, 0, 0), 0, 0, 0, 0, W_REPLY }, 0, 0, 1,
	  .kind = SVC_RDMA_REFUSED },
	{ "v2: call with the flag", 2, 13,
	  { V2(2, 0, 1), 0, 0, 0, 0, XID, 0, 2, 0 }, 0, 0, 1, HANDLED },
	{ "v2: call without it", 2, 13,
	  { V2(2, 0, 0), 0, 0, 0, 0, XID, 0, 2, 0 }, 0, 0, 1,
	  .kind = SVC_RDMA_CALL },
	{ "v2: reply of one word", 2, 10, { V2(2, 0, 1), 0, 0, 0, 0, XID }, 0,
	  0, 1, HANDLED },
	{ "v2: reply in a chunk that was not offered", 2, 14,
	  { V2(2, 1, 1), 0, 0, 0, 1, 1, 5, 6, 0, 0 }, 0, 0, 1, HANDLED },
	{ "v2: reply with a Write chunk", 2, 19,
	  { V2(2, 0, 1), 0, 0, 1, 1, 5, 6, 0, 0, 0, 0, W_REPLY }, 0, 0, 1,
	  HANDLED },
	{ "v2: long reply without a chunk", 2, 9, { V2(2, 1, 1), 0, 0, 0, 0 },
	  0, 0, 1, HANDLED },
	{ "v2: reply longer than its buffer", 2, 9 + 4 + 13,
	  { V2(2, 0, 1), 0, 0, 0, 0, W_REPLY }, -EMSGSIZE, -EMSGSIZE, 2,
	  HANDLED },

	/* v2 draft section 5.3.3: the credits of an error are ignored */
	{ "v2: error", 2, 6, { V2(2, 4, 1), 2 }, -EIO, -EIO, 1, HANDLED },
	{ "v2: error that nobody knows", 2, 6, { V2(2, 4, 1), 77 }, -EIO,
	  -EIO, 1, HANDLED },
	{ "v2: error without the flag", 2, 6, { V2(2, 4, 0), 2 }, 0, 0, 1,
	  HANDLED },
};

KUNIT_ARRAY_PARAM_DESC(answer, answers, name);

static struct svc_rdma_recv *arrive(struct kunit *test, struct setup *s,
				    const struct answer *a)
{
	struct svc_rdma_recv *recv = fake_zalloc(test, sizeof(*recv));
	u32 i;

	recv->len = a->n * sizeof(u32);
	recv->buf = fake_zalloc(test, recv->len);
	for (i = 0; i < a->n && i < MAX_WORDS; i++)
		put_unaligned_be32(a->words[i], recv->buf + 4 * i);
	KUNIT_ASSERT_EQ(test, 0, s->conn.ver->decode(&recv->hdr, recv->buf,
						     recv->len));
	return recv;
}

static void answered(struct kunit *test)
{
	const struct answer *a = test->param_value;
	struct setup *s = setup(test, a->version);
	struct svc_rdma_recv *recv = arrive(test, s, a);

	/* Act */
	KUNIT_EXPECT_EQ(test, s->conn.ver->sort(&s->conn, recv), a->kind);

	/* Assert */
	KUNIT_EXPECT_EQ(test, out.completed, a->copied != 0);
	KUNIT_EXPECT_EQ(test, out.copied, a->copied);
	KUNIT_EXPECT_EQ(test, s->task.tk_status, a->status);
	KUNIT_EXPECT_EQ(test, s->xprt.cwnd, a->window << RPC_CWNDSHIFT);
	if (a->copied > 0)
		KUNIT_EXPECT_EQ(test, memcmp(s->reply, recv->hdr.base +
					     recv->hdr.payload, a->copied), 0);
}

/* Nobody waits for it, or there is no callback transport at all. */
static void unexpected(struct kunit *test)
{
	u64 late = fake_count(callback_late_replies);
	u64 bad = fake_count(callback_bad_replies);
	struct setup *s;

	/* A reply that has come too late is not a bad one. */
	s = setup(test, 2);
	out.waiting = NULL;
	s->conn.ver->sort(&s->conn, arrive(test, s, &answers[7]));
	KUNIT_EXPECT_EQ(test, out.completed, 0);
	KUNIT_EXPECT_EQ(test, fake_count(callback_late_replies) - late, 1);
	KUNIT_EXPECT_EQ(test, fake_count(callback_bad_replies) - bad, 0);

	/* A call is no reply, whoever waits. */
	s->conn.ver->sort(&s->conn, arrive(test, s, &answers[10]));
	KUNIT_EXPECT_EQ(test, fake_count(callback_bad_replies) - bad, 1);
	s = setup(test, 2);
	s->conn.ver->sort(&s->conn, arrive(test, s, &answers[10]));
	KUNIT_EXPECT_EQ(test, fake_count(callback_bad_replies) - bad, 2);
	KUNIT_EXPECT_EQ(test, fake_count(callback_late_replies) - late, 1);

	s = setup(test, 2);
	s->conn.xprt.xpt_bc_xprt = NULL;
	s->conn.ver->sort(&s->conn, arrive(test, s, &answers[7]));
	s->conn.ver->sort(&s->conn, arrive(test, s, &answers[16]));
	KUNIT_EXPECT_EQ(test, out.completed, 0);
}

/* A callback of @len bytes; what sending it returns */
static int call(struct kunit *test, struct setup *s, u32 len)
{
	struct xdr_buf *xdr = &s->rqst.rq_snd_buf;
	u8 *msg = fake_zalloc(test, len);
	u32 i;

	for (i = 0; i < len; i++)
		msg[i] = i % 251;
	xdr->head[0].iov_base = msg;
	xdr->head[0].iov_len = len;
	xdr->len = len;
	xdr->buflen = len;
	out.sent = 0;
	return bc_send_request(&s->rqst);
}

static void called(struct kunit *test)
{
	struct rpcrdma_hdr hdr;
	struct setup *s;
	u32 version, room;

	for (version = 1; version <= 2; version++) {
		s = setup(test, version);
		room = LIMIT - s->conn.ver->header_size;

		/* Act: the longest one there may be */
		KUNIT_ASSERT_EQ(test, call(test, s, room), 0);

		/* Assert: as it is on the wire */
		KUNIT_ASSERT_EQ(test, out.sent, LIMIT);
		KUNIT_ASSERT_EQ(test, 0,
				s->conn.ver->decode(&hdr, fake_send->buf,
						    out.sent));
		KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.xid), XID);
		KUNIT_EXPECT_EQ(test, hdr.version, version);
		KUNIT_EXPECT_EQ(test, hdr.credits, SVC_RDMA_BC_REQUESTS);
		KUNIT_EXPECT_EQ(test, hdr.type, RPCRDMA_MSG);
		KUNIT_EXPECT_EQ(test, hdr.flags, 0);
		KUNIT_EXPECT_EQ(test, hdr.payload, s->conn.ver->header_size);
		KUNIT_EXPECT_EQ(test, memcmp(hdr.base + hdr.payload,
					     s->rqst.rq_snd_buf.head[0].iov_base,
					     room), 0);

		/* One byte more does not go anywhere. */
		KUNIT_EXPECT_EQ(test, call(test, s, room + 1), -EMSGSIZE);
		KUNIT_EXPECT_EQ(test, out.sent, 0);
		KUNIT_EXPECT_EQ(test, out.puts, 1);
	}
}

/* Nothing is sent on a connection that is closing. */
static void not_called(struct kunit *test)
{
	struct setup *s = setup(test, 2);

	atomic_set(&s->conn.state, SVC_RDMA_CLOSING);
	KUNIT_EXPECT_EQ(test, call(test, s, 100), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, out.sent, 0);
}

/* Section 4.2.2: a client may say that it takes no callbacks. */
static void not_supported(struct kunit *test)
{
	struct setup *s = setup(test, 2);
	struct sockaddr_in addr = { .sin_family = AF_INET };
	struct xprt_create args = {
		.bc_xprt	= &s->conn.xprt,
		.dstaddr	= (struct sockaddr *)&addr,
		.addrlen	= sizeof(addr),
	};
	struct rpc_xprt *xprt;

	s->conn.xprt.xpt_class = &fake_class;
	s->conn.peer.reverse = RPCRDMA2_RVREQSUP_NONE;
	xprt = bc_setup(&args);
	KUNIT_ASSERT_TRUE(test, IS_ERR(xprt));
	KUNIT_EXPECT_EQ(test, PTR_ERR(xprt), -EOPNOTSUPP);
	KUNIT_EXPECT_PTR_EQ(test, s->conn.xprt.xpt_bc_xprt, &s->xprt);
}

/* Tasks that wait are told; the next connection begins with one callback. */
static void closed(struct kunit *test)
{
	struct setup *s = setup(test, 1);

	s->xprt.cwnd = 0;
	bc_ops.close(&s->xprt);
	KUNIT_EXPECT_EQ(test, out.disconnects, 1);
	KUNIT_EXPECT_EQ(test, s->xprt.cwnd, RPC_CWNDSHIFT);
}

static struct kunit_case svc_backchannel_cases[] = {
	KUNIT_CASE_PARAM(answered, answer_gen_params),
	KUNIT_CASE(unexpected),
	KUNIT_CASE(called),
	KUNIT_CASE(not_called),
	KUNIT_CASE(not_supported),
	KUNIT_CASE(closed),
	{}
};

static struct kunit_suite svc_backchannel_suite = {
	.name = "svc_rdma_backchannel",
	.test_cases = svc_backchannel_cases,
};

kunit_test_suite(svc_backchannel_suite);

MODULE_DESCRIPTION("KUnit suite of svcrdma's callbacks");
MODULE_LICENSE("GPL");
