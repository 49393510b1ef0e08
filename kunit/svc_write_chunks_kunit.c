// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: each byte of a reply goes to exactly one place, Write chunk, Reply
 * chunk or Send, and never beyond the end of a segment (RFC 5666 section 3.6,
 * RFC 8166 section 3.4.6). If this failed, a client would get a READ's data in
 * the wrong place, or have its memory overwritten.
 */
#include <linux/module.h>
#include <linux/sunrpc/xdr.h>

#include "svc_fakes.h"

#define svc_rdma_rw_add		fake_rw_add

#include "../svcrdma/message/payloads.c"
#include "../svcrdma/message/write_chunks.c"

#define HEAD		200u
#define PAGE_BASE	40u
#define PAGES		3u
#define PAGE_BYTES	8000u
#define TAIL		120u
#define REPLY		(HEAD + PAGE_BYTES + TAIL)
#define MAX_SEGS	8u

/**
 * struct reply - a reply, and the chunks offered by its call
 * @rqst: nfsd thread
 * @recv: the call
 * @send: the Send context
 * @want: the reply as a stream
 * @head: first part of it
 * @tail: last part of it
 * @pages: the rest
 * @hdr: the call's transport header
 * @enc: its encoder
 * @segs: segments of all chunks
 * @nsegs: entries of @segs
 */
struct reply {
	struct svc_rqst *rqst;
	struct svc_rdma_recv_ctx *recv;
	struct svc_rdma_send_ctx *send;
	u8 want[REPLY];
	u8 head[HEAD];
	u8 tail[TAIL];
	struct page *pages[PAGES];
	u8 hdr[512];
	struct rpcrdma_encoder enc;
	struct rpcrdma_segment segs[MAX_SEGS];
	u32 nsegs;
};

/* Opaque items are preceded by their length. */
static void put_length(struct reply *reply, u32 offset, u32 length)
{
	put_unaligned_be32(length, reply->want + offset - XDR_UNIT);
}

static struct reply *reply_create(struct kunit *test)
{
	struct reply *reply = fake_zalloc(test, sizeof(*reply));
	u32 i;

	KUNIT_ASSERT_EQ(test, 0, fake_init(test));
	reply->recv = fake_zalloc(test, sizeof(*reply->recv));
	reply->send = fake_zalloc(test, sizeof(*reply->send));
	reply->rqst = fake_rqst(test);
	reply->rqst->rq_xprt_ctxt = reply->recv;
	for (i = 0; i < PAGES; i++)
		reply->pages[i] = fake_page(test);
	for (i = 0; i < REPLY; i++)
		reply->want[i] = i % 251;
	rpcrdma_encode_init(&reply->enc, reply->hdr, sizeof(reply->hdr));
	rpcrdma_encode_fixed(&reply->enc, cpu_to_be32(1), RPCRDMA_VERSION_1, 1,
			     RPCRDMA_MSG);
	rpcrdma_encode_list_end(&reply->enc);
	return reply;
}

static void add_chunk(struct reply *reply, u32 nsegs, const u32 *lengths)
{
	u32 i;

	rpcrdma_encode_chunk_begin(&reply->enc);
	for (i = 0; i < nsegs; i++) {
		reply->segs[reply->nsegs] = fake_segment(lengths[i]);
		rpcrdma_encode_segment(&reply->enc,
				       &reply->segs[reply->nsegs++]);
	}
	rpcrdma_encode_chunk_end(&reply->enc);
}

/* Ends the header, decodes it, and puts the reply where nfsd would. */
static void reply_ready(struct kunit *test, struct reply *reply, bool chunk)
{
	struct xdr_buf *res = &reply->rqst->rq_res;
	u32 i, at;

	if (!chunk)
		rpcrdma_encode_list_end(&reply->enc);
	KUNIT_ASSERT_EQ(test, 0,
			rpcrdma_decode(&reply->recv->hdr, reply->hdr,
				       rpcrdma_encode_finish(&reply->enc)));
	memcpy(reply->head, reply->want, HEAD);
	memcpy(reply->tail, reply->want + HEAD + PAGE_BYTES, TAIL);
	for (i = 0; i < PAGE_BYTES; i++) {
		at = PAGE_BASE + i;
		((u8 *)page_address(reply->pages[at >> PAGE_SHIFT]))
			[offset_in_page(at)] = reply->want[HEAD + i];
	}
	res->head[0].iov_base = reply->head;
	res->head[0].iov_len = HEAD;
	res->pages = reply->pages;
	res->page_base = PAGE_BASE;
	res->page_len = PAGE_BYTES;
	res->tail[0].iov_base = reply->tail;
	res->tail[0].iov_len = TAIL;
	res->len = REPLY;
	res->buflen = REPLY;
}

/* The bytes are in the segments from @seg on, and nowhere else. */
static void expect_written(struct kunit *test, struct reply *reply, u32 seg,
			   u32 nsegs, const u8 *want, u32 len)
{
	u32 i, bytes;

	for (; nsegs; nsegs--, seg++) {
		const u8 *mem = fake.memory + reply->segs[seg].offset;

		bytes = min(len, reply->segs[seg].length);
		KUNIT_EXPECT_EQ(test, memcmp(mem, want, bytes), 0);
		for (i = bytes; i < reply->segs[seg].length + 16; i++)
			KUNIT_EXPECT_EQ(test, mem[i], FAKE_CANARY);
		want += bytes;
		len -= bytes;
	}
	KUNIT_EXPECT_EQ(test, len, 0);
	KUNIT_EXPECT_EQ(test, fake.faults, 0);
}

static u32 reduced(struct kunit *test, struct reply *reply)
{
	KUNIT_ASSERT_EQ(test, 0,
			svc_rdma_payloads_check(reply->recv, reply->rqst));
	return svc_rdma_reduced_length(reply->recv, &reply->rqst->rq_res);
}

/* Start and length of a payload */
struct payload_case {
	const char *name;
	u32 offset;
	u32 length;
	u32 nsegs;
	u32 segs[4];
};

static const struct payload_case payload_cases[] = {
	{ "pages only", HEAD, 4096, 1, { 4096 } },
	{ "larger chunk", HEAD, 4096, 1, { 9000 } },
	{ "odd length", HEAD, 4093, 1, { 4096 } },
	{ "one byte", HEAD, 1, 1, { 1 } },
	{ "several segments", HEAD, 7999, 4, { 1000, 1, 0, 7000 } },
	{ "all of the pages", HEAD, PAGE_BYTES, 2, { 4000, 4000 } },
	{ "within the head", 40, 100, 1, { 100 } },
	{ "from head to tail", 40, HEAD - 40 + PAGE_BYTES + 60, 2,
	  { 5000, 5000 } },
	{ "within the tail", HEAD + PAGE_BYTES + 8, 60, 3, { 20, 20, 20 } },
	{ "to the last byte", HEAD + PAGE_BYTES - 8, TAIL + 8, 1, { 4096 } },
};

KUNIT_ARRAY_PARAM_DESC(payload_case, payload_cases, name);

/* RFC 8166 section 3.4.6: the chunk gets the payload without padding. */
static void payload_written(struct kunit *test)
{
	const struct payload_case *c = test->param_value;
	struct reply *reply = reply_create(test);

	/* Arrange */
	add_chunk(reply, c->nsegs, c->segs);
	rpcrdma_encode_list_end(&reply->enc);
	put_length(reply, c->offset, c->length);
	reply_ready(test, reply, false);

	/* Act */
	svc_rdma_payload_add(reply->rqst, c->offset, c->length);

	/* Assert */
	KUNIT_EXPECT_EQ(test, reduced(test, reply),
			REPLY - xdr_align_size(c->length));
	KUNIT_EXPECT_EQ(test, svc_rdma_write_chunks(reply->send, reply->recv,
						    &reply->rqst->rq_res), 0);
	expect_written(test, reply, 0, c->nsegs, reply->want + c->offset,
		       c->length);
	KUNIT_EXPECT_EQ(test, reply->send->wrs, fake.wrs);
}

/* RFC 8267 section 4.3: chunks are matched to results in order. */
static void payloads_in_order(struct kunit *test)
{
	static const u32 a[] = { 300, 300 }, b[] = { 100 }, c[] = { 1000 };
	struct reply *reply = reply_create(test);

	/* Arrange: the second result is empty */
	add_chunk(reply, 2, a);
	add_chunk(reply, 1, b);
	add_chunk(reply, 1, c);
	rpcrdma_encode_list_end(&reply->enc);
	put_length(reply, 40, 501);
	put_length(reply, 1044, 999);
	reply_ready(test, reply, false);

	/* Act */
	svc_rdma_payload_add(reply->rqst, 40, 501);
	svc_rdma_payload_add(reply->rqst, 600, 0);
	svc_rdma_payload_add(reply->rqst, 1044, 999);

	/* Assert */
	KUNIT_EXPECT_EQ(test, reduced(test, reply), REPLY - 504 - 1000);
	KUNIT_EXPECT_EQ(test, svc_rdma_write_chunks(reply->send, reply->recv,
						    &reply->rqst->rq_res), 0);
	expect_written(test, reply, 0, 2, reply->want + 40, 501);
	expect_written(test, reply, 2, 1, NULL, 0);
	expect_written(test, reply, 3, 1, reply->want + 1044, 999);
}

/* NFSv4 READLINK: nfsd passes the offset of the length, not of the data. */
static void length_named(struct kunit *test)
{
	static const u32 lengths[] = { 100 };
	struct reply *reply = reply_create(test);

	add_chunk(reply, 1, lengths);
	rpcrdma_encode_list_end(&reply->enc);
	put_length(reply, 44, 100);
	reply_ready(test, reply, false);
	svc_rdma_payload_add(reply->rqst, 40, 100);
	KUNIT_EXPECT_EQ(test, reduced(test, reply), REPLY - 100);
	KUNIT_EXPECT_EQ(test, svc_rdma_write_chunks(reply->send, reply->recv,
						    &reply->rqst->rq_res), 0);
	expect_written(test, reply, 0, 1, reply->want + 44, 100);
}

/* A result too long for its chunk is an error, and nothing is written. */
static void chunk_too_small(struct kunit *test)
{
	static const u32 lengths[] = { 100, 99 };
	struct reply *reply = reply_create(test);

	add_chunk(reply, 2, lengths);
	rpcrdma_encode_list_end(&reply->enc);
	put_length(reply, HEAD, 200);
	reply_ready(test, reply, false);
	svc_rdma_payload_add(reply->rqst, HEAD, 200);
	KUNIT_EXPECT_EQ(test, svc_rdma_payloads_check(reply->recv, reply->rqst),
			-E2BIG);
	KUNIT_EXPECT_EQ(test, fake.wrs, 0);
	KUNIT_EXPECT_EQ(test, reply->recv->fault.code,
			RPCRDMA2_ERR_WRITE_RESOURCE);
	KUNIT_EXPECT_EQ(test, reply->recv->fault.index, 1);
	KUNIT_EXPECT_EQ(test, reply->recv->fault.value, 200);
}

/* v2 draft section 5.3.3: the error names the first chunk that is too short. */
static void second_chunk_too_small(struct kunit *test)
{
	static const u32 lengths[] = { 200, 99, 50 };
	struct reply *reply = reply_create(test);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++)
		add_chunk(reply, 1, &lengths[i]);
	rpcrdma_encode_list_end(&reply->enc);
	reply_ready(test, reply, false);
	svc_rdma_payload_add(reply->rqst, HEAD, 200);
	svc_rdma_payload_add(reply->rqst, HEAD + 204, 100);
	svc_rdma_payload_add(reply->rqst, HEAD + 308, 60);
	KUNIT_EXPECT_EQ(test, svc_rdma_payloads_check(reply->recv, reply->rqst),
			-E2BIG);
	KUNIT_EXPECT_EQ(test, reply->recv->fault.index, 2);
	KUNIT_EXPECT_EQ(test, reply->recv->fault.value, 100);

	/* With RPCSEC_GSS privacy no chunk is used, however short. */
	reply->rqst->rq_auth_slack = 16;
	KUNIT_EXPECT_EQ(test, svc_rdma_payloads_check(reply->recv, reply->rqst),
			0);
	KUNIT_EXPECT_EQ(test, reply->recv->fault.code, 0);
}

/* Results without a chunk stay inline. */
static void more_results_than_chunks(struct kunit *test)
{
	static const u32 lengths[] = { 4096 };
	struct reply *reply = reply_create(test);

	add_chunk(reply, 1, lengths);
	rpcrdma_encode_list_end(&reply->enc);
	put_length(reply, 40, 100);
	put_length(reply, 400, 64);
	reply_ready(test, reply, false);
	svc_rdma_payload_add(reply->rqst, 40, 100);
	svc_rdma_payload_add(reply->rqst, 400, 64);
	KUNIT_EXPECT_EQ(test, reduced(test, reply), REPLY - 100);
	KUNIT_EXPECT_EQ(test, reply->recv->npayloads, 1);
}

/* A payload that is not where nfsd says is sent inline. */
static void misplaced_payload(struct kunit *test)
{
	static const u32 lengths[] = { 4096 };
	struct reply *reply = reply_create(test);

	add_chunk(reply, 1, lengths);
	rpcrdma_encode_list_end(&reply->enc);
	reply_ready(test, reply, false);
	svc_rdma_payload_add(reply->rqst, HEAD, 100);
	KUNIT_EXPECT_EQ(test, reduced(test, reply), REPLY);
	KUNIT_EXPECT_EQ(test, svc_rdma_write_chunks(reply->send, reply->recv,
						    &reply->rqst->rq_res), 0);
	KUNIT_EXPECT_EQ(test, fake.wrs, 0);
}

/* No direct data placement with RPCSEC_GSS integrity or privacy */
static void protected_reply(struct kunit *test)
{
	static const u32 lengths[] = { 4096 };
	struct reply *reply = reply_create(test);

	add_chunk(reply, 1, lengths);
	rpcrdma_encode_list_end(&reply->enc);
	put_length(reply, HEAD, 100);
	reply_ready(test, reply, false);
	reply->rqst->rq_auth_slack = 64;
	svc_rdma_payload_add(reply->rqst, HEAD, 100);
	KUNIT_EXPECT_EQ(test, reduced(test, reply), REPLY);
}

/* RFC 5666 section 5.2: the Reply chunk takes the rest of the Write chunks. */
static void reply_chunk_and_write_chunk(struct kunit *test)
{
	static const u32 data[] = { 5000 }, rest[] = { 100, 3000, 5000 };
	struct reply *reply = reply_create(test);
	u8 *want = kunit_kzalloc(test, REPLY, GFP_KERNEL);

	/* Arrange */
	KUNIT_ASSERT_NOT_NULL(test, want);
	add_chunk(reply, 1, data);
	rpcrdma_encode_list_end(&reply->enc);
	add_chunk(reply, 3, rest);
	put_length(reply, 300, 4001);
	reply_ready(test, reply, true);
	memcpy(want, reply->want, 300);
	memcpy(want + 300, reply->want + 4304, REPLY - 4304);

	/* Act */
	svc_rdma_payload_add(reply->rqst, 300, 4001);
	KUNIT_ASSERT_EQ(test, reduced(test, reply), REPLY - 4004);
	KUNIT_ASSERT_EQ(test, svc_rdma_write_chunks(reply->send, reply->recv,
						    &reply->rqst->rq_res), 0);
	KUNIT_ASSERT_EQ(test, svc_rdma_write_reply(reply->send, reply->recv,
						   &reply->rqst->rq_res), 0);

	/* Assert */
	expect_written(test, reply, 0, 1, reply->want + 300, 4001);
	expect_written(test, reply, 1, 3, want, REPLY - 4004);
}

/* A Reply chunk of exactly the right size, one byte too short, and none */
static void reply_chunk_bounds(struct kunit *test)
{
	u32 lengths[] = { 5000, REPLY - 5000 };
	struct reply *reply;

	reply = reply_create(test);
	rpcrdma_encode_list_end(&reply->enc);
	add_chunk(reply, 2, lengths);
	reply_ready(test, reply, true);
	KUNIT_EXPECT_EQ(test, svc_rdma_write_reply(reply->send, reply->recv,
						   &reply->rqst->rq_res), 0);
	expect_written(test, reply, 0, 2, reply->want, REPLY);

	lengths[1]--;
	reply = reply_create(test);
	rpcrdma_encode_list_end(&reply->enc);
	add_chunk(reply, 2, lengths);
	reply_ready(test, reply, true);
	KUNIT_EXPECT_EQ(test, svc_rdma_write_reply(reply->send, reply->recv,
						   &reply->rqst->rq_res),
			-E2BIG);

	reply = reply_create(test);
	rpcrdma_encode_list_end(&reply->enc);
	reply_ready(test, reply, false);
	KUNIT_EXPECT_EQ(test, svc_rdma_write_reply(reply->send, reply->recv,
						   &reply->rqst->rq_res),
			-E2BIG);
}

static struct kunit_case svc_write_cases[] = {
	KUNIT_CASE_PARAM(payload_written, payload_case_gen_params),
	KUNIT_CASE(payloads_in_order),
	KUNIT_CASE(length_named),
	KUNIT_CASE(chunk_too_small),
	KUNIT_CASE(second_chunk_too_small),
	KUNIT_CASE(more_results_than_chunks),
	KUNIT_CASE(misplaced_payload),
	KUNIT_CASE(protected_reply),
	KUNIT_CASE(reply_chunk_and_write_chunk),
	KUNIT_CASE(reply_chunk_bounds),
	{}
};

static struct kunit_suite svc_write_suite = {
	.name = "svc_rdma_write",
	.test_cases = svc_write_cases,
};

kunit_test_suite(svc_write_suite);

MODULE_DESCRIPTION("KUnit suite of svcrdma's Write and Reply chunks");
MODULE_LICENSE("GPL");
