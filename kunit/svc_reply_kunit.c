// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the client receives every reply byte for byte as nfsd built it, inline
 * or in the chunks that it offered, in both versions, or else an error that
 * tells it what to offer (RFC 8166 sections 3.4.6 and 3.5, RFC 5666 section 3.6,
 * v2 draft sections 3.2 and 5.3). Nothing is written beyond the end of a segment.
 * nfsd keeps the page of the head if nothing reads it any more, and only then.
 * If this failed, a READ would return the wrong data, or overwrite memory.
 */
#include <rpcrdma/padding.h>

#include "suite.h"
#include "svc_reply_fakes.h"

#define INLINE_ROOM	(1024u - RPCRDMA_V1_MIN_SIZE)

/* Bytes in the page list of most replies, and of such a reply */
#define PAGES		8000u
#define WHOLE		(HEAD + PAGES + TAIL)

static const struct reply_case reply_cases[] = {
	/* RFC 8166 section 3.5.1 */
	{ "short reply", 4096, 0, .type = RPCRDMA_MSG },
	{ "reply with a page", 4096, 3000, .type = RPCRDMA_MSG },
	{ "gathered reply", 16384, 12000, .type = RPCRDMA_MSG, .sges = 16 },
	{ "too many parts to gather", 16384, 12000, .type = RPCRDMA_MSG,
	  .sges = 3 },
	{ "just fits", 1024, INLINE_ROOM - HEAD - TAIL, .type = RPCRDMA_MSG },
	{ "one word too long, no Reply chunk", 1024,
	  INLINE_ROOM - HEAD - TAIL + 4, .type = -1 },
	/* RFC 8166 sections 3.4.6 and 3.5.2: the data without its padding */
	{ "Write chunk", 4096, 8192, {{ HEAD, 8192 }}, {{ 8192 }} },
	{ "Write chunk, several segments, odd length", 4096, PAGES,
	  {{ HEAD, 7997 }}, {{ 4000, 1, 0, 5000 }} },
	{ "Write chunk, larger", 4096, PAGES, {{ HEAD, 6000 }}, {{ 9000 }} },
	{ "Write chunk, one byte", 4096, 1000, {{ HEAD, 1 }}, {{ 1 }} },
	{ "Write chunk, from head to tail", 4096, PAGES,
	  {{ 40, HEAD - 40 + PAGES + 60 }}, {{ 5000, 5000 }} },
	{ "Write chunk, in the head", 4096, 1000, {{ 40, 100 }}, {{ 100 }} },
	{ "Write chunk, in the tail", 4096, 1000, {{ HEAD + 1008, 60 }},
	  {{ 20, 20, 20 }} },
	{ "Write chunk, to the last byte", 4096, 1000,
	  {{ HEAD + 992, TAIL + 8 }}, {{ 4096 }} },
	{ "Write chunk too small", 4096, 8192, {{ HEAD, 8192 }},
	  {{ 8000, 191 }}, .type = -1 },
	{ "Write chunk not used", 4096, 1000, .write = {{ 8192 }} },
	{ "Write chunk, nothing to write", 4096, 1000, {{ HEAD, 0 }},
	  {{ 8192 }} },
	/* RFC 8267 section 4.3: chunks are matched to results in order. */
	{ "three results, one empty", 4096, 3000,
	  {{ 40, 501 }, { 600, 0 }, { 1044, 999 }},
	  {{ 300, 300 }, { 100 }, { 1000 }} },
	{ "more Write chunks than results", 4096, 1000, {{ HEAD, 96 }},
	  {{ 100 }, { 300 }} },
	{ "more results than Write chunks", 4096, 1000,
	  {{ 40, 100 }, { 400, 64 }}, {{ 4096 }} },
	{ "later Write chunks too small", 4096, PAGES,
	  {{ HEAD, 200 }, { HEAD + 204, 100 }, { HEAD + 308, 60 }},
	  {{ 200 }, { 99 }, { 50 }}, .type = -1 },
	/* RFC 5666 section 5.2.2 */
	{ "protected, Write chunk too small", 4096, 1000,
	  {{ HEAD, 200 }, { HEAD + 204, 100 }}, {{ 200 }, { 99 }}, .slack = 16 },
	{ "protected", 4096, 1000, {{ HEAD, 100 }}, {{ 4096 }}, .slack = 64 },
	{ "results elsewhere", 4096, 1000, {{ HEAD, 100 }}, {{ 4096 }},
	  .misplaced = true },
	{ "READLINK of NFSv4", 4096, 1000, {{ 44, 100 }}, {{ 100 }},
	  .readlink = true },
	/* RFC 8166 section 3.5.3 */
	{ "Reply chunk", 1024, PAGES, .reply = { 9000 },
	  .type = RPCRDMA_NOMSG },
	{ "Reply chunk, several segments", 1024, PAGES,
	  .reply = { 100, 4000, 5000 }, .type = RPCRDMA_NOMSG },
	{ "Reply chunk not needed", 4096, 500, .reply = { 9000 } },
	{ "Reply chunk too small", 1024, PAGES, .reply = { 5000, WHOLE - 5001 },
	  .type = -1 },
	{ "Reply chunk just large enough", 1024, PAGES,
	  .reply = { 5000, WHOLE - 5000 }, .type = RPCRDMA_NOMSG },
	/* RFC 5666 section 5.2 */
	{ "Write chunk and Reply chunk", 1024, 12000, {{ HEAD + 2000, 9001 }},
	  {{ 9001 }}, { 100, 3000, 5000 }, .type = RPCRDMA_NOMSG },
};

KUNIT_ARRAY_PARAM_DESC(reply_case, reply_cases, name);

/* v2 draft section 5.3.3: the first Write chunk that is too small */
static void expect_error(struct kunit *test, const struct reply_case *c)
{
	const struct svc_rdma_fault *fault = &sent.error;
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
	KUNIT_EXPECT_EQ(test, fake.wrs, 0);
}

static void reply_with(struct kunit *test,
		       const struct svc_rdma_version *version)
{
	u64 reply_bytes = fake_count(reply_bytes);
	const struct reply_case *c = test->param_value;

	fake_version = version;
	setup(test, c);

	KUNIT_ASSERT_EQ(test, reply_to(c), 0);

	KUNIT_EXPECT_EQ(test, fake.faults, 0);
	KUNIT_EXPECT_EQ(test, !!sent.error.code, c->type < 0);
	KUNIT_EXPECT_EQ(test, !!sent.len, c->type >= 0);
	KUNIT_EXPECT_EQ(test, sent.resets, c->type < 0);
	/* The buffer did not have to grow. */
	KUNIT_EXPECT_EQ(test, sent.grown, 0);
	KUNIT_EXPECT_NULL(test, s->rqst->rq_xprt_ctxt);
	if (!sent.len) {
		expect_error(test, c);
		return;
	}
	KUNIT_ASSERT_LE(test, sent.len, send_size(c));
	expect_reply(test, c);
	KUNIT_EXPECT_EQ(test, hdr.flags,
			version == &svc_rdma_v2 ? RPCRDMA2_F_RESPONSE : 0);
	KUNIT_EXPECT_EQ(test, hdr.inv_handle, 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.xid), 0xabcd);
	KUNIT_EXPECT_EQ(test, hdr.credits, GRANT);
	KUNIT_EXPECT_EQ(test, hdr.type, c->type);
	KUNIT_EXPECT_EQ(test, hdr.reads.segments, 0);
	KUNIT_EXPECT_EQ(test, fake_send->wrs, 1 + fake.wrs);
	KUNIT_EXPECT_EQ(test, hdr.reply.chunks, c->type == RPCRDMA_NOMSG);
	KUNIT_EXPECT_EQ(test, fake_count(reply_bytes) - reply_bytes,
			hdr.reply.bytes);
	KUNIT_EXPECT_EQ(test, s->conn.traffic.reply_bytes,
			s->rqst->rq_res.len - (sent.len - hdr.payload));
	KUNIT_EXPECT_EQ(test, sent.puts, 1);
}

static void replied(struct kunit *test)
{
	reply_with(test, &svc_rdma_v1);
}

static void replied_v2(struct kunit *test)
{
	reply_with(test, &svc_rdma_v2);
}

/* Pages that the adapter reads are held; the thread keeps the others. */
static void pages_kept(struct kunit *test)
{
	struct list_head writes;

	setup(test, &reply_cases[0]);
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, sent.holds, 0);
	KUNIT_EXPECT_PTR_EQ(test, s->rqst->rq_next_page, s->rqst->rq_respages);
	KUNIT_EXPECT_NOT_NULL(test, s->rqst->rq_pages[MAX_PAGES - 1]);

	setup(test, &reply_cases[2]);
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, sent.holds, 1);
	KUNIT_EXPECT_EQ(test, sent.held, MAX_PAGES);
	KUNIT_EXPECT_PTR_EQ(test, s->rqst->rq_next_page,
			    s->rqst->rq_respages + rpcrdma_rqst_empty(MAX_PAGES));

	/* A short reply, but its RDMA Writes use the pages */
	setup(test, &reply_cases[0]);
	list_add(&writes, &fake_send->rws);
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, sent.holds, 1);
}

/* A reply is gathered if it is long and the device has enough SGEs. */
static void gathered(struct kunit *test)
{
	static const struct reply_case longest = {
		.send_size = 4096, .pages = SVC_RDMA_PULLUP - HEAD - TAIL,
	}, longer = {
		.send_size = 4096, .pages = SVC_RDMA_PULLUP - HEAD - TAIL + 4,
	};
	/* Head, page and tail; the head is copied behind the header. */
	const u32 parts = 3;

	setup(test, &longest);
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, sent.holds, 0);
	setup(test, &longer);
	s->conn.caps.send_sges = parts;
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, fake_send->wr.num_sge, parts);
	setup(test, &longer);
	s->conn.caps.send_sges = parts - 1;
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, fake_send->wr.num_sge, 1);
}

/* Replies with chunks that larger Receives would have spared are counted. */
static void long_counted(struct kunit *test)
{
	static const struct {
		struct reply_case reply;
		bool off, counted;
	} cases[] = {
		{ { "", 4096, 8192, {{ HEAD, 8192 }}, {{ 8192 }} },
		  .counted = true },
		{ { "", 1024, PAGES, .reply = { 9000 } }, .counted = true },
		/* sizes do not change */
		{ { "", 4096, 8192, {{ HEAD, 8192 }}, {{ 8192 }} },
		  .off = true },
		/* would have been inline already */
		{ { "", 9216, 8192, {{ HEAD, 8192 }}, {{ 8192 }} } },
		/* inline */
		{ { "", 16384, 12000 } },
	};
	u32 i, len;

	fake_version = &svc_rdma_v2;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		setup(test, &cases[i].reply);
		s->conn.properties.on = !cases[i].off;
		len = s->rqst->rq_res.len + RPCRDMA2_MIN_SIZE;
		KUNIT_ASSERT_EQ(test, reply_to(&cases[i].reply), 0);
		KUNIT_ASSERT_NE(test, sent.len, 0);
		KUNIT_EXPECT_EQ_MSG(test, sent.long_len, cases[i].counted * len,
				    "case %u", i);
	}
}

/* A reply with more entries than the Send Queue fails: no chunk could help. */
static void longer_than_queue(struct kunit *test)
{
	static const struct reply_case chunk = {
		"", 4096, 8192, {{ HEAD, 8192 }}, {{ 8192 }},
	};
	u32 wrs = 0, less;

	for (less = 0; less < 2; less++) {
		setup(test, &chunk);
		s->conn.sq.depth = wrs ? wrs - less : 1000;
		KUNIT_ASSERT_EQ(test, reply_to(&chunk), 0);
		KUNIT_EXPECT_EQ(test, !!sent.len, !less);
		KUNIT_EXPECT_EQ(test, sent.error.code,
				less ? RPCRDMA2_ERR_SYSTEM : 0);
		KUNIT_EXPECT_EQ(test, sent.resets, less);
		wrs = fake_send->wrs;
		KUNIT_ASSERT_GT(test, wrs, 1);
	}
}

/* A reply beyond the Send buffer is gathered, or copied to a larger one. */
static void small_buffer(struct kunit *test)
{
	static const struct reply_case gathered = {
		.send_size = 16384, .pages = 12000, .sges = 16,
	}, copied = {
		.send_size = 16384, .pages = 12000, .sges = 3,
	};

	fake_version = &svc_rdma_v2;
	setup(test, &gathered);
	fake_send->size = 1024;
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, sent.grown, 0);
	expect_reply(test, &gathered);

	setup(test, &copied);
	fake_send->size = 1024;
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, sent.grown, sent.len);
	expect_reply(test, &copied);
}

/* RFC 8166 section 3.3.3: one handle of the call, if that is allowed */
static void invalidates(struct kunit *test)
{
	setup(test, &reply_cases[0]);
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, sent.inv, 0);

	setup(test, &reply_cases[0]);
	s->recv.handle = HANDLE;
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, sent.inv, HANDLE);
}

static void closing(struct kunit *test)
{
	setup(test, &reply_cases[0]);
	atomic_set(&s->conn.life.state, SVC_RDMA_CLOSING);
	KUNIT_EXPECT_EQ(test, svc_rdma_reply_send(s->rqst), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, sent.len, 0);
}

/* The thread still owns the call and releases it; the connection is closed. */
static void expect_closed(struct kunit *test, int error, u32 send_puts)
{
	KUNIT_EXPECT_EQ(test, svc_rdma_reply_send(s->rqst), error);
	fake_memory_left = -1;
	KUNIT_EXPECT_EQ(test, sent.len, 0);
	KUNIT_EXPECT_EQ(test, sent.error.code, 0);
	KUNIT_EXPECT_EQ(test, sent.closed, 1);
	KUNIT_EXPECT_EQ(test, sent.send_puts, send_puts);
	KUNIT_EXPECT_EQ(test, sent.puts, 0);
	KUNIT_EXPECT_PTR_EQ(test, s->rqst->rq_xprt_ctxt, (void *)&s->recv);
}

/* No Send context, DMA mapping, larger buffer, or memory to hold pages */
static void cannot_be_sent(struct kunit *test)
{
	setup(test, &reply_cases[0]);
	fake_send = NULL;
	expect_closed(test, -ENOMEM, 0);

	setup(test, &reply_cases[2]);
	fake_memory_left = 0;
	expect_closed(test, -EIO, 1);

	setup(test, &reply_cases[2]);
	sent.hold_result = -ENOMEM;
	expect_closed(test, -ENOMEM, 1);

	setup(test, &reply_cases[3]);
	fake_send->size = 1024;
	sent.grow_result = -ENOMEM;
	expect_closed(test, -ENOMEM, 1);
}

/*
 * A reply, what happens to the page of its head, and how many other pages are
 * held. @size: bytes of the Send buffer, if not as many as may be sent
 */
static const struct head_case {
	struct reply_case reply;
	u32 size;
	bool kept;
	u32 held;
} head_cases[] = {
	{ { "copied", 4096, 500 }, .kept = true },
	{ { "gathered", 16384, 12000 }, .kept = true, .held = MAX_PAGES },
	{ { "room for head and tail", 16384, 12000 },
	  RPCRDMA_V1_MIN_SIZE + HEAD + TAIL, true, MAX_PAGES },
	{ { "no room for head and tail", 16384, 12000 },
	  RPCRDMA_V1_MIN_SIZE + HEAD + TAIL - 1, false, 1 + MAX_PAGES },
	{ { "Write chunk", 4096, 8192, {{ HEAD, 8192 }}, {{ 8192 }} },
	  .kept = true, .held = MAX_PAGES },
	{ { "Write chunk and a gathered rest", 8192, 12000,
	    {{ HEAD + 2000, 8000 }}, {{ 8000 }} },
	  .kept = true, .held = MAX_PAGES },
	{ { "head in a Write chunk", 4096, 500, {{ 100, 60 }}, {{ 60 }} },
	  .held = 1 + MAX_PAGES },
	{ { "tail in a Write chunk", 4096, 500, {{ HEAD + 504, 20 }},
	    {{ 20 }} }, .held = 1 + MAX_PAGES },
	{ { "Reply chunk", 1024, 8000, .reply = { 9000 },
	    .type = RPCRDMA_NOMSG }, .held = 1 + MAX_PAGES },
};

KUNIT_ARRAY_PARAM_DESC(head_case, head_cases, reply.name);

/* Move head and tail to where nfsd has them: in the first page. */
static void use_head_page(struct kunit *test)
{
	struct svc_rqst *rqstp = s->rqst;
	struct xdr_buf *res = &rqstp->rq_res;

	fake_head_page = fake_page(test);
	memmove(rqstp->rq_pages + 1, rqstp->rq_pages,
		MAX_PAGES * sizeof(rqstp->rq_pages[0]));
	rqstp->rq_pages[0] = fake_head_page;
	res->pages = rqstp->rq_pages + 1;
	rqstp->rq_next_page = rqstp->rq_pages + 1 + MAX_PAGES;
	res->head[0].iov_base = page_address(fake_head_page);
	memcpy(res->head[0].iov_base, s->head, HEAD);
	res->tail[0].iov_base = res->head[0].iov_base + HEAD;
	memcpy(res->tail[0].iov_base, s->tail, TAIL);
}

/* nfsd keeps the page of the head if nothing reads it, and only then. */
static void head_kept(struct kunit *test)
{
	const struct head_case *c = test->param_value;
	const struct reply_case *reply = &c->reply;
	u64 kept = fake_count(heads_kept);
	struct svc_rqst *rqstp;

	setup(test, reply);
	rqstp = s->rqst;
	use_head_page(test);
	fake_send->size = c->size ?: fake_send->size;
	if (write_chunks(reply))
		list_add(&s->writes, &fake_send->rws);

	KUNIT_ASSERT_EQ(test, reply_to(reply), 0);
	KUNIT_ASSERT_NE(test, sent.len, 0);
	expect_reply(test, reply);
	KUNIT_EXPECT_EQ(test, fake_count(heads_kept) - kept, c->kept);
	KUNIT_EXPECT_EQ(test, !!sent.head_reads,
			reply->type == RPCRDMA_MSG && !c->kept &&
			!write_chunks(reply));
	if (reply->type == RPCRDMA_NOMSG)
		return;
	KUNIT_EXPECT_EQ(test, sent.held, c->held);
	if (sent.held)
		KUNIT_EXPECT_EQ(test, sent.first == fake_head_page, !c->kept);
	/* sunrpc fills the empty entries, which come first. */
	KUNIT_EXPECT_EQ(test, rqstp->rq_next_page - rqstp->rq_respages,
			rpcrdma_rqst_empty(sent.held));
	KUNIT_EXPECT_EQ(test, rqstp->rq_pages[sent.held] == fake_head_page,
			c->kept);
}

/* Nor does nfsd keep a head that the requester reads, or that is elsewhere. */
static void head_not_kept(struct kunit *test)
{
	setup(test, &head_cases[0].reply);
	use_head_page(test);
	fake_send->advert = (void *)s;
	KUNIT_EXPECT_FALSE(test, svc_rdma_reply_keeps_head(fake_send, s->rqst));
	fake_send->advert = NULL;

	s->rqst->rq_res.head[0].iov_base += 4;
	KUNIT_EXPECT_FALSE(test, svc_rdma_reply_keeps_head(fake_send, s->rqst));
	s->rqst->rq_res.head[0].iov_base -= 4;

	/* sunrpc would not free any page. */
	s->rqst->rq_next_page = s->rqst->rq_pages;
	KUNIT_EXPECT_FALSE(test, svc_rdma_reply_keeps_head(fake_send, s->rqst));

	s->rqst->rq_next_page = s->rqst->rq_pages + 1;
	KUNIT_EXPECT_TRUE(test, svc_rdma_reply_keeps_head(fake_send, s->rqst));
}

static int begin_case(struct kunit *test)
{
	fake_version = &svc_rdma_v1;
	return 0;
}

static struct kunit_case svc_sendto_cases[] = {
	KUNIT_CASE_PARAM(replied, reply_case_gen_params),
	KUNIT_CASE_PARAM(replied_v2, reply_case_gen_params),
	KUNIT_CASE(pages_kept),
	KUNIT_CASE(gathered),
	KUNIT_CASE(longer_than_queue),
	KUNIT_CASE(long_counted),
	KUNIT_CASE(small_buffer),
	KUNIT_CASE(invalidates),
	KUNIT_CASE(closing),
	KUNIT_CASE(cannot_be_sent),
	KUNIT_CASE_PARAM(head_kept, head_case_gen_params),
	KUNIT_CASE(head_not_kept),
	{}
};

SUITE("svc_rdma_reply", svc_sendto_cases, .init = begin_case);
