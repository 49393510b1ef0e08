// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a call with Read chunks reaches nfsd byte for byte as the client sent
 * it, or not at all (RFC 5666 sections 3.4, 3.5 and 3.7; RFC 8166 section
 * 3.4.5). If this failed, a WRITE would store wrong data, or data that the
 * client never sent.
 */
#include "suite.h"
#include "svc_headers.h"

/* Result of rpcrdma_writes_need_head(); cases change this. */
static bool needs_head = rpcrdma_writes_need_head();

#undef rpcrdma_writes_need_head
#define rpcrdma_writes_need_head()	needs_head

#include "svc_read_fakes.h"

#define MAX_CHUNKS	5u
#define MAX_SEGMENTS	4u

static ulong seed;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "start of the random sequence; 0 chooses one");

/* A call with Read chunks */
static const struct read_case {
	const char *name;
	u32 type, base, nchunks;
	struct {
		u32 position, length;
	} chunks[MAX_CHUNKS];
	u32 segments;	/* segments of each chunk; 0: one */
	u32 behind;	/* bytes after the header of a NOMSG */
	bool reverse;
} read_cases[] = {
	/* RFC 8166 section 3.4.5: one chunk, the usual NFS WRITE */
	{ "one chunk at the end", RPCRDMA_MSG, 140, 1, { { 140, 4096 } } },
	{ "one chunk, odd length", RPCRDMA_MSG, 140, 1, { { 140, 4093 } } },
	{ "one chunk, one byte", RPCRDMA_MSG, 144, 1, { { 140, 1 } } },
	{ "one chunk at the start", RPCRDMA_MSG, 40, 1, { { 4, 100 } } },
	{ "one chunk, four segments", RPCRDMA_MSG, 140, 1, { { 140, 65537 } }, 4 },
	/* RFC 5666 section 3.4: a call can have several chunks. */
	{ "two chunks, adjacent", RPCRDMA_MSG, 140, 2, { { 140, 8 }, { 148, 5000 } }, 2 },
	/* RFC 5666 section 5.1: position zero */
	{ "position zero alone", RPCRDMA_NOMSG, 9000, 0, { } },
	{ "position zero, four segments", RPCRDMA_NOMSG, 9000, 0, { }, 4 },
	{ "position zero, as long as can be", RPCRDMA_NOMSG, MAX_MESG, 0, { } },
	/* RFC 5666 section 4.1: bytes after a NOMSG's header are ignored. */
	{ "position zero and more", RPCRDMA_NOMSG, 5000, 0, { }, .behind = 64 },
};

KUNIT_ARRAY_PARAM_DESC(read_case, read_cases, name);

/* Read chunks that are refused unread; core_layout_kunit.c has others */
static const struct bad_read {
	const char *name;
	u32 type, base, n;
	struct {
		u32 position, length;
	} segs[3];
	int error;	/* 0: -EBADMSG */
} bad_reads[] = {
	{ "beyond the end of the inline part", RPCRDMA_MSG, 140, 1, { { 144, 8 } } },
	{ "position zero and an inline part", RPCRDMA_MSG, 140, 1, { { 0, 100 } } },
	{ "longer than any call", RPCRDMA_NOMSG, 0, 1, { { 0, MAX_MESG + 1 } }, -E2BIG },
	{ "sum wraps around 32 bits", RPCRDMA_NOMSG, 0, 2,
	  { { 0, 0xffffffff }, { 0, 101 } }, -E2BIG },
};

KUNIT_ARRAY_PARAM_DESC(bad_read, bad_reads, name);

/* Inserts each chunk, padded, at its position into the inline part. */
static void compose(struct read_call *call, const struct read_case *c,
		    const u8 *base, u8 **data)
{
	u32 i, gap, from = 0, at = 0;

	for (i = 0; i < c->nchunks; i++) {
		gap = c->chunks[i].position - at;
		memcpy(call->want + at, base + from, gap);
		from += gap;
		at += gap;
		memcpy(call->want + at, data[i], c->chunks[i].length);
		at += xdr_align_size(c->chunks[i].length);
	}
	memcpy(call->want + at, base + from, c->base - from);
	call->want_len = at + c->base - from;
}

static void run_case(struct kunit *test, const struct read_case *c, u64 state)
{
	struct read_call *call = call_create(test, c->type);
	const struct svc_rdma_traffic *traffic = &call->conn->traffic;
	u32 segments = c->segments ?: 1;
	bool nomsg = c->type == RPCRDMA_NOMSG;
	u8 *base, *data[MAX_CHUNKS];
	u32 i, n, bytes = nomsg ? c->base : 0;

	base = fake_zalloc(test, MAX_MESG);
	fill_random(base, c->base, &state);
	/* A call with one chunk can be split after its empty credential. */
	put_unaligned_be64(0, base + 24);
	if (nomsg && !c->reverse)
		add_chunk(call, 0, base, c->base, segments);
	for (i = 0; i < c->nchunks; i++) {
		data[i] = fake_zalloc(test, c->chunks[i].length);
		fill_random(data[i], c->chunks[i].length, &state);
	}
	for (i = 0; i < c->nchunks; i++) {
		n = c->reverse ? c->nchunks - 1 - i : i;
		bytes += c->chunks[n].length;
		add_chunk(call, c->chunks[n].position, data[n],
			  c->chunks[n].length, segments);
	}
	if (nomsg && c->reverse)
		add_chunk(call, 0, base, c->base, segments);
	compose(call, c, base, data);

	KUNIT_ASSERT_EQ(test, 0, call_start(test, call, base,
					    nomsg ? c->behind : c->base));

	KUNIT_EXPECT_EQ(test, traffic->read_calls, 1);
	KUNIT_EXPECT_EQ(test, traffic->call_bytes, bytes);
	call_expect(test, call);
	KUNIT_EXPECT_EQ(test, fake_rws, 0);
}

static void reassembled(struct kunit *test)
{
	run_case(test, test->param_value, 5666);
}

/* Chunks of random lengths at random positions reach nfsd unchanged. */
static void reassembled_random(struct kunit *test)
{
	u64 state = seed ? seed : get_random_u32();
	u32 round, i, at, base;
	struct read_case c;

	kunit_info(test, "seed=%llu", state);
	for (round = 0; round < 100; round++) {
		u8 r[4 * MAX_CHUNKS + 4];

		fill_random(r, sizeof(r), &state);
		memset(&c, 0, sizeof(c));
		c.type = r[0] & 1 ? RPCRDMA_NOMSG : RPCRDMA_MSG;
		c.nchunks = 1 + r[1] % MAX_CHUNKS;
		c.segments = 1 + r[2] % MAX_SEGMENTS;
		c.reverse = r[3] & 1;
		for (i = 0, at = 0, base = 0; i < c.nchunks; i++) {
			u32 gap = 4 * (r[4 + 4 * i] + (i == 0));

			base += gap;
			c.chunks[i].position = at + gap;
			c.chunks[i].length = 1 + r[5 + 4 * i] * r[6 + 4 * i] / 8;
			at += gap + xdr_align_size(c.chunks[i].length);
		}
		c.base = base + 4 * (r[2] >> 4);
		run_case(test, &c, state);
	}
}

static void refused(struct kunit *test)
{
	const struct bad_read *c = test->param_value;
	struct read_call *call = call_create(test, c->type);
	u8 *base = fake_zalloc(test, MAX_MESG);
	struct rpcrdma_segment seg = { .handle = 1 };
	u32 i;

	for (i = 0; i < c->n; i++) {
		seg.length = c->segs[i].length;
		rpcrdma_encode_read_segment(&call->enc, c->segs[i].position,
					    &seg);
	}

	KUNIT_EXPECT_EQ(test, call_start(test, call, base, c->base),
			c->error ?: -EBADMSG);
	KUNIT_EXPECT_EQ(test, fake.wrs, 0);
}

/* svcrdma limits the number of chunks; RFC 5666 section 3.4 does not. */
static void too_many_chunks(struct kunit *test)
{
	struct read_call *call = call_create(test, RPCRDMA_MSG);
	u8 *base = fake_zalloc(test, MAX_MESG);
	u32 i;

	for (i = 0; i <= RPCRDMA_LAYOUT_CHUNKS; i++)
		add_chunk(call, 8 * (i + 1), base, 4, 1);
	KUNIT_EXPECT_EQ(test, call_start(test, call, base, 1024), -E2BIG);
	KUNIT_EXPECT_EQ(test, fake.wrs, 0);
	/* v2 draft section 5.3.3: the error reports the exact limit. */
	KUNIT_EXPECT_EQ(test, call->recv->fault.code, RPCRDMA2_ERR_READ_CHUNKS);
	KUNIT_EXPECT_EQ(test, call->recv->fault.value, RPCRDMA_LAYOUT_CHUNKS);

	call = call_create(test, RPCRDMA_MSG);
	for (i = 0; i < RPCRDMA_LAYOUT_CHUNKS; i++)
		add_chunk(call, 8 * (i + 1), base, 4, 1);
	KUNIT_EXPECT_EQ(test, call_start(test, call, base, 1024), 0);
	KUNIT_EXPECT_EQ(test, call->recv->fault.code, 0);
}

/* Starts a call with one Read chunk. */
static int start_one(struct kunit *test, struct read_call *call)
{
	u64 state = 5666;

	fill_random(call->want, 204, &state);
	add_chunk(call, 100, call->want + 100, 104, 1);
	call->want_len = 204;
	return call_start(test, call, call->want, 100);
}

/* Without memory, or if the requester forbids Reads, svcrdma posts no Read. */
static void not_started(struct kunit *test)
{
	struct read_call *call = call_create(test, RPCRDMA_MSG);

	fake_memory_left = 0;
	KUNIT_EXPECT_EQ(test, -ENOMEM, start_one(test, call));
	KUNIT_EXPECT_NULL(test, call->recv->read);

	/* RFC 5666 section 6.2: a requester can forbid Read chunks. */
	fake_memory_left = -1;
	call = call_create(test, RPCRDMA_MSG);
	call->conn->read_queue.denied = true;
	KUNIT_EXPECT_EQ(test, -EBADMSG, start_one(test, call));
	KUNIT_EXPECT_NULL(test, call->recv->read);
	KUNIT_EXPECT_EQ(test, queue.posted, 0);
}

/* svcrdma hands a call to an nfsd thread when the call's Reads complete. */
static void completion(struct kunit *test)
{
	struct read_call *call = call_create(test, RPCRDMA_MSG);

	KUNIT_ASSERT_EQ(test, 0, start_one(test, call));
	KUNIT_EXPECT_EQ(test, queue.posted, 1);
	KUNIT_EXPECT_EQ(test, queue.enqueued, 0);
	call->recv->read->reads.done(&call->recv->read->reads);
	KUNIT_EXPECT_EQ(test, queue.enqueued, 1);
	KUNIT_EXPECT_TRUE(test, test_bit(XPT_DATA, &call->conn->xprt.xpt_flags));
	KUNIT_EXPECT_PTR_EQ(test, call->conn->reads.done.next,
			    &call->recv->read->list);
	call_expect(test, call);
}

/*
 * If nfsd needs a WRITE's data in the head, svcrdma maps the whole call as the
 * head, but refuses a call that uses RPCSEC_GSS. If nfsd makes bio_vecs of the
 * data, svcrdma maps nothing.
 */
static void protected(struct kunit *test)
{
	static const struct {
		u32 flavor, position;
	} cases[] = {
		{ RPC_AUTH_GSS, 4100 },
		{ RPC_AUTH_GSS, 4096 },
		{ RPC_AUTH_GSS, 4092 },
		{ RPC_AUTH_UNIX, 4100 },
	};
	struct read_call *call;
	u64 state = 2203;
	bool mapped;

	for_each_case(c, cases) {
		mapped = rpcrdma_writes_need_head() && c->position >= PAGE_SIZE;
		call = call_create(test, RPCRDMA_NOMSG);
		fill_random(call->want, 8200, &state);
		put_unaligned_be32(c->flavor, call->want + 24);
		add_chunk(call, 0, call->want, c->position, 1);
		add_chunk(call, c->position, call->want + c->position, 8200 - c->position, 1);
		call->want_len = 8200;
		KUNIT_ASSERT_EQ(test, 0, call_start(test, call, NULL, 0));
		if (!mapped || c->flavor != RPC_AUTH_GSS) {
			call_expect(test, call);
			KUNIT_EXPECT_EQ(test, mapped,
					is_vmalloc_addr(call->rqst->rq_arg.head[0].iov_base));
			continue;
		}
		fill_pages(test, call->rqst);
		KUNIT_EXPECT_EQ(test, -E2BIG,
				svc_rdma_read_finish(call->rqst,
						     call->recv->read));
		KUNIT_EXPECT_EQ(test, call->recv->fault.code,
				RPCRDMA2_ERR_READ_CHUNKS);
		KUNIT_EXPECT_EQ(test, call->recv->fault.value, 1);
	}
}

/* Calls with a single chunk at @position; if @split, the head ends there */
static const struct split_case {
	const char *name;
	u32 position, flavor, cred, proc, service, verf;
	bool split;
} split_cases[] = {
	{ "AUTH_SYS, in the data", 140, RPC_AUTH_UNIX, 84, 0, 1, 0, true },
	{ "behind the credential", 116, RPC_AUTH_UNIX, 84, 0, 1, 0, true },
	{ "in the credential", 112, RPC_AUTH_UNIX, 84, 0, 1, 0 },
	{ "in front of its length", 28, RPC_AUTH_UNIX, 84, 0, 1, 0 },
	{ "in front of its flavor", 24, RPC_AUTH_UNIX, 84, 0, 1, 0 },
	{ "in the program number", 12, RPC_AUTH_UNIX, 84, 0, 1, 0 },
	{ "longest credential", 440, RPC_AUTH_UNIX, RPC_MAX_AUTH_SIZE, 0, 1, 0, true },
	{ "endless credential", 140, RPC_AUTH_UNIX, 0xfffffffc, 0, 1, 0 },
	{ "GSS, in the data", 140, RPC_AUTH_GSS, 24, 0, 1, 28, true },
	{ "GSS, behind the verifier", 92, RPC_AUTH_GSS, 22, 0, 1, 25, true },
	{ "GSS, in the verifier", 88, RPC_AUTH_GSS, 24, 0, 1, 28 },
	{ "GSS, in front of its length", 60, RPC_AUTH_GSS, 24, 0, 1, 28 },
	{ "GSS, behind the credential", 56, RPC_AUTH_GSS, 24, 0, 1, 28 },
	{ "GSS, in the credential", 40, RPC_AUTH_GSS, 24, 0, 1, 28 },
	{ "GSS, endless verifier", 140, RPC_AUTH_GSS, 24, 0, 1, 0xffffffff },
	{ "GSS, short credential", 140, RPC_AUTH_GSS, 12, 0, 1, 28 },
	{ "GSS, new context", 140, RPC_AUTH_GSS, 24, 1, 1, 28 },
	{ "GSS, integrity", 140, RPC_AUTH_GSS, 24, 0, 2, 28 },
	{ "GSS, privacy", 140, RPC_AUTH_GSS, 24, 0, 3, 28 },
	{ "GSS, privacy, a page", 4096, RPC_AUTH_GSS, 24, 0, 3, 28, true },
};

KUNIT_ARRAY_PARAM_DESC(split_case, split_cases, name);

/* The head holds the whole RPC header (RFC 5531 9, RFC 2203 5). */
static void header_in_one_piece(struct kunit *test)
{
	const struct split_case *c = test->param_value;
	struct read_call *call = call_create(test, RPCRDMA_MSG);
	u32 inline_len = max(c->position, 144u);
	u8 *base = fake_zalloc(test, MAX_MESG);
	struct kvec *head = call->rqst->rq_arg.head;
	u64 state = 2203;
	u8 *data;

	fill_random(base, inline_len + 60, &state);
	data = base + inline_len;
	put_unaligned_be32(c->flavor, base + 24);
	put_unaligned_be32(c->cred, base + 28);
	if (c->flavor == RPC_AUTH_GSS) {
		put_unaligned_be32(c->proc, base + 36);
		put_unaligned_be32(c->service, base + 44);
		put_unaligned_be32(c->verf, base + 36 + xdr_align_size(c->cred));
	}
	memcpy(call->want, base, c->position);
	memcpy(call->want + c->position, data, 60);
	memcpy(call->want + c->position + 60, base + c->position,
	       inline_len - c->position);
	call->want_len = inline_len + 60;
	add_chunk(call, c->position, data, 60, 1);
	KUNIT_ASSERT_EQ(test, 0, call_start(test, call, base, inline_len));
	call_expect(test, call);
	KUNIT_EXPECT_EQ(test, head->iov_len,
			c->split ? c->position : inline_len + 60);
}

/* If nfsd can read past a chunk in the pages, they also hold the tail. */
static void tail_in_pages(struct kunit *test)
{
	static const u32 lengths[] = { 4096, 4076, 8191, 1 };
	u8 *base = fake_zalloc(test, 200), *data = fake_zalloc(test, 8192);
	bool before = needs_head;
	struct read_call *call;
	u64 state = 1813;
	struct page *page;
	u32 i, j, at;

	fill_random(base + 32, 168, &state);
	fill_random(data, 8192, &state);
	needs_head = true;
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		at = xdr_align_size(lengths[i]);
		call = call_create(test, RPCRDMA_MSG);
		memcpy(call->want, base, 140);
		memcpy(call->want + 140, data, lengths[i]);
		memcpy(call->want + 140 + at, base + 140, 60);
		call->want_len = 200 + at;
		add_chunk(call, 140, data, lengths[i], 1);
		KUNIT_EXPECT_EQ(test, 0, call_start(test, call, base, 200));
		call_expect(test, call);
		KUNIT_EXPECT_EQ(test, call->rqst->rq_arg.page_len, at);
		for (j = 0; j < 60; j++, at++) {
			page = call->rqst->rq_arg.pages[at >> PAGE_SHIFT];
			if (((u8 *)page_address(page))[offset_in_page(at)] != base[140 + j])
				break;
		}
		KUNIT_EXPECT_EQ(test, j, 60);
	}
	needs_head = before;
}

/* A chunk and tail that together exceed the longest call are refused. */
static void tail_too_long(struct kunit *test)
{
	u8 *base = fake_zalloc(test, 144), *data = fake_zalloc(test, MAX_MESG);
	bool before = needs_head;
	struct read_call *call;
	u32 i;

	for (i = 0; i < 2; i++) {
		needs_head = i;
		call = call_create(test, RPCRDMA_MSG);
		add_chunk(call, 140, data, MAX_MESG, 1);
		KUNIT_EXPECT_EQ(test, call_start(test, call, base, 144),
				i ? -E2BIG : 0);
	}
	needs_head = before;
}

static struct kunit_case svc_read_cases[] = {
	KUNIT_CASE_PARAM(reassembled, read_case_gen_params),
	KUNIT_CASE(reassembled_random),
	KUNIT_CASE_PARAM(refused, bad_read_gen_params),
	KUNIT_CASE(too_many_chunks),
	KUNIT_CASE(not_started),
	KUNIT_CASE(completion),
	KUNIT_CASE(protected),
	KUNIT_CASE_PARAM(header_in_one_piece, split_case_gen_params),
	KUNIT_CASE(tail_in_pages),
	KUNIT_CASE(tail_too_long),
	{}
};

SUITE("svc_rdma_read", svc_read_cases, .init = begin_case, .exit = balance_exit);
