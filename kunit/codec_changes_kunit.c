// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the messages by which properties change, REQPROP, RESPROP and UPDPROP,
 * are decoded and encoded as the Transport Characteristics draft (section 4)
 * says, and malformed ones are refused.
 */
#include "suite.h"
#include "codec_vectors.h"

#define XID	0x5eed0006

#define W_PREFIX(type, flags)	XID, 2, 64, (type), (flags)
#define W_PROP(id, val)		(id), 4, (val)
#define W_REQPROP		W_PREFIX(RPCRDMA2_REQPROP, 0)
#define W_RESPROP		W_PREFIX(RPCRDMA2_RESPROP, 1)
#define W_UPDPROP		W_PREFIX(RPCRDMA2_UPDPROP, 0)

/* By type: properties; the length and first word of each subset */
static const struct change_vector {
	const char *name;
	u32 words[CODEC_MAX_WORDS];
	u32 nwords, count;
	bool pendclr;
	u32 words_of[3];
	u32 first[3];
} change_vectors[] = {
	{ "REQPROP that asks for nothing (4.2)", { W_REQPROP, 0 }, 6, 0 },
	{ "REQPROP that asks for a size (4.2)",
	  { W_REQPROP, 1, W_PROP(1, 8192) }, 9, 1 },
	{ "REQPROP that asks for what nobody knows, and for a default (4.2)",
	  { W_REQPROP, 3, 77, 5, 0x41424344, 0x45000000, 1, 0, 78, 1, 0 }, 15, 3 },
	{ "RESPROP about nothing (4.3)", { W_RESPROP, 0, 0, 0 }, 8, 0 },
	{ "RESPROP, done (4.3)", { W_RESPROP, 1, 1, 0, 0 }, 9, 0, false,
	  { 1, 0, 0 }, { 1, 0, 0 } },
	{ "RESPROP, rejected (4.3)", { W_RESPROP, 0, 1, 2, 0 }, 9, 0, false,
	  { 0, 1, 0 }, { 0, 2, 0 } },
	{ "RESPROP, pending (4.3)", { W_RESPROP, 0, 0, 1, 4 }, 9, 0, false,
	  { 0, 0, 1 }, { 0, 0, 4 } },
	{ "RESPROP with all subsets, of different lengths (4.3)",
	  { W_RESPROP, 1, 1, 3, 2, 0, 0xf, 2, 4, 0x80000000 }, 14, 0, false,
	  { 1, 3, 2 }, { 1, 2, 4 } },
	{ "UPDPROP (4.4)", { W_UPDPROP, W_PROP(1, 8192), 0 }, 9, 1, false },
	{ "UPDPROP of what was pending (4.4)",
	  { W_UPDPROP, W_PROP(1, 8192), 1 }, 9, 1, true },
	{ "UPDPROP of what nobody knows (4.4)",
	  { W_UPDPROP, 77, 5, 0x41424344, 0x45000000, 1 }, 10, 1, true },
	{ "UPDPROP to the default (4.4)", { W_UPDPROP, 1, 0, 0 }, 8, 1, false },
};

KUNIT_ARRAY_PARAM_DESC(change, change_vectors, name);

/* The header of the last message */
static struct rpcrdma_hdr hdr;

static int decode(struct rpcrdma_hdr *hdr, const u8 *buf, u32 len)
{
	memset(hdr, 0xff, sizeof(*hdr));
	return rpcrdma_decode_v2(hdr, buf, len);
}

/* Every byte of a decoded message can be reached, and nothing beyond it. */
static void walk(struct kunit *test, const struct rpcrdma_hdr *hdr)
{
	const u8 *end = hdr->base + hdr->len;
	const struct rpcrdma_subset *subset;
	struct rpcrdma_resprop resp;
	struct rpcrdma_cursor cur;
	struct rpcrdma_prop prop;
	u32 i, n = 0, sum = 0;

	rpcrdma_props_begin(hdr, &cur);
	for (; rpcrdma_props_next(&cur, &prop); n++) {
		KUNIT_ASSERT_LE(test, prop.len, end - prop.data);
		for (i = 0; i < prop.len; i++)
			sum += prop.data[i];
	}
	KUNIT_EXPECT_EQ(test, n, hdr->props_count);
	if (hdr->type == RPCRDMA2_RESPROP) {
		rpcrdma_resprop_get(&resp, hdr);
		KUNIT_EXPECT_EQ(test, n, 0);
		for (n = 0; n < 3; n++) {
			subset = n == 0 ? &resp.done :
				 n == 1 ? &resp.rejected : &resp.pending;
			for (i = 0; i < subset->count; i++)
				sum += rpcrdma_subset_word(subset, i) & 1;
		}
		sum += rpcrdma_resprop_covers(&resp, 5);
	}
	/* Use the sum, so that the reads above are not optimized away. */
	KUNIT_EXPECT_LE(test, sum, 255 * hdr->len);
}

static void expect_subset(struct kunit *test, const struct rpcrdma_subset *subset,
			  const struct change_vector *v, u32 i)
{
	KUNIT_EXPECT_EQ(test, subset->count, v->words_of[i]);
	KUNIT_EXPECT_EQ(test, rpcrdma_subset_word(subset, 0), v->first[i]);
}

/* Sections 4.2 to 4.4: every field arrives in the view. */
static void decoded(struct kunit *test)
{
	const struct change_vector *v = test->param_value;
	u32 len = v->nwords * RPCRDMA_XDR_UNIT;
	struct rpcrdma_resprop resp;

	KUNIT_ASSERT_EQ(test, 0, decode(&hdr, codec_message(test, v->words,
							    v->nwords), len));

	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.xid), XID);
	KUNIT_EXPECT_EQ(test, hdr.type, v->words[3]);
	KUNIT_EXPECT_EQ(test, hdr.flags, v->words[4]);
	KUNIT_EXPECT_EQ(test, hdr.payload, len);
	KUNIT_EXPECT_EQ(test, hdr.props_count, v->count);
	KUNIT_EXPECT_EQ(test, hdr.pendclr, v->pendclr);
	KUNIT_EXPECT_EQ(test, hdr.reads.segments, 0);
	KUNIT_EXPECT_EQ(test, hdr.err, 0);
	walk(test, &hdr);
	if (hdr.type != RPCRDMA2_RESPROP)
		return;
	rpcrdma_resprop_get(&resp, &hdr);
	expect_subset(test, &resp.done, v, 0);
	expect_subset(test, &resp.rejected, v, 1);
	expect_subset(test, &resp.pending, v, 2);
}

/* Section 4: three header types, and no other */
static void types(struct kunit *test)
{
	u32 type;

	for (type = 0; type < 64; type++)
		KUNIT_EXPECT_EQ(test, rpcrdma_v2_changes_props(type),
				type == 7 || type == 8 || type == 9);
	KUNIT_EXPECT_FALSE(test, rpcrdma_v2_changes_props(0xffffffff));
}

static void truncated(struct kunit *test)
{
	const struct change_vector *v = test->param_value;
	u8 *msg, *buf;
	u32 len;
	int ret;

	msg = codec_message(test, v->words, v->nwords);
	for (len = 0; len < 4 * v->nwords; len++) {
		buf = codec_buffer(test, len);
		memcpy(buf, msg, len);

		ret = decode(&hdr, buf, len);

		KUNIT_EXPECT_EQ(test, ret, len < RPCRDMA2_PREFIX_SIZE ?
				RPCRDMA_ESHORT : RPCRDMA_EPROP);
		KUNIT_EXPECT_EQ(test, hdr.payload, 0);
		kunit_kfree(test, buf);
	}
}

static const struct codec_bad_vector change_bad[] = {
	{ "REQPROP, one property too few", { W_REQPROP, 2, W_PROP(1, 8192) }, 9,
	  RPCRDMA_EPROP },
	{ "REQPROP, 0xffffffff properties",
	  { W_REQPROP, 0xffffffff, W_PROP(1, 8192) }, 9, RPCRDMA_EPROP },
	{ "REQPROP without a count", { W_REQPROP }, 5, RPCRDMA_EPROP },
	{ "REQPROP, a value of 0xfffffffd bytes",
	  { W_REQPROP, 1, 1, 0xfffffffd, 0 }, 9, RPCRDMA_EPROP },
	{ "RESPROP, done: one word too few", { W_RESPROP, 4, 0, 0, 0 }, 9,
	  RPCRDMA_EPROP },
	{ "RESPROP, done: 0xffffffff words", { W_RESPROP, 0xffffffff, 0, 0 }, 8,
	  RPCRDMA_EPROP },
	{ "RESPROP, done: 0x40000000 words", { W_RESPROP, 0x40000000, 0, 0 }, 8,
	  RPCRDMA_EPROP },
	{ "RESPROP, rejected: 0x40000001 words",
	  { W_RESPROP, 0, 0x40000001, 0, 0 }, 9, RPCRDMA_EPROP },
	{ "RESPROP, pending: 0x80000000 words",
	  { W_RESPROP, 0, 0, 0x80000000, 0 }, 9, RPCRDMA_EPROP },
	{ "RESPROP, pending: one word too few", { W_RESPROP, 0, 0, 2, 0 }, 9,
	  RPCRDMA_EPROP },
	{ "RESPROP without subsets", { W_RESPROP }, 5, RPCRDMA_EPROP },
	{ "RESPROP without rejected", { W_RESPROP, 1, 1 }, 7, RPCRDMA_EPROP },
	{ "RESPROP without pending", { W_RESPROP, 0, 1, 1 }, 8, RPCRDMA_EPROP },
	{ "RESPROP of which done takes up all that follows",
	  { W_RESPROP, 2, 0, 0 }, 8, RPCRDMA_EPROP },
	{ "UPDPROP without a property", { W_UPDPROP }, 5, RPCRDMA_EPROP },
	{ "UPDPROP without its boolean", { W_UPDPROP, W_PROP(1, 8192) }, 8,
	  RPCRDMA_EPROP },
	{ "UPDPROP, boolean 2", { W_UPDPROP, W_PROP(1, 8192), 2 }, 9,
	  RPCRDMA_EPROP },
	{ "UPDPROP, boolean 0xffffffff",
	  { W_UPDPROP, W_PROP(1, 8192), 0xffffffff }, 9, RPCRDMA_EPROP },
	{ "UPDPROP, a value of 0xffffffff bytes",
	  { W_UPDPROP, 1, 0xffffffff, 8192, 0 }, 9, RPCRDMA_EPROP },
	{ "UPDPROP, a value of which the padding is missing",
	  { W_UPDPROP, 77, 9, 0, 0 }, 9, RPCRDMA_EPROP },
};

KUNIT_ARRAY_PARAM_DESC(change_bad, change_bad, name);

/* Hostile counts and lengths, and values out of range */
static void refused(struct kunit *test)
{
	const struct codec_bad_vector *v = test->param_value;
	u8 *buf = codec_message(test, v->words, v->nwords);

	KUNIT_EXPECT_EQ(test, decode(&hdr, buf, 4 * v->nwords), v->error);
	KUNIT_EXPECT_EQ(test, hdr.payload, 0);
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
	{ "nothing, in words of zeros", { W_RESPROP, 1, 0, 1, 0, 2, 0, 0 }, 12, 0,
	  true },
	{ "done", { W_RESPROP, 1, 1, 0, 0 }, 9, 1, true },
	{ "one of each", { W_RESPROP, 1, 1, 1, 2, 1, 4 }, 11, 3, true },
	{ "one of each, and one not mentioned",
	  { W_RESPROP, 1, 1, 1, 2, 1, 4 }, 11, 4, false },
	{ "one of each, and one more", { W_RESPROP, 1, 1, 1, 2, 1, 4 }, 11, 2,
	  false },
	{ "nothing about one", { W_RESPROP, 0, 0, 0 }, 8, 1, false },
	{ "nothing about 0xffffffff", { W_RESPROP, 0, 0, 0 }, 8, 0xffffffff,
	  false },
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

	KUNIT_ASSERT_EQ(test, decode(&hdr, buf, 4 * c->nwords), 0);

	rpcrdma_resprop_get(&resp, &hdr);

	KUNIT_EXPECT_EQ(test, rpcrdma_resprop_covers(&resp, c->count), c->covers);
}

typedef void (*encode_fn)(struct rpcrdma_encoder *enc, const void *arg);

/* Encode into the smallest buffer that holds the message, and decode it. */
static void encode_decode(struct kunit *test, struct rpcrdma_hdr *hdr, u32 type,
			  encode_fn body, const void *arg)
{
	u8 *buf = codec_buffer(test, CODEC_MAX_BYTES);
	struct rpcrdma_encoder enc;
	int len = -EMSGSIZE;
	u32 size;

	for (size = 0; len < 0 && size <= CODEC_MAX_BYTES; size++) {
		rpcrdma_encode_init(&enc, buf, size);
		rpcrdma_encode_fixed(&enc, cpu_to_be32(XID), 2, 64, type);
		rpcrdma_encode_word(&enc, type == RPCRDMA2_RESPROP);
		body(&enc, arg);
		len = rpcrdma_encode_finish(&enc);
		KUNIT_ASSERT_EQ(test, len, len < 0 ? -EMSGSIZE : (int)size);
	}
	KUNIT_ASSERT_GT(test, len, 0);
	KUNIT_ASSERT_EQ(test, decode(hdr, buf, len), 0);
	KUNIT_EXPECT_EQ(test, hdr->type, type);
	walk(test, hdr);
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

		encode_decode(test, &hdr, RPCRDMA2_RESPROP, encode_answer, &a);

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
		encode_decode(test, &hdr, RPCRDMA2_RESPROP, encode_answer,
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

/* Collect a message's properties, and which ones they are, in their order. */
static u32 collect(struct kunit *test, const struct rpcrdma_hdr *hdr,
		   struct rpcrdma_props *props)
{
	struct rpcrdma_prop prop;
	struct rpcrdma_cursor cur;
	u32 which = 0;
	int bit;

	rpcrdma_props_default(props);
	rpcrdma_props_begin(hdr, &cur);
	while (rpcrdma_props_next(&cur, &prop)) {
		bit = rpcrdma_prop_decode(props, &prop);
		KUNIT_ASSERT_GT(test, bit, (int)which);
		which |= bit;
	}
	return which;
}

static void expect_props(struct kunit *test, const struct rpcrdma_props *props,
			 const struct rpcrdma_props *sent, u32 which)
{
	struct rpcrdma_props want;

	rpcrdma_props_default(&want);
	if (which & RPCRDMA_PROPS_RBSIZ)
		want.recv_size = sent->recv_size;
	if (which & RPCRDMA_PROPS_BRS)
		want.reverse = sent->reverse;
	if (which & RPCRDMA_PROPS_REMOTE_INV)
		want.remote_inv = sent->remote_inv;
	if (which & RPCRDMA_PROPS_READ_REPLIES)
		want.read_replies = sent->read_replies;
	if (which & RPCRDMA_PROPS_HTYPES)
		want.htypes = sent->htypes;
	KUNIT_EXPECT_EQ(test, props->recv_size, want.recv_size);
	KUNIT_EXPECT_EQ(test, props->reverse, want.reverse);
	KUNIT_EXPECT_EQ(test, props->remote_inv, want.remote_inv);
	KUNIT_EXPECT_EQ(test, props->read_replies, want.read_replies);
	KUNIT_EXPECT_EQ(test, props->htypes, want.htypes);
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

		encode_decode(test, &hdr, RPCRDMA2_REQPROP, encode_request, &a);

		KUNIT_EXPECT_EQ(test, collect(test, &hdr, &got), a.which & 31);
		expect_props(test, &got, &a.props, a.which);
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

		encode_decode(test, &hdr, RPCRDMA2_UPDPROP, encode_update, &a);

		KUNIT_EXPECT_EQ(test, collect(test, &hdr, &got), a.which);
		KUNIT_EXPECT_EQ(test, hdr.pendclr, a.pendclr);
		expect_props(test, &got, &a.props, a.which);
	}
}

/* Valid messages of which some words were changed */
static void mutated(struct kunit *test)
{
	u32 round, n, len, accepted = 0;
	const struct change_vector *v;
	struct codec_rng rng;
	u8 *buf;

	codec_seed(test, &rng);
	for (round = 0; round < 20000; round++) {
		v = &change_vectors[codec_random(&rng,
						 ARRAY_SIZE(change_vectors))];
		len = 4 * v->nwords;
		buf = codec_message(test, v->words, v->nwords);
		for (n = codec_random(&rng, 4); n; n--)
			put_unaligned_be32(codec_random(&rng, 2) ?
					   codec_random(&rng, 12) :
					   0u - codec_random(&rng, 9),
					   buf + 4 * codec_random(&rng,
								  v->nwords));

		if (!decode(&hdr, buf, len)) {
			if (rpcrdma_v2_changes_props(hdr.type))
				walk(test, &hdr);
			accepted++;
		}
		kunit_kfree(test, buf);
	}
	KUNIT_EXPECT_GT(test, accepted, 1000);
	KUNIT_EXPECT_LT(test, accepted, 20000);
}

static struct kunit_case codec_changes_cases[] = {
	KUNIT_CASE_PARAM(decoded, change_gen_params),
	KUNIT_CASE(types),
	KUNIT_CASE_PARAM(truncated, change_gen_params),
	KUNIT_CASE_PARAM(refused, change_bad_gen_params),
	KUNIT_CASE(bits_of_a_subset),
	KUNIT_CASE_PARAM(answer_judged, answer_gen_params),
	KUNIT_CASE(answer_encoded),
	KUNIT_CASE(answer_is_short),
	KUNIT_CASE(request_round_trip),
	KUNIT_CASE(update_round_trip),
	KUNIT_CASE(mutated),
	{}
};

SUITE("rpcrdma_codec_changes", codec_changes_cases);
