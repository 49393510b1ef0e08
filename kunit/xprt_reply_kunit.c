// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: what xprtrdma makes of a reply (RFC 5666 section 3.6, RFC 8166
 * sections 3.4.6 and 4.5). The peer may lie; nothing outside of the reply's
 * buffers is written, and no length beyond them is reported.
 */
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/sunrpc/xdr.h>

#include "xprt_fakes.h"

static u32 fake_grant;
static u32 fake_puts;

#define xprt_rdma_rep_put(rep)			((void)(rep), (void)fake_puts++)
#define xprt_rdma_credit_grant(conn, n)		(fake_grant = (n))
#define xprt_rdma_bc_is_call(rep)		false
#define xprt_rdma_bc_receive(rep)		((void)(rep))
#define xprt_rdma_fence_remote(c, r, rkey)	true
#define xprt_rdma_fence_async(c, r)		((void)(r))
#define xprt_rdma_conn_lost(conn)		((void)(conn))
#define xprt_rdma_conn_negotiated(conn, rc)	((void)(conn), (void)(rc))
#define xprt_rdma_negotiate_reply(c, h, b, l)	(-EAGAIN)
#define xprt_rdma_decode(conn, hdr, buf, len)	rpcrdma_decode(hdr, buf, len)
#define xprt_rdma_error(req, hdr)		(-EREMOTEIO)

#include "../xprtrdma/reply.c"

#define HEAD		120u
#define TAIL		64u
#define PAGE_BASE	100u
#define PAGE_BYTES	6000u
#define PAGES		2u
#define ROOM		(HEAD + PAGE_BYTES + TAIL)
#define CANARY		0xa7
#define MAX_MESSAGE	8192u

static ulong seed;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "start of the random sequence; 0 chooses one");

/**
 * struct answer - a call that waits, and the reply that has come
 * @req: the call
 * @rep: the reply
 * @msg: the message
 * @enc: its transport header
 * @len: bytes in @msg
 * @head: where the reply goes
 * @tail: where the reply goes
 * @pages: where the reply goes
 */
struct answer {
	struct xprt_rdma_req *req;
	struct xprt_rdma_rep *rep;
	u8 *msg;
	struct rpcrdma_encoder enc;
	u32 len;
	u8 *head;
	u8 *tail;
	struct page **pages;
};

static void buffers_reset(struct answer *a)
{
	struct rpc_rqst *rqst = &a->req->rqst;
	struct xdr_buf *xdr = &rqst->rq_rcv_buf;
	u32 i;

	memset(a->head, CANARY, HEAD);
	memset(a->tail, CANARY, TAIL);
	for (i = 0; i < PAGES; i++)
		memset(page_address(a->pages[i]), CANARY, PAGE_SIZE);
	memset(xdr, 0, sizeof(*xdr));
	xdr->head[0].iov_base = a->head;
	xdr->head[0].iov_len = HEAD;
	xdr->pages = a->pages;
	xdr->page_base = PAGE_BASE;
	xdr->page_len = PAGE_BYTES;
	xdr->tail[0].iov_base = a->tail;
	xdr->tail[0].iov_len = TAIL;
	xdr->buflen = ROOM;
	xdr->len = ROOM;
	rqst->rq_private_buf = *xdr;
}

static struct answer *answer_create(struct kunit *test,
				    enum xprt_rdma_wtype wtype, u32 nsegs,
				    const u32 *offered)
{
	struct answer *a = fake_zalloc(test, sizeof(*a));

	a->req = fake_req(test);
	a->rep = fake_zalloc(test, sizeof(*a->rep));
	a->rep->conn = a->req->rx->conn;
	a->msg = fake_zalloc(test, MAX_MESSAGE);
	a->head = fake_zalloc(test, HEAD);
	a->tail = fake_zalloc(test, TAIL);
	a->pages = fake_pages(test, PAGES);
	a->req->wtype = wtype;
	a->req->nr_offered = nsegs;
	memcpy(a->req->offered, offered, nsegs * sizeof(*offered));
	buffers_reset(a);
	return a;
}

static void begin(struct answer *a, u32 type)
{
	rpcrdma_encode_init(&a->enc, a->msg, MAX_MESSAGE);
	rpcrdma_encode_fixed(&a->enc, cpu_to_be32(1), RPCRDMA_VERSION_1, 1,
			     type);
}

static void chunk(struct answer *a, u32 nsegs, const u32 *lengths)
{
	struct rpcrdma_segment seg = { .handle = 1, .offset = 0x1000 };

	rpcrdma_encode_chunk_begin(&a->enc);
	while (nsegs--) {
		seg.length = *lengths++;
		rpcrdma_encode_segment(&a->enc, &seg);
	}
	rpcrdma_encode_chunk_end(&a->enc);
}

static void none(struct answer *a)
{
	rpcrdma_encode_list_end(&a->enc);
}

static u8 pattern(u32 i)
{
	return i % 97 + 1;
}

/* Append @len bytes of RPC message and take the reply. */
static int take(struct kunit *test, struct answer *a, u32 len)
{
	int hdrlen = rpcrdma_encode_finish(&a->enc);
	u32 i;

	KUNIT_ASSERT_GT(test, hdrlen, 0);
	KUNIT_ASSERT_LE(test, hdrlen + len, MAX_MESSAGE);
	for (i = 0; i < len; i++)
		a->msg[hdrlen + i] = pattern(i);
	a->len = hdrlen + len;
	a->rep->error = rpcrdma_decode(&a->rep->hdr, a->msg, a->len);
	return take_reply(a->req, a->rep);
}

static u8 reply_byte(const struct answer *a, u32 at)
{
	const struct xdr_buf *xdr = &a->req->rqst.rq_rcv_buf;
	u8 byte = 0;

	read_bytes_from_xdr_buf(xdr, at, &byte, 1);
	return byte;
}

static void expect_pages_intact(struct kunit *test, const struct answer *a)
{
	const u8 *first = page_address(a->pages[0]);
	const u8 *last = page_address(a->pages[PAGES - 1]);
	u32 end = PAGE_BASE + PAGE_BYTES - (PAGES - 1) * PAGE_SIZE;

	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(first, CANARY, PAGE_BASE), NULL);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(last + end, CANARY,
					     PAGE_SIZE - end), NULL);
}

/* An inline reply of every length that has a place, and beyond */
static void inline_of_every_length(struct kunit *test)
{
	struct answer *a = answer_create(test, XPRT_RDMA_REPLY_INLINE, 0, NULL);
	u32 i, len;

	for (len = 0; len <= ROOM + 8; len += len < HEAD + 8 ||
	     len > ROOM - 8 || (len > HEAD + PAGE_BYTES - 8) ? 1 : 61) {
		int want = len <= ROOM ? (int)len : -EOVERFLOW;

		/* Arrange */
		buffers_reset(a);
		begin(a, RPCRDMA_MSG);
		none(a);
		none(a);
		none(a);

		/* Act and assert */
		KUNIT_ASSERT_EQ(test, take(test, a, len), want);
		for (i = 0; want > 0 && i < len; i++)
			KUNIT_ASSERT_EQ(test, reply_byte(a, i), pattern(i));
		expect_pages_intact(test, a);
	}
}

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
	  { PAGE_BYTES }, 1, -EOVERFLOW },
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
	head = min(c->inline_len, HEAD);
	for (i = 0; i < head; i++)
		KUNIT_ASSERT_EQ(test, reply_byte(a, i), pattern(i));
	for (; i < c->inline_len; i++)
		KUNIT_ASSERT_EQ(test, reply_byte(a, ROUND(payload) + i),
				pattern(i));
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
	struct rpcrdma_segment seg = { .length = 100 };
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

	/* A Read list in an inline reply; a long reply to such a call */
	begin(a, RPCRDMA_MSG);
	rpcrdma_encode_read_segment(&a->enc, 40, &seg);
	none(a);
	none(a);
	none(a);
	KUNIT_EXPECT_EQ(test, take(test, a, HEAD), -EBADMSG);
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
		fake_puts = 0;
		xprt_rdma_reply(a->rep, len, false, 0);
		KUNIT_EXPECT_EQ(test, fake_puts, 1);
		KUNIT_EXPECT_EQ(test, rx->stats.bad_reply_count, len + 1);
	}
	KUNIT_EXPECT_EQ(test, fake_count(replies_short) - n, len);

	/* RDMA_DONE, which is for responders */
	n = fake_count(replies_bad_type);
	begin(a, RPCRDMA_DONE);
	xprt_rdma_reply(a->rep, RPCRDMA_V1_FIXED_SIZE, false, 0);
	KUNIT_EXPECT_EQ(test, fake_count(replies_bad_type) - n, 1);
	KUNIT_EXPECT_EQ(test, fake_puts, 2);
	KUNIT_EXPECT_EQ(test, fake_grant, 0);
}

static struct kunit_case xprt_reply_cases[] = {
	KUNIT_CASE(grants),
	KUNIT_CASE(inline_of_every_length),
	KUNIT_CASE_PARAM(payload_in_chunk, around_case_gen_params),
	KUNIT_CASE(reply_in_chunk),
	KUNIT_CASE(contradictions),
	KUNIT_CASE(errors_received),
	KUNIT_CASE(random_replies),
	KUNIT_CASE(dropped),
	{}
};

static struct kunit_suite xprt_reply_suite = {
	.name = "xprt_rdma_reply",
	.test_cases = xprt_reply_cases,
};

kunit_test_suite(xprt_reply_suite);

MODULE_DESCRIPTION("KUnit suite of xprtrdma's replies");
MODULE_LICENSE("GPL");
