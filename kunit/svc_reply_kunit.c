// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the client receives every reply byte for byte as nfsd built it, inline
 * or in the chunks that it offered, in both versions, or else an error that
 * tells it what to offer (RFC 8166 section 3.5, v2 draft sections 3.2 and 5.3).
 * If this failed, a READ would return the wrong data.
 */
#include "svc_reply_fakes.h"

#define INLINE_ROOM	(1024u - RPCRDMA_V1_MIN_SIZE)

static const struct reply_case reply_cases[] = {
	/* RFC 8166 section 3.5.1 */
	{ "short reply", 4096, 0, .type = RPCRDMA_MSG },
	{ "reply with a page", 4096, 3000, .type = RPCRDMA_MSG },
	{ "gathered reply", 16384, 12000, .type = RPCRDMA_MSG, .sges = 16 },
	{ "too many parts to gather", 16384, 12000, .type = RPCRDMA_MSG,
	  .sges = 3 },
	{ "just fits", 1024, INLINE_ROOM - HEAD - TAIL,
	  .type = RPCRDMA_MSG },
	{ "one word too long, no Reply chunk", 1024,
	  INLINE_ROOM - HEAD - TAIL + 4, .type = -1 },
	/* RFC 8166 section 3.5.2 */
	{ "Write chunk", 4096, 8192, HEAD, 8192, .write = { 8192 },
	  .type = RPCRDMA_MSG },
	{ "Write chunk, several segments, odd length", 4096, 8000, HEAD, 7997,
	  .write = { 4000, 1, 5000 }, .type = RPCRDMA_MSG },
	{ "Write chunk too small", 4096, 8192, HEAD, 8192, .write = { 8191 },
	  .type = -1 },
	{ "Write chunk not used", 4096, 1000, .write = { 8192 },
	  .type = RPCRDMA_MSG },
	{ "Write chunk, nothing to write", 4096, 1000, HEAD, 0,
	  .write = { 8192 }, .type = RPCRDMA_MSG },
	/* RFC 8166 section 3.5.3 */
	{ "Reply chunk", 1024, 8000, .reply = { 9000 },
	  .type = RPCRDMA_NOMSG },
	{ "Reply chunk, several segments", 1024, 8000,
	  .reply = { 100, 4000, 5000 }, .type = RPCRDMA_NOMSG },
	{ "Reply chunk not needed", 4096, 500, .reply = { 9000 },
	  .type = RPCRDMA_MSG },
	{ "Reply chunk too small", 1024, 8000, .reply = { 8239 },
	  .type = -1 },
	{ "Reply chunk just large enough", 1024, 8000, .reply = { 8240 },
	  .type = RPCRDMA_NOMSG },
	{ "Write chunk and Reply chunk", 1024, 12000, HEAD + 2000, 9001,
	  .write = { 9001 }, .reply = { 5000 }, .type = RPCRDMA_NOMSG },
};

KUNIT_ARRAY_PARAM_DESC(reply_case, reply_cases, name);

/* v2 draft section 5.3.3: the error says what the requester must offer */
static void expect_error(struct kunit *test, const struct reply_case *c)
{
	const struct svc_rdma_fault *fault = &sent.error;

	if (c->write[0]) {
		KUNIT_EXPECT_EQ(test, fault->code,
				RPCRDMA2_ERR_WRITE_RESOURCE);
		KUNIT_EXPECT_EQ(test, fault->index, 1);
		KUNIT_EXPECT_EQ(test, fault->value, c->length);
	} else {
		KUNIT_EXPECT_EQ(test, fault->code,
				RPCRDMA2_ERR_REPLY_RESOURCE);
		KUNIT_EXPECT_EQ(test, fault->value, HEAD + c->pages + TAIL);
	}
}

static void reply_with(struct kunit *test,
		       const struct svc_rdma_version *version)
{
	u64 reply_bytes = fake_count(reply_bytes);
	const struct reply_case *c = test->param_value;
	struct rpcrdma_hdr hdr;
	struct setup *s;

	fake_version = version;
	s = setup(test, c);

	/* Act */
	if (c->offset)
		svc_rdma_payload_add(s->rqst, c->offset, c->length);
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);

	/* Assert */
	KUNIT_EXPECT_EQ(test, fake.faults, 0);
	KUNIT_EXPECT_EQ(test, !!sent.error.code, c->type < 0);
	KUNIT_EXPECT_EQ(test, !!sent.len, c->type >= 0);
	KUNIT_EXPECT_EQ(test, sent.resets, c->type < 0);
	/* The buffer did not have to grow. */
	KUNIT_EXPECT_EQ(test, sent.grown, 0);
	if (!sent.len) {
		expect_error(test, c);
		return;
	}
	KUNIT_ASSERT_LE(test, sent.len, send_size(c));
	KUNIT_ASSERT_EQ(test, 0, version->decode(&hdr, sent.msg, sent.len));
	KUNIT_EXPECT_EQ(test, hdr.flags,
			version == &svc_rdma_v2 ? RPCRDMA2_F_RESPONSE : 0);
	KUNIT_EXPECT_EQ(test, hdr.inv_handle, 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.xid), 0xabcd);
	KUNIT_EXPECT_EQ(test, hdr.credits, GRANT);
	KUNIT_EXPECT_EQ(test, hdr.type, c->type);
	KUNIT_EXPECT_EQ(test, hdr.reads.segments, 0);
	KUNIT_EXPECT_EQ(test, hdr.writes.chunks, !!c->write[0]);
	KUNIT_EXPECT_EQ(test, hdr.reply.chunks, c->type == RPCRDMA_NOMSG);
	KUNIT_EXPECT_EQ(test, fake_count(reply_bytes) - reply_bytes,
			hdr.reply.bytes);
	KUNIT_EXPECT_EQ(test, s->conn.traffic.reply_bytes,
			s->rqst->rq_res.len - (sent.len - hdr.payload));
	expect_reply(test, s, c, &hdr);
	KUNIT_EXPECT_EQ(test, sent.puts, 1);
	KUNIT_EXPECT_PTR_EQ(test, s->rqst->rq_xprt_ctxt, NULL);
}

static void replied(struct kunit *test)
{
	reply_with(test, &svc_rdma_v1);
}

static void replied_v2(struct kunit *test)
{
	reply_with(test, &svc_rdma_v2);
}

/*
 * Pages that the adapter reads are held until the Send completes; a reply that
 * was copied holds none, and the thread keeps its pages.
 */
static void pages_kept(struct kunit *test)
{
	struct list_head writes;
	struct setup *s;

	fake_version = &svc_rdma_v1;
	s = setup(test, &reply_cases[0]);
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, sent.holds, 0);
	KUNIT_EXPECT_PTR_EQ(test, s->rqst->rq_next_page,
			    s->rqst->rq_respages);
	KUNIT_EXPECT_NOT_NULL(test, s->rqst->rq_pages[MAX_PAGES - 1]);

	s = setup(test, &reply_cases[2]);
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, sent.holds, 1);
	KUNIT_EXPECT_EQ(test, sent.held, MAX_PAGES);
	KUNIT_EXPECT_PTR_EQ(test, s->rqst->rq_next_page,
			    s->rqst->rq_respages + rpcrdma_rqst_empty(MAX_PAGES));

	/* A short reply, but its RDMA Writes use the pages */
	s = setup(test, &reply_cases[0]);
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
	struct setup *s;
	u32 parts;

	fake_version = &svc_rdma_v1;
	s = setup(test, &longest);
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, sent.holds, 0);
	s = setup(test, &longer);
	parts = svc_rdma_count_pages(&s->recv, &s->rqst->rq_res);
	KUNIT_ASSERT_GE(test, parts, 3);
	s->conn.caps.send_sges = parts + 1;
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	/* The head has been copied behind the header. */
	KUNIT_EXPECT_EQ(test, fake_send->wr.num_sge, parts);
	s = setup(test, &longer);
	s->conn.caps.send_sges = parts;
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, fake_send->wr.num_sge, 1);
}

static void fake_long_reply(struct svc_rdma_conn *conn, u32 len)
{
	sent.long_len = len;
}

/* Replies with chunks that larger Receives would have spared are counted. */
static void long_counted(struct kunit *test)
{
	static const struct svc_rdma_properties_ops ops = {
		.long_reply = fake_long_reply,
	};
	static const struct {
		struct reply_case reply;
		bool off;
		bool counted;
	} cases[] = {
		{ { .send_size = 4096, .pages = 8192, .offset = HEAD,
		    .length = 8192, .write = { 8192 } }, .counted = true },
		{ { .send_size = 1024, .pages = 8000, .reply = { 9000 } },
		  .counted = true },
		/* sizes do not change */
		{ { .send_size = 4096, .pages = 8192, .offset = HEAD,
		    .length = 8192, .write = { 8192 } }, .off = true },
		/* would have been inline already */
		{ { .send_size = 9216, .pages = 8192, .offset = HEAD,
		    .length = 8192, .write = { 8192 } } },
		/* inline */
		{ { .send_size = 16384, .pages = 12000 } },
	};
	struct setup *s;
	u32 i, len;

	fake_version = &svc_rdma_v2;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		s = setup(test, &cases[i].reply);
		s->conn.properties.ops = &ops;
		if (cases[i].off)
			s->conn.properties.ops = NULL;
		if (cases[i].reply.offset)
			svc_rdma_payload_add(s->rqst, cases[i].reply.offset,
					     cases[i].reply.length);
		len = s->rqst->rq_res.len + RPCRDMA2_MIN_SIZE;
		KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
		KUNIT_ASSERT_NE(test, sent.len, 0);
		KUNIT_EXPECT_EQ_MSG(test, sent.long_len, cases[i].counted * len,
				    "case %u", i);
	}
}

/*
 * Each Write chunk is returned with its own length: with data in both, or in
 * one.
 */
static void two_results(struct kunit *test)
{
	static const struct reply_case two = {
		.send_size = 4096, .pages = 1000, .offset = HEAD, .length = 96,
		.write = { 100 }, .write2 = 300,
	};
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	struct rpcrdma_hdr hdr;
	struct setup *s;
	u32 n, i, count;

	fake_version = &svc_rdma_v2;
	for (n = 1; n <= 2; n++) {
		s = setup(test, &two);
		put_unaligned_be32(200, page_address(s->rqst->rq_pages[0]) + 96);
		svc_rdma_payload_add(s->rqst, HEAD, 96);
		if (n == 2)
			svc_rdma_payload_add(s->rqst, HEAD + 100, 200);
		KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
		KUNIT_ASSERT_EQ(test, 0,
				rpcrdma_decode_v2(&hdr, sent.msg, sent.len));
		KUNIT_ASSERT_EQ(test, hdr.writes.chunks, 2);
		rpcrdma_chunks_begin(&hdr, &hdr.writes, &cur);
		for (i = 0; i < 2; i++) {
			KUNIT_ASSERT_TRUE(test, rpcrdma_chunks_next(&cur, &count));
			KUNIT_ASSERT_TRUE(test, rpcrdma_segments_next(&cur, &seg));
			KUNIT_EXPECT_EQ(test, seg.length,
					i == 0 ? 96 : n == 2 ? 200 : 0);
		}
	}
}

/*
 * A reply that needs more entries than the Send Queue has fails: no chunk could
 * help.
 */
static void longer_than_queue(struct kunit *test)
{
	static const struct reply_case chunk = {
		.send_size = 4096, .pages = 8192, .offset = HEAD,
		.length = 8192, .write = { 8192 },
	};
	u32 wrs = 0, less;
	struct setup *s;

	fake_version = &svc_rdma_v1;
	for (less = 0; less < 2; less++) {
		s = setup(test, &chunk);
		s->conn.sq.depth = wrs ? wrs - less : 1000;
		svc_rdma_payload_add(s->rqst, HEAD, 8192);
		KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
		KUNIT_EXPECT_EQ(test, !!sent.len, !less);
		KUNIT_EXPECT_EQ(test, sent.error.code,
				less ? RPCRDMA2_ERR_SYSTEM : 0);
		KUNIT_EXPECT_EQ(test, sent.resets, less);
		wrs = fake_send->wrs;
		KUNIT_ASSERT_GT(test, wrs, 1);
	}
}

/*
 * A version 2 requester may receive more than fits into a Send buffer. Such a
 * reply is gathered, or copied into a larger buffer.
 */
static void small_buffer(struct kunit *test)
{
	static const struct reply_case gathered = {
		.send_size = 16384, .pages = 12000, .sges = 16,
	}, copied = {
		.send_size = 16384, .pages = 12000, .sges = 3,
	};
	struct rpcrdma_hdr hdr;
	struct setup *s;

	fake_version = &svc_rdma_v2;
	s = setup(test, &gathered);
	fake_send->size = 1024;
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_decode_v2(&hdr, sent.msg, sent.len));
	KUNIT_EXPECT_EQ(test, sent.grown, 0);
	expect_reply(test, s, &gathered, &hdr);

	s = setup(test, &copied);
	fake_send->size = 1024;
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_decode_v2(&hdr, sent.msg, sent.len));
	KUNIT_EXPECT_EQ(test, sent.grown, sent.len);
	expect_reply(test, s, &copied, &hdr);
}

/*
 * RFC 8166 section 3.3.3: one handle of the call, if Remote Invalidation is
 * allowed
 */
static void invalidates(struct kunit *test)
{
	struct setup *s;

	fake_version = &svc_rdma_v1;
	s = setup(test, &reply_cases[0]);
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, sent.inv, 0);

	s = setup(test, &reply_cases[0]);
	s->recv.invalidate = true;
	s->recv.handle = HANDLE;
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, sent.inv, HANDLE);
}

/* Nothing is sent on a closing connection. */
static void closing(struct kunit *test)
{
	struct setup *s;

	fake_version = &svc_rdma_v1;
	s = setup(test, &reply_cases[0]);
	atomic_set(&s->conn.life.state, SVC_RDMA_CLOSING);
	KUNIT_EXPECT_EQ(test, svc_rdma_reply_send(s->rqst), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, sent.len, 0);
}

/* The thread still owns the call and releases it; the connection is closed. */
static void expect_closed(struct kunit *test, struct setup *s, int error,
			  u32 send_puts)
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
	struct setup *s;

	fake_version = &svc_rdma_v1;
	s = setup(test, &reply_cases[0]);
	fake_send = NULL;
	expect_closed(test, s, -ENOMEM, 0);

	s = setup(test, &reply_cases[2]);
	fake_memory_left = 0;
	expect_closed(test, s, -EIO, 1);

	s = setup(test, &reply_cases[2]);
	sent.hold_result = -ENOMEM;
	expect_closed(test, s, -ENOMEM, 1);

	s = setup(test, &reply_cases[3]);
	fake_send->size = 1024;
	sent.grow_result = -ENOMEM;
	expect_closed(test, s, -ENOMEM, 1);
}

static struct kunit_case svc_sendto_cases[] = {
	KUNIT_CASE_PARAM(replied, reply_case_gen_params),
	KUNIT_CASE_PARAM(replied_v2, reply_case_gen_params),
	KUNIT_CASE(pages_kept),
	KUNIT_CASE(gathered),
	KUNIT_CASE(longer_than_queue),
	KUNIT_CASE(long_counted),
	KUNIT_CASE(two_results),
	KUNIT_CASE(small_buffer),
	KUNIT_CASE(invalidates),
	KUNIT_CASE(closing),
	KUNIT_CASE(cannot_be_sent),
	{}
};

static struct kunit_suite svc_sendto_suite = {
	.name = "svc_rdma_reply",
	.test_cases = svc_sendto_cases,
};

kunit_test_suite(svc_sendto_suite);

MODULE_DESCRIPTION("KUnit suite of svcrdma's replies");
MODULE_LICENSE("GPL");
