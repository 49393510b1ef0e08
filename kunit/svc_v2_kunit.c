// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the first message decides which version a connection uses, and the
 * server sends exactly the answers that the specification requires (v2 draft
 * sections 3.2, 3.3, 5.3, 7, RFC 5666 section 4.2). Both sides exchange their
 * properties (sections 4 and 5.3.4), and the server sends replies in Read
 * chunks only if both sides allow them. If this failed, clients of other
 * vendors could not mount, or would hang at a message that is too long or
 * unknown to them.
 */
#include "svc_v2_fakes.h"

/* A message, and the server's answer */
struct exchange {
	const char *name;
	/* Version before and after the message; 0: not decided yet */
	u32 before, after;
	struct words in;	/* the message */
	struct words answer;	/* immediate answer, if any */
	u32 served;	/* bytes of the call that nfsd gets */
	u32 handle;	/* handle that the reply will invalidate */
	bool reading;	/* the call's Read chunks are read first */
	bool callback, error;	/* a reply or an error for the backchannel */
};

#define W_V1(type)		XID, 1, 1, (type)
#define W_MSGP(align, thresh)	W_V1(2), (align), (thresh), 0, 0, 0

static const struct exchange exchanges[] = {
	/* Section 7: the first message decides */
	{ "first: CONNPROP", 0, 2, WORDS(W_CONNPROP, 0), WORDS(W_ANSWER) },
	{ "first: a version 1 call", 0, 1, WORDS(W_V1_CALL), NOTHING, 16 },
	{ "first: a version 2 call", 0, 2, WORDS(W_HEAD(0, 0, 0), 0, 0, 0, W_CALL), NOTHING, 16 },
	{ "first: version 0", 0, 0, WORDS(XID, 0, 1, 0, 0, 0, 0), WORDS(W_V1_ERROR(1), 1, 2) },
	{ "first: a malformed CONNPROP", 0, 2, WORDS(W_CONNPROP, 1), WORDS(W_ERROR(2)) },
	{ "first: an unknown type", 0, 2, WORDS(XID, 2, 1, 99, 0), WORDS(W_ERROR(3)) },
	{ "first: XID and version 1", 0, 1, WORDS(XID, 1), WORDS(W_V1_ERROR(2)) },
	{ "first: XID and version 5", 0, 0, WORDS(XID, 5), WORDS(W_V1_ERROR(1), 1, 2) },

	/* Section 7.3: the version does not change afterwards */
	{ "version 1 on version 2", 2, 2, WORDS(W_V1_CALL), WORDS(W_ERROR(1), 2, 2) },
	{ "version 2 on version 1", 1, 1, WORDS(W_CONNPROP, 0), WORDS(W_V1_ERROR(1), 1, 1) },

	/* Sections 5.3.1 and 5.3.2 */
	{ "call", 2, 2, WORDS(W_HEAD(0, 0, 0), 0, 0, 0, W_CALL), NOTHING, 16 },
	{ "call with flags that nobody knows", 2, 2,
	  WORDS(W_HEAD(0, 0xfffffffe, 0), 0, 0, 0, W_CALL), NOTHING, 16 },
	{ "MSG without an RPC message", 2, 2, WORDS(W_HEAD(0, 0, 0), 0, 0, 0),
	  WORDS(W_ERROR(2)) },
	{ "NOMSG with an empty segment", 2, 2,
	  WORDS(W_HEAD(1, 0, 0), 1, 0, 0x77, 0, 0, 0, 0, 0, 0), WORDS(W_ERROR(2)) },

	/* Section 5.2: OPTIONAL types that are not supported */
	{ "DONE", 2, 2, WORDS(XID, 2, 1, 3, 0), WORDS(W_ERROR(3)) },

	/* Section 5.3.3: BAD_XDR */
	{ "chunk list beyond the end", 2, 2,
	  WORDS(W_HEAD(0, 0, 0), 0, 1, 0x10000001, W_SEG, 0, 0), WORDS(W_ERROR(2)) },
	{ "chunk list beyond the end, as a response", 2, 2,
	  WORDS(W_HEAD(0, 1, 0), 0, 1, 0x10000001, W_SEG, 0, 0), NOTHING },
	{ "RPC reply with the flag of a call", 2, 2, WORDS(W_HEAD(0, 0, 0), 0, 0, 0, W_REPLY),
	  WORDS(W_ERROR(2)) },

	/* An error is never answered, whatever its contents. */
	{ "ERROR", 2, 2, WORDS(XID, 2, 1, 4, 1, 2), NOTHING, .error = true },
	{ "ERROR without a code", 2, 2, WORDS(XID, 2, 1, 4, 1), NOTHING },
	{ "ERROR without the flag", 2, 2, WORDS(XID, 2, 1, 4, 0, 9), NOTHING },

	/* Section 3.2: the reverse direction */
	{ "reply to a callback", 2, 2, WORDS(W_HEAD(0, 1, 0), 0, 0, 0, W_REPLY), NOTHING,
	  .callback = true },
	{ "long reply to a callback", 2, 2, WORDS(W_HEAD(1, 1, 0), 0, 0, 1, 1, W_SEG), NOTHING,
	  .callback = true },
	{ "call with the flag of a response", 2, 2, WORDS(W_HEAD(0, 1, 0), 0, 0, 0, W_CALL),
	  NOTHING, .callback = true },

	/* Section 3.3: rdma_inv_handle */
	{ "handle of the Reply chunk", 2, 2, WORDS(W_HEAD(0, 0, 0x77), 0, 0, 1, 1, W_SEG, W_CALL),
	  NOTHING, 16, 0x77 },
	{ "handle of a Write chunk's second segment", 2, 2,
	  WORDS(W_HEAD(0, 0, 0x78), 0, 1, 2, W_SEG, 0x78, 4, 0, 0, 0, 0, W_CALL), NOTHING, 16,
	  0x78 },
	{ "handle of a Read chunk without bytes", 2, 2,
	  WORDS(W_HEAD(0, 0, 0x79), 1, 16, 0x79, 0, 0, 0, 0, 0, 0, W_CALL), NOTHING, 16, 0x79 },
	{ "handle that was not offered", 2, 2,
	  WORDS(W_HEAD(0, 0, 0x78), 0, 0, 1, 1, W_SEG, W_CALL), NOTHING, 16 },

	/* RFC 8166 section 3.5: calls */
	{ "v1: Read chunk", 1, 1, WORDS(W_V1(0), 1, 8, W_SEG, 0, 0, 0, W_CALL), NOTHING, 0, 0x77,
	  true },
	{ "v1: Write chunk", 1, 1, WORDS(W_V1(0), 0, 1, 1, W_SEG, 0, 0, W_CALL), NOTHING, 16,
	  0x77 },
	{ "v1: Reply chunk", 1, 1, WORDS(W_V1(0), 0, 0, 1, 1, W_SEG, W_CALL), NOTHING, 16, 0x77 },
	{ "v1: an empty Write chunk before the Reply chunk", 1, 1,
	  WORDS(W_V1(0), 0, 1, 0, 0, 1, 1, W_SEG, W_CALL), NOTHING, 16, 0x77 },
	{ "v1: NOMSG with a position-zero chunk", 1, 1, WORDS(W_V1(1), 1, 0, W_SEG, 0, 0, 0),
	  NOTHING, 0, 0x77, true },
	{ "v1: MSG with an XID only", 1, 1, WORDS(W_V1(0), 0, 0, 0, XID), NOTHING, 4 },

	/* RFC 5666 section 4.2: ERR_CHUNK for malformed chunks */
	{ "v1: MSG with a Read chunk only", 1, 1, WORDS(W_V1(0), 1, 0, W_SEG, 0, 0, 0),
	  WORDS(W_V1_ERROR(2)) },
	{ "v1: NOMSG with empty Read segments only", 1, 1,
	  WORDS(W_V1(1), 1, 0, 0x77, 0, 0, 0, 0, 0, 0), WORDS(W_V1_ERROR(2)) },
	{ "v1: unknown type", 1, 1, WORDS(W_V1(9), 0, 0, 0), WORDS(W_V1_ERROR(2)) },

#ifdef RPCRDMA_EXT_MSGP
	/* RFC 5666 section 3.9: padding that does not match */
	{ "MSGP as long as its threshold", 1, 1, WORDS(W_MSGP(4096, 16), W_CALL),
	  WORDS(W_V1_ERROR(2)) },
	{ "MSGP that aligns to nothing", 1, 1, WORDS(W_MSGP(0, 0), W_CALL), NOTHING, 16 },
	{ "reply to a callback, MSGP without padding", 1, 1, WORDS(W_MSGP(4096, 17), W_REPLY),
	  NOTHING, .callback = true },
#else
	/* RFC 5666 section 4.2: a type that is not supported */
	{ "MSGP, which is left out", 1, 1, WORDS(W_MSGP(4096, 17), W_CALL),
	  WORDS(W_V1_ERROR(2)) },
#endif

	/* RFC 8166 section 4.5: neither an error nor DONE is answered. */
	{ "v1: DONE", 1, 1, WORDS(W_V1(3)), NOTHING },
	{ "v1: ERROR, ERR_CHUNK", 1, 1, WORDS(W_V1(4), 2), NOTHING, .error = true },
	{ "v1: ERROR without a code", 1, 1, WORDS(W_V1(4)), NOTHING },

	/* RFC 8167 section 3: the other direction */
	{ "v1: reply to a callback", 1, 1, WORDS(W_V1(0), 0, 0, 0, W_REPLY), NOTHING,
	  .callback = true },
};

KUNIT_ARRAY_PARAM_DESC(exchange, exchanges, name);

static void exchanged(struct kunit *test)
{
	const struct exchange *x = test->param_value;
	struct svc_rdma_recv_ctx *recv;

	conn_create(test, x->before);
	recv = take(test, &x->in);

	KUNIT_EXPECT_PTR_EQ(test, conn->ver, version_number(x->after));
	KUNIT_EXPECT_EQ(test, out.begun, x->before != x->after);
	if (x->before != x->after)
		KUNIT_EXPECT_EQ(test, conn->peer.reason, x->after == 2 ?
				RPCRDMA_NL_REASON_OFFER : RPCRDMA_NL_REASON_PEER);
	/* The first Receives have the largest size of any version. */
	KUNIT_EXPECT_EQ(test, conn->recvs.size,
			x->before == x->after ? FIRST_SIZE : x->after == 2 ? RECV_SIZE : 4096);
	KUNIT_EXPECT_EQ(test, fake_closed, 0);
	KUNIT_EXPECT_EQ(test, out.served, x->served);
	KUNIT_EXPECT_EQ(test, out.reading, x->reading);
	KUNIT_EXPECT_EQ(test, out.callback, x->callback);
	KUNIT_EXPECT_EQ(test, out.errors, x->error);
	/* The Receive context is put back unless a call or Reads own it. */
	KUNIT_EXPECT_EQ(test, out.put, !x->served && !x->reading);
	KUNIT_EXPECT_EQ(test, out.synced, recv->len);
	/* Only calls count as use of the requester's credits. */
	KUNIT_EXPECT_EQ(test, out.adapted, x->served || x->reading);
	/* Pages are lent only if the call has Write chunks. */
	KUNIT_EXPECT_EQ(test, out.lent, x->served && recv->hdr.writes.bytes);
	KUNIT_EXPECT_EQ(test, recv->handle, x->handle);
	/* If an error has no index and value, the trace point shows 0. */
	if (x->answer.n < 7)
		KUNIT_EXPECT_EQ(test, recv->fault.index | recv->fault.value, 0);
	KUNIT_EXPECT_EQ(test, out.count, x->answer.n != 0);
	if (x->answer.n)
		expect_sent(test, 0, &x->answer);
}

/* A requester with another draft's version 2 is served in version 1 only. */
static void other_version_2(struct kunit *test)
{
	static const struct {
		enum rpcrdma_hint hint;
		u32 max, highest;
		enum rpcrdma_nl_reason reason;
	} cases[] = {
		{ RPCRDMA_HINT_NONE, 2, 2, RPCRDMA_NL_REASON_OFFER },
		{ RPCRDMA_HINT_V1, 2, 1, RPCRDMA_NL_REASON_HINT },
		{ RPCRDMA_HINT_V2, 2, 2, RPCRDMA_NL_REASON_HINT },
		{ RPCRDMA_HINT_V2_OTHER, 2, 1, RPCRDMA_NL_REASON_HINT },
		/* The administrator does not allow version 2. */
		{ RPCRDMA_HINT_NONE, 1, 1, RPCRDMA_NL_REASON_TUNABLE },
	};

	for_each_case(c, cases) {
		const struct rpcrdma_private priv = {
			.recv_size = 1024, .hint = c->hint,
		};

		conn_create(test, 0);
		svc_rdma_max_version = c->max;
		svc_rdma_peer_said(conn, &priv);
		KUNIT_EXPECT_EQ(test, conn->peer.highest, c->highest);
		KUNIT_EXPECT_EQ(test, conn->recvs.size == 4096, c->highest == 1);
		/* Receives are already sized: a later change has no effect. */
		svc_rdma_max_version = 2;
		TAKE(W_CONNPROP, 0);
		if (c->highest == 2) {
			KUNIT_EXPECT_PTR_EQ(test, conn->ver, &svc_rdma_v2);
			KUNIT_EXPECT_EQ(test, conn->peer.reason, c->reason);
			continue;
		}
		EXPECT_SENT(0, W_V1_ERROR(1), 1, 1);
		KUNIT_EXPECT_PTR_EQ(test, conn->ver, &svc_rdma_undecided);
		TAKE(W_V1_CALL);
		KUNIT_EXPECT_EQ(test, out.served, 16);
		KUNIT_EXPECT_PTR_EQ(test, conn->ver, &svc_rdma_v1);
		KUNIT_EXPECT_EQ(test, conn->peer.reason, c->reason);
	}
}

/* If memory for a Send context or Receives is short, the connection closes. */
static void no_memory(struct kunit *test)
{
	out.recvs_status = -ENOMEM;
	TAKE(W_V1_CALL);
	KUNIT_EXPECT_EQ(test, fake_closed, 1);
	KUNIT_EXPECT_EQ(test, rpcrdma_cause_detail(fake_cause), RPCRDMA_NL_DETAIL_RECEIVE);

	conn_create(test, 2);
	fake_send = NULL;
	TAKE(W_CONNPROP, 0);
	KUNIT_EXPECT_EQ(test, fake_closed, 1);
	TAKE(W_CONNPROP, 1);
	KUNIT_EXPECT_EQ(test, fake_closed, 2);
	KUNIT_EXPECT_EQ(test, out.put, 2);
}

/* No handle is invalidated if the device or a version 1 peer cannot do it. */
static void no_invalidation(struct kunit *test)
{
	conn_create(test, 0);
	conn->caps.invalidate = false;
	KUNIT_EXPECT_EQ(test, 0, TAKE(W_HEAD(0, 0, 0x77), 0, 0, 1, 1, W_SEG, W_CALL)->handle);
	KUNIT_EXPECT_EQ(test, out.served, 16);

	conn_create(test, 1);
	conn->peer.remote_inv = false;
	KUNIT_EXPECT_EQ(test, 0, TAKE(W_V1(0), 0, 0, 1, 1, W_SEG, W_CALL)->handle);
	KUNIT_EXPECT_EQ(test, out.served, 16);
}

/*
 * Encode a call with @reads Read segments, @writes Write chunks of @each
 * segments, and a Reply chunk of @reply segments if that is not 0.
 */
static void call_header(struct rpcrdma_encoder *enc, u8 *buf, u32 size,
			u32 reads, u32 writes, u32 each, u32 reply)
{
	static const struct rpcrdma_segment seg = { 0x77, 64, 0x1000 };
	u32 i;

	rpcrdma_encode_init(enc, buf, size);
	rpcrdma_encode_head(enc, cpu_to_be32(XID), 2, 1, RPCRDMA2_MSG, false, 0);
	for (i = 0; i < reads; i++)
		rpcrdma_encode_read_segment(enc, 8, &seg);
	rpcrdma_encode_list_end(enc);
	for (; writes; writes--) {
		rpcrdma_encode_chunk_begin(enc, each);
		for (i = 0; i < each; i++)
			rpcrdma_encode_segment(enc, &seg);
	}
	rpcrdma_encode_list_end(enc);
	if (reply) {
		rpcrdma_encode_chunk_begin(enc, reply);
		for (i = 0; i < reply; i++)
			rpcrdma_encode_segment(enc, &seg);
	} else {
		rpcrdma_encode_list_end(enc);
	}
	for (i = 0; i < 4; i++)
		rpcrdma_encode_word(enc, i == 2 ? 2 : 0);
}

/* Section 5.3.3: a call at the maximum that an error reports is accepted. */
static const struct {
	const char *name;
	u32 reads, writes, each, reply;
	struct words answer;
} limits[] = {
	{ "16 Write chunks", 0, 16, 1, 0, NOTHING },
	{ "17 Write chunks", 0, 17, 1, 0, WORDS(W_ERROR(5), 16) },
	{ "64 Read segments", 64, 0, 0, 0, NOTHING },
	{ "65 Read segments", 65, 0, 0, 0, WORDS(W_ERROR(6), 64) },
	{ "Write chunk of 64 segments", 0, 1, 64, 0, NOTHING },
	{ "Write chunk of 65 segments", 0, 1, 65, 0, WORDS(W_ERROR(6), 64) },
	{ "Write and Reply chunk, 33 each", 0, 1, 33, 33, WORDS(W_ERROR(6), 32) },
	{ "Write and Reply chunk, 32 each", 0, 1, 32, 32, NOTHING },
	{ "16 Write chunks of 5", 0, 16, 5, 0, WORDS(W_ERROR(6), 4) },
	{ "16 Write chunks of 4", 0, 16, 4, 0, NOTHING },
};

KUNIT_ARRAY_PARAM_DESC(limit, limits, name);

static void limited(struct kunit *test)
{
	const typeof(limits[0]) *limit = test->param_value;
	struct svc_rdma_recv_ctx *recv = fake_zalloc(test, sizeof(*recv));
	struct rpcrdma_encoder enc;
	bool taken;

	conn_create(test, 2);
	recv->buf = fake_zalloc(test, 8192);
	call_header(&enc, recv->buf, 8192, limit->reads, limit->writes,
		    limit->each, limit->reply);
	recv->len = rpcrdma_encode_finish(&enc);
	list_add_tail(&recv->list, &conn->recvs.done);

	received();

	/* Assert: nfsd or a Read context owns the call, or an error was sent */
	taken = !out.put;
	KUNIT_EXPECT_EQ(test, taken, !limit->answer.n);
	if (!taken)
		expect_sent(test, 0, &limit->answer);
	KUNIT_EXPECT_EQ(test, fake_closed, 0);
}

/* A message without an RPC is handled before another thread takes the next. */
static void ordered(struct kunit *test)
{
	static const struct { struct words in; bool ordered; } cases[] = {
		{ WORDS(W_CONNPROP, 0), true },
		{ WORDS(XID, 2, 32, 7, 0, 0), true },
		{ WORDS(XID, 2, 32, 9, 0, 1, 0, 0), true },
		{ WORDS(XID, 2, 32, ~0u, 0), true },
		{ WORDS(XID, 2, 32, 4, 1, 3), false },
		{ WORDS(W_HEAD(0, 0, 0), 0, 0, 0, W_CALL), false },
		/* too short to have a type */
		{ WORDS(XID, 2, 32), false },
	};

	for_each_case(c, cases) {
		conn_create(test, 2);
		changes_announced();
		take(test, &c->in);
		KUNIT_EXPECT_EQ_MSG(test, out.put_before, c->ordered, "case %td", c - cases);
	}
}

/* Sections 4.1 and 4.2: sets of properties, and the resulting limits */
static const struct {
	const char *name;
	struct words in;
	bool bad;
	u32 send_size, reverse;
} sets[] = {
	{ "nothing", WORDS(W_CONNPROP, 0), false, 4096, 1 },
	{ "both", WORDS(W_CONNPROP, 2, 2, 4, 0, 1, 4, 6000), false, 6000, 0 },
	{ "general reverse requests", WORDS(W_CONNPROP, 1, 2, 4, 2), false, 4096, 2 },
	{ "no buffer at all", WORDS(W_CONNPROP, 1, 1, 4, 0), false, 128, 1 },
	{ "an enormous buffer", WORDS(W_CONNPROP, 1, 1, 4, ~0u), false, 65536, 1 },
	{ "good one, bad one", WORDS(W_CONNPROP, 2, 1, 4, 8192, 2, 4, 3), true },
	{ "more than there are", WORDS(W_CONNPROP, 2, 1, 4, 8192), true },
};

KUNIT_ARRAY_PARAM_DESC(set, sets, name);

static void properties(struct kunit *test)
{
	static const struct words answer = WORDS(W_ANSWER);
	static const struct words error = WORDS(W_ERROR(2));
	const typeof(sets[0]) *set = test->param_value;

	take(test, &set->in);
	KUNIT_EXPECT_EQ(test, out.served, 0);
	KUNIT_EXPECT_EQ(test, out.count, 1);
	expect_sent(test, 0, set->bad ? &error : &answer);
	/* Section 5.3.3: no property of a malformed message is used. */
	KUNIT_EXPECT_EQ(test, conn->peer.longest, set->bad ? 4096 : set->send_size);
	KUNIT_EXPECT_EQ(test, conn->peer.props.reverse, set->bad ? 1 : set->reverse);
	KUNIT_EXPECT_EQ(test, conn->peer.known, !set->bad);
}

/*
 * Section 5.3.4: a second request is answered with the same properties. A
 * response is not answered, even if there was no request.
 */
static void properties_twice(struct kunit *test)
{
	TAKE(W_CONNPROP, 1, 1, 4, 8192);
	TAKE(W_CONNPROP, 1, 1, 4, 2048);
	KUNIT_EXPECT_EQ(test, out.count, 2);
	EXPECT_SENT(1, W_ANSWER);
	KUNIT_EXPECT_EQ(test, conn->peer.longest, 8192);

	conn_create(test, 2);
	TAKE(XID, 2, 1, 5, 1, 1, 1, 3, 6000);
	TAKE(XID, 2, 1, 5, 1, 1, 1, 4, 6000);
	KUNIT_EXPECT_EQ(test, out.count, 0);
	KUNIT_EXPECT_EQ(test, fake_closed, 0);
	KUNIT_EXPECT_EQ(test, conn->peer.longest, 6000);
}

#ifdef RPCRDMA_EXT_PROPERTIES
/* Section 5.3.4: the Receive Buffer Size is sent even if it is the default. */
static void properties_default(struct kunit *test)
{
	changes_announced();
	svc_rdma_receive_buffer_size = RPCRDMA2_INLINE_DEFAULT;
	TAKE(W_CONNPROP, 0);
	svc_rdma_receive_buffer_size = RECV_SIZE;
	EXPECT_SENT(0, XID, 2, GRANT, 5, 1, 6, 1, 4, 4096, 2, 4, 1, 0xffffff01,
		    4, 0, 0xffffff02, 4, 0, 0xffffff03, 8, 4, 0x80030000,
		    0xffffff04, 8, 1, 0x1e);
}
#endif

/* Replies use Read chunks only if the requester asks and the server can. */
static void read_replies(struct kunit *test)
{
	static const struct words answers[] = {
		WORDS(W_ANSWER), WORDS(W_ANSWER_WITH(RECV_SIZE, 1, 0x08000000)),
	};
	static const struct { struct words in; bool can, wanted; } cases[] = {
		{ WORDS(W_CONNPROP, 1, 0xffffff02, 4, 1), true, true },
		{ WORDS(W_CONNPROP, 1, 0xffffff02, 4, 0), true, false },
		{ WORDS(W_CONNPROP, 0), true, false },
		{ WORDS(W_CONNPROP, 1, 0xffffff02, 4, 1), false, false },
	};
	u32 i;

	for_each_case(c, cases) {
		conn_create(test, 0);
		conn->caps.advertise = c->can;
		conn->caps.advertise_v1 = true;
		take(test, &c->in);
		expect_sent(test, 0, &answers[c->can]);
		KUNIT_EXPECT_EQ(test, conn->peer.read_replies, c->wanted);
	}

	/* RFC 5666 section 3.4: in version 1, the administrator decides. */
	for (i = 0; i < 2; i++) {
		conn_create(test, 0);
		conn->caps.advertise = true;
		conn->caps.advertise_v1 = i;
		TAKE(W_V1_CALL);
		KUNIT_EXPECT_EQ(test, conn->peer.read_replies, i);
	}
}

/* RDMA_DONE, an OPTIONAL type that the server announced, is passed on. */
static void done(struct kunit *test)
{
	conn_create(test, 1);
	TAKE(XID, 1, 1, 3);
	KUNIT_EXPECT_EQ(test, out.dones, 1);
	/* The advert is released only after the Receive was put back. */
	KUNIT_EXPECT_EQ(test, out.put, 1);
	KUNIT_EXPECT_EQ(test, out.put_done, 1);

	conn_create(test, 2);
	conn->caps.advertise = true;
	TAKE(XID, 2, 1, 3, 0);
	KUNIT_EXPECT_EQ(test, out.dones, 1);
	TAKE(XID, 2, 1, 3, 1);
	KUNIT_EXPECT_EQ(test, out.dones, 1);
	KUNIT_EXPECT_EQ(test, out.count, 0);
}

#ifdef RPCRDMA_EXT_PULLED
/* RFC 5666 section 11: due RDMA_DONEs reduce the grant, but never to zero. */
static void grant_without_dones(struct kunit *test)
{
	static const struct { u32 grant, awaiting_done, late, credits; } cases[] = {
		{ 8, 0, 0, 8 }, { 8, 7, 0, 1 }, { 8, 8, 0, 1 }, { 8, ~0u, 0, 1 }, { 1, 1, 0, 1 },
		{ 64, 62, 0, 2 }, { 64, 60, 2, 2 },
	};

	for_each_case(c, cases) {
		conn_create(test, 2);
		conn->credits.grant = c->grant;
		conn->adverts.awaiting_done = c->awaiting_done;
		conn->adverts.late = c->late;
		KUNIT_EXPECT_EQ(test, svc_rdma_credits(conn), c->credits);
		TAKE(W_CONNPROP, 0);
		TAKE(XID, 1);
		KUNIT_ASSERT_EQ(test, out.count, 2);
		KUNIT_EXPECT_EQ(test, get_unaligned_be32(out.sent[0] + 8), c->credits);
		KUNIT_EXPECT_EQ(test, get_unaligned_be32(out.sent[1] + 8), c->credits);
	}
}
#endif

static struct kunit_case svc_v2_cases[] = {
	KUNIT_CASE_PARAM(exchanged, exchange_gen_params),
	KUNIT_CASE(other_version_2),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(no_invalidation),
	KUNIT_CASE_PARAM(limited, limit_gen_params),
	KUNIT_CASE(ordered),
	KUNIT_CASE_PARAM(properties, set_gen_params),
	KUNIT_CASE(properties_twice),
#ifdef RPCRDMA_EXT_PROPERTIES
	KUNIT_CASE(properties_default),
#endif
	KUNIT_CASE(read_replies),
	KUNIT_CASE(done),
#ifdef RPCRDMA_EXT_PULLED
	KUNIT_CASE(grant_without_dones),
#endif
	{}
};

SUITE("svc_rdma_v2", svc_v2_cases, .init = begin_case);
