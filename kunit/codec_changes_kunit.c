// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the messages by which properties change, REQPROP, RESPROP and UPDPROP,
 * are encoded as the Transport Characteristics draft (section 4) says, and the
 * subsets in them are understood.
 */
#include "suite.h"
#include "codec_vectors.h"

#define XID	0x5eed0006

#define W_RESPROP	XID, 2, 64, RPCRDMA2_RESPROP, 1

/* The header of the last message */
static struct rpcrdma_hdr hdr;

/* Section 4: three header types, and no other */
static void types(struct kunit *test)
{
	u32 type;

	for (type = 0; type < 64; type++)
		KUNIT_EXPECT_EQ(test, rpcrdma_v2_changes_props(type),
				type == 7 || type == 8 || type == 9);
	KUNIT_EXPECT_FALSE(test, rpcrdma_v2_changes_props(0xffffffff));
}

/* Section 2.1: bit N mod 32 of word N div 32; what is beyond counts as zero */
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

/* Subsets of an answer, to a request for @count properties */
static const struct {
	const char *name;
	u32 words[CODEC_MAX_WORDS];
	u32 nwords, count;
	bool covers;
} answers[] = {
	{ "nothing", { W_RESPROP, 0, 0, 0 }, 8, 0, true },
	{ "nothing, in words of zeros", { W_RESPROP, 1, 0, 1, 0, 2, 0, 0 }, 12, 0, true },
	{ "done", { W_RESPROP, 1, 1, 0, 0 }, 9, 1, true },
	{ "one of each", { W_RESPROP, 1, 1, 1, 2, 1, 4 }, 11, 3, true },
	{ "one of each, and one not mentioned", { W_RESPROP, 1, 1, 1, 2, 1, 4 }, 11, 4, false },
	{ "one of each, and one more", { W_RESPROP, 1, 1, 1, 2, 1, 4 }, 11, 2, false },
	{ "nothing about one", { W_RESPROP, 0, 0, 0 }, 8, 1, false },
	{ "nothing about 0xffffffff", { W_RESPROP, 0, 0, 0 }, 8, 0xffffffff, false },
	{ "about what was not asked for", { W_RESPROP, 1, 1, 0, 0 }, 9, 0, false },
	{ "done and rejected", { W_RESPROP, 1, 1, 1, 1, 0 }, 10, 1, false },
	{ "done and pending", { W_RESPROP, 1, 1, 0, 1, 1 }, 10, 1, false },
	{ "rejected and pending", { W_RESPROP, 0, 1, 1, 1, 1 }, 10, 1, false },
	{ "overlap in the second word",
	  { W_RESPROP, 2, 0xffffffff, 1, 2, 0, 1, 0 }, 13, 33, false },
	{ "overlap in words that were not asked for",
	  { W_RESPROP, 0, 2, 1, 8, 2, 0, 8 }, 12, 1, false },
	{ "32", { W_RESPROP, 1, 0xff, 1, 0xffffff00, 0 }, 10, 32, true },
	{ "32 of 33", { W_RESPROP, 1, 0xff, 1, 0xffffff00, 0 }, 10, 33, false },
	{ "32 of 31", { W_RESPROP, 1, 0xff, 1, 0xffffff00, 0 }, 10, 31, false },
	{ "33", { W_RESPROP, 1, 0xff, 1, 0xffffff00, 2, 0, 1 }, 12, 33, true },
	{ "64", { W_RESPROP, 2, 0, 0xffffffff, 1, 0xffffffff, 0 }, 12, 64, true },
	{ "64, a hole in the middle",
	  { W_RESPROP, 2, 0, 0xffffffff, 1, 0x7fffffff, 0 }, 12, 64, false },
	{ "one, and the 33rd", { W_RESPROP, 1, 1, 2, 0, 1, 0 }, 11, 1, false },
};

KUNIT_ARRAY_PARAM_DESC(answer, answers, name);

/* Section 4.3: subsets should not overlap, and should cover the request. */
static void answer_judged(struct kunit *test)
{
	const typeof(answers[0]) *c = test->param_value;
	u8 *buf = codec_message(test, c->words, c->nwords);
	struct rpcrdma_resprop resp;

	KUNIT_ASSERT_EQ(test, codec_decode(2, &hdr, buf, 4 * c->nwords),
			0);

	rpcrdma_resprop_get(&resp, &hdr);

	KUNIT_EXPECT_EQ(test, rpcrdma_resprop_covers(&resp, c->count), c->covers);
}

struct answer_args {
	u32 count, done, pending;
};

static void encode_answer(struct rpcrdma_encoder *enc, const void *arg)
{
	const struct answer_args *a = arg;

	rpcrdma_resprop_encode(enc, a->count, a->done, a->pending);
}

/* The three subsets of every answer cover the request and never overlap. */
static void answer_encoded(struct kunit *test)
{
	static const u32 counts[] = { 0, 1, 2, 5, 31, 32, 33, 63, 64, 65, 700 };
	struct rpcrdma_resprop resp;
	struct answer_args a;
	struct codec_rng rng;
	u32 round, n, done;

	codec_seed(test, &rng);
	for (round = 0; round < 500; round++) {
		a.count = counts[codec_random(&rng, ARRAY_SIZE(counts))];
		a.done = codec_random(&rng, 2) ? codec_random(&rng, 0xffffffff) :
						 0xffffffff;
		a.pending = codec_random(&rng, 2) ? ~a.done :
						    codec_random(&rng, 0xffffffff);
		if (!codec_random(&rng, 3))
			a.done = 0;

		codec_encode_decode(test, &hdr, RPCRDMA2_RESPROP, encode_answer, &a);

		rpcrdma_resprop_get(&resp, &hdr);
		KUNIT_EXPECT_TRUE(test, rpcrdma_resprop_covers(&resp, a.count));
		for (n = 0; n < a.count; n++) {
			done = n < 32 ? a.done >> n & 1 : 0;
			KUNIT_EXPECT_EQ(test, done,
					rpcrdma_subset_has(&resp.done, n));
			KUNIT_EXPECT_EQ(test, n < 32 && !done &&
					(a.pending >> n & 1),
					rpcrdma_subset_has(&resp.pending, n));
		}
	}
}

/* Words of zeros are not sent: an answer is as short as it can be. */
static void answer_is_short(struct kunit *test)
{
	static const struct {
		struct answer_args a;
		u32 words;
	} cases[] = {
		{ { 0, 0, 0 }, 8 }, { { 0, 1, 2 }, 8 }, { { 1, 1, 0 }, 9 },
		{ { 1, 0, 1 }, 9 }, { { 1, 0, 0 }, 9 }, { { 2, 1, 0 }, 10 },
		{ { 3, 1, 2 }, 11 }, { { 32, 0xffff, 0xffff0000 }, 10 },
		{ { 32, 0xffff, 0 }, 10 }, { { 33, ~0u, 0 }, 11 },
		{ { 64, 0, 0 }, 10 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		codec_encode_decode(test, &hdr, RPCRDMA2_RESPROP, encode_answer,
				    &cases[i].a);
		KUNIT_EXPECT_EQ(test, hdr.len, 4 * cases[i].words);
	}
}

struct props_args {
	struct rpcrdma_props props;
	u32 which;
	bool pendclr;
};

static void encode_request(struct rpcrdma_encoder *enc, const void *arg)
{
	const struct props_args *a = arg;

	rpcrdma_reqprop_encode(enc, &a->props, a->which);
}

static void encode_update(struct rpcrdma_encoder *enc, const void *arg)
{
	const struct props_args *a = arg;

	rpcrdma_updprop_encode(enc, &a->props, a->which, a->pendclr);
}

/* The properties of a peer that has sent none */
static struct rpcrdma_props defaults;

/* Collect a message's properties, and which ones they are, in their order. */
static u32 collect(struct kunit *test, const struct rpcrdma_hdr *hdr,
		   struct rpcrdma_props *props)
{
	struct rpcrdma_prop prop;
	struct rpcrdma_cursor cur;
	u32 which = 0;
	int bit;

	rpcrdma_props_default(&defaults);
	*props = defaults;
	rpcrdma_props_begin(hdr, &cur);
	while (rpcrdma_props_next(&cur, &prop)) {
		bit = rpcrdma_prop_decode(props, &prop);
		KUNIT_ASSERT_GT(test, bit, (int)which);
		which |= bit;
	}
	return which;
}

static void random_props(struct codec_rng *rng, struct rpcrdma_props *props)
{
	rpcrdma_props_default(props);
	props->recv_size = codec_random(rng, 0xffffffff);
	props->reverse = codec_random(rng, 3);
	props->remote_inv = codec_random(rng, 2);
	props->read_replies = codec_random(rng, 2);
	props->htypes = codec_random(rng, 0xffffffff);
}

/* Section 4.2: any set of properties can be asked for, also with defaults. */
static void request_round_trip(struct kunit *test)
{
	struct rpcrdma_props got;
	struct props_args a;
	struct codec_rng rng;

	codec_seed(test, &rng);
	for (a.which = 0; a.which < 256; a.which++) {
		random_props(&rng, &a.props);

		codec_encode_decode(test, &hdr, RPCRDMA2_REQPROP, encode_request, &a);

		KUNIT_EXPECT_EQ(test, collect(test, &hdr, &got), a.which & 31);
		codec_expect_props(test, &got, &a.props, &defaults, a.which);
	}
}

/* Section 4.4: any property can be announced, also with its default. */
static void update_round_trip(struct kunit *test)
{
	struct rpcrdma_props got;
	struct props_args a;
	struct codec_rng rng;
	u32 round;

	codec_seed(test, &rng);
	for (round = 0; round < 64; round++) {
		random_props(&rng, &a.props);
		a.which = 1u << codec_random(&rng, 5);
		a.pendclr = codec_random(&rng, 2);

		codec_encode_decode(test, &hdr, RPCRDMA2_UPDPROP, encode_update, &a);

		KUNIT_EXPECT_EQ(test, collect(test, &hdr, &got), a.which);
		KUNIT_EXPECT_EQ(test, hdr.pendclr, a.pendclr);
		codec_expect_props(test, &got, &a.props, &defaults, a.which);
	}
}

static struct kunit_case codec_changes_cases[] = {
	KUNIT_CASE(types),
	KUNIT_CASE(bits_of_a_subset),
	KUNIT_CASE_PARAM(answer_judged, answer_gen_params),
	KUNIT_CASE(answer_encoded),
	KUNIT_CASE(answer_is_short),
	KUNIT_CASE(request_round_trip),
	KUNIT_CASE(update_round_trip),
	{}
};

SUITE("rpcrdma_codec_changes", codec_changes_cases);
