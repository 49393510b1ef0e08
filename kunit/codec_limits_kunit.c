// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the longest chunk lists that fit into a message are decoded, and their
 * totals do not overflow.
 */
#include "suite.h"
#include "codec_vectors.h"

/* The largest inline threshold that RFC 8797 can express. */
#define LARGEST		RPCRDMA_PRIVATE_MAX_SIZE

/* The largest segment that the format allows */
static const struct rpcrdma_segment huge_segment = {
	.handle = 0xffffffff,
	.length = 0xffffffff,
	.offset = 0xffffffffffffffffull,
};

static void begin(struct rpcrdma_encoder *enc, u8 *buf, u32 type)
{
	rpcrdma_encode_init(enc, buf, LARGEST);
	rpcrdma_encode_fixed(enc, cpu_to_be32(1), RPCRDMA_VERSION_1, 1, type);
}

static void decode_all(struct kunit *test, const struct rpcrdma_encoder *enc,
		       struct rpcrdma_hdr *hdr)
{
	int len = rpcrdma_encode_finish(enc);

	KUNIT_ASSERT_GT(test, len, 0);
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_decode(hdr, enc->base, len));
	KUNIT_EXPECT_EQ(test, hdr->payload, (u32)len);
	codec_walk(test, hdr);
}

/* RFC 5666 section 4.3: only the message's size limits the Read list. */
static void longest_read_list(struct kunit *test)
{
	u32 i, n = (LARGEST - RPCRDMA_V1_MIN_SIZE) / RPCRDMA_READ_SEGMENT_SIZE;
	u8 *buf = codec_buffer(test, LARGEST);
	struct rpcrdma_encoder enc;
	struct rpcrdma_hdr hdr;

	/* Arrange: every position differs from its neighbours' */
	begin(&enc, buf, RPCRDMA_NOMSG);
	for (i = 0; i < n; i++)
		rpcrdma_encode_read_segment(&enc, i * RPCRDMA_XDR_UNIT,
					    &huge_segment);
	for (i = 0; i < 3; i++)
		rpcrdma_encode_list_end(&enc);

	decode_all(test, &enc, &hdr);

	KUNIT_EXPECT_EQ(test, hdr.reads.chunks, n);
	KUNIT_EXPECT_EQ(test, hdr.reads.segments, n);
	KUNIT_EXPECT_EQ(test, hdr.reads.bytes, (u64)n * 0xffffffff);
}

/* RFC 5666 section 4.3: nor does anything else limit the Write list. */
static void longest_write_list(struct kunit *test)
{
	u32 i, n = (LARGEST - RPCRDMA_V1_MIN_SIZE) / 8;
	u8 *buf = codec_buffer(test, LARGEST);
	struct rpcrdma_encoder enc;
	struct rpcrdma_hdr hdr;

	/* Arrange: chunks without segments are the smallest */
	begin(&enc, buf, RPCRDMA_MSG);
	rpcrdma_encode_list_end(&enc);
	for (i = 0; i < n; i++) {
		rpcrdma_encode_chunk_begin(&enc);
		rpcrdma_encode_chunk_end(&enc);
	}
	rpcrdma_encode_list_end(&enc);
	rpcrdma_encode_list_end(&enc);

	decode_all(test, &enc, &hdr);

	KUNIT_EXPECT_EQ(test, hdr.writes.chunks, n);
	KUNIT_EXPECT_EQ(test, hdr.writes.segments, 0);
	KUNIT_EXPECT_EQ(test, hdr.writes.bytes, 0);
}

static void encode_huge_chunk(struct rpcrdma_encoder *enc, u32 segments)
{
	rpcrdma_encode_chunk_begin(enc);
	while (segments--)
		rpcrdma_encode_segment(enc, &huge_segment);
	rpcrdma_encode_chunk_end(enc);
}

/* RFC 5666 section 4.3: as many segments as fit, in Write and Reply chunks */
static void largest_chunks(struct kunit *test)
{
	u32 n = (LARGEST - RPCRDMA_V1_MIN_SIZE - 12) / RPCRDMA_SEGMENT_SIZE;
	u8 *buf = codec_buffer(test, LARGEST);
	struct rpcrdma_encoder enc;
	struct rpcrdma_hdr hdr;

	begin(&enc, buf, RPCRDMA_NOMSG);
	rpcrdma_encode_list_end(&enc);
	encode_huge_chunk(&enc, n / 2);
	rpcrdma_encode_list_end(&enc);
	encode_huge_chunk(&enc, n - n / 2);

	decode_all(test, &enc, &hdr);

	KUNIT_EXPECT_EQ(test, hdr.writes.segments, n / 2);
	KUNIT_EXPECT_EQ(test, hdr.writes.bytes, (u64)(n / 2) * 0xffffffff);
	KUNIT_EXPECT_EQ(test, hdr.reply.segments, n - n / 2);
	KUNIT_EXPECT_EQ(test, hdr.reply.bytes, (u64)(n - n / 2) * 0xffffffff);
}

static struct kunit_case codec_limits_cases[] = {
	KUNIT_CASE(longest_read_list),
	KUNIT_CASE(longest_write_list),
	KUNIT_CASE(largest_chunks),
	{}
};

SUITE("rpcrdma_codec_limits", codec_limits_cases);
