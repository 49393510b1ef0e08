// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: every field, chunk and segment of a well-formed version 1 message
 * arrives in the view, wherever the message lies in memory.
 */
#include "suite.h"
#include "codec_vectors.h"

static void expect_segment(struct kunit *test,
			   const struct rpcrdma_segment *seg,
			   const struct rpcrdma_segment *want)
{
	KUNIT_EXPECT_EQ(test, seg->handle, want->handle);
	KUNIT_EXPECT_EQ(test, seg->length, want->length);
	KUNIT_EXPECT_EQ(test, seg->offset, want->offset);
}

static void decode_vector(struct kunit *test, struct rpcrdma_hdr *hdr)
{
	const struct codec_vector *v = test->param_value;
	const u8 *buf = codec_message(test, v->words, v->nwords);

	/* Fields that the decoder does not set would keep this value. */
	memset(hdr, 0xff, sizeof(*hdr));
	KUNIT_ASSERT_EQ(test, 0,
			rpcrdma_decode(hdr, buf, v->nwords * RPCRDMA_XDR_UNIT));
}

/* RFC 5666 sections 4.1, 4.3: fields, and where the RPC message begins */
static void fields(struct kunit *test)
{
	const struct codec_vector *v = test->param_value;
	struct rpcrdma_hdr hdr;

	decode_vector(test, &hdr);

	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.xid), v->words[0]);
	KUNIT_EXPECT_EQ(test, hdr.version, RPCRDMA_VERSION_1);
	KUNIT_EXPECT_EQ(test, hdr.credits, v->credits);
	KUNIT_EXPECT_EQ(test, hdr.type, v->type);
	KUNIT_EXPECT_EQ(test, hdr.len, v->nwords * RPCRDMA_XDR_UNIT);
	KUNIT_EXPECT_EQ(test, hdr.err, v->err);
	if (v->type == RPCRDMA_ERROR) {
		KUNIT_EXPECT_EQ(test, hdr.vers_low, v->vers_low);
		KUNIT_EXPECT_EQ(test, hdr.vers_high, v->vers_high);
	} else {
		KUNIT_EXPECT_EQ(test, hdr.align, v->align);
		KUNIT_EXPECT_EQ(test, hdr.thresh, v->thresh);
	}
	if (v->type == RPCRDMA_DONE || v->type == RPCRDMA_ERROR)
		KUNIT_EXPECT_EQ(test, hdr.payload, hdr.len);
	else
		KUNIT_EXPECT_EQ(test, hdr.payload, codec_header_size(v));
}

static void expect_chunks(struct kunit *test, const struct rpcrdma_hdr *hdr,
			  const struct rpcrdma_list *list,
			  const struct codec_chunk *chunks, u32 nchunks)
{
	u32 i, j, count, segments = 0;
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	u64 bytes = 0;

	rpcrdma_chunks_begin(hdr, list, &cur);
	for (i = 0; i < nchunks; i++) {
		KUNIT_ASSERT_TRUE(test, rpcrdma_chunks_next(&cur, &count));
		KUNIT_ASSERT_EQ(test, count, chunks[i].nsegs);
		for (j = 0; j < count; j++) {
			KUNIT_ASSERT_TRUE(test,
					  rpcrdma_segments_next(&cur, &seg));
			expect_segment(test, &seg, &chunks[i].segs[j]);
			bytes += chunks[i].segs[j].length;
		}
		segments += count;
		KUNIT_EXPECT_FALSE(test, rpcrdma_segments_next(&cur, &seg));
	}
	KUNIT_EXPECT_FALSE(test, rpcrdma_chunks_next(&cur, &count));
	KUNIT_EXPECT_FALSE(test, rpcrdma_segments_next(&cur, &seg));
	KUNIT_EXPECT_EQ(test, list->chunks, nchunks);
	KUNIT_EXPECT_EQ(test, list->segments, segments);
	KUNIT_EXPECT_EQ(test, list->bytes, bytes);
}

/* RFC 5666 section 4.3: totals of the lists, and every entry */
static void lists(struct kunit *test)
{
	const struct codec_vector *v = test->param_value;
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;
	struct rpcrdma_hdr hdr;
	u64 bytes = 0;
	u32 i;

	decode_vector(test, &hdr);

	rpcrdma_reads_begin(&hdr, &cur);
	for (i = 0; i < v->nreads; i++) {
		KUNIT_ASSERT_TRUE(test, rpcrdma_reads_next(&cur, &rseg));
		KUNIT_EXPECT_EQ(test, rseg.position, v->reads[i].position);
		expect_segment(test, &rseg.seg, &v->reads[i].seg);
		bytes += v->reads[i].seg.length;
	}
	KUNIT_EXPECT_FALSE(test, rpcrdma_reads_next(&cur, &rseg));
	KUNIT_EXPECT_FALSE(test, rpcrdma_reads_next(&cur, &rseg));
	KUNIT_EXPECT_EQ(test, hdr.reads.chunks, v->read_chunks);
	KUNIT_EXPECT_EQ(test, hdr.reads.segments, v->nreads);
	KUNIT_EXPECT_EQ(test, hdr.reads.bytes, bytes);
	expect_chunks(test, &hdr, &hdr.writes, v->writes, v->nwrites);
	expect_chunks(test, &hdr, &hdr.reply, &v->reply, v->nreply);
	codec_walk(test, &hdr);
}

/* The next chunk is found even if segments of the chunk before are unread. */
static void write_chunks_skipped(struct kunit *test)
{
	const struct codec_vector *v = test->param_value;
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	struct rpcrdma_hdr hdr;
	u32 i, taken, count;

	decode_vector(test, &hdr);

	/* Act and assert: read none of a chunk's segments, then just one */
	for (taken = 0; taken < 2; taken++) {
		rpcrdma_chunks_begin(&hdr, &hdr.writes, &cur);
		for (i = 0; i < v->nwrites; i++) {
			KUNIT_ASSERT_TRUE(test,
					  rpcrdma_chunks_next(&cur, &count));
			KUNIT_EXPECT_EQ(test, count, v->writes[i].nsegs);
			if (!taken || !rpcrdma_segments_next(&cur, &seg))
				continue;
			expect_segment(test, &seg, &v->writes[i].segs[0]);
		}
		KUNIT_EXPECT_FALSE(test, rpcrdma_chunks_next(&cur, &count));
		KUNIT_EXPECT_FALSE(test, rpcrdma_segments_next(&cur, &seg));
	}
}

/* The decoder needs no alignment of the Receive buffer. */
static void unaligned_message(struct kunit *test)
{
	const struct codec_vector *v = test->param_value;
	u32 len = v->nwords * RPCRDMA_XDR_UNIT;
	struct rpcrdma_hdr hdr;
	u8 *buf, *msg;
	u32 shift;

	msg = codec_message(test, v->words, v->nwords);
	for (shift = 1; shift < RPCRDMA_XDR_UNIT; shift++) {
		buf = codec_buffer(test, len + shift);
		memcpy(buf + shift, msg, len);

		KUNIT_ASSERT_EQ(test, 0,
				rpcrdma_decode(&hdr, buf + shift, len));

		codec_walk(test, &hdr);
	}
}

/* RFC 5666 section 4.1: what follows RDMA_DONE and RDMA_ERROR is ignored. */
static void longer(struct kunit *test)
{
	const struct codec_vector *v = test->param_value;
	u32 len = v->nwords * RPCRDMA_XDR_UNIT, more;
	struct rpcrdma_hdr hdr;
	u8 *buf, *msg;

	if (v->type != RPCRDMA_DONE && v->type != RPCRDMA_ERROR)
		return;
	msg = codec_message(test, v->words, v->nwords);
	for (more = 1; more <= 64; more++) {
		buf = codec_buffer(test, len + more);
		memset(buf, 0xff, len + more);
		memcpy(buf, msg, len);

		KUNIT_ASSERT_EQ(test, 0, rpcrdma_decode(&hdr, buf, len + more));
		KUNIT_EXPECT_EQ(test, hdr.payload, len + more);
		KUNIT_EXPECT_EQ(test, hdr.err, v->err);
		KUNIT_EXPECT_EQ(test, hdr.vers_low, v->vers_low);
		KUNIT_EXPECT_EQ(test, hdr.vers_high, v->vers_high);
		kunit_kfree(test, buf);
	}
}

static struct kunit_case codec_decode_cases[] = {
	KUNIT_CASE_PARAM(fields, codec_all_gen_params),
	KUNIT_CASE_PARAM(lists, codec_all_gen_params),
	KUNIT_CASE_PARAM(write_chunks_skipped, codec_all_gen_params),
	KUNIT_CASE_PARAM(unaligned_message, codec_all_gen_params),
	KUNIT_CASE_PARAM(longer, codec_all_gen_params),
	{}
};

SUITE("rpcrdma_codec_decode", codec_decode_cases);
