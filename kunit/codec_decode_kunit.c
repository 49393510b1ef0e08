// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: every field, chunk and segment of a well-formed message arrives in the
 * view, wherever the message lies in memory.
 */
#include "suite.h"
#include "codec_vectors.h"

static void decode_vector(struct kunit *test, struct rpcrdma_hdr *hdr)
{
	const struct codec_vector *v = test->param_value;
	const u8 *buf = codec_message(test, v->words, v->nwords);

	KUNIT_ASSERT_EQ(test, 0, codec_decode(v->words[1], hdr, buf,
					      v->nwords * RPCRDMA_XDR_UNIT));
}

/* v2 draft sections 3.2 and 3.3 */
static void fields_of_v2(struct kunit *test, const struct codec_vector *v,
			 const struct rpcrdma_hdr *hdr)
{
	bool like_v1 = codec_looks_like_v1(v, hdr->len);

	KUNIT_EXPECT_EQ(test, hdr->flags, like_v1 ? 0 : v->words[4]);
	KUNIT_EXPECT_EQ(test, hdr->inv_handle,
			hdr->type <= RPCRDMA2_NOMSG ? v->words[5] : 0);
	if (hdr->type == RPCRDMA2_UPDPROP)
		KUNIT_EXPECT_EQ(test, hdr->pendclr, v->words[v->nwords - 1]);
}

/* RFC 5666 sections 4.1, 4.3: fields, and where the RPC message begins */
static void fields(struct kunit *test)
{
	const struct codec_vector *v = test->param_value;
	struct rpcrdma_hdr hdr;

	decode_vector(test, &hdr);

	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.xid), v->words[0]);
	KUNIT_EXPECT_EQ(test, hdr.version, v->words[1]);
	KUNIT_EXPECT_EQ(test, hdr.credits, v->words[2]);
	KUNIT_EXPECT_EQ(test, hdr.type, v->words[3]);
	KUNIT_EXPECT_EQ(test, hdr.len, v->nwords * RPCRDMA_XDR_UNIT);
	KUNIT_EXPECT_EQ(test, hdr.err, v->err);
	KUNIT_EXPECT_EQ(test, hdr.props_count, v->props);
	if (v->err == RPCRDMA_ERR_VERS) {
		KUNIT_EXPECT_EQ(test, hdr.vers_low, v->low);
		KUNIT_EXPECT_EQ(test, hdr.vers_high, v->high);
	} else if (v->err) {
		KUNIT_EXPECT_EQ(test, hdr.err_index, v->index);
		KUNIT_EXPECT_EQ(test, hdr.err_value, v->value);
	} else if (hdr.type != RPCRDMA2_UPDPROP) {
		KUNIT_EXPECT_EQ(test, hdr.align, v->align);
		KUNIT_EXPECT_EQ(test, hdr.thresh, v->thresh);
	}
	KUNIT_EXPECT_EQ(test, hdr.payload, codec_header_size(v));
	if (hdr.version == RPCRDMA_VERSION_2)
		fields_of_v2(test, v, &hdr);
	else
		KUNIT_EXPECT_EQ(test, hdr.flags | hdr.inv_handle, 0);
}

/*
 * RFC 5666 section 4.3: totals of the lists, and every entry. The encoder is
 * tested with the vectors' lists.
 */
static void lists(struct kunit *test)
{
	const struct codec_vector *v = test->param_value;
	struct rpcrdma_hdr hdr;

	decode_vector(test, &hdr);

	KUNIT_EXPECT_EQ(test, hdr.reads.segments, v->nreads);
	KUNIT_EXPECT_EQ(test, hdr.writes.chunks, v->nwrites);
	KUNIT_EXPECT_EQ(test, hdr.reply.chunks, v->nreply);
	codec_check(test, &hdr);
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

	/* Read none of a chunk's segments, then just one. */
	for (taken = 0; taken < 2; taken++) {
		rpcrdma_chunks_begin(&hdr, &hdr.writes, &cur);
		for (i = 0; i < v->nwrites; i++) {
			KUNIT_ASSERT_TRUE(test,
					  rpcrdma_chunks_next(&cur, &count));
			KUNIT_EXPECT_EQ(test, count, v->writes[i].nsegs);
			if (!taken || !rpcrdma_segments_next(&cur, &seg))
				continue;
			KUNIT_EXPECT_EQ(test, seg.handle,
					v->writes[i].segs[0].handle);
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

		KUNIT_ASSERT_EQ(test, 0, codec_decode(v->words[1], &hdr,
						      buf + shift, len));

		codec_check(test, &hdr);
	}
}

/*
 * RFC 5666 section 4.1: what follows a message without an RPC is ignored. A
 * longer ERR_VERS without flags is not what version 1 would send.
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
	KUNIT_CASE_PARAM(fields, codec_all_gen_params),
	KUNIT_CASE_PARAM(lists, codec_all_gen_params),
	KUNIT_CASE_PARAM(write_chunks_skipped, codec_all_gen_params),
	KUNIT_CASE_PARAM(unaligned_message, codec_all_gen_params),
	KUNIT_CASE_PARAM(longer, codec_all_gen_params),
	{}
};

SUITE("rpcrdma_codec_decode", codec_decode_cases);
