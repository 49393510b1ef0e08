// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: NFSv4.1 callbacks reach the client, and each answer completes its
 * callback once, with the right bytes. No other message completes a callback
 * (RFC 8167 sections 3 and 4; v2 draft sections 3.2, 4.2.2, 5.3.3). If this
 * failed, delegations would not be recalled, or a client could complete a
 * callback with data that sunrpc must not trust.
 */
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/xprt.h>

#include "suite.h"
#include "svc_fakes.h"
#include "fake_balance.h"

#define trace_svc_rdma_sent(conn, cqe, xid, len, wrs, ret) \
	((void)(conn), (void)(xid), (void)(out.traced = (wrs)))

#define XID		0x8167u
#define LIMIT		1024u
#define MAX_WORDS	24u

/* Effects of the file under test */
static struct outcome {
	struct rpc_rqst *waiting;	/* unanswered callback, or NULL */
	u32 recvs;	/* Receive contexts put back */
	u32 completed;	/* times that @waiting was completed */
	u32 behind;	/* completions after the Receive context was put */
	int pinned;	/* pins of callbacks */
	int copied;	/* bytes that completed @waiting; 0: it waits */
	u32 sent;	/* bytes of the message sent */
	u32 traced;	/* Work Requests reported by the trace point */
	int post_status;	/* result of posting the Send */
	u32 puts;	/* Send contexts given back */
	u32 disconnects;	/* calls of xprt_disconnect_done() */
	size_t allocated;	/* bytes of the last allocation */
	gfp_t gfp;	/* flags of the last allocation */
	u32 freed;	/* allocations freed */
	u32 registered;	/* callback transports registered */
} out;

static bool fake_no_memory;

static struct svc_rdma_send_ctx *fake_send;
struct svc_xprt_class svc_rdma_xprt_class;

static int fake_send_post(struct svc_rdma_send_ctx *send, u32 len)
{
	out.sent = len;
	send->wrs = 0;
	return out.post_status;
}

static void *fake_kvmalloc(size_t size, gfp_t gfp)
{
	out.allocated = size;
	out.gfp = gfp;
	return fake_no_memory ? NULL : kvmalloc(size, gfp);
}

#define svc_rdma_send_get(conn)		fake_send
#define svc_rdma_send_put(send)		((void)out.puts++)
#define svc_rdma_send_post		fake_send_post
/* Callbacks with chunks are tested in svc_callback_chunks_kunit.c. */
#define svc_rdma_callback_chunks_build(send, rqst, len) \
	((void)(rqst), (void)(len), 0)
#define svc_rdma_callback_chunks_length(advert, hdr) \
	((hdr)->reply.chunks ? -EPROTO : 0)
/* Overwrites the Receive buffer, as the next message would. */
#define svc_rdma_recv_put(conn, recv) \
	((void)(conn), (void)out.recvs++, (void)memset((recv)->buf, 0xee, (recv)->len))
#define xprt_pin_rqst(req)		((void)(req), (void)out.pinned++)
#define xprt_unpin_rqst(req)		((void)(req), (void)out.pinned--)
#define xprt_disconnect_done(xprt)	((void)(xprt), (void)out.disconnects++)
#define xprt_lookup_rqst(xprt, xid) \
	((void)(xprt), out.waiting && (xid) == out.waiting->rq_xid ? out.waiting : NULL)
#define xprt_complete_rqst(task, n) \
	((void)(task), (void)out.completed++, (void)(out.copied = (n)), \
	 (void)(out.behind += out.recvs == 1 && out.pinned == 1))
#define xprt_alloc(...) \
	(fake_no_memory ? NULL : (xprt_alloc)(__VA_ARGS__))
#define xprt_register_transport(class) ((void)(class), out.registered++ ? -EEXIST : 0)
#define xprt_unregister_transport(class) ((void)(class), (void)out.registered--)
#undef kvmalloc
#define kvmalloc			fake_kvmalloc
#define kvfree(p)			((void)(out.freed += !!(p)), (kvfree)(p))

#include "svc_version_fakes.h"
#include "../svcrdma/callback/backchannel.c"

/* A connection with a callback in flight */
static struct setup {
	struct svc_rdma_conn conn;
	struct rpc_xprt xprt;	/* callback transport */
	struct rpc_rqst rqst;	/* the callback */
	struct rpc_task task;	/* the callback's task */
	u8 reply[64];	/* buffer for the callback's reply */
} *s;

static void setup(struct kunit *test, u32 version)
{
	s = fake_zalloc(test, sizeof(*s));
	fake_counters_clear();
	memset(&out, 0, sizeof(out));
	fake_no_memory = false;
	fake_send = fake_zalloc(test, sizeof(*fake_send));
	fake_send->buf = fake_zalloc(test, LIMIT);
	fake_send->limit = LIMIT;
	fake_send->size = LIMIT;
	fake_send->conn = &s->conn;
	fake_send->wrs = 5;
	s->conn.ver = version == 1 ? &svc_rdma_v1 : &svc_rdma_v2;
	s->conn.callback_answered = svc_rdma_bc_answered;
	s->conn.sq.depth = 1000;
	s->conn.peer.longest = LIMIT;
	rpcrdma_props_default(&s->conn.peer.props);
	atomic_set(&s->conn.life.state, SVC_RDMA_OPEN);
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
}

/* An answer that arrives while a callback waits; svc_v2_kunit.c has calls */
struct answer {
	const char *name;
	u32 version;	/* RPC-over-RDMA version of the connection */
	u32 n;	/* words in the message */
	u32 words[MAX_WORDS];	/* the message */
	int copied;	/* bytes that complete the callback; 0: it waits */
	u32 window;	/* callbacks allowed in flight afterwards; 0: one */
	bool bad;	/* counted as a bad reply even if no callback waits */
};

#define V1(credits, type)		XID, 1, (credits), (type)
#define V2(credits, type, flags)	XID, 2, (credits), (type), (flags)
#define W_REPLY				XID, 1, 0, 0

static const struct answer answers[] = {
	/* RFC 8167 section 4: the credits are the grant for callbacks */
	{ "v1: reply", 1, 11, { V1(2, 0), 0, 0, 0, W_REPLY }, 16, 2 },
	{ "v1: reply, grant 1000", 1, 11, { V1(1000, 0), 0, 0, 0, W_REPLY }, 16,
	  SVC_RDMA_BC_REQUESTS },
	{ "v1: error", 1, 5, { V1(2, 4), 2 }, -EIO },
	{ "v1: reply with a Write chunk", 1, 17, { V1(2, 0), 0, 1, 1, 5, 6, 0, 0, 0, 0, W_REPLY } },
	{ "v1: reply with another XID inside", 1, 11, { V1(2, 0), 0, 0, 0, XID + 1, 1, 0, 0 } },

	/* v2 draft section 3.2 */
	{ "v2: shortest reply", 2, 11, { V2(2, 0, 1), 0, 0, 0, 0, XID, 1 }, 8, 2 },
	{ "v2: reply", 2, 13, { V2(2, 0, 1), 0, 0, 0, 0, W_REPLY }, 16, 2 },
	{ "v2: reply, grant 0", 2, 13, { V2(0, 0, 1), 0, 0, 0, 0, W_REPLY }, 16 },
	{ "v2: call with the flag", 2, 13, { V2(2, 0, 1), 0, 0, 0, 0, XID, 0, 2, 0 }, .bad = true },
	{ "v2: reply of one word", 2, 10, { V2(2, 0, 1), 0, 0, 0, 0, XID }, .bad = true },
	{ "v2: reply in a chunk that was not offered", 2, 14,
	  { V2(2, 1, 1), 0, 0, 0, 1, 1, 5, 6, 0, 0 }, .bad = true },
	{ "v2: reply with a Write chunk", 2, 19,
	  { V2(2, 0, 1), 0, 0, 1, 1, 5, 6, 0, 0, 0, 0, W_REPLY }, .bad = true },
	{ "v2: reply with a Read list", 2, 19,
	  { V2(2, 0, 1), 0, 1, 4, 5, 6, 0, 0, 0, 0, 0, W_REPLY }, .bad = true },
	{ "v2: reply longer than its buffer", 2, 9 + 4 + 13,
	  { V2(2, 0, 1), 0, 0, 0, 0, W_REPLY }, -EMSGSIZE, 2 },

	/* v2 draft section 5.3.3: the credits of an error are ignored */
	{ "v2: error", 2, 6, { V2(2, 4, 1), 2 }, -EIO },
	{ "v2: error without the flag", 2, 6, { V2(2, 4, 0), 2 } },
};

KUNIT_ARRAY_PARAM_DESC(answer, answers, name);

static struct svc_rdma_recv_ctx *arrive(struct kunit *test,
					const struct answer *a)
{
	struct svc_rdma_recv_ctx *recv = fake_zalloc(test, sizeof(*recv));
	u32 i;

	recv->len = a->n * sizeof(u32);
	recv->buf = fake_zalloc(test, recv->len);
	for (i = 0; i < a->n && i < MAX_WORDS; i++)
		put_unaligned_be32(a->words[i], recv->buf + 4 * i);
	KUNIT_ASSERT_EQ(test, 0, s->conn.ver->decode(&recv->hdr, recv->buf,
						     recv->len));
	return recv;
}

/* Return: true if the message was recognized as an answer and delivered. */
static bool handle(struct kunit *test, const struct answer *a)
{
	struct svc_rdma_recv_ctx *recv = arrive(test, a);

	if (s->conn.ver->classify(&s->conn, recv) != SVC_RDMA_ANSWER)
		return false;
	s->conn.callback_answered(&s->conn, recv, NULL);
	return true;
}

/*
 * The Receive is put back before the callback completes, because sunrpc then
 * sends the next callback. By then the reply has been copied, and a pin keeps
 * the callback from being freed.
 */
static void answered(struct kunit *test)
{
	const struct answer *a = test->param_value;
	int i;

	setup(test, a->version);
	KUNIT_EXPECT_EQ(test, handle(test, a), strcmp(a->name, "v2: error without the flag") != 0);

	KUNIT_EXPECT_EQ(test, out.completed, a->copied != 0);
	KUNIT_EXPECT_EQ(test, out.behind, out.completed);
	KUNIT_EXPECT_EQ(test, out.pinned, 0);
	KUNIT_EXPECT_EQ(test, out.copied, a->copied);
	KUNIT_EXPECT_EQ(test, s->task.tk_status, min(a->copied, 0));
	if (a->bad)
		KUNIT_EXPECT_EQ(test, fake_count(callback_bad_replies), 1);
	KUNIT_EXPECT_EQ(test, s->xprt.cwnd, (a->window ?: 1) << RPC_CWNDSHIFT);
	if (a->copied <= 0)
		return;
	for (i = 0; i < a->copied / 4; i++)
		KUNIT_EXPECT_EQ(test, get_unaligned_be32(s->reply + 4 * i),
				a->words[s->conn.ver->header_size / 4 + i]);
	/* sunrpc decodes the reply from rq_private_buf. */
	KUNIT_EXPECT_PTR_EQ(test, s->rqst.rq_private_buf.head[0].iov_base,
			    (void *)s->reply);
}

static void arrives(struct kunit *test, const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(answers) - 1; i++)
		if (!strcmp(answers[i].name, name))
			break;
	KUNIT_ASSERT_STREQ(test, answers[i].name, name);
	KUNIT_EXPECT_TRUE(test, handle(test, &answers[i]));
}

/* A reply is counted as bad if it is invalid or no callback waits for it. */
static void unexpected(struct kunit *test)
{
	const struct answer *a;

	for (a = answers; a < answers + ARRAY_SIZE(answers); a++) {
		if (!a->bad)
			continue;
		setup(test, 2);
		out.waiting = NULL;
		handle(test, a);
		KUNIT_EXPECT_EQ(test, fake_count(callback_bad_replies), 1);
	}

	setup(test, 2);
	out.waiting = NULL;
	arrives(test, "v2: reply");
	KUNIT_EXPECT_EQ(test, fake_count(callback_bad_replies), 1);
	/* The connection has no callback transport at all. */
	s->conn.xprt.xpt_bc_xprt = NULL;
	out.waiting = &s->rqst;
	arrives(test, "v2: reply");
	KUNIT_EXPECT_EQ(test, fake_count(callback_bad_replies), 2);
	arrives(test, "v2: error");
	KUNIT_EXPECT_EQ(test, out.completed, 0);
}

/* Sends a callback of @len bytes. Return: the result of sending */
static int call(struct kunit *test, u32 len)
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
	return svc_rdma_bc_send_request(&s->rqst);
}

static void called(struct kunit *test)
{
	struct rpcrdma_hdr hdr;
	u32 version, room;

	for (version = 1; version <= 2; version++) {
		setup(test, version);
		room = LIMIT - s->conn.ver->header_size;

		/* Act: the longest callback that fits inline */
		KUNIT_ASSERT_EQ(test, call(test, room), 0);

		/* Assert: the bytes on the wire */
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
		KUNIT_EXPECT_EQ(test, out.traced, 5);
		KUNIT_EXPECT_EQ(test, s->rqst.rq_xmit_bytes_sent, room);
		KUNIT_EXPECT_NE(test, ktime_to_ns(s->rqst.rq_xtime), 0);

		/* One byte more is refused. */
		KUNIT_EXPECT_EQ(test, call(test, room + 1), -EMSGSIZE);
		KUNIT_EXPECT_EQ(test, out.sent, 0);
		KUNIT_EXPECT_EQ(test, out.puts, 1);
	}
}

/* sunrpc gets an error it can act on if a callback cannot be sent. */
static void not_called(struct kunit *test)
{
	/* The connection is closing, or closed. */
	atomic_set(&s->conn.life.state, SVC_RDMA_CLOSING);
	KUNIT_EXPECT_EQ(test, call(test, 100), -ENOTCONN);
	setup(test, 2);
	set_bit(XPT_DEAD, &s->conn.xprt.xpt_flags);
	KUNIT_EXPECT_EQ(test, call(test, 100), -ENOTCONN);

	/* The buffer has no room for a header; then no Send context is free. */
	setup(test, 2);
	fake_send->size = 8;
	fake_send->limit = 8;
	KUNIT_EXPECT_EQ(test, call(test, 0), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, out.puts, 1);
	fake_send = NULL;
	KUNIT_EXPECT_EQ(test, call(test, 100), -ENOBUFS);

	/* Posting failed: the caller no longer owns the Send context. */
	setup(test, 2);
	out.post_status = -E2BIG;
	KUNIT_EXPECT_EQ(test, call(test, 100), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, out.puts, 0);
	KUNIT_EXPECT_EQ(test, s->rqst.rq_xmit_bytes_sent, 0);
}

/* Creates a session's callback transport; fails if xpt_bc_xprt is set. */
static struct rpc_xprt *bind(struct sockaddr *addr, u32 len)
{
	struct xprt_create args = {
		.net		= &init_net,
		.bc_xprt	= &s->conn.xprt,
		.dstaddr	= addr,
		.addrlen	= len,
	};

	return svc_rdma_bc_xprt_class.setup(&args);
}

/* The callback transport holds, and puts, its connection and module. */
static void bound(struct kunit *test)
{
	static const struct {
		union {
			struct sockaddr_storage any;
			struct sockaddr_in in;
			struct sockaddr_in6 in6;
		};
		const char *strings[RPC_DISPLAY_MAX];
	} cases[] = {
		{ .in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a000001) },
		  { "10.0.0.1", "0", "rdma", [RPC_DISPLAY_NETID] = "rdma" } },
		{ .in6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT },
		  { "::1", "0", "rdma", [RPC_DISPLAY_NETID] = "rdma6" } },
	};
	int refs = module_refcount(THIS_MODULE), i;

	for_each_case(c, cases) {
		struct rpc_xprt *xprt;

		setup(test, 1);
		s->conn.xprt.xpt_bc_xprt = NULL;
		/* The longest address that fits */
		xprt = bind((struct sockaddr *)&c->any, sizeof(c->any));
		KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(xprt));
		KUNIT_EXPECT_PTR_EQ(test, xprt->ops, &svc_rdma_bc_ops);
		KUNIT_EXPECT_PTR_EQ(test, xprt->xprt_class,
				    &svc_rdma_bc_xprt_class);
		KUNIT_EXPECT_EQ(test, xprt->prot, XPRT_TRANSPORT_BC_RDMA);
		KUNIT_EXPECT_EQ(test, xprt->timeout->to_initval, 60 * HZ);
		KUNIT_EXPECT_EQ(test, xprt->timeout->to_maxval, 60 * HZ);
		KUNIT_EXPECT_EQ(test, xprt->max_reqs, SVC_RDMA_BC_REQUESTS);
		KUNIT_EXPECT_EQ(test, xprt->addrlen, sizeof(c->any));
		KUNIT_EXPECT_EQ(test, memcmp(&xprt->addr, &c->any, sizeof(c->any)), 0);
		KUNIT_EXPECT_TRUE(test, xprt_bound(xprt));
		KUNIT_EXPECT_TRUE(test, xprt_connected(xprt));
		for (i = 0; i < RPC_DISPLAY_MAX; i++)
			KUNIT_EXPECT_STREQ(test, xprt->address_strings[i] ?: "",
					   c->strings[i] ?: "");
		/* The connection and the caller hold one reference each. */
		KUNIT_EXPECT_EQ(test, kref_read(&xprt->kref), 2);
		KUNIT_EXPECT_PTR_EQ(test, s->conn.xprt.xpt_bc_xprt, xprt);
		KUNIT_EXPECT_PTR_EQ(test, xprt->bc_xprt, &s->conn.xprt);
		KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), refs + 1);
		xprt->ops->destroy(xprt);
		KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), refs);
	}
}

static void not_bound(struct kunit *test)
{
	struct sockaddr_storage addr[2] = { { .ss_family = AF_INET } };
	struct sockaddr *sap = (struct sockaddr *)addr;
	int refs = module_refcount(THIS_MODULE);

	s->conn.xprt.xpt_bc_xprt = NULL;
	fake_no_memory = true;
	KUNIT_EXPECT_EQ(test, PTR_ERR(bind(sap, sizeof(addr[0]))), -ENOMEM);
	fake_no_memory = false;
	/* Section 4.2.2: a client may refuse all callbacks. */
	s->conn.peer.props.reverse = RPCRDMA2_RVREQSUP_NONE;
	KUNIT_EXPECT_EQ(test, PTR_ERR(bind(sap, sizeof(addr[0]))), -EOPNOTSUPP);
	s->conn.peer.props.reverse = RPCRDMA2_RVREQSUP_INLINE;
	KUNIT_EXPECT_PTR_EQ(test, s->conn.xprt.xpt_bc_xprt, NULL);
	/* Another NFSv4.1 client already uses the connection for callbacks. */
	s->conn.xprt.xpt_bc_xprt = &s->xprt;
	KUNIT_EXPECT_EQ(test, PTR_ERR(bind(sap, sizeof(addr[0]))), -EBUSY);
	KUNIT_EXPECT_PTR_EQ(test, s->conn.xprt.xpt_bc_xprt, &s->xprt);
	KUNIT_EXPECT_EQ(test, fake_count(bc_xprts_now), 0);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), refs);
}

/* Buffers for the call and reply are allocated up to SVC_RDMA_BC_SIZE. */
static void buffers(struct kunit *test)
{
	static const struct {
		u32 call, reply;
		int ret;
	} cases[] = {
		{ 100, 60, 0 }, { SVC_RDMA_BC_SIZE, SVC_RDMA_BC_SIZE, 0 },
		{ SVC_RDMA_BC_SIZE + 1, 100, -EINVAL },
		{ 100, SVC_RDMA_BC_SIZE + 1, -EINVAL },
	};
	struct rpc_rqst *rqst = &s->rqst;

	s->task.tk_rqstp = rqst;
	for_each_case(c, cases) {
		rqst->rq_callsize = c->call;
		rqst->rq_rcvsize = c->reply;
		KUNIT_ASSERT_EQ(test, svc_rdma_bc_buf_alloc(&s->task), c->ret);
		if (c->ret)
			continue;
		KUNIT_EXPECT_EQ(test, out.allocated, c->call + c->reply);
		KUNIT_EXPECT_PTR_EQ(test, rqst->rq_rbuffer, rqst->rq_buffer + c->call);
		/* Memory reclaim can depend on this callback. */
		KUNIT_EXPECT_TRUE(test, out.gfp == (GFP_NOIO | __GFP_NOWARN));
		out.freed = 0;
		svc_rdma_bc_buf_free(&s->task);
		KUNIT_EXPECT_EQ(test, out.freed, 1);
	}
	rqst->rq_rcvsize = 60;
	fake_no_memory = true;
	KUNIT_EXPECT_EQ(test, svc_rdma_bc_buf_alloc(&s->task), -ENOMEM);
}

/* The transport's close and disconnect, and its class, registered only once */
static void operations(struct kunit *test)
{
	/* Closing wakes waiting tasks; the window is reset to one callback. */
	s->xprt.cwnd = 0;
	svc_rdma_bc_ops.close(&s->xprt);
	KUNIT_EXPECT_EQ(test, out.disconnects, 1);
	KUNIT_EXPECT_EQ(test, s->xprt.cwnd, RPC_CWNDSHIFT);
	/* Fault injection closes the connection. */
	svc_rdma_bc_ops.inject_disconnect(&s->xprt);
	KUNIT_EXPECT_EQ(test, fake_closed, 1);
	KUNIT_EXPECT_EQ(test, svc_rdma_bc_init(), 0);
	KUNIT_EXPECT_EQ(test, svc_rdma_bc_init(), -EEXIST);
	svc_rdma_bc_exit();
	KUNIT_EXPECT_EQ(test, out.registered, 1);
}

static int begin_case(struct kunit *test)
{
	setup(test, 2);
	return 0;
}

static struct kunit_case svc_backchannel_cases[] = {
	KUNIT_CASE_PARAM(answered, answer_gen_params),
	KUNIT_CASE(unexpected),
	KUNIT_CASE(called),
	KUNIT_CASE(not_called),
	KUNIT_CASE(bound),
	KUNIT_CASE(not_bound),
	KUNIT_CASE(buffers),
	KUNIT_CASE(operations),
	{}
};

SUITE("svc_rdma_backchannel", svc_backchannel_cases, .init = begin_case, .exit = balance_exit);
