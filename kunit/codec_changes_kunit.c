// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: answers to requests that change properties are encoded as the
 * Transport Characteristics draft (section 4.3) requires, and their subsets are
 * decoded.
 */
#include "suite.h"
#include "codec_vectors.h"

#define XID	0x5eed0006

/* Header of the last message */
static struct rpcrdma_hdr hdr;

/* Section 4: three header types, and no others, change properties. */
static void types(struct kunit *test)
{
	u32 type;

	for (type = 0; type < 64; type++)
		KUNIT_EXPECT_EQ(test, rpcrdma_v2_changes_props(type),
				type == 7 || type == 8 || type == 9);
	KUNIT_EXPECT_FALSE(test, rpcrdma_v2_changes_props(0xffffffff));
}

/* Section 2.1: bit N mod 32 of word N div 32 is property N; missing bits are zero. */
static void bits_of_a_subset(struct kunit *test)
{
	static const u32 words[] = { 0x80000001, 0, 0x00010000 };
	const struct rpcrdma_subset subset = {
		.words	= codec_message(test, words, ARRAY_SIZE(words)),
		.count	= ARRAY_SIZE(words),
	};
	u32 n;

	for (n = 0; n < 256; n++)
		KUNIT_EXPECT_EQ(test, rpcrdma_subset_has(&subset, n),
				n == 0 || n == 31 || n == 80);
	KUNIT_EXPECT_FALSE(test, rpcrdma_subset_has(&subset, 0x80000000));
	KUNIT_EXPECT_FALSE(test, rpcrdma_subset_has(&subset, 0xffffffff));
	KUNIT_EXPECT_EQ(test, rpcrdma_subset_word(&subset, 2), 0x00010000);
	KUNIT_EXPECT_EQ(test, rpcrdma_subset_word(&subset, 3), 0);
	KUNIT_EXPECT_EQ(test, rpcrdma_subset_word(&subset, 0xffffffff), 0);
}

/* Words after the first do not matter if they are zero, but others do. */
static void which_in_a_subset(struct kunit *test)
{
	static const struct {
		u32 words[3], count, bits;
		bool others;
	} cases[] = {
		{ { }, 0, 0 }, { { 0, 0, 0 }, 3, 0 }, { { 5 }, 1, 5 }, { { 5, 0, 0 }, 3, 5 },
		{ { 5, 1 }, 2, 5, true }, { { 0, 0, 1u << 31 }, 3, 0, true },
	};

	for_each_case(c, cases) {
		const struct rpcrdma_subset subset = {
			.words	= codec_message(test, c->words, c->count),
			.count	= c->count,
		};

		KUNIT_EXPECT_EQ(test, rpcrdma_subset_is(&subset, c->bits), !c->others);
		KUNIT_EXPECT_FALSE(test, rpcrdma_subset_is(&subset, c->bits ^ 4));
	}
}

struct answer_args {
	u32 count, done, pending;
};

static void encode_answer(struct rpcrdma_encoder *enc, const void *arg)
{
	const struct answer_args *a = arg;

	rpcrdma_resprop_encode(enc, a->count, a->done, a->pending);
}

/* Section 4.3: the subsets cover the request and never overlap; none has words of zeros. */
static void answer_encoded(struct kunit *test)
{
	struct rpcrdma_resprop resp;
	struct answer_args a;
	struct codec_rng rng;
	u32 round, all, rejected;

	codec_seed(test, &rng);
	for (round = 0; round < 500; round++) {
		a.count = round % (RPCRDMA2_REQPROP_MAX + 1);
		all = a.count ? ~0u >> (32 - a.count) : 0;
		a.done = codec_random(&rng, 3) ? codec_random(&rng, ~0u) & all : 0;
		a.pending = codec_random(&rng, 2) ? codec_random(&rng, ~0u) & all & ~a.done :
						    all & ~a.done;
		rejected = all ^ a.done ^ a.pending;

		codec_encode_decode(test, &hdr, RPCRDMA2_RESPROP, encode_answer, &a);

		rpcrdma_resprop_get(&resp, &hdr);
		KUNIT_EXPECT_TRUE(test, rpcrdma_subset_is(&resp.done, a.done));
		KUNIT_EXPECT_TRUE(test, rpcrdma_subset_is(&resp.rejected, rejected));
		KUNIT_EXPECT_TRUE(test, rpcrdma_subset_is(&resp.pending, a.pending));
		KUNIT_EXPECT_EQ(test, hdr.len, 4 * (8 + !!a.done + !!rejected + !!a.pending));
	}
}

static struct kunit_case codec_changes_cases[] = {
	KUNIT_CASE(types),
	KUNIT_CASE(bits_of_a_subset),
	KUNIT_CASE(which_in_a_subset),
	KUNIT_CASE(answer_encoded),
	{}
};

SUITE("rpcrdma_codec_changes", codec_changes_cases);
