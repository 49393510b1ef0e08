// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: which version a connection of svcrdma speaks, and what a version 2
 * requester is answered, word for word (v2 draft sections 3.2, 3.3, 4, 5.3, 7).
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/sunrpc/xdr.h>
#include <linux/vmalloc.h>

#include "../svcrdma/svcrdma.h"

#define _TRACE_SVCRDMA_H
#define trace_svc_rdma_received(xprt, hdr, ret)	((void)(ret))
#define trace_svc_rdma_props(xprt, xid, props)	((void)(xprt))
#define trace_svc_rdma_props_sent(xprt, xid, p)	((void)(xprt))
#define trace_svc_rdma_error(xprt, xid, c, i, v) ((void)(xprt), (void)(xid))

DEFINE_PER_CPU(struct svc_rdma_counters, svc_rdma_counters);

#define RECV_SIZE	5120u
#define MAX_WORDS	48u
#define MAX_SENT	4u

static unsigned int fake_max_version;
static unsigned int fake_receive_buffer_size = RECV_SIZE;

/**
 * struct outcome - what the files under test have done
 * @sent: messages, in the order in which they were posted
 * @len: bytes in each
 * @count: entries of @sent
 * @closed: times that the connection was closed
 * @put: times that a Receive context was put back
 * @begun: times that the Receives of the first grant were posted
 * @callback: replies given to the backchannel
 * @errors: errors given to it
 * @read_status: what starting the Reads returns
 */
static struct outcome {
	u8 sent[MAX_SENT][256];
	u32 len[MAX_SENT];
	u32 count;
	u32 closed;
	u32 put;
	u32 begun;
	u32 callback;
	u32 errors;
	int read_status;
} out;

static struct svc_rdma_send *fake_send;

static struct svc_rdma_send *fake_send_get(struct svc_rdma_conn *conn)
{
	if (fake_send) {
		fake_send->conn = conn;
		fake_send->limit = conn->send_size;
		fake_send->size = 8192;
	}
	return fake_send;
}

static int fake_send_post(struct svc_rdma_send *send, u32 len)
{
	if (out.count == MAX_SENT || len > sizeof(out.sent[0]))
		return -EMSGSIZE;
	memcpy(out.sent[out.count], send->buf, len);
	out.len[out.count++] = len;
	return 0;
}

#define svc_rdma_max_version		fake_max_version
#define svc_rdma_receive_buffer_size	fake_receive_buffer_size
#define svc_rdma_send_get		fake_send_get
#define svc_rdma_send_post		fake_send_post
#define svc_rdma_recvs_begin(conn)	((void)out.begun++, 0)
#define svc_rdma_read_start(r, c, v)	((void)(v), out.read_status)
#define svc_rdma_read_finish(rqst, read) 0
#define svc_rdma_conn_close(conn)	((void)out.closed++)
#define svc_rdma_recv_put(conn, recv)	((void)out.put++)
#define svc_rdma_recvs_adapt(conn)	((void)(conn))
#define svc_rdma_bc_is_reply(recv)	((void)(recv), false)
#define svc_rdma_bc_reply(conn, recv)	((void)out.callback++)
#define svc_rdma_bc_error(conn, recv)	((void)out.errors++)
#define svc_xprt_received(xprt)		((void)(xprt))
#define svc_xprt_copy_addrs(rqst, xprt)	((void)(xprt))
#define ib_dma_sync_single_for_cpu(dev, addr, len, dir) ((void)(len))

#include "../svcrdma/version.c"
#include "../svcrdma/v1.c"
#include "../svcrdma/v2.c"
#include "../svcrdma/props.c"
#include "../svcrdma/error.c"
#include "../svcrdma/recvfrom.c"

#define XID		0x20190506
#define GRANT		7u
#define SQ_DEPTH	1000u

/* Header up to the chunk lists: MSG, NOMSG */
#define W_HEAD(type, flags, inv)	XID, 2, 1, (type), (flags), (inv)
#define W_SEG				0x77, 4096, 0, 0x1000
#define W_CALL				XID, 0, 2, 100003
#define W_REPLY				XID, 1, 0, 0
#define W_V1_CALL			XID, 1, 1, 0, 0, 0, 0, W_CALL
#define W_CONNPROP			XID, 2, 32, 5, 0
#define W_ANSWER			XID, 2, GRANT, 5, 1, 1, 1, 4, RECV_SIZE
#define W_ERROR(code)			XID, 2, GRANT, 4, 1, (code)
#define W_V1_ERROR(code)		XID, 1, GRANT, 4, (code)

struct words {
	u32 n;
	u32 w[MAX_WORDS];
};

/* Counts what is in the braces. */
#define WORDS(...)							\
	{ .n = sizeof((const u32 []){ __VA_ARGS__ }) / sizeof(u32),	\
	  .w = { __VA_ARGS__ } }
#define NOTHING	{ .n = 0 }

/**
 * struct exchange - a message, and what becomes of it
 * @name: what is special about it
 * @before: version of the connection; 0 if this is the first message
 * @after: the same afterwards
 * @in: the message
 * @answer: what is sent at once, if anything
 * @served: bytes of the call that nfsd gets
 * @handle: that its reply invalidates
 */
struct exchange {
	const char *name;
	u32 before, after;
	struct words in;
	struct words answer;
	u32 served;
	u32 handle;
};

static const struct exchange exchanges[] = {
	/* Section 7: the first message decides */
	{ "first: CONNPROP", 0, 2, WORDS(W_CONNPROP, 0), WORDS(W_ANSWER) },
	{ "first: a version 1 call", 0, 1, WORDS(W_V1_CALL), NOTHING, 16 },
	{ "first: a version 2 call", 0, 2,
	  WORDS(W_HEAD(0, 0, 0), 0, 0, 0, W_CALL), WORDS(W_ANSWER), 16 },
	{ "first: version 3", 0, 0, WORDS(XID, 3, 1, 5, 0, 0),
	  WORDS(W_V1_ERROR(1), 1, 2) },
	{ "first: version 0", 0, 0, WORDS(XID, 0, 1, 0, 0, 0, 0),
	  WORDS(W_V1_ERROR(1), 1, 2) },
	{ "first: version 0xffffffff", 0, 0, WORDS(XID, ~0u, 1, 0),
	  WORDS(W_V1_ERROR(1), 1, 2) },
	{ "first: a malformed CONNPROP", 0, 2, WORDS(W_CONNPROP, 1),
	  WORDS(W_ERROR(2)) },
	{ "first: an unknown type", 0, 2, WORDS(XID, 2, 1, 99, 0),
	  WORDS(W_ERROR(3)) },
	{ "first: only an XID", 0, 0, WORDS(XID), WORDS(W_V1_ERROR(2)) },
	{ "first: XID and version 2", 0, 2, WORDS(XID, 2),
	  WORDS(W_ERROR(2)) },
	{ "first: XID and version 5", 0, 0, WORDS(XID, 5),
	  WORDS(W_V1_ERROR(1), 1, 2) },

	/* Section 7.3: it does not change after that */
	{ "version 1 on version 2", 2, 2, WORDS(W_V1_CALL),
	  WORDS(W_ERROR(1), 2, 2) },
	{ "version 2 on version 1", 1, 1, WORDS(W_CONNPROP, 0),
	  WORDS(W_V1_ERROR(1), 1, 1) },
	{ "version 2 call on version 1", 1, 1,
	  WORDS(W_HEAD(0, 0, 0), 0, 0, 0, W_CALL),
	  WORDS(W_V1_ERROR(1), 1, 1) },
	{ "version 9 on version 2", 2, 2, WORDS(XID, 9, 1, 0, 0, 0, 0),
	  WORDS(W_ERROR(1), 2, 2) },
	{ "two words of version 1 on version 2", 2, 2, WORDS(XID, 1),
	  WORDS(W_ERROR(1), 2, 2) },

	/* Sections 5.3.1 and 5.3.2 */
	{ "call", 2, 2, WORDS(W_HEAD(0, 0, 0), 0, 0, 0, W_CALL), NOTHING, 16 },
	{ "call with flags that nobody knows", 2, 2,
	  WORDS(W_HEAD(0, 0xfffffffe, 0), 0, 0, 0, W_CALL), NOTHING, 16 },
	{ "MSG without an RPC message", 2, 2,
	  WORDS(W_HEAD(0, 0, 0), 0, 0, 0), WORDS(W_ERROR(2)) },
	{ "NOMSG without a Read list", 2, 2,
	  WORDS(W_HEAD(1, 0, 0), 0, 0, 0), WORDS(W_ERROR(2)) },
	{ "NOMSG with an empty segment", 2, 2,
	  WORDS(W_HEAD(1, 0, 0), 1, 0, 0x77, 0, 0, 0, 0, 0, 0),
	  WORDS(W_ERROR(2)) },
	{ "type 2 is not MSGP", 2, 2, WORDS(XID, 2, 1, 2, 0, 4096, 4, 0, 0, 0),
	  WORDS(W_ERROR(3)) },

	/* Section 5.2: what is OPTIONAL, and is not supported */
	{ "DONE", 2, 2, WORDS(XID, 2, 1, 3, 0), WORDS(W_ERROR(3)) },
	{ "DONE, as a response", 2, 2, WORDS(XID, 2, 1, 3, 1), NOTHING },
	{ "REQPROP", 2, 2, WORDS(XID, 2, 1, 7, 0, 0), WORDS(W_ERROR(3)) },
	{ "UPDPROP", 2, 2, WORDS(XID, 2, 1, 9, 0, 0), WORDS(W_ERROR(3)) },
	{ "unknown type, as a response", 2, 2, WORDS(XID, 2, 1, 99, 1),
	  NOTHING },

	/* Section 5.3.3: BAD_XDR */
	{ "prefix without flags", 2, 2, WORDS(XID, 2, 1, 0),
	  WORDS(W_ERROR(2)) },
	{ "chunk list beyond the end", 2, 2,
	  WORDS(W_HEAD(0, 0, 0), 0, 1, 0x10000001, W_SEG, 0, 0),
	  WORDS(W_ERROR(2)) },
	{ "chunk list beyond the end, as a response", 2, 2,
	  WORDS(W_HEAD(0, 1, 0), 0, 1, 0x10000001, W_SEG, 0, 0), NOTHING },
	{ "RPC reply with the flag of a call", 2, 2,
	  WORDS(W_HEAD(0, 0, 0), 0, 0, 0, W_REPLY), WORDS(W_ERROR(2)) },

	/* Errors are not answered, whatever is in them. */
	{ "ERROR", 2, 2, WORDS(XID, 2, 1, 4, 1, 2), NOTHING },
	{ "ERROR without a code", 2, 2, WORDS(XID, 2, 1, 4, 1), NOTHING },
	{ "ERROR without the flag", 2, 2, WORDS(XID, 2, 1, 4, 0, 9), NOTHING },
	{ "ERROR of version 1", 2, 2, WORDS(XID, 1, 1, 4, 1, 1, 1), NOTHING },

	/* Section 3.2: the other direction */
	{ "reply to a callback", 2, 2,
	  WORDS(W_HEAD(0, 1, 0), 0, 0, 0, W_REPLY), NOTHING },
	{ "call with the flag of a response", 2, 2,
	  WORDS(W_HEAD(0, 1, 0), 0, 0, 0, W_CALL), NOTHING },

	/* Section 3.3: rdma_inv_handle */
	{ "chunk, no handle to invalidate", 2, 2,
	  WORDS(W_HEAD(0, 0, 0), 0, 0, 1, 1, W_SEG, W_CALL), NOTHING, 16 },
	{ "handle of the Reply chunk", 2, 2,
	  WORDS(W_HEAD(0, 0, 0x77), 0, 0, 1, 1, W_SEG, W_CALL), NOTHING, 16,
	  0x77 },
	{ "handle of a Write chunk's second segment", 2, 2,
	  WORDS(W_HEAD(0, 0, 0x78), 0, 1, 2, W_SEG, 0x78, 4, 0, 0, 0, 0,
		W_CALL), NOTHING, 16, 0x78 },
	{ "handle of a Read chunk without bytes", 2, 2,
	  WORDS(W_HEAD(0, 0, 0x79), 1, 16, 0x79, 0, 0, 0, 0, 0, 0, W_CALL),
	  NOTHING, 16, 0x79 },
	{ "handle that was not offered", 2, 2,
	  WORDS(W_HEAD(0, 0, 0x78), 0, 0, 1, 1, W_SEG, W_CALL), NOTHING, 16 },
	{ "handle without chunks", 2, 2,
	  WORDS(W_HEAD(0, 0, 0x77), 0, 0, 0, W_CALL), NOTHING, 16 },
};

static void exchange_desc(const struct exchange *x, char *desc)
{
	strscpy(desc, x->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(exchange, exchanges, exchange_desc);

static void *zalloc(struct kunit *test, size_t size)
{
	void *p = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	return p;
}

static void rqst_free(void *rqst)
{
	vfree(rqst);
}

static struct svc_rqst *rqst_create(struct kunit *test,
				    struct svc_rdma_conn *conn)
{
	struct svc_rqst *rqst = vzalloc(sizeof(*rqst));

	KUNIT_ASSERT_NOT_NULL(test, rqst);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, rqst_free,
							   rqst));
	rqst->rq_xprt = &conn->xprt;
	return rqst;
}

static const struct svc_rdma_version *version_number(u32 number)
{
	return number ? versions[number - 1] : NULL;
}

static struct svc_rdma_conn *conn_create(struct kunit *test, u32 version)
{
	struct svc_rdma_conn *conn = zalloc(test, sizeof(*conn));

	memset(&out, 0, sizeof(out));
	fake_max_version = 2;
	fake_send = zalloc(test, sizeof(*fake_send));
	fake_send->buf = zalloc(test, 8192);
	spin_lock_init(&conn->recv_lock);
	INIT_LIST_HEAD(&conn->recv_done);
	INIT_LIST_HEAD(&conn->read_done);
	atomic_set(&conn->state, SVC_RDMA_OPEN);
	rpcrdma_props_default(&conn->peer);
	conn->can_invalidate = true;
	conn->remote_inv = true;
	conn->grant = GRANT;
	conn->sq_depth = SQ_DEPTH;
	conn->v1_recv_size = 4096;
	conn->recv_size = RECV_SIZE;
	conn->send_size = 1024;
	conn->ver = version_number(version);
	/* Whoever speaks version 2 has been told already. */
	if (version == 2)
		set_bit(SVC_RDMA_PROPS_SENT, &conn->flags);
	return conn;
}

/* A message arrives, in a buffer of exactly its length, and is taken. */
static struct svc_rdma_recv *take(struct kunit *test,
				  struct svc_rdma_conn *conn,
				  const struct words *in, int *served)
{
	struct svc_rdma_recv *recv = zalloc(test, sizeof(*recv));
	u32 i;

	recv->len = in->n * sizeof(u32);
	recv->buf = zalloc(test, recv->len);
	for (i = 0; i < in->n; i++)
		put_unaligned_be32(in->w[i], recv->buf + 4 * i);
	list_add_tail(&recv->list, &conn->recv_done);
	*served = svc_rdma_recvfrom(rqst_create(test, conn));
	return recv;
}

static void expect_sent(struct kunit *test, u32 number,
			const struct words *want)
{
	u32 i;

	KUNIT_ASSERT_GT(test, out.count, number);
	KUNIT_ASSERT_EQ(test, out.len[number], want->n * 4);
	for (i = 0; i < want->n; i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    get_unaligned_be32(out.sent[number] + 4 * i),
				    want->w[i], "word %u", i);
}

static void exchanged(struct kunit *test)
{
	const struct exchange *x = test->param_value;
	struct svc_rdma_conn *conn = conn_create(test, x->before);
	struct svc_rdma_recv *recv;
	int served;

	/* Act */
	recv = take(test, conn, &x->in, &served);

	/* Assert */
	KUNIT_EXPECT_PTR_EQ(test, conn->ver, version_number(x->after));
	KUNIT_EXPECT_EQ(test, out.begun, x->before != x->after);
	KUNIT_EXPECT_EQ(test, out.closed, 0);
	KUNIT_EXPECT_EQ(test, served, x->served);
	KUNIT_EXPECT_EQ(test, out.put, !x->served);
	KUNIT_EXPECT_EQ(test, recv->invalidate, !!x->handle);
	KUNIT_EXPECT_EQ(test, recv->handle, x->handle);
	KUNIT_EXPECT_EQ(test, out.count, x->answer.n != 0);
	if (x->answer.n)
		expect_sent(test, 0, &x->answer);
}

/* The administrator may want version 1 only: then this is an old server. */
static void capped(struct kunit *test)
{
	static const struct words connprop = WORDS(W_CONNPROP, 0);
	static const struct words want = WORDS(W_V1_ERROR(1), 1, 1);
	static const struct words v1_call = WORDS(W_V1_CALL);
	struct svc_rdma_conn *conn = conn_create(test, 0);
	int served;

	fake_max_version = 1;
	take(test, conn, &connprop, &served);
	expect_sent(test, 0, &want);
	KUNIT_EXPECT_NULL(test, conn->ver);

	/* The requester goes on with version 1 on the same connection. */
	take(test, conn, &v1_call, &served);
	KUNIT_EXPECT_EQ(test, served, 16);
	KUNIT_EXPECT_PTR_EQ(test, conn->ver, &svc_rdma_v1);
}

/* Sections 4.1 and 4.2: sets of properties, and what they mean for replies */
static const struct {
	const char *name;
	struct words in;
	bool bad;
	u32 send_size;
	u32 reverse;
} sets[] = {
	{ "nothing", WORDS(W_CONNPROP, 0), false, 4096, 1 },
	{ "Receive Buffer Size", WORDS(W_CONNPROP, 1, 1, 4, 8192), false, 8192,
	  1 },
	{ "default by an empty value", WORDS(W_CONNPROP, 1, 1, 0), false, 4096,
	  1 },
	{ "both", WORDS(W_CONNPROP, 2, 2, 4, 0, 1, 4, 6000), false, 6000, 0 },
	{ "general reverse requests", WORDS(W_CONNPROP, 1, 2, 4, 2), false,
	  4096, 2 },
	{ "one that nobody knows",
	  WORDS(W_CONNPROP, 2, 0x1234, 5, 1, 2, 1, 4, 2048), false, 2048, 1 },
	{ "twice: the last one", WORDS(W_CONNPROP, 2, 1, 4, 2048, 1, 4, 3000),
	  false, 3000, 1 },
	{ "no buffer at all", WORDS(W_CONNPROP, 1, 1, 4, 0), false, 1024, 1 },
	{ "a tiny buffer", WORDS(W_CONNPROP, 1, 1, 4, 10), false, 1024, 1 },
	{ "an enormous buffer", WORDS(W_CONNPROP, 1, 1, 4, ~0u), false, 65536,
	  1 },
	{ "value too short", WORDS(W_CONNPROP, 1, 1, 3, 0), true },
	{ "value too long", WORDS(W_CONNPROP, 1, 1, 8, 0, 4096), true },
	{ "value beyond the end", WORDS(W_CONNPROP, 1, 1, 8, 4096), true },
	{ "length that overflows", WORDS(W_CONNPROP, 1, 99, ~0u, 0), true },
	{ "no such enum", WORDS(W_CONNPROP, 1, 2, 4, 3), true },
	{ "good one, bad one", WORDS(W_CONNPROP, 2, 1, 4, 8192, 2, 4, 3),
	  true },
	{ "more than there are", WORDS(W_CONNPROP, 2, 1, 4, 8192), true },
	{ "enormously many", WORDS(W_CONNPROP, ~0u, 1, 4, 8192), true },
};

static const void *set_gen_params(const void *prev, char *desc)
{
	const typeof(sets[0]) *next = prev;

	next = next ? next + 1 : sets;
	if (next >= sets + ARRAY_SIZE(sets))
		return NULL;
	strscpy(desc, next->name, KUNIT_PARAM_DESC_SIZE);
	return next;
}

static void properties(struct kunit *test)
{
	static const struct words answer = WORDS(W_ANSWER);
	static const struct words error = WORDS(W_ERROR(2));
	const typeof(sets[0]) *set = test->param_value;
	struct svc_rdma_conn *conn = conn_create(test, 0);
	int served;

	take(test, conn, &set->in, &served);
	KUNIT_EXPECT_EQ(test, served, 0);
	KUNIT_EXPECT_EQ(test, out.count, 1);
	expect_sent(test, 0, set->bad ? &error : &answer);
	/* Section 5.3.3: of a malformed message, nothing is used. */
	KUNIT_EXPECT_EQ(test, conn->send_size,
			set->bad ? 4096 : set->send_size);
	KUNIT_EXPECT_EQ(test, conn->peer.reverse, set->bad ? 1 : set->reverse);
	KUNIT_EXPECT_EQ(test, test_bit(SVC_RDMA_PROPS_KNOWN, &conn->flags),
			!set->bad);
}

/* Section 5.3.4: properties do not change; who asks again is told again. */
static void properties_twice(struct kunit *test)
{
	static const struct words first = WORDS(W_CONNPROP, 1, 1, 4, 8192);
	static const struct words second = WORDS(W_CONNPROP, 1, 1, 4, 2048);
	static const struct words answer = WORDS(W_ANSWER);
	static const struct words call =
		WORDS(W_HEAD(0, 0, 0), 0, 0, 0, W_CALL);
	struct svc_rdma_conn *conn = conn_create(test, 0);
	int served;

	take(test, conn, &first, &served);
	take(test, conn, &second, &served);
	KUNIT_EXPECT_EQ(test, out.count, 2);
	expect_sent(test, 1, &answer);
	KUNIT_EXPECT_EQ(test, conn->send_size, 8192);
	/* A call that follows is not preceded by anything. */
	take(test, conn, &call, &served);
	KUNIT_EXPECT_EQ(test, served, 16);
	KUNIT_EXPECT_EQ(test, out.count, 2);
}

/* A requester that starts with a call is told once, and may still tell. */
static void properties_late(struct kunit *test)
{
	static const struct words connprop = WORDS(W_CONNPROP, 1, 1, 4, 8192);
	static const struct words answer = WORDS(W_ANSWER);
	static const struct words call =
		WORDS(W_HEAD(0, 0, 0), 0, 0, 0, W_CALL);
	struct svc_rdma_conn *conn = conn_create(test, 0);
	int served;

	take(test, conn, &call, &served);
	KUNIT_EXPECT_EQ(test, conn->send_size, 4096);
	take(test, conn, &call, &served);
	KUNIT_EXPECT_EQ(test, out.count, 1);
	take(test, conn, &connprop, &served);
	KUNIT_EXPECT_EQ(test, out.count, 2);
	expect_sent(test, 1, &answer);
	KUNIT_EXPECT_EQ(test, conn->send_size, 8192);
}

/* A response to nothing is not answered; nobody would expect that. */
static void properties_response(struct kunit *test)
{
	static const struct words in = WORDS(XID, 2, 1, 5, 1, 1, 1, 4, 6000);
	static const struct words bad = WORDS(XID, 2, 1, 5, 1, 1, 1, 3, 6000);
	struct svc_rdma_conn *conn = conn_create(test, 2);
	int served;

	take(test, conn, &bad, &served);
	take(test, conn, &in, &served);
	KUNIT_EXPECT_EQ(test, out.count, 0);
	KUNIT_EXPECT_EQ(test, out.closed, 0);
	KUNIT_EXPECT_EQ(test, conn->send_size, 6000);
}

/* Section 7.1: a default Receive Buffer Size is not worth a word. */
static void properties_default(struct kunit *test)
{
	static const struct words in = WORDS(W_CONNPROP, 0);
	static const struct words want = WORDS(XID, 2, GRANT, 5, 1, 0);
	struct svc_rdma_conn *conn = conn_create(test, 0);
	int served;

	fake_receive_buffer_size = RPCRDMA2_INLINE_DEFAULT;
	take(test, conn, &in, &served);
	fake_receive_buffer_size = RECV_SIZE;
	expect_sent(test, 0, &want);
}

/* No Send context: the connection ends, the message's context is put back. */
static void no_memory(struct kunit *test)
{
	static const struct words in = WORDS(W_CONNPROP, 0);
	static const struct words bad = WORDS(W_CONNPROP, 1);
	struct svc_rdma_conn *conn = conn_create(test, 2);
	int served;

	fake_send = NULL;
	take(test, conn, &in, &served);
	KUNIT_EXPECT_EQ(test, out.closed, 1);
	take(test, conn, &bad, &served);
	KUNIT_EXPECT_EQ(test, out.closed, 2);
	KUNIT_EXPECT_EQ(test, out.put, 2);
}

/* Remote Invalidation only if the administrator and the device allow it */
static void no_invalidation(struct kunit *test)
{
	static const struct words in =
		WORDS(W_HEAD(0, 0, 0x77), 0, 0, 1, 1, W_SEG, W_CALL);
	struct svc_rdma_conn *conn = conn_create(test, 0);
	struct svc_rdma_recv *recv;
	int served;

	conn->can_invalidate = false;
	recv = take(test, conn, &in, &served);
	KUNIT_EXPECT_EQ(test, served, 16);
	KUNIT_EXPECT_FALSE(test, recv->invalidate);
}

/* The backchannel gets what has the flag, and errors. */
static void other_direction(struct kunit *test)
{
	static const struct words reply =
		WORDS(W_HEAD(0, 1, 0), 0, 0, 0, W_REPLY);
	static const struct words nomsg =
		WORDS(W_HEAD(1, 1, 0), 0, 0, 1, 1, W_SEG);
	static const struct words error = WORDS(XID, 2, 1, 4, 1, 8, 5000);
	struct svc_rdma_conn *conn = conn_create(test, 2);
	int served;

	take(test, conn, &reply, &served);
	take(test, conn, &nomsg, &served);
	KUNIT_EXPECT_EQ(test, out.callback, 2);
	take(test, conn, &error, &served);
	KUNIT_EXPECT_EQ(test, out.errors, 1);
	KUNIT_EXPECT_EQ(test, out.count, 0);
	KUNIT_EXPECT_EQ(test, out.put, 3);
}

/* A call with @writes Write chunks, and chunks of so many segments */
static void call_header(struct rpcrdma_encoder *enc, u8 *buf, u32 size,
			u32 reads, u32 writes, u32 each, u32 reply)
{
	static const struct rpcrdma_segment seg = { 0x77, 64, 0x1000 };
	u32 i;

	rpcrdma_encode_init(enc, buf, size);
	v2_encode_head(enc, cpu_to_be32(XID), 1, RPCRDMA2_MSG, false);
	for (i = 0; i < reads; i++)
		rpcrdma_encode_read_segment(enc, 8, &seg);
	rpcrdma_encode_list_end(enc);
	for (; writes; writes--) {
		rpcrdma_encode_chunk_begin(enc);
		for (i = 0; i < each; i++)
			rpcrdma_encode_segment(enc, &seg);
		rpcrdma_encode_chunk_end(enc);
	}
	rpcrdma_encode_list_end(enc);
	if (reply) {
		rpcrdma_encode_chunk_begin(enc);
		for (i = 0; i < reply; i++)
			rpcrdma_encode_segment(enc, &seg);
		rpcrdma_encode_chunk_end(enc);
	} else {
		rpcrdma_encode_list_end(enc);
	}
	for (i = 0; i < 4; i++)
		rpcrdma_encode_word(enc, i == 2 ? 2 : 0);
}

/* Section 5.3.3: what is reported as the most is accepted, one more is not. */
static const struct {
	const char *name;
	u32 reads, writes, each, reply;
	struct words answer;
} limits[] = {
	{ "16 Write chunks", 0, 16, 1, 0, NOTHING },
	{ "17 Write chunks", 0, 17, 1, 0, WORDS(W_ERROR(5), 16) },
	{ "128 Read segments", 128, 0, 0, 0, NOTHING },
	{ "129 Read segments", 129, 0, 0, 0, WORDS(W_ERROR(6), 128) },
	{ "Write chunk of 128 segments", 0, 1, 128, 0, NOTHING },
	{ "Write chunk of 129 segments", 0, 1, 129, 0,
	  WORDS(W_ERROR(6), 128) },
	{ "Reply chunk of 128 segments", 0, 0, 0, 128, NOTHING },
	{ "Reply chunk of 129 segments", 0, 0, 0, 129,
	  WORDS(W_ERROR(6), 128) },
	{ "Write and Reply chunk, 65 each", 0, 1, 65, 65,
	  WORDS(W_ERROR(6), 64) },
	{ "Write and Reply chunk, 64 each", 0, 1, 64, 64, NOTHING },
	{ "16 Write chunks of 9", 0, 16, 9, 0, WORDS(W_ERROR(6), 8) },
	{ "16 Write chunks of 8", 0, 16, 8, 0, NOTHING },
	{ "all of it", 128, 15, 8, 8, NOTHING },
};

static const void *limit_gen_params(const void *prev, char *desc)
{
	const typeof(limits[0]) *next = prev;

	next = next ? next + 1 : limits;
	if (next >= limits + ARRAY_SIZE(limits))
		return NULL;
	strscpy(desc, next->name, KUNIT_PARAM_DESC_SIZE);
	return next;
}

static void limited(struct kunit *test)
{
	const typeof(limits[0]) *limit = test->param_value;
	struct svc_rdma_conn *conn = conn_create(test, 2);
	struct svc_rdma_recv *recv = zalloc(test, sizeof(*recv));
	struct rpcrdma_encoder enc;
	bool taken;

	/* Arrange */
	recv->buf = zalloc(test, 8192);
	call_header(&enc, recv->buf, 8192, limit->reads, limit->writes,
		    limit->each, limit->reply);
	recv->len = rpcrdma_encode_finish(&enc);
	list_add_tail(&recv->list, &conn->recv_done);

	/* Act */
	svc_rdma_recvfrom(rqst_create(test, conn));

	/* Assert: a call is nfsd's, or the Reads', or it was answered */
	taken = !out.put;
	KUNIT_EXPECT_EQ(test, taken, !limit->answer.n);
	if (!taken)
		expect_sent(test, 0, &limit->answer);
	KUNIT_EXPECT_EQ(test, out.closed, 0);
}

/* Section 5.3.3: what the Reads may find wrong */
static void reads_refused(struct kunit *test)
{
	static const struct words in =
		WORDS(W_HEAD(0, 0, 0), 1, 8, W_SEG, 0, 0, 0, W_CALL);
	static const struct words bad_xdr = WORDS(W_ERROR(2));
	static const struct words system = WORDS(W_ERROR(9));
	struct svc_rdma_conn *conn = conn_create(test, 2);
	int served;

	out.read_status = -EBADMSG;
	take(test, conn, &in, &served);
	expect_sent(test, 0, &bad_xdr);
	out.read_status = -E2BIG;
	take(test, conn, &in, &served);
	expect_sent(test, 1, &system);
	KUNIT_EXPECT_EQ(test, out.closed, 0);
	KUNIT_EXPECT_EQ(test, out.put, 2);
}

/* Every error as it is on the wire, in both versions */
static void errors_encoded(struct kunit *test)
{
	static const struct {
		struct svc_rdma_fault fault;
		struct words v1, v2;
	} cases[] = {
		{ { 1, 1, 2 }, WORDS(W_V1_ERROR(1), 1, 2),
		  WORDS(W_ERROR(1), 1, 2) },
		{ { 2, 0, 0 }, WORDS(W_V1_ERROR(2)), WORDS(W_ERROR(2)) },
		{ { 3, 0, 0 }, WORDS(W_V1_ERROR(2)), WORDS(W_ERROR(3)) },
		{ { 4, 0, 32 }, WORDS(W_V1_ERROR(2)), WORDS(W_ERROR(4), 32) },
		{ { 5, 0, 16 }, WORDS(W_V1_ERROR(2)), WORDS(W_ERROR(5), 16) },
		{ { 6, 0, 8 }, WORDS(W_V1_ERROR(2)), WORDS(W_ERROR(6), 8) },
		{ { 7, 3, 4097 }, WORDS(W_V1_ERROR(2)),
		  WORDS(W_ERROR(7), 3, 4097) },
		{ { 8, 0, 8240 }, WORDS(W_V1_ERROR(2)),
		  WORDS(W_ERROR(8), 8240) },
		{ { 9, 0, 0 }, WORDS(W_V1_ERROR(2)), WORDS(W_ERROR(9)) },
	};
	struct svc_rdma_recv *recv = zalloc(test, sizeof(*recv));
	struct rpcrdma_hdr hdr;
	u32 i;

	recv->hdr.xid = cpu_to_be32(XID);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		recv->fault = cases[i].fault;
		svc_rdma_error_reply(conn_create(test, 1), recv);
		expect_sent(test, 0, &cases[i].v1);
		svc_rdma_error_reply(conn_create(test, 2), recv);
		expect_sent(test, 0, &cases[i].v2);
		/* The codec agrees. */
		KUNIT_ASSERT_EQ(test, 0, v2_decode(&hdr, out.sent[0],
						   out.len[0]));
		KUNIT_EXPECT_EQ(test, hdr.err, cases[i].fault.code);
	}
}

static struct kunit_case svc_v2_cases[] = {
	KUNIT_CASE_PARAM(exchanged, exchange_gen_params),
	KUNIT_CASE(capped),
	KUNIT_CASE_PARAM(properties, set_gen_params),
	KUNIT_CASE(properties_twice),
	KUNIT_CASE(properties_late),
	KUNIT_CASE(properties_response),
	KUNIT_CASE(properties_default),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(no_invalidation),
	KUNIT_CASE(other_direction),
	KUNIT_CASE_PARAM(limited, limit_gen_params),
	KUNIT_CASE(reads_refused),
	KUNIT_CASE(errors_encoded),
	{}
};

static struct kunit_suite svc_v2_suite = {
	.name = "svc_rdma_v2",
	.test_cases = svc_v2_cases,
};

kunit_test_suite(svc_v2_suite);

MODULE_DESCRIPTION("KUnit suite of svcrdma's protocol versions");
MODULE_LICENSE("GPL");
