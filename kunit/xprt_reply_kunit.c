// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a reply is accepted only if it fits its call. Hostile replies cause
 * neither writes outside of the reply's buffers nor lengths beyond them (RFC 5666
 * section 3.6, RFC 8166 sections 3.4.6 and 4.5). Otherwise, users would read data
 * that the server never sent. The length reported to sunrpc is a multiple of
 * four, even if the server omits XDR roundup or the reply exceeds the buffer.
 * Otherwise, the end of a file or directory would be read wrongly.
 */
#include <linux/prandom.h>

#include "xprt_reply_fakes.h"
#include "padded_messages.h"

static ulong seed;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "start of the random sequence; 0 chooses one");

/* A payload in the Write chunk, and the inline parts around it */
static const struct around_case {
	const char *name;
	u32 inline_len;
	u32 offered[2];
	u32 returned[2];
	u32 nsegs;
	int want;
	u32 count;
} around_cases[] = {
	{ "whole chunk", HEAD, { 4096 }, { 4096 }, 1, HEAD + 4096 },
	{ "odd length", HEAD, { 4096 }, { 4093 }, 1, HEAD + 4096 },
	{ "odd length and roundup segment (RFC 5666 3.7)", HEAD, { 4093, 4 },
	  { 4093, 3 }, 2, HEAD + 4096, 4093 },
	{ "odd length with roundup in the chunk (RFC 5666 3.7)", HEAD,
	  { 4096 }, { 4096 }, 1, HEAD + 4096, 4094 },
	{ "odd length with some roundup in the chunk", HEAD, { 4096 }, { 4095 },
	  1, HEAD + 4096, 4093 },
	/* RFC 5666 section 3.4 */
	{ "a count beyond the chunk", HEAD, { 4096 }, { 500 }, 1, -EBADMSG, 501 },
	{ "a count below the roundup", HEAD, { 4096 }, { 500 }, 1, -EBADMSG, 496 },
	{ "a count that rounds to 4 GiB", HEAD, { 4096 }, { 500 }, 1, -EBADMSG, 0xfffffffe },
	{ "a short head, a count beyond the chunk", 80, { 4096 }, { 500 }, 1, -EBADMSG, 501 },
	{ "results after the payload, a count beyond the chunk", HEAD + 40,
	  { 4096 }, { 500 }, 1, -EBADMSG, 501 },
	{ "no place for a count", 3, { 4096 }, { 4096 }, 1, -EBADMSG },
	{ "nothing in it (RFC 8166 3.4.6)", 100, { 4096 }, { 0 }, 1, 100 },
	{ "shorter head", 80, { 4096 }, { 4096 }, 1, 80 + 4096 },
	{ "results after the payload", HEAD + 40, { 4096 }, { 4096 }, 1, HEAD + 4096 + 40 },
	{ "results fill the buffer", HEAD + TAIL, { PAGE_BYTES }, { PAGE_BYTES }, 1, ROOM },
	{ "results beyond the buffer", HEAD + TAIL + 4, { PAGE_BYTES }, { PAGE_BYTES }, 1, ROOM },
	{ "roundup is inline, too", HEAD + 3, { 4096 }, { 4093 }, 1, HEAD + 4096 + 4 },
	{ "odd results after the payload", HEAD + 38, { 4096 }, { 4001 }, 1,
	  HEAD + ROUND(4001) + 40 },
	/* The word before the payload is not the payload's length. */
	{ "odd head", HEAD - 3, { 4096 }, { 4095 }, 1, -EBADMSG },
	{ "shorter head that is odd", 77, { 4096 }, { 1 }, 1, -EBADMSG },
	{ "odd results beyond the buffer", HEAD + TAIL + 1, { PAGE_BYTES },
	  { PAGE_BYTES }, 1, ROOM },
	{ "two segments", HEAD, { 4000, 2000 }, { 4000, 17 }, 2, HEAD + ROUND(4017) },
	{ "two segments, one used", HEAD, { 4000, 2000 }, { 3999, 0 }, 2, HEAD + ROUND(3999) },
	{ "one segment returned of two", HEAD, { 4000, 2000 }, { 4000 }, 1, HEAD + 4000 },
	{ "one byte more than offered", HEAD, { 4096 }, { 4097 }, 1, -EOVERFLOW },
	{ "second segment too long", HEAD, { 4000, 96 }, { 4000, 97 }, 2, -EOVERFLOW },
	{ "a gap", HEAD, { 4000, 2000 }, { 3999, 1 }, 2, -EOVERFLOW },
	{ "sum wraps around", HEAD, { 4000, 2000 }, { 4000, 0xfffff060 }, 2, -EOVERFLOW },
};

KUNIT_ARRAY_PARAM_DESC(around_case, around_cases, name);

/*
 * The inline parts are placed around the payload if its length is consistent.
 */
static void payload_in_chunk(struct kunit *test)
{
	const struct around_case *c = test->param_value;
	struct answer *a = answer_create(test, XPRT_RDMA_REPLY_WRITE,
					 c->offered[1] ? 2 : 1, c->offered);
	u32 i, head, payload = c->returned[0] + c->returned[1];

	begin(a, 1, RPCRDMA_MSG);
	none(a);
	chunk(a, c->nsegs, c->returned);
	none(a);
	none(a);
	a->count = c->count ?: payload;

	KUNIT_ASSERT_EQ(test, take(test, a, c->inline_len), c->want);

	/* Assert: the inline parts are before and after the payload */
	expect_pages_intact(test, a);
	if (c->want < 0)
		return;
	KUNIT_EXPECT_EQ(test, a->req->r_xprt->stats.total_rdma_reply, payload);
	head = min(ROUND(c->inline_len), HEAD);
	for (i = 0; i < head - (payload ? RPCRDMA_XDR_UNIT : 0); i++)
		KUNIT_ASSERT_EQ(test, reply_byte(a, i),
				i < c->inline_len ? pattern(i) : 0);
	for (i = head;
	     i < min_t(u32, c->want - ROUND(payload), ROUND(c->inline_len));
	     i++)
		KUNIT_ASSERT_EQ(test, reply_byte(a, ROUND(payload) + i),
				i < c->inline_len ? pattern(i) : 0);
	KUNIT_EXPECT_EQ(test, a->req->rqst.rq_rcv_buf.head[0].iov_len,
			payload ? head : HEAD);
	for (i = 0; payload && i < min(payload, PAGE_BYTES); i++)
		KUNIT_ASSERT_EQ(test, reply_byte(a, head + i), CANARY);
}

/* Handle a reply in a Reply chunk with @n segments. */
static int take_long(struct kunit *test, struct answer *a, u32 n, const u32 *lengths)
{
	begin(a, 1, RPCRDMA_NOMSG);
	none(a);
	none(a);
	chunk(a, n, lengths);
	return take(test, a, 0);
}

/* RFC 5666 section 5.2: a Reply chunk holds the whole reply. */
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
		{ { HEAD, PAGE_BYTES, TAIL - 1 }, 3, ROOM },
		{ { 0, 0, 0 }, 3, -EBADMSG },
		{ { 0 }, 0, -EBADMSG },
		{ { HEAD + 1 }, 1, -EOVERFLOW },
		{ { HEAD, PAGE_BYTES, TAIL + 1 }, 3, -EOVERFLOW },
		{ { HEAD - 1, 1, 0 }, 3, -EOVERFLOW },
	};
	u32 j, bytes;

	a = answer_create(test, XPRT_RDMA_REPLY_LONG, 3, offered);
	for_each_case(c, cases) {
		a->req->r_xprt->stats.total_rdma_reply = 0;
		KUNIT_EXPECT_EQ(test, take_long(test, a, c->n, c->lengths), c->want);
		for (j = 0, bytes = 0; j < c->n; j++)
			bytes += c->lengths[j];
		if (c->want > 0)
			KUNIT_EXPECT_EQ(test, bytes,
					a->req->r_xprt->stats.total_rdma_reply);
	}

	/* The chunk is unused, and nothing is inline. */
	begin(a, 1, RPCRDMA_NOMSG);
	no_chunks(a);
	KUNIT_EXPECT_EQ(test, take(test, a, 0), -EBADMSG);
}

/* v2 draft section 5.3.1: replies must use the offered chunks. */
static void contradictions_refused(struct kunit *test)
{
	static const struct {
		enum xprt_rdma_wtype wtype;
		u32 offered, type, writes, segs, reply, len, count;
	} cases[] = {
		{ XPRT_RDMA_REPLY_INLINE, 0, RPCRDMA_MSG, 1, 1, 0, HEAD, 100 },
		{ XPRT_RDMA_REPLY_INLINE, 0, RPCRDMA_NOMSG, 0, 0, 1, 0, 0 },
		{ XPRT_RDMA_REPLY_WRITE, 1, RPCRDMA_MSG, 1, 2, 0, HEAD, 200 },
		{ XPRT_RDMA_REPLY_WRITE, 1, RPCRDMA_MSG, 2, 1, 0, HEAD, 100 },
		{ XPRT_RDMA_REPLY_WRITE, 1, RPCRDMA_NOMSG, 0, 0, 1, 0, 0 },
		{ XPRT_RDMA_REPLY_WRITE, 1, RPCRDMA_NOMSG, 1, 1, 0, 0, 0 },
		{ XPRT_RDMA_REPLY_LONG, 1, RPCRDMA_MSG, 1, 1, 0, HEAD, 100 },
		{ XPRT_RDMA_REPLY_LONG, 1, RPCRDMA_MSG, 0, 0, 1, HEAD, 0 },
	};
	static const u32 offered[] = { 4096 }, lengths[] = { 100, 100 };
	u32 j;

	for_each_case(c, cases) {
		a = answer_create(test, c->wtype, c->offered, offered);
		begin(a, 1, c->type);
		none(a);
		for (j = 0; j < c->writes; j++)
			chunk(a, c->segs, lengths);
		none(a);
		if (c->reply)
			chunk(a, 1, lengths);
		else
			none(a);
		a->count = c->count;
		KUNIT_EXPECT_EQ_MSG(test, take(test, a, c->len), -EBADMSG, "case %td", c - cases);
	}
}

/* With any random header, the reported length stays within the buffer. */
static void random_replies_stay_inside(struct kunit *test)
{
	static const u32 offered[] = { 4000, 1000, 1000 };
	static const u32 values[] = { 0, 1, 2, 3, 999, 1000, 1001, 4000, 4001,
				      0x10000001, 0xfffffc18, 0xffffffff };
	struct rnd_state rnd;
	u32 round, i, len, first = seed ? seed : get_random_u32();
	int rc;

	kunit_info(test, "seed=%u", first);
	prandom_seed_state(&rnd, first);
	a = answer_create(test, XPRT_RDMA_REPLY_WRITE, 3, offered);
	for (round = 0; round < 50000; round++) {
		u32 r = prandom_u32_state(&rnd);

		buffers_reset(a);
		a->req->wtype = r % 3;
		a->req->nr_offered = (r >> 2) % 4;
		begin(a, 1, (r >> 4) % 5);
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

/* Messages that are not replies are dropped and grant no credits. */
static void other_messages_dropped(struct kunit *test)
{
	struct answer *a = answer_create(test, XPRT_RDMA_REPLY_INLINE, 0, NULL);
	struct xprt_rdma *r_xprt = a->req->r_xprt;
	u32 len;

	/* Too short for an XID and credits */
	begin(a, 1, RPCRDMA_MSG);
	a->recv->buf.data = a->msg;
	fake_grant = 0;
	for (len = 0; len < RPCRDMA_V1_FIXED_SIZE; len++) {
		outcome.puts = 0;
		xprt_rdma_dispatch(a->recv, len, false, 0);
		KUNIT_EXPECT_EQ(test, outcome.puts, 1);
		KUNIT_EXPECT_EQ(test, r_xprt->stats.bad_reply_count, len + 1);
	}

	/* RDMA_DONE, which is for responders */
	begin(a, 1, RPCRDMA_DONE);
	xprt_rdma_dispatch(a->recv, RPCRDMA_V1_FIXED_SIZE, false, 0);
	KUNIT_EXPECT_EQ(test, outcome.puts, 2);
	KUNIT_EXPECT_EQ(test, fake_grant, 0);

	/* In version 2, it can be a request, which is handled like a call. */
	outcome.is_call = true;
	outcome.calls = 0;
	xprt_rdma_dispatch(a->recv, RPCRDMA_V1_FIXED_SIZE, false, 0);
	outcome.is_call = false;
	KUNIT_EXPECT_EQ(test, outcome.calls, 1);
}

/* Return the length to be reported: whole words, within the buffer. */
static int reported(const struct answer *a, u32 len)
{
	return min(round_up(len, 4),
		   round_down(a->req->rqst.rq_rcv_buf.buflen, 4));
}

/* Check that the reported part of a reply of @len bytes is in the buffer. */
static void expect_reply(struct kunit *test, const struct answer *a, u32 len)
{
	int i, want = reported(a, len);

	for (i = 0; i < want; i++)
		KUNIT_ASSERT_EQ(test, reply_byte(a, i),
				i < len ? pattern(i) : 0);
}

/*
 * Inline replies of any length are placed and reported, truncated to the buffer,
 * whose length need not be a multiple of four (NFSv3 READ of a few bytes).
 */
static void inline_of_every_length(struct kunit *test)
{
	static const u32 pages[] = { PAGE_BYTES, 1, 2, 3 };
	struct answer *a = answer_create(test, XPRT_RDMA_REPLY_INLINE, 0, NULL);
	struct xdr_buf *xdr = &a->req->rqst.rq_rcv_buf;
	u32 len, room;

	for_each_case(n, pages) {
		room = HEAD + *n + TAIL;
		for (len = 0; len <= room + 8; len += len < HEAD + 8 || len > HEAD + *n - 8 ?
		     1 : 61) {
			buffers_reset(a);
			xdr->page_len = *n;
			xdr->buflen = room;
			begin(a, 1, RPCRDMA_MSG);
			no_chunks(a);
			a->req->r_xprt->stats.fixup_copy_count = 0;

			/*
			 * Act and assert; RFC 5666 section 4.1: there is an XID
			 */
			KUNIT_ASSERT_EQ(test, take(test, a, len),
					len ? reported(a, len) : -EBADMSG);
			KUNIT_ASSERT_EQ(test, a->req->r_xprt->stats.fixup_copy_count,
					len <= HEAD ? 0 : min(reported(a, len) - HEAD, *n));
			expect_reply(test, a, len);
			expect_pages_intact(test, a);
		}
	}
}

/* Roundup that the server did not write to the Reply chunk is zeroed. */
static void roundup_in_chunk(struct kunit *test)
{
	static const u32 offered[] = { HEAD, PAGE_BYTES, TAIL };
	u32 i;

	a = answer_create(test, XPRT_RDMA_REPLY_LONG, 3, offered);
	KUNIT_EXPECT_EQ(test, take_long(test, a, 3, (u32 []){ HEAD, 501, 0 }), HEAD + 504);
	for (i = 0; i <= HEAD + 504; i++)
		KUNIT_ASSERT_EQ(test, reply_byte(a, i),
				i < HEAD + 501 || i == HEAD + 504 ? CANARY : 0);
	/* Without room for roundup, the reply ends before its last word. */
	a->req->rqst.rq_rcv_buf.tail[0].iov_len = TAIL - 1;
	a->req->rqst.rq_rcv_buf.buflen = ROOM - 1;
	KUNIT_EXPECT_EQ(test, take_long(test, a, 3, (u32 []){ HEAD, PAGE_BYTES, TAIL - 1 }),
			ROOM - 4);
}

#ifdef RPCRDMA_EXT_MSGP
/* A reply to READ of NFSv3 */
static struct answer *read_create(struct kunit *test)
{
	struct answer *a = answer_create(test, XPRT_RDMA_REPLY_INLINE, 0, NULL);
	struct rpc_procinfo *proc = fake_zalloc(test, sizeof(*proc));
	struct rpc_clnt *clnt = fake_zalloc(test, sizeof(*clnt));
	struct rpc_cred *cred = fake_zalloc(test, sizeof(*cred));
	struct rpc_task *task = a->req->rqst.rq_task;

	clnt->cl_prog = NFS_PROGRAM;
	clnt->cl_vers = 3;
	proc->p_proc = NFS3PROC_READ;
	task->tk_client = clnt;
	task->tk_msg.rpc_proc = proc;
	cred->cr_auth = fake_zalloc(test, sizeof(*cred->cr_auth));
	a->req->rqst.rq_cred = cred;
	return a;
}

static int take_padded(struct answer *a, const struct padded_shape *s,
		       struct padded_message *m)
{
	struct padded_message mine = { .buf = a->msg };

	buffers_reset(a);
	padded_build_reply(m, s, true);
	padded_build_reply(&mine, s, true);
	xprt_rdma_dispatch_decode(a->recv, m->len);
	return xprt_rdma_reply_place(a->req, a->recv);
}

static const struct padded_shape padded_replies[] = {
	{ "padded to 512", 512, 512, 0, 0, 0, 2048, 348 },
	{ "padded to 8", 8, 512, 0, 0, 0, 2045, 4 },
	{ "not padded", 512, 512, 0, 0, 0, 500, 0 },
	{ "as long as the threshold", 512, 512, 0, 0, 0, 512, 0 },
	{ "more than fits", 1024, 512, 0, 0, 0, 6100, 860 },
};

KUNIT_ARRAY_PARAM_DESC(padded_reply, padded_replies, name);

/* RFC 5666 section 3.9: padding is removed from a reply to an NFSv3 READ. */
static void padding_removed(struct kunit *test)
{
	const struct padded_shape *s = test->param_value;
	struct padded_message m = { .buf = fake_zalloc(test, PADDED_MAX) };
	struct answer *a = read_create(test);
	u32 i, before, len;

	len = take_padded(a, s, &m);

	KUNIT_ASSERT_EQ(test, len, min(m.len - PADDED_HEADER - s->padding,
				       ROOM));
	before = (m.item + 1) * RPCRDMA_XDR_UNIT - PADDED_HEADER;
	for (i = 0; i < len; i++)
		KUNIT_ASSERT_EQ(test, reply_byte(a, i),
				m.buf[PADDED_HEADER + i +
				      (i < before ? 0 : s->padding)]);
	expect_pages_intact(test, a);
}

/* Other padded replies are refused, because their padding cannot be located. */
static void padding_not_guessed(struct kunit *test)
{
	static const struct padded_shape s = {
		NULL, 512, 512, 0, 0, 0, 2048, 348
	}, bad = {
		NULL, 512, 512, 0, 0, 0, 2048, 344
	};
	struct padded_message m = { .buf = fake_zalloc(test, PADDED_MAX) };
	struct answer *a = read_create(test);
	struct rpc_task *task = a->req->rqst.rq_task;
	struct rpc_procinfo *proc = (void *)task->tk_msg.rpc_proc;
	unsigned long *flags = &a->req->rqst.rq_cred->cr_auth->au_flags;

	KUNIT_EXPECT_GT(test, take_padded(a, &s, &m), 0);

	/* Padding of another length */
	KUNIT_EXPECT_EQ(test, take_padded(a, &bad, &m), -EBADMSG);

	/* Another procedure, another version, integrity or privacy */
	proc->p_proc = NFS3PROC_READLINK;
	KUNIT_EXPECT_EQ(test, take_padded(a, &s, &m), -EBADMSG);
	proc->p_proc = NFS3PROC_READ;
	task->tk_client->cl_vers = 4;
	KUNIT_EXPECT_EQ(test, take_padded(a, &s, &m), -EBADMSG);
	task->tk_client->cl_vers = 3;
	__set_bit(RPCAUTH_AUTH_DATATOUCH, flags);
	KUNIT_EXPECT_EQ(test, take_padded(a, &s, &m), -EBADMSG);
	__clear_bit(RPCAUTH_AUTH_DATATOUCH, flags);

	/* With chunks */
	take_padded(a, &s, &m);
	a->recv->hdr.writes.bytes = 1;
	KUNIT_EXPECT_EQ(test, xprt_rdma_reply_place(a->req, a->recv), -EBADMSG);
	take_padded(a, &s, &m);
	a->recv->hdr.reply.bytes = 1;
	KUNIT_EXPECT_EQ(test, xprt_rdma_reply_place(a->req, a->recv), -EBADMSG);
}
#endif

static struct kunit_case xprt_reply_cases[] = {
	KUNIT_CASE_PARAM(payload_in_chunk, around_case_gen_params),
	KUNIT_CASE(reply_in_chunk),
	KUNIT_CASE(contradictions_refused),
	KUNIT_CASE(random_replies_stay_inside),
	KUNIT_CASE(other_messages_dropped),
	KUNIT_CASE(inline_of_every_length),
	KUNIT_CASE(roundup_in_chunk),
#ifdef RPCRDMA_EXT_MSGP
	KUNIT_CASE_PARAM(padding_removed, padded_reply_gen_params),
	KUNIT_CASE(padding_not_guessed),
#endif
	{}
};

SUITE("xprt_rdma_reply", xprt_reply_cases);
