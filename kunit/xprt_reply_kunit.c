// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: what xprtrdma makes of a reply (RFC 5666 section 3.6, RFC 8166
 * sections 3.4.6 and 4.5). The peer may lie; nothing outside of the reply's
 * buffers is written, and no length beyond them is reported.
 */
#include <linux/module.h>
#include <linux/prandom.h>

#include "xprt_reply_fakes.h"

static ulong seed;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "start of the random sequence; 0 chooses one");

/* A payload in the Write chunk, and inline parts around it */
struct around_case {
	const char *name;
	u32 inline_len;
	u32 offered[2];
	u32 returned[2];
	u32 nsegs;
	int want;
};

#define ROUND(n)	(((n) + 3) & ~3)

static const struct around_case around_cases[] = {
	{ "whole chunk", HEAD, { 4096 }, { 4096 }, 1, HEAD + 4096 },
	{ "part of the chunk", HEAD, { 4096 }, { 100 }, 1, HEAD + 100 },
	{ "odd length", HEAD, { 4096 }, { 4093 }, 1, HEAD + 4096 },
	{ "odd length and roundup segment (RFC 5666 3.7)", HEAD, { 4093, 4 },
	  { 4093, 3 }, 2, HEAD + 4096 },
	{ "one byte", HEAD, { 4096 }, { 1 }, 1, HEAD + 4 },
	{ "nothing in it (RFC 8166 3.4.6)", 100, { 4096 }, { 0 }, 1, 100 },
	{ "shorter head", 80, { 4096 }, { 4096 }, 1, 80 + 4096 },
	{ "results after the payload", HEAD + 40, { 4096 }, { 4096 }, 1,
	  HEAD + 4096 + 40 },
	{ "results after an odd payload", HEAD + 40, { 4096 }, { 4001 }, 1,
	  HEAD + ROUND(4001) + 40 },
	{ "results fill the buffer", HEAD + TAIL, { PAGE_BYTES },
	  { PAGE_BYTES }, 1, ROOM },
	{ "results beyond the buffer", HEAD + TAIL + 4, { PAGE_BYTES },
	  { PAGE_BYTES }, 1, ROOM },
	{ "roundup is inline, too", HEAD + 3, { 4096 }, { 4093 }, 1,
	  HEAD + 4096 + 4 },
	{ "odd results after the payload", HEAD + 38, { 4096 }, { 4001 }, 1,
	  HEAD + ROUND(4001) + 40 },
	{ "odd head", HEAD - 3, { 4096 }, { 4095 }, 1, HEAD + 4096 },
	{ "shorter head that is odd", 77, { 4096 }, { 1 }, 1, 80 + 4 },
	{ "odd results beyond the buffer", HEAD + TAIL + 1, { PAGE_BYTES },
	  { PAGE_BYTES }, 1, ROOM },
	{ "two segments", HEAD, { 4000, 2000 }, { 4000, 17 }, 2,
	  HEAD + ROUND(4017) },
	{ "two segments, one used", HEAD, { 4000, 2000 }, { 3999, 0 }, 2,
	  HEAD + ROUND(3999) },
	{ "one segment returned of two", HEAD, { 4000, 2000 }, { 4000 }, 1,
	  HEAD + 4000 },
	{ "one byte more than offered", HEAD, { 4096 }, { 4097 }, 1,
	  -EOVERFLOW },
	{ "4 GiB", HEAD, { 4096 }, { 0xffffffff }, 1, -EOVERFLOW },
	{ "second segment too long", HEAD, { 4000, 96 }, { 4000, 97 }, 2,
	  -EOVERFLOW },
	{ "a hole", HEAD, { 4000, 2000 }, { 3999, 1 }, 2, -EOVERFLOW },
	{ "sum wraps around", HEAD, { 4000, 2000 }, { 4000, 0xfffff060 }, 2,
	  -EOVERFLOW },
};

KUNIT_ARRAY_PARAM_DESC(around_case, around_cases, name);

static void payload_in_chunk(struct kunit *test)
{
	const struct around_case *c = test->param_value;
	struct answer *a = answer_create(test, XPRT_RDMA_REPLY_WRITE,
					 c->offered[1] ? 2 : 1, c->offered);
	u32 i, head, payload = c->returned[0] + c->returned[1];

	/* Arrange */
	begin(a, RPCRDMA_MSG);
	none(a);
	chunk(a, c->nsegs, c->returned);
	none(a);
	none(a);

	/* Act */
	KUNIT_ASSERT_EQ(test, take(test, a, c->inline_len), c->want);

	/* Assert: what is inline lies before and behind the payload */
	expect_pages_intact(test, a);
	if (c->want < 0)
		return;
	head = min(ROUND(c->inline_len), HEAD);
	for (i = 0; i < head; i++)
		KUNIT_ASSERT_EQ(test, reply_byte(a, i),
				i < c->inline_len ? pattern(i) : 0);
	for (; i < min_t(u32, c->want - ROUND(payload), ROUND(c->inline_len));
	     i++)
		KUNIT_ASSERT_EQ(test, reply_byte(a, ROUND(payload) + i),
				i < c->inline_len ? pattern(i) : 0);
	KUNIT_EXPECT_EQ(test, a->req->rqst.rq_rcv_buf.head[0].iov_len,
			payload ? head : HEAD);
	for (i = 0; payload && i < min(payload, PAGE_BYTES); i++)
		KUNIT_ASSERT_EQ(test, reply_byte(a, head + i), CANARY);
}

/* RFC 5666 section 5.2: the whole reply in the Reply chunk */
static void reply_in_chunk(struct kunit *test)
{
	static const u32 offered[] = { HEAD, PAGE_BYTES, TAIL };
	static const struct {
		u32 lengths[3];
		u32 n;
		int want;
	} cases[] = {
		{ { HEAD, PAGE_BYTES, TAIL }, 3, ROOM },
		{ { HEAD, 500, 0 }, 3, HEAD + 500 },
		{ { 40 }, 1, 40 },
		{ { 41 }, 1, 44 },
		{ { HEAD, 501, 0 }, 3, HEAD + 504 },
		{ { HEAD, PAGE_BYTES, TAIL - 1 }, 3, ROOM },
		{ { 0, 0, 0 }, 3, -EBADMSG },
		{ { 0 }, 0, -EBADMSG },
		{ { HEAD + 1 }, 1, -EOVERFLOW },
		{ { HEAD, PAGE_BYTES, TAIL + 1 }, 3, -EOVERFLOW },
		{ { HEAD - 1, 1, 0 }, 3, -EOVERFLOW },
	};
	struct answer *a;
	u32 i;

	a = answer_create(test, XPRT_RDMA_REPLY_LONG, 3, offered);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(a, RPCRDMA_NOMSG);
		none(a);
		none(a);
		chunk(a, cases[i].n, cases[i].lengths);
		KUNIT_EXPECT_EQ(test, take(test, a, 0), cases[i].want);
	}
}

/* Replies that make no sense for the call; none may be believed. */
static void contradictions(struct kunit *test)
{
	static const u32 offered[] = { 4096 }, two[] = { 100, 100 };
	struct answer *a;

	/* A Write chunk and a Reply chunk that were not offered */
	a = answer_create(test, XPRT_RDMA_REPLY_INLINE, 0, NULL);
	begin(a, RPCRDMA_MSG);
	none(a);
	chunk(a, 1, offered);
	none(a);
	none(a);
	KUNIT_EXPECT_EQ(test, take(test, a, HEAD), -EBADMSG);
	begin(a, RPCRDMA_NOMSG);
	none(a);
	none(a);
	chunk(a, 1, offered);
	KUNIT_EXPECT_EQ(test, take(test, a, 0), -EBADMSG);

	/* More segments, and more chunks, than were offered */
	a = answer_create(test, XPRT_RDMA_REPLY_WRITE, 1, offered);
	begin(a, RPCRDMA_MSG);
	none(a);
	chunk(a, 2, two);
	none(a);
	none(a);
	KUNIT_EXPECT_EQ(test, take(test, a, HEAD), -EBADMSG);
	begin(a, RPCRDMA_MSG);
	none(a);
	chunk(a, 1, two);
	chunk(a, 1, two);
	none(a);
	none(a);
	KUNIT_EXPECT_EQ(test, take(test, a, HEAD), -EBADMSG);

	/* A long reply to such a call */
	begin(a, RPCRDMA_NOMSG);
	none(a);
	chunk(a, 1, two);
	none(a);
	none(a);
	KUNIT_EXPECT_EQ(test, take(test, a, 0), -EBADMSG);
}

/* RFC 5666 section 4.2: errors end that call, with an error of their own */
static void errors_received(struct kunit *test)
{
	struct answer *a = answer_create(test, XPRT_RDMA_REPLY_INLINE, 0, NULL);

	begin(a, RPCRDMA_ERROR);
	rpcrdma_encode_err_chunk(&a->enc);
	KUNIT_EXPECT_EQ(test, take(test, a, 0), -EREMOTEIO);
	begin(a, RPCRDMA_ERROR);
	rpcrdma_encode_err_chunk(&a->enc);
	KUNIT_EXPECT_EQ(test, take(test, a, 32), -EREMOTEIO);
	begin(a, RPCRDMA_ERROR);
	rpcrdma_encode_err_vers(&a->enc, 1, 1);
	KUNIT_EXPECT_EQ(test, take(test, a, 0), -EREMOTEIO);
	begin(a, RPCRDMA_ERROR);
	KUNIT_EXPECT_EQ(test, take(test, a, 0), RPCRDMA_ESHORT);
	begin(a, RPCRDMA_MSGP);
	rpcrdma_encode_msgp(&a->enc, 4, 4);
	none(a);
	none(a);
	none(a);
	KUNIT_EXPECT_EQ(test, take(test, a, 40), -EBADMSG);
	begin(a, 17);
	KUNIT_EXPECT_EQ(test, take(test, a, 0), RPCRDMA_ETYPE);
}

/* Random headers: whatever they say, the length that is reported exists. */
static void random_replies(struct kunit *test)
{
	static const u32 offered[] = { 4000, 1000, 1000 };
	static const u32 values[] = { 0, 1, 2, 3, 999, 1000, 1001, 4000, 4001,
				      0x10000001, 0xfffffc18, 0xffffffff };
	struct rnd_state rnd;
	u32 round, i, len, first = seed ? seed : get_random_u32();
	struct answer *a;
	int rc;

	kunit_info(test, "seed=%u", first);
	prandom_seed_state(&rnd, first);
	a = answer_create(test, XPRT_RDMA_REPLY_WRITE, 3, offered);
	for (round = 0; round < 50000; round++) {
		u32 r = prandom_u32_state(&rnd);

		buffers_reset(a);
		a->req->wtype = r % 3;
		a->req->nr_offered = (r >> 2) % 4;
		begin(a, (r >> 4) % 5);
		len = (r >> 8) % 24;
		for (i = 0; i < len; i++)
			put_unaligned_be32(values[prandom_u32_state(&rnd) %
						  ARRAY_SIZE(values)],
					   a->msg + 16 + 4 * i);
		/* Mostly lists that decode: no Read list, one chunk */
		if (r & 0x80000000)
			put_unaligned_be32(0, a->msg + 16);
		if (r & 0x40000000)
			put_unaligned_be32(1, a->msg + 20);
		if (r & 0x20000000)
			put_unaligned_be32(1, a->msg + 24);
		a->enc.p = a->msg + 16 + 4 * len;
		rc = take(test, a, (r >> 16) % 256);
		KUNIT_ASSERT_LE(test, rc, (int)ROOM);
		expect_pages_intact(test, a);
	}
}

/* RFC 5666 section 3.3; v2 draft section 5.3.3: an error's credits mean nothing */
static void grants(struct kunit *test)
{
	static const struct {
		u32 settled, version, type, want;
	} cases[] = {
		{ 1, 1, RPCRDMA_MSG, 7 },
		{ 1, 1, RPCRDMA_NOMSG, 7 },
		{ 1, 1, RPCRDMA_ERROR, 7 },
		{ 1, 2, RPCRDMA2_MSG, 0 },
		{ 2, 2, RPCRDMA2_MSG, 7 },
		{ 2, 2, RPCRDMA2_NOMSG, 7 },
		{ 2, 2, RPCRDMA2_ERROR, 0 },
		{ 2, 1, RPCRDMA_MSG, 0 },
		{ 2, 1, RPCRDMA_ERROR, 0 },
	};
	struct xprt_rdma_conn *conn = fake_rx(test)->conn;
	struct rpcrdma_hdr hdr = { .credits = 7 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		/* Arrange */
		conn->version = cases[i].settled;
		hdr.version = cases[i].version;
		hdr.type = cases[i].type;
		fake_grant = 0;

		/* Act */
		take_grant(conn, &hdr);

		/* Assert */
		KUNIT_EXPECT_EQ_MSG(test, fake_grant, cases[i].want,
				    "case %u", i);
	}
}

/* What is no answer is dropped, and grants nothing. */
static void dropped(struct kunit *test)
{
	struct answer *a = answer_create(test, XPRT_RDMA_REPLY_INLINE, 0, NULL);
	struct xprt_rdma *rx = a->req->rx;
	u64 n = fake_count(replies_short);
	u32 len;

	/* Too short for an XID and credits */
	begin(a, RPCRDMA_MSG);
	a->rep->buf.data = a->msg;
	fake_grant = 0;
	for (len = 0; len < RPCRDMA_V1_FIXED_SIZE; len++) {
		outcome.puts = 0;
		xprt_rdma_reply(a->rep, len, false, 0);
		KUNIT_EXPECT_EQ(test, outcome.puts, 1);
		KUNIT_EXPECT_EQ(test, rx->stats.bad_reply_count, len + 1);
	}
	KUNIT_EXPECT_EQ(test, fake_count(replies_short) - n, len);

	/* RDMA_DONE, which is for responders */
	n = fake_count(replies_bad_type);
	begin(a, RPCRDMA_DONE);
	xprt_rdma_reply(a->rep, RPCRDMA_V1_FIXED_SIZE, false, 0);
	KUNIT_EXPECT_EQ(test, fake_count(replies_bad_type) - n, 1);
	KUNIT_EXPECT_EQ(test, outcome.puts, 2);
	KUNIT_EXPECT_EQ(test, fake_grant, 0);
}

/**
 * struct pull_case - a reply with a Read list, and what is done with it
 * @name: what is special about it
 * @version: version of the connection
 * @off: parameter read_replies
 * @wtype: how the reply could have come
 * @base: bytes inline; 0: RDMA_NOMSG
 * @reads: position and bytes of the Read list's entries
 * @nreads: their number
 * @written: bytes in the Write chunk; a Write chunk was offered if it has any
 * @unused: a Write chunk and a Reply chunk without bytes
 * @reply: bytes in the Reply chunk
 * @want: length of the reply, or why it is declined
 */
struct pull_case {
	const char *name;
	u32 version;
	bool off;
	enum xprt_rdma_wtype wtype;
	u32 base;
	struct { u32 position, length; } reads[3];
	u32 nreads;
	u32 written;
	bool unused;
	u32 reply;
	int want;
};

#define LONG		XPRT_RDMA_REPLY_LONG
#define PAYLOAD		XPRT_RDMA_REPLY_WRITE
#define PULL		XPRT_RDMA_REPLY_READ

static const struct pull_case pull_cases[] = {
	/* RFC 5666 section 3.4; reliable-reply draft section 4.1 */
	{ .name = "v1", .version = 1, .wtype = PULL, .reads = { { 0, 500 } },
	  .nreads = 1, .want = 500 },
	{ .name = "v1: not with version 2", .version = 1, .off = true,
	  .reads = { { 0, 500 } }, .nreads = 1, .want = 500 },
	{ .name = "v2", .version = 2, .wtype = PULL, .reads = { { 0, 500 } },
	  .nreads = 1, .want = 500 },
	{ .name = "v2: not wanted", .version = 2, .off = true, .wtype = PULL,
	  .reads = { { 0, 500 } }, .nreads = 1, .want = -EBADMSG },
	{ .name = "v2: not wanted, nonsense", .version = 2, .off = true,
	  .reads = { { 4, 500 } }, .nreads = 1, .want = -EBADMSG },
	{ .name = "three entries", .version = 2, .wtype = PULL,
	  .reads = { { 0, HEAD }, { 0, 4001 }, { 0, 7 } }, .nreads = 3,
	  .want = HEAD + 4008 },
	{ .name = "fills the buffer", .version = 2, .wtype = PULL,
	  .reads = { { 0, ROOM } }, .nreads = 1, .want = ROOM },
	{ .name = "could have been inline", .version = 2,
	  .reads = { { 0, 4 } }, .nreads = 1, .want = 4 },
	{ .name = "Reply chunk not used", .version = 2, .wtype = LONG,
	  .reads = { { 0, 500 } }, .nreads = 1, .unused = true, .want = 500 },
	{ .name = "Read chunk in the middle", .version = 2, .base = 100,
	  .reads = { { 40, 1001 } }, .nreads = 1, .want = 100 + 1004 },
	{ .name = "long, and a Read chunk", .version = 2,
	  .reads = { { 0, 200 }, { 40, 1001 } }, .nreads = 2,
	  .want = 200 + 1004 },
	{ .name = "payload in the Write chunk", .version = 2, .wtype = PAYLOAD,
	  .reads = { { 0, HEAD + 40 } }, .nreads = 1, .written = 1001,
	  .want = HEAD + 40 + 1004 },
	{ .name = "payload, short head", .version = 2, .wtype = PAYLOAD,
	  .reads = { { 0, 80 } }, .nreads = 1, .written = 999,
	  .want = 80 + 1000 },
	/* What does not fit together */
	{ .name = "position zero is inline, too", .version = 2, .base = 100,
	  .reads = { { 0, 40 } }, .nreads = 1, .want = -EBADMSG },
	{ .name = "no position zero", .version = 2, .reads = { { 4, 40 } },
	  .nreads = 1, .want = -EBADMSG },
	{ .name = "nothing", .version = 2, .reads = { { 0, 0 } }, .nreads = 1,
	  .want = -EBADMSG },
	{ .name = "not in order", .version = 2,
	  .reads = { { 8, 40 }, { 0, 40 } }, .nreads = 2, .want = -EBADMSG },
	{ .name = "behind the end", .version = 2, .base = 100,
	  .reads = { { 104, 40 } }, .nreads = 1, .want = -EBADMSG },
	{ .name = "a Reply chunk", .version = 2, .wtype = LONG,
	  .reads = { { 0, 500 } }, .nreads = 1, .reply = 1, .want = -EBADMSG },
	{ .name = "Write chunk not offered", .version = 2, .wtype = PULL,
	  .reads = { { 0, 500 } }, .nreads = 1, .written = 1,
	  .want = -EBADMSG },
	{ .name = "Write chunk and Read chunk", .version = 2, .wtype = PAYLOAD,
	  .reads = { { 0, 500 }, { 40, 4 } }, .nreads = 2, .written = 400,
	  .want = -EBADMSG },
	/* Roundup that is left out */
	{ .name = "short head that is odd", .version = 2, .wtype = PAYLOAD,
	  .reads = { { 0, 81 } }, .nreads = 1, .written = 999,
	  .want = 84 + 1000 },
	{ .name = "odd length", .version = 2, .wtype = PULL,
	  .reads = { { 0, 501 } }, .nreads = 1, .want = 504 },
	{ .name = "odd base and a Read chunk", .version = 2, .base = 99,
	  .reads = { { 40, 1001 } }, .nreads = 1, .want = 100 + 1004 },
	/* What does not fit into the buffer is left out. */
	{ .name = "one byte too long", .version = 2, .wtype = PULL,
	  .reads = { { 0, ROOM + 1 } }, .nreads = 1, .want = ROOM },
	{ .name = "1 GiB too long", .version = 2, .wtype = PULL,
	  .reads = { { 0, 0x40000000 } }, .nreads = 1, .want = ROOM },
	{ .name = "too long with the Read chunk", .version = 2, .base = 400,
	  .reads = { { 40, ROOM - 396 } }, .nreads = 1, .want = ROOM },
	/* What is no message */
	{ .name = "4 GiB", .version = 2, .wtype = PULL,
	  .reads = { { 0, 0xffffffff } }, .nreads = 1, .want = -EOVERFLOW },
	{ .name = "sum wraps around", .version = 2, .wtype = PULL,
	  .reads = { { 0, 0x80000000 }, { 0, 0x80000000 }, { 0, 8 } },
	  .nreads = 3, .want = -EOVERFLOW },
	{ .name = "more than offered", .version = 2, .wtype = PAYLOAD,
	  .reads = { { 0, HEAD } }, .nreads = 1, .written = 4097,
	  .want = -EOVERFLOW },
};

KUNIT_ARRAY_PARAM_DESC(pull_case, pull_cases, name);

static void lists(struct answer *a, const struct pull_case *c)
{
	struct rpcrdma_segment seg = { .handle = 1 };
	u32 i;

	for (i = 0; i < c->nreads; i++) {
		seg.length = c->reads[i].length;
		rpcrdma_encode_read_segment(&a->enc, c->reads[i].position,
					    &seg);
	}
	none(a);
	if (c->written || c->unused)
		chunk(a, 1, &c->written);
	none(a);
	if (c->reply || c->unused)
		chunk(a, 1, &c->reply);
	else
		none(a);
}

/* A call that waits, and a reply with a Read list. */
static struct answer *answered(struct kunit *test, const struct pull_case *c)
{
	static const u32 offered = 4096;
	struct answer *a = answer_create(test, c->wtype, 1, &offered);
	struct xprt_rdma_conn *conn = a->rep->conn;
	u32 i;

	memset(&outcome, 0, sizeof(outcome));
	outcome.waits = &a->req->rqst;
	a->req->rqst.rq_task->tk_garb_retry = 2;
	spin_lock_init(&a->req->rx->xprt.queue_lock);
	conn->version = c->version;
	conn->inline_recv = 1024;
	fake_read_replies = !c->off;
	rpcrdma_encode_init(&a->enc, a->msg, MAX_MESSAGE);
	rpcrdma_encode_fixed(&a->enc, cpu_to_be32(1), c->version, 1,
			     c->base ? RPCRDMA_MSG : RPCRDMA_NOMSG);
	if (c->version == RPCRDMA_VERSION_2) {
		rpcrdma_encode_word(&a->enc, RPCRDMA2_F_RESPONSE);
		rpcrdma_encode_word(&a->enc, 0);
	}
	lists(a, c);
	a->len = rpcrdma_encode_finish(&a->enc);
	for (i = 0; i < c->base; i++)
		a->msg[a->len++] = pattern(i);
	a->rep->buf.data = a->msg;
	KUNIT_ASSERT_EQ(test, 0, fake_decode(&a->rep->hdr, a->msg, a->len));
	return a;
}

static void expect_declined(struct kunit *test, const struct answer *a,
			    int want)
{
	KUNIT_EXPECT_EQ(test, outcome.pulls, 0);
	KUNIT_EXPECT_EQ(test, outcome.declines, 1);
	KUNIT_EXPECT_EQ(test, outcome.result, want);
	KUNIT_EXPECT_EQ(test, outcome.completions, 1);
	KUNIT_EXPECT_EQ(test, outcome.pins, 0);
	KUNIT_EXPECT_EQ(test, outcome.puts, 1);
	KUNIT_EXPECT_EQ(test, outcome.lost, 0);
	KUNIT_EXPECT_FALSE(test, a->req->rqst.rq_task->tk_garb_retry);
	KUNIT_EXPECT_NULL(test, a->req->rep);
}

static void expect_pulled(struct kunit *test, const struct answer *a,
			  const struct pull_case *c)
{
	KUNIT_EXPECT_EQ(test, outcome.declines, 0);
	KUNIT_ASSERT_EQ(test, outcome.pulls, 1);
	KUNIT_EXPECT_TRUE(test, outcome.args.notify);
	KUNIT_EXPECT_PTR_EQ(test, outcome.args.req, a->req);
	KUNIT_EXPECT_PTR_EQ(test, outcome.args.xdr, &a->req->rqst.rq_rcv_buf);
	KUNIT_EXPECT_EQ(test, c->want,
			xprt_rdma_layout_cut(&outcome.args.layout, ROOM));
	KUNIT_EXPECT_LE(test, outcome.args.layout.room, ROOM);
	KUNIT_EXPECT_EQ(test, outcome.completions, 0);
	KUNIT_EXPECT_EQ(test, outcome.pins, 1);
	KUNIT_EXPECT_EQ(test, outcome.puts, 0);
	KUNIT_EXPECT_PTR_EQ(test, a->req->rep, a->rep);
}

/* Reliable-reply draft sections 4.1.2 and 4.1.3 */
static void pulled_or_not(struct kunit *test)
{
	static const int statuses[] = { 0, -EIO, -ENOTCONN };
	const struct pull_case *c = test->param_value;
	struct xprt_rdma_pull pull = {};
	struct answer *a;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(statuses); i++) {
		/* Act */
		a = answered(test, c);
		xprt_rdma_reply(a->rep, a->len, false, 0);

		/* Assert */
		expect_pages_intact(test, a);
		if (c->want < 0) {
			expect_declined(test, a, c->want);
			continue;
		}
		expect_pulled(test, a, c);

		/* Act: it is there, or cannot be had, or may be sent again */
		pull.rep = a->rep;
		pull.req = a->req;
		pull.layout = outcome.args.layout;
		outcome.args.complete(&pull, statuses[i]);

		/* Assert */
		KUNIT_EXPECT_EQ(test, outcome.pins, 0);
		KUNIT_EXPECT_NULL(test, a->req->rep);
		KUNIT_EXPECT_EQ(test, outcome.completions,
				statuses[i] != -ENOTCONN);
		if (outcome.completions)
			KUNIT_EXPECT_EQ(test, outcome.result,
					statuses[i] ?: c->want);
		KUNIT_EXPECT_EQ(test, outcome.learned, !statuses[i] &&
				(c->wtype == PULL || c->wtype == LONG));
		if (outcome.learned)
			KUNIT_EXPECT_EQ(test, outcome.is_long,
					c->want + RPCRDMA_V1_MIN_SIZE > 1024);
	}
}

/* No memory for a pull: as if the reply had not come */
static void pull_fails(struct kunit *test)
{
	static const struct pull_case c = {
		.version = 2, .wtype = PULL, .reads = { { 0, 500 } },
		.nreads = 1,
	};
	struct answer *a = answered(test, &c);

	outcome.pull_rc = -ENOMEM;
	xprt_rdma_reply(a->rep, a->len, false, 0);
	KUNIT_EXPECT_EQ(test, outcome.pulls, 1);
	KUNIT_EXPECT_EQ(test, outcome.lost, 1);
	KUNIT_EXPECT_EQ(test, outcome.puts, 1);
	KUNIT_EXPECT_EQ(test, outcome.pins, 0);
	KUNIT_EXPECT_EQ(test, outcome.completions, 0);
	KUNIT_EXPECT_NULL(test, a->req->rep);
}

/*
 * A payload in the Write chunk, and a head that is shorter than it might have
 * been: the payload follows it, and not a byte of it is changed.
 */
static void pulled_around_payload(struct kunit *test)
{
	static const u32 heads[] = { 4, 80, HEAD - 4, HEAD };
	static const u32 payloads[] = { 1, 39, 41, 999, 4095, 4096 };
	struct pull_case c = { .version = 2, .wtype = PAYLOAD, .nreads = 1 };
	struct xprt_rdma_pull pull = {};
	struct answer *a;
	u32 i, j, k;
	u8 *page;

	for (i = 0; i < ARRAY_SIZE(heads) * ARRAY_SIZE(payloads); i++) {
		/* Arrange: the peer has written the payload */
		c.reads[0].length = heads[i / ARRAY_SIZE(payloads)];
		c.written = payloads[i % ARRAY_SIZE(payloads)];
		a = answered(test, &c);
		for (j = 0; j < c.written; j++) {
			k = PAGE_BASE + j;
			page = page_address(a->pages[k >> PAGE_SHIFT]);
			page[offset_in_page(k)] = pattern(j);
		}

		/* Act */
		xprt_rdma_reply(a->rep, a->len, false, 0);
		KUNIT_ASSERT_EQ(test, outcome.pulls, 1);
		pull.rep = a->rep;
		pull.req = a->req;
		pull.layout = outcome.args.layout;
		outcome.args.complete(&pull, 0);

		/* Assert */
		k = c.reads[0].length;
		KUNIT_EXPECT_EQ(test, outcome.result, k + ROUND(c.written));
		KUNIT_EXPECT_EQ(test, a->req->rqst.rq_rcv_buf.head[0].iov_len,
				k);
		KUNIT_EXPECT_EQ(test,
				a->req->rqst.rq_private_buf.head[0].iov_len,
				k);
		for (j = 0; j < c.written; j++)
			KUNIT_ASSERT_EQ(test, reply_byte(a, k + j),
					pattern(j));
	}
}

/* Reliable-reply draft section 4.1.3: nobody waits for it, or has it already */
static void forgotten(struct kunit *test)
{
	static const struct pull_case long_reply = {
		.version = 1, .wtype = PULL, .reads = { { 0, 500 } },
		.nreads = 1,
	}, nonsense = {
		.version = 1, .wtype = PULL, .reads = { { 8, 500 }, { 4, 1 } },
		.nreads = 2,
	}, short_reply = {
		.version = 1, .base = 100,
	};
	static const struct {
		const struct pull_case *c;
		u32 cut, want;
	} cases[] = {
		{ &long_reply, 0, 1 },
		{ &nonsense, 0, 1 },
		{ &long_reply, 4, 0 },
		{ &short_reply, 0, 0 },
	};
	struct answer *a;
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		/* Arrange: an XID that is not known; a second reply */
		a = answered(test, cases[i / 2].c);
		if (i % 2)
			a->req->rep = a->rep;
		else
			outcome.waits = NULL;

		/* Act */
		xprt_rdma_reply(a->rep, a->len - cases[i / 2].cut, false, 0);

		/* Assert */
		KUNIT_EXPECT_EQ_MSG(test, outcome.declines, cases[i / 2].want,
				    "case %u", i);
		KUNIT_EXPECT_EQ(test, outcome.pulls, 0);
		KUNIT_EXPECT_EQ(test, outcome.completions, 0);
		KUNIT_EXPECT_EQ(test, outcome.pins, 0);
		KUNIT_EXPECT_EQ(test, outcome.puts, 1);
		KUNIT_EXPECT_EQ(test, outcome.lost, 0);
	}
}

/* RFC 5666 section 3.3: a grant counts though its call was given up. */
static void orphaned(struct kunit *test)
{
	static const struct pull_case reply = { .version = 1, .base = 100 };
	struct answer *a = answered(test, &reply);

	/* Act and assert: the call waits, and then not any more */
	a->req->awaited = true;
	fake_grant = 0;
	xprt_rdma_reply(a->rep, a->len, false, 0);
	KUNIT_EXPECT_NE(test, fake_grant, 0);
	KUNIT_EXPECT_FALSE(test, a->req->awaited);

	/* Act and assert: a reply to nothing, and one to an orphan */
	outcome.waits = NULL;
	fake_grant = 0;
	xprt_rdma_reply(a->rep, a->len, false, 0);
	KUNIT_EXPECT_EQ(test, fake_grant, 0);
	fake_orphan = true;
	xprt_rdma_reply(a->rep, a->len, false, 0);
	fake_orphan = false;
	KUNIT_EXPECT_NE(test, fake_grant, 0);
	KUNIT_EXPECT_EQ(test, outcome.completions, 1);
}

/* What ends too soon, or invalidates what it must not, fails its call. */
static void broken(struct kunit *test)
{
	static const struct pull_case reply = { .version = 2, .base = 100 };
	struct answer *a = answered(test, &reply);
	u64 n = fake_count(replies_short);

	/* The chunk lists are cut off */
	xprt_rdma_reply(a->rep, RPCRDMA2_PREFIX_SIZE + 4, false, 0);
	KUNIT_EXPECT_EQ(test, fake_count(replies_short) - n, 1);
	KUNIT_EXPECT_EQ(test, outcome.result, RPCRDMA_ESHORT);
	KUNIT_EXPECT_EQ(test, outcome.completions, 1);
	KUNIT_EXPECT_EQ(test, outcome.lost, 0);

	/* RFC 8166 section 3.4.3: a handle of somebody else's */
	a = answered(test, &reply);
	fake_not_ours = true;
	xprt_rdma_reply(a->rep, a->len, true, 0x1234);
	fake_not_ours = false;
	KUNIT_EXPECT_EQ(test, outcome.lost, 1);
	KUNIT_EXPECT_EQ(test, outcome.completions, 1);
}

static struct kunit_case xprt_reply_cases[] = {
	KUNIT_CASE(grants),
	KUNIT_CASE_PARAM(payload_in_chunk, around_case_gen_params),
	KUNIT_CASE(reply_in_chunk),
	KUNIT_CASE(contradictions),
	KUNIT_CASE(errors_received),
	KUNIT_CASE(random_replies),
	KUNIT_CASE(dropped),
	KUNIT_CASE_PARAM(pulled_or_not, pull_case_gen_params),
	KUNIT_CASE(pull_fails),
	KUNIT_CASE(pulled_around_payload),
	KUNIT_CASE(forgotten),
	KUNIT_CASE(orphaned),
	KUNIT_CASE(broken),
	{}
};

static struct kunit_suite xprt_reply_suite = {
	.name = "xprt_rdma_reply",
	.test_cases = xprt_reply_cases,
};

kunit_test_suite(xprt_reply_suite);

MODULE_DESCRIPTION("KUnit suite of xprtrdma's replies");
MODULE_LICENSE("GPL");
