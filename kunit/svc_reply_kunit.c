// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: in both versions, the client receives every reply exactly as nfsd
 * built it, inline or in the chunks that the call offered, or else an error
 * that says what to offer (RFC 8166 sections 3.4.6 and 3.5, RFC 5666 section
 * 3.6, v2 draft sections 3.2 and 5.3). The server never writes beyond the end
 * of a segment. nfsd keeps the page of the head if and only if nothing still
 * reads it. If this failed, a READ would return the wrong data, or overwrite
 * memory.
 */
#include <rpcrdma/padding.h>

#include "suite.h"
#include "svc_reply_fakes.h"

#define PAGE_BASE	40u
#define REPLY_PAGES	4u
#define HANDLE		0x4000u

/* A reply, and the chunks offered by its call */
struct reply_case {
	const char *name;
	/* Receive size of a version 1 requester, in bytes */
	u32 send_size;
	u32 pages;	/* bytes in the page list */
	struct {
		u32 offset, length;
	/* Results for Write chunks, at the places that nfsd reports */
	} results[MAX_RESULTS];
	u32 write[MAX_RESULTS][MAX_SEGMENTS];	/* segments of Write chunks */
	u32 reply[MAX_SEGMENTS];	/* segments of the Reply chunk */
	int type;	/* message type; -1 for an error */
	u32 sges;	/* SGEs that the device allows per Send */
	u32 gathers;	/* SGEs of the Send; 0: any number */
	u32 slack;	/* bytes of RPCSEC_GSS protection */
	bool misplaced;	/* nfsd reports wrong places for the results */
	bool readlink;	/* nfsd reports the place of the length word */
};

static u32 write_chunks(const struct reply_case *c)
{
	u32 n = 0;

	while (n < MAX_RESULTS && segments(c->write[n]))
		n++;
	return n;
}

static u32 room(const u32 *lengths)
{
	u32 i, bytes = 0;

	for (i = 0; i < MAX_SEGMENTS; i++)
		bytes += lengths[i];
	return bytes;
}

/* Bytes of a result that the server writes to a Write chunk */
static u32 moved(const struct reply_case *c, u32 result)
{
	if (c->slack || c->misplaced || result >= write_chunks(c) ||
	    c->write[result][0] >= NO_BYTES)
		return 0;
	return c->results[result].length;
}

static void free_pages_action(void *rqst)
{
	struct page **pages = ((struct svc_rqst *)rqst)->rq_pages;
	u32 i;

	for (i = 0; i <= REPLY_PAGES; i++)
		if (pages[i])
			put_page(pages[i]);
}

static u32 send_size(const struct reply_case *c)
{
	return c->send_size + fake_version->header_size - RPCRDMA_V1_MIN_SIZE;
}

/* Make a call and its reply, which is in pages of the thread. */
static void setup(struct kunit *test, const struct reply_case *c)
{
	struct svc_rqst *rqst;
	u32 i;

	serving(test);
	rqst = s->rqst;
	conn->peer.longest = send_size(c);
	conn->caps.send_sges = c->sges ?: SVC_RDMA_SEND_SGES;
	for (i = 0; i < REPLY_PAGES; i++) {
		rqst->rq_pages[i] = alloc_page(GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, rqst->rq_pages[i]);
	}
	fake_defer(test, free_pages_action, rqst);
	for (i = 0; i < MAX_RESULTS; i++)
		if (c->results[i].length && !c->misplaced)
			put_unaligned_be32(c->results[i].length,
					   s->want + c->results[i].offset -
						   XDR_UNIT);
	make_call(test, XID, c->write, c->reply);
	/* Leave stale results of an earlier call in the Receive context. */
	for (i = 0; i < SVC_RDMA_PAYLOADS; i++)
		s->recv.payloads[i].length = 4;
	make_reply(s->head, rqst->rq_pages, PAGE_BASE, c->pages);
	rqst->rq_next_page = rqst->rq_pages + REPLY_PAGES;
	rqst->rq_auth_slack = c->slack;
}

/* Collect a chunk. No byte after the end of a segment may have changed. */
static u32 collect(struct kunit *test, struct rpcrdma_cursor *cur, u8 *to)
{
	struct rpcrdma_segment seg;
	u32 i, count, len = 0;

	KUNIT_ASSERT_TRUE(test, rpcrdma_chunks_next(cur, &count));
	while (rpcrdma_segments_next(cur, &seg)) {
		KUNIT_ASSERT_LE(test, len + seg.length, MAX_REPLY);
		memcpy(to + len, fake.memory + seg.offset, seg.length);
		len += seg.length;
		for (i = 0; i < 16; i++)
			KUNIT_EXPECT_EQ(test, FAKE_CANARY,
					fake.memory[seg.offset + seg.length + i]);
	}
	return len;
}

/* The message is well-formed, and the requester gets every byte in order. */
static void expect_reply(struct kunit *test, const struct reply_case *c)
{
	u8 *got = fake_vzalloc(test, MAX_REPLY), *rest = fake_vzalloc(test, MAX_REPLY);
	u32 i, n, at = 0, len = HEAD + c->pages + TAIL;
	struct rpcrdma_cursor cur;

	decode(test);
	if (hdr.type == RPCRDMA_NOMSG) {
		rpcrdma_chunks_begin(&hdr, &hdr.reply, &cur);
		n = collect(test, &cur, rest);
	} else {
		n = hdr.len - hdr.payload;
		memcpy(rest, hdr.base + hdr.payload, n);
	}
	KUNIT_ASSERT_EQ(test, hdr.writes.chunks, write_chunks(c));
	rpcrdma_chunks_begin(&hdr, &hdr.writes, &cur);
	for (i = 0; i < write_chunks(c); i++) {
		u32 length = moved(c, i), to = length ? c->results[i].offset : at;

		memcpy(got + at, rest, to - at);
		rest += to - at;
		n -= to - at;
		KUNIT_ASSERT_EQ(test, collect(test, &cur, got + to), length);
		memset(s->want + to + length, 0, -length & 3);
		at = to + xdr_align_size(length);
	}
	KUNIT_ASSERT_EQ(test, at + n, len);
	memcpy(got + at, rest, n);
	KUNIT_EXPECT_EQ(test, memcmp(got, s->want, len), 0);
}

/* Report the results as nfsd does, and send the reply. */
static int reply_to(const struct reply_case *c)
{
	u32 i;

	for (i = 0; i < MAX_RESULTS && c->results[i].offset; i++)
		svc_rdma_payload_add(s->rqst, c->results[i].offset -
				     (c->readlink ? XDR_UNIT : 0),
				     c->results[i].length);
	return svc_rdma_reply_send(s->rqst);
}

#define INLINE_ROOM	(1024u - RPCRDMA_V1_MIN_SIZE)

/* Length of the page list of most replies; length of such a reply */
#define PAGES		8000u
#define WHOLE		(HEAD + PAGES + TAIL)

/* Bytes in the page list of the longest reply that is always copied */
#define PULLUP		(SVC_RDMA_PULLUP - HEAD - TAIL)

static const struct reply_case reply_cases[] = {
	/* RFC 8166 section 3.5.1 */
	{ "short reply", 4096, 0, .type = RPCRDMA_MSG },
	{ "reply with a page", 4096, 3000, .type = RPCRDMA_MSG },
	{ "gathered reply", 16384, 12000, .type = RPCRDMA_MSG, .sges = 16 },
	{ "too many parts to gather", 16384, 12000, .type = RPCRDMA_MSG, .sges = 3 },
	/* The server copies the head after the transport header. */
	{ "copied", 4096, PULLUP, .gathers = 1 },
	{ "gathered, three parts", 4096, PULLUP + 4, .sges = 3, .gathers = 3 },
	{ "copied, three parts", 4096, PULLUP + 4, .sges = 2, .gathers = 1 },
	{ "just fits", 1024, INLINE_ROOM - HEAD - TAIL, .type = RPCRDMA_MSG },
	{ "one word too long, no Reply chunk", 1024, INLINE_ROOM - HEAD - TAIL + 4, .type = -1 },
	/* RFC 8166 sections 3.4.6 and 3.5.2: Write chunks omit XDR padding. */
	{ "Write chunk", 4096, 8192, {{ HEAD, 8192 }}, {{ 8192 }} },
	{ "Write chunk, several segments, odd length", 4096, PAGES,
	  {{ HEAD, 7997 }}, {{ 4000, 1, 0, 5000 }} },
	{ "Write chunk, larger", 4096, PAGES, {{ HEAD, 6000 }}, {{ 9000 }} },
	{ "Write chunk, from head to tail", 4096, PAGES,
	  {{ 40, HEAD - 40 + PAGES + 60 }}, {{ 5000, 5000 }} },
	{ "Write chunk, in the tail", 4096, 1000, {{ HEAD + 1008, 60 }}, {{ 20, 20, 20 }} },
	{ "Write chunk, to the last byte", 4096, 1000, {{ HEAD + 992, TAIL + 8 }}, {{ 4096 }} },
	{ "Write chunk too small", 4096, 8192, {{ HEAD, 8192 }}, {{ 8000, 191 }}, .type = -1 },
	{ "Write chunk not used", 4096, 1000, .write = {{ 8192 }} },
	{ "Write chunk, nothing to write", 4096, 1000, {{ HEAD, 0 }}, {{ 8192 }} },
	/* RFC 8267 section 4.3: chunks are matched to results in order. */
	{ "three results, one empty", 4096, 3000,
	  {{ 40, 501 }, { 600, 0 }, { 1044, 999 }},
	  {{ 300, 300 }, { 100 }, { 1000 }} },
	{ "empty Write chunk", 4096, 1000, {{ HEAD, 96 }}, {{ NO_SEGMENTS }} },
	{ "empty Write chunks in front of another", 4096, 3000,
	  {{ 40, 501 }, { 600, 400 }, { 1044, 999 }},
	  {{ NO_SEGMENTS }, { NO_BYTES }, { 1000 }} },
	{ "empty Write chunk and Reply chunk", 1024, 12000, {{ HEAD + 2000, 9001 }},
	  {{ NO_SEGMENTS }}, { 9000, 9000 }, .type = RPCRDMA_NOMSG },
	{ "more Write chunks than results", 4096, 1000, {{ HEAD, 96 }}, {{ 100 }, { 300 }} },
	{ "more results than Write chunks", 4096, 1000, {{ 40, 100 }, { 400, 64 }}, {{ 4096 }} },
	{ "later Write chunks too small", 4096, PAGES,
	  {{ HEAD, 200 }, { HEAD + 204, 100 }, { HEAD + 308, 60 }},
	  {{ 200 }, { 99 }, { 50 }}, .type = -1 },
	/* RFC 5666 section 5.2.2 */
	{ "protected, Write chunk too small", 4096, 1000,
	  {{ HEAD, 200 }, { HEAD + 204, 100 }}, {{ 200 }, { 99 }}, .slack = 16 },
	{ "protected", 4096, 1000, {{ HEAD, 100 }}, {{ 4096 }}, .slack = 64 },
	{ "results elsewhere", 4096, 1000, {{ HEAD, 100 }}, {{ 4096 }}, .misplaced = true },
	{ "READLINK of NFSv4", 4096, 1000, {{ 44, 100 }}, {{ 100 }}, .readlink = true },
	/* RFC 8166 section 3.5.3 */
	{ "Reply chunk", 1024, PAGES, .reply = { 9000 }, .type = RPCRDMA_NOMSG },
	{ "Reply chunk not needed", 4096, 500, .reply = { 9000 } },
	{ "Reply chunk too small", 1024, PAGES, .reply = { 5000, WHOLE - 5001 }, .type = -1 },
	{ "Reply chunk just large enough", 1024, PAGES,
	  .reply = { 5000, WHOLE - 5000 }, .type = RPCRDMA_NOMSG },
	/* RFC 5666 section 5.2 */
	{ "Write chunk and Reply chunk", 1024, 12000, {{ HEAD + 2000, 9001 }},
	  {{ 9001 }}, { 100, 3000, 5000 }, .type = RPCRDMA_NOMSG },
};

KUNIT_ARRAY_PARAM_DESC(reply_case, reply_cases, name);

/* v2 draft section 5.3.3: the error names the first Write chunk too small. */
static void expect_error(struct kunit *test, const struct reply_case *c)
{
	const struct svc_rdma_fault *fault = &outside.error;
	u32 bad = 0;

	if (!write_chunks(c)) {
		KUNIT_EXPECT_EQ(test, fault->code, RPCRDMA2_ERR_REPLY_RESOURCE);
		KUNIT_EXPECT_EQ(test, fault->value, HEAD + c->pages + TAIL);
		return;
	}
	while (room(c->write[bad]) >= c->results[bad].length)
		bad++;
	KUNIT_EXPECT_EQ(test, fault->code, RPCRDMA2_ERR_WRITE_RESOURCE);
	KUNIT_EXPECT_EQ(test, fault->index, bad + 1);
	KUNIT_EXPECT_EQ(test, fault->value, c->results[bad].length);
	/* All prepared RDMA Writes have been released. */
	KUNIT_EXPECT_EQ(test, fake_rws, 0);
}

static void reply_with(struct kunit *test,
		       const struct svc_rdma_version *version)
{
	const struct reply_case *c = test->param_value;

	fake_version = version;
	setup(test, c);
	/* RFC 8166 section 3.3.3: the reply may invalidate one handle. */
	s->recv.handle = version == &svc_rdma_v2 ? HANDLE : 0;

	KUNIT_ASSERT_EQ(test, reply_to(c), 0);

	KUNIT_EXPECT_EQ(test, fake.faults, 0);
	KUNIT_EXPECT_EQ(test, outside.faults, 0);
	KUNIT_EXPECT_EQ(test, !!outside.error.code, c->type < 0);
	KUNIT_EXPECT_EQ(test, !!outside.len, c->type >= 0);
	KUNIT_EXPECT_NULL(test, s->rqst->rq_xprt_ctxt);
	if (!outside.len) {
		expect_error(test, c);
		return;
	}
	KUNIT_ASSERT_LE(test, outside.len, send_size(c));
	/* The buffer grows only if the copied bytes do not fit. */
	KUNIT_EXPECT_EQ(test, outside.send.size,
			max(min(send_size(c), version->send_buf),
			    outside.send.copied));
	expect_reply(test, c);
	KUNIT_EXPECT_EQ(test, hdr.flags,
			version == &svc_rdma_v2 ? RPCRDMA2_F_RESPONSE : 0);
	KUNIT_EXPECT_EQ(test, hdr.inv_handle, 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.xid), XID);
	KUNIT_EXPECT_EQ(test, hdr.credits, GRANT);
	KUNIT_EXPECT_EQ(test, hdr.type, c->type);
	KUNIT_EXPECT_EQ(test, hdr.reads.segments, 0);
	KUNIT_EXPECT_EQ(test, outside.send.wrs, 1 + fake.wrs);
	if (c->gathers)
		KUNIT_EXPECT_EQ(test, outside.send.sges, c->gathers);
	KUNIT_EXPECT_EQ(test, hdr.reply.chunks, c->type == RPCRDMA_NOMSG);
	KUNIT_EXPECT_EQ(test, fake_count(reply_bytes), hdr.reply.bytes);
	KUNIT_EXPECT_EQ(test, conn->traffic.reply_bytes,
			s->rqst->rq_res.len - (outside.len - hdr.payload));
	KUNIT_EXPECT_EQ(test, outside.puts, 1);
	KUNIT_EXPECT_EQ(test, outside.send.inv, s->recv.handle);
}

static void replied(struct kunit *test)
{
	reply_with(test, &svc_rdma_v1);
	reply_with(test, &svc_rdma_v2);
}

/* A reply is reported as long if larger Receives would avoid its chunks. */
static void long_counted(struct kunit *test)
{
	static const struct {
		struct reply_case reply;
		bool off, counted;
	} cases[] = {
		{ { "", 4096, 8192, {{ HEAD, 8192 }}, {{ 8192 }} }, .counted = true },
		{ { "", 1024, PAGES, .reply = { 9000 } }, .counted = true },
		/* Receive sizes cannot change on this connection */
		{ { "", 4096, 8192, {{ HEAD, 8192 }}, {{ 8192 }} }, .off = true },
		/* fits inline even without the Write chunk */
		{ { "", 9216, 8192, {{ HEAD, 8192 }}, {{ 8192 }} } },
		/* is sent inline */
		{ { "", 16384, 12000 } },
	};
	u32 len;

	fake_version = &svc_rdma_v2;
	for_each_case(c, cases) {
		setup(test, &c->reply);
		conn->properties.on = !c->off;
		len = s->rqst->rq_res.len + RPCRDMA2_MIN_SIZE;
		KUNIT_ASSERT_EQ(test, reply_to(&c->reply), 0);
		KUNIT_ASSERT_NE(test, outside.len, 0);
		KUNIT_EXPECT_EQ_MSG(test, outside.long_len, c->counted * len,
				    "case %td", c - cases);
	}
}

/* If memory is short, the connection closes and the thread keeps the call. */
static void cannot_be_sent(struct kunit *test)
{
	static const struct {
		u32 reply;
		int failures;
	} cases[] = {
		{ 0, 3 }, { 2, 3 + 3 }, { 3, 3 + 2 + 2 },
	};
	u32 i;
	int n;

	fake_version = &svc_rdma_v2;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (n = 0; n < cases[i].failures; n++) {
			setup(test, &reply_cases[cases[i].reply]);
			fake_memory_left = n;
			KUNIT_EXPECT_NE_MSG(test, svc_rdma_reply_send(s->rqst), 0,
					    "case %u, %d", i, n);
			KUNIT_EXPECT_EQ(test, outside.len, 0);
			KUNIT_EXPECT_EQ(test, outside.error.code, 0);
			KUNIT_EXPECT_EQ(test, fake_closed, 1);
			KUNIT_EXPECT_EQ(test, outside.puts, 0);
			KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.busy), 0);
			KUNIT_EXPECT_PTR_EQ(test, s->rqst->rq_xprt_ctxt,
					    (void *)&s->recv);
		}
		setup(test, &reply_cases[cases[i].reply]);
		fake_memory_left = n;
		KUNIT_EXPECT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	}

	setup(test, &reply_cases[0]);
	atomic_set(&conn->life.state, SVC_RDMA_CLOSING);
	KUNIT_EXPECT_EQ(test, svc_rdma_reply_send(s->rqst), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, outside.len, 0);
}

/*
 * A reply, whether nfsd keeps the page of its head, and how many pages the Send
 * holds. @size: largest Send buffer in bytes, or 0 for version 1's default
 */
static const struct head_case {
	struct reply_case reply;
	u32 size;
	bool kept;
	u32 held;
} head_cases[] = {
	{ { "copied", 4096, 500 }, .kept = true },
	{ { "gathered", 16384, 12000 }, .kept = true, .held = REPLY_PAGES },
	{ { "room for head and tail", 16384, 12000 },
	  RPCRDMA_V1_MIN_SIZE + HEAD + TAIL, true, REPLY_PAGES },
	{ { "no room for head and tail", 16384, 12000 },
	  RPCRDMA_V1_MIN_SIZE + HEAD + TAIL - 1, false, 1 + REPLY_PAGES },
	{ { "copied after all", 16384, 12000, .sges = 2 },
	  RPCRDMA_V1_MIN_SIZE + HEAD + TAIL - 1, .kept = true },
	{ { "Write chunk", 4096, 8192, {{ HEAD, 8192 }}, {{ 8192 }} },
	  .kept = true, .held = REPLY_PAGES },
	{ { "Write chunk and a gathered rest", 8192, 12000,
	    {{ HEAD + 2000, 8000 }}, {{ 8000 }} },
	  .kept = true, .held = REPLY_PAGES },
	{ { "head in a Write chunk", 4096, 500, {{ 100, 60 }}, {{ 60 }} },
	  .held = 1 + REPLY_PAGES },
	{ { "tail in a Write chunk", 4096, 500, {{ HEAD + 504, 20 }},
	    {{ 20 }} }, .held = 1 + REPLY_PAGES },
	{ { "Reply chunk", 1024, 8000, .reply = { 9000 },
	    .type = RPCRDMA_NOMSG }, .held = 1 + REPLY_PAGES },
};

KUNIT_ARRAY_PARAM_DESC(head_case, head_cases, reply.name);

/* Move head and tail to the thread's first page, where nfsd has them. */
static void use_head_page(struct kunit *test, const struct reply_case *c)
{
	struct svc_rqst *rqstp = s->rqst;

	fake_head_page = alloc_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fake_head_page);
	memmove(rqstp->rq_pages + 1, rqstp->rq_pages,
		REPLY_PAGES * sizeof(rqstp->rq_pages[0]));
	rqstp->rq_pages[0] = fake_head_page;
	make_reply(fake_head_page, rqstp->rq_pages + 1, PAGE_BASE, c->pages);
	rqstp->rq_next_page = rqstp->rq_pages + 1 + REPLY_PAGES;
}

/* nfsd keeps the page of the head if and only if no Work Request reads it. */
static void head_kept(struct kunit *test)
{
	const struct head_case *c = test->param_value;
	const struct reply_case *reply = &c->reply;
	static struct svc_rdma_version version;
	struct svc_rqst *rqstp;
	u32 i;

	version = svc_rdma_v1;
	version.send_buf = c->size ?: version.send_buf;
	fake_version = &version;
	setup(test, reply);
	rqstp = s->rqst;
	use_head_page(test, reply);

	KUNIT_ASSERT_EQ(test, reply_to(reply), 0);
	KUNIT_ASSERT_NE(test, outside.len, 0);
	KUNIT_EXPECT_EQ(test, outside.faults, 0);
	expect_reply(test, reply);
	KUNIT_EXPECT_EQ(test, !!outside.send.head_reads,
			reply->type == RPCRDMA_MSG && !c->kept &&
			!write_chunks(reply));
	KUNIT_EXPECT_EQ(test, outside.send.held, c->held);
	if (c->held)
		KUNIT_EXPECT_EQ(test, outside.send.first == fake_head_page,
				!c->kept);
	/* The empty entries, which sunrpc will fill, come first. */
	KUNIT_EXPECT_EQ(test, rqstp->rq_next_page - rqstp->rq_respages,
			rpcrdma_rqst_empty(c->held));
	for (i = 0; i <= REPLY_PAGES; i++)
		KUNIT_EXPECT_EQ(test, !rqstp->rq_pages[i], i < c->held);
	KUNIT_EXPECT_EQ(test, rqstp->rq_pages[c->held] == fake_head_page,
			c->kept);
}

/*
 * nfsd does not keep the page of the head if the requester reads the reply, or
 * if the head does not begin at the start of the page.
 */
static void head_not_kept(struct kunit *test)
{
	struct svc_rdma_send_ctx *send;

	setup(test, &head_cases[0].reply);
	use_head_page(test, &head_cases[0].reply);
	send = svc_rdma_send_get(conn);
	KUNIT_ASSERT_NOT_NULL(test, send);
#ifdef RPCRDMA_EXT_PULLED
	send->advert = (void *)s;
	KUNIT_EXPECT_FALSE(test, svc_rdma_reply_keeps_head(send, s->rqst));
	send->advert = NULL;
#endif

	s->rqst->rq_res.head[0].iov_base += 4;
	KUNIT_EXPECT_FALSE(test, svc_rdma_reply_keeps_head(send, s->rqst));
	s->rqst->rq_res.head[0].iov_base -= 4;

	/* A head is not kept if sunrpc would free no page after the reply. */
	s->rqst->rq_next_page = s->rqst->rq_pages;
	KUNIT_EXPECT_FALSE(test, svc_rdma_reply_keeps_head(send, s->rqst));

	s->rqst->rq_next_page = s->rqst->rq_pages + 1;
	KUNIT_EXPECT_TRUE(test, svc_rdma_reply_keeps_head(send, s->rqst));
	svc_rdma_send_put(send);
}

static int begin_case(struct kunit *test)
{
	fake_version = &svc_rdma_v1;
	return 0;
}

static struct kunit_case svc_sendto_cases[] = {
	KUNIT_CASE_PARAM(replied, reply_case_gen_params),
	KUNIT_CASE(long_counted),
	KUNIT_CASE(cannot_be_sent),
	KUNIT_CASE_PARAM(head_kept, head_case_gen_params),
	KUNIT_CASE(head_not_kept),
	{}
};

SUITE("svc_rdma_reply", svc_sendto_cases, .init = begin_case, .exit = balance_exit);
