// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: every field, chunk and segment of a well-formed message is decoded
 * into the view, at any alignment of the message in memory.
 */
#include "suite.h"
#include "codec_vectors.h"

/* v2 draft sections 3.2 and 3.3 */
static void fields_of_v2(struct kunit *test, const struct codec_vector *v,
			 const struct rpcrdma_hdr *hdr)
{
	bool like_v1 = codec_looks_like_v1(v, hdr->len);

	KUNIT_EXPECT_EQ(test, hdr->flags, like_v1 ? 0 : v->words[4]);
	KUNIT_EXPECT_EQ(test, hdr->inv_handle,
			hdr->type <= RPCRDMA2_NOMSG ? v->words[5] : 0);
}

static void expect_fields(struct kunit *test, const struct codec_vector *v,
			  const struct rpcrdma_hdr *hdr)
{
	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr->xid), v->words[0]);
	KUNIT_EXPECT_EQ(test, hdr->version, v->words[1]);
	KUNIT_EXPECT_EQ(test, hdr->credits, v->words[2]);
	KUNIT_EXPECT_EQ(test, hdr->type, v->words[3]);
	KUNIT_EXPECT_EQ(test, hdr->len, v->nwords * RPCRDMA_XDR_UNIT);
	KUNIT_EXPECT_EQ(test, hdr->err, v->err);
	KUNIT_EXPECT_EQ(test, hdr->props_count, v->props);
	KUNIT_EXPECT_EQ(test, hdr->err_index, v->err ? v->index : v->align);
	KUNIT_EXPECT_EQ(test, hdr->err_value, v->err ? v->value : v->thresh);
	KUNIT_EXPECT_EQ(test, hdr->payload, codec_header_size(v));
	if (hdr->version == RPCRDMA_VERSION_2)
		fields_of_v2(test, v, hdr);
	else
		KUNIT_EXPECT_EQ(test, hdr->flags | hdr->inv_handle, 0);
}

/*
 * RFC 5666 sections 4.1, 4.3: all fields are decoded, and the RPC message is
 * found. The header encodes to the same bytes. The decoder does not require an
 * aligned Receive buffer.
 */
static void fields(struct kunit *test)
{
	const struct codec_vector *v = test->param_value;
	const u8 *msg = codec_message(test, v->words, v->nwords);
	u32 shift, len = v->nwords * RPCRDMA_XDR_UNIT;
	struct rpcrdma_hdr hdr;
	u8 *buf;

	for (shift = 0; shift < RPCRDMA_XDR_UNIT; shift++) {
		buf = codec_buffer(test, len + shift);
		memcpy(buf + shift, msg, len);

		KUNIT_ASSERT_EQ(test, 0, codec_decode(v->words[1], &hdr, buf + shift, len));

		expect_fields(test, v, &hdr);
		codec_check(test, &hdr);
	}
}

#define SEG(h, l, hi, lo) \
	{ .handle = (h), .length = (l), .offset = ((u64)(hi) << 32) | (lo) }

/* RFC 5666 section 4.3: two Read segments, three Write chunks, a Reply chunk */
static const u32 message[] = {
	1, 1, 8, RPCRDMA_MSG,
	1, 100, 0x11, 4096, 1, 0x1000, 1, 200, 0x12, 8, 2, 0x2000, 0,
	1, 2, 0x21, 16, 3, 0x3000, 0x22, 17, 4, 0x4000, 1, 0,
	1, 1, 0x23, 18, 5, 0x5000, 0,
	1, 1, 0x31, 19, 6, 0x6000, 1, 0, 2,
};

static const struct rpcrdma_read_segment reads[] = {
	{ 100, SEG(0x11, 4096, 1, 0x1000) }, { 200, SEG(0x12, 8, 2, 0x2000) },
};

static const struct rpcrdma_segment writes[] = {
	SEG(0x21, 16, 3, 0x3000), SEG(0x22, 17, 4, 0x4000), SEG(0x23, 18, 5, 0x5000),
	SEG(0x31, 19, 6, 0x6000),
};

/* Segments in each of these chunks */
static const u32 counts[] = { 2, 0, 1, 1 };

static void decode_message(struct kunit *test, struct rpcrdma_hdr *hdr)
{
	const void *msg = codec_message(test, message, ARRAY_SIZE(message));

	KUNIT_ASSERT_EQ(test, 0, codec_decode(1, hdr, msg, sizeof(message)));
}

/* Each word of a segment is decoded, and chunks are in order. */
static void segments(struct kunit *test)
{
	const struct rpcrdma_segment *want = writes;
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	struct rpcrdma_hdr hdr;
	u32 i, count;

	decode_message(test, &hdr);
	rpcrdma_reads_begin(&hdr, &cur);
	for (i = 0; i < ARRAY_SIZE(reads); i++) {
		KUNIT_ASSERT_TRUE(test, rpcrdma_reads_next(&cur, &rseg));
		KUNIT_EXPECT_EQ(test, rseg.position, reads[i].position);
		KUNIT_EXPECT_MEMEQ(test, &rseg.seg, &reads[i].seg, sizeof(seg));
	}
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		if (i == 0 || i == 3)
			rpcrdma_chunks_begin(&hdr, i ? &hdr.reply : &hdr.writes, &cur);
		KUNIT_ASSERT_TRUE(test, rpcrdma_chunks_next(&cur, &count));
		KUNIT_EXPECT_EQ(test, count, counts[i]);
		while (rpcrdma_segments_next(&cur, &seg)) {
			KUNIT_EXPECT_MEMEQ(test, &seg, want, sizeof(seg));
			want++;
		}
	}
	KUNIT_EXPECT_TRUE(test, want == writes + ARRAY_SIZE(writes));
}

/* The next chunk is found even if segments of the previous one are unread. */
static void write_chunks_skipped(struct kunit *test)
{
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	struct rpcrdma_hdr hdr;
	u32 i, taken, count;

	decode_message(test, &hdr);
	/* Read none of a chunk's segments, then just one. */
	for (taken = 0; taken < 2; taken++) {
		rpcrdma_chunks_begin(&hdr, &hdr.writes, &cur);
		for (i = 0; i < 3; i++) {
			KUNIT_ASSERT_TRUE(test, rpcrdma_chunks_next(&cur, &count));
			KUNIT_EXPECT_EQ(test, count, counts[i]);
			if (taken && rpcrdma_segments_next(&cur, &seg))
				KUNIT_EXPECT_EQ(test, seg.handle, 0x21 + i);
		}
		KUNIT_EXPECT_FALSE(test, rpcrdma_chunks_next(&cur, &count));
		KUNIT_EXPECT_FALSE(test, rpcrdma_segments_next(&cur, &seg));
	}
}

/*
 * RFC 5666 section 4.1: bytes after a message without an RPC are ignored. An
 * ERR_VERS in version 1 format is skipped, because its length identifies it.
 */
static void longer(struct kunit *test)
{
	const struct codec_vector *v = test->param_value;
	u32 len = v->nwords * RPCRDMA_XDR_UNIT, more;
	struct rpcrdma_hdr hdr;
	u8 *buf, *msg;

	if (v->words[3] < RPCRDMA_DONE || codec_looks_like_v1(v, len))
		return;
	msg = codec_message(test, v->words, v->nwords);
	for (more = 1; more <= 64; more++) {
		buf = codec_buffer(test, len + more);
		memset(buf, 0xff, len + more);
		memcpy(buf, msg, len);

		KUNIT_ASSERT_EQ(test, 0, codec_decode(v->words[1], &hdr, buf,
						      len + more));
		codec_check(test, &hdr);
		kunit_kfree(test, buf);
	}
}

static struct kunit_case codec_decode_cases[] = {
	KUNIT_CASE_PARAM(fields, codec_vector_gen_params),
	KUNIT_CASE(segments),
	KUNIT_CASE(write_chunks_skipped),
	KUNIT_CASE_PARAM(longer, codec_vector_gen_params),
	{}
};

SUITE("rpcrdma_codec_decode", codec_decode_cases);
