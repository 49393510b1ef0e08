// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: transport properties are decoded and encoded as the specification
 * (draft-cel-nfsv4-rpcrdma-version-two-09, "v2 draft", section 4) requires, and
 * malformed ones are refused.
 */
#include "suite.h"
#include "codec_vectors.h"

#define XID	0x5eed0005

#define W_PROP(id, val)		(id), 4, (val)

/* Property sets and their meaning, or the error */
static const struct {
	const char *name;
	u32 words[24];
	u32 nwords;
	int error;
	u32 want[6];	/* values, and the properties that will not change */
} prop_cases[] = {
	{ "defaults (4.2)", { 0 }, 1, 0, { 4096, 1 } },
	{ "unknown support of reverse requests", { 1, W_PROP(2, 3) }, 4, RPCRDMA_EPROP },
	{ "a boolean that is none", { 1, W_PROP(0xffffff01, 2) }, 4, RPCRDMA_EPROP },
	{ "types 3 and 9", { 1, 0xffffff03, 6, 2, 0x08020000 }, 5, RPCRDMA_EPROP },
	{ "types 3 and 9, padded", { 1, 0xffffff03, 8, 2, 0x08020000 }, 5, 0,
	  { 4096, 1, false, false, 0x208 } },
	{ "types, longer than they are", { 1, 0xffffff03, 8, 5, 0 }, 5, RPCRDMA_EPROP },
	{ "types, none", { 1, 0xffffff03, 4, 0 }, 4, 0, { 4096, 1 } },
	{ "types, half a count", { 1, 0xffffff03, 2, 0 }, 4, RPCRDMA_EPROP },
	{ "types, padded by other than zeros", { 1, 0xffffff03, 8, 2, 0x08020101 },
	  5, 0, { 4096, 1, false, false, 0x208 } },
	{ "types beyond 31", { 1, 0xffffff03, 12, 8, 0x08000000, 0x01020304 }, 6,
	  0, { 4096, 1, false, false, 0x8 } },
	{ "types, the second time fewer", { 2, 0xffffff03, 8, 2, 0x08020000,
	  0xffffff03, 8, 1, 0x01000000 }, 9, 0,
	  { 4096, 1, false, false, 0x1 } },
	{ "types, 0xffffffff octets", { 1, 0xffffff03, 8, 0xffffffff, 0 }, 5, RPCRDMA_EPROP },
	{ "what will not change", { 3, W_PROP(1, 8192), W_PROP(2, 2),
	  0xffffff04, 8, 1, 5 }, 11, 0,
	  { 8192, 2, false, false, 0, RPCRDMA_PROPS_RBSIZ |
	    RPCRDMA_PROPS_NOCHANGE } },
	{ "what will not change, before what it refers to",
	  { 3, 0xffffff04, 8, 1, 4, W_PROP(1, 8192), W_PROP(2, 2) }, 11, 0,
	  { 8192, 2, false, false, 0, RPCRDMA_PROPS_BRS } },
	{ "what will not change, of those that are known",
	  { 5, W_PROP(0x1234, 7), W_PROP(0xffffff02, 1), 0xffffff04, 8, 1, 0xff,
	    W_PROP(0xffffff01, 1), 0xffffff03, 8, 1, 0x08000000 }, 18, 0,
	  { 4096, 1, true, true, 8, RPCRDMA_PROPS_REMOTE_INV |
	    RPCRDMA_PROPS_READ_REPLIES | RPCRDMA_PROPS_HTYPES |
	    RPCRDMA_PROPS_NOCHANGE } },
	{ "what will not change: the value that counts",
	  { 3, W_PROP(1, 1024), W_PROP(1, 8192), 0xffffff04, 8, 1, 1 }, 11, 0,
	  { 8192, 1 } },
	{ "what will not change: the subset that counts",
	  { 3, W_PROP(1, 8192), 0xffffff04, 8, 1, 1, 0xffffff04, 4, 0 }, 11, 0,
	  { 8192, 1 } },
	{ "what will not change: the subset that counts has no value",
	  { 3, W_PROP(1, 8192), 0xffffff04, 8, 1, 1, 0xffffff04, 0 }, 10, 0,
	  { 8192, 1 } },
	{ "what will not change: a property that has its default",
	  { 2, 2, 0, 0xffffff04, 8, 1, 1 }, 7, 0,
	  { 4096, 1, false, false, 0, RPCRDMA_PROPS_BRS } },
	{ "what will not change, wrong count", { 1, 0xffffff04, 8, 2, 5 }, 5, RPCRDMA_EPROP },
	{ "what will not change, half a count", { 1, 0xffffff04, 2, 0 }, 4, RPCRDMA_EPROP },
	{ "what will not change, nothing",
	  { 2, 0xffffff04, 4, 0, W_PROP(1, 8192) }, 7, 0, { 8192, 1 } },
	{ "what will not change, two words", { 1, 0xffffff04, 12, 2, 5, 7 }, 6, 0,
	  { 4096, 1, false, false, 0, RPCRDMA_PROPS_NOCHANGE } },
	{ "unknown properties are skipped (4.1)",
	  { 2, W_PROP(0x1234, 7), W_PROP(1, 8192) }, 7, 0, { 8192, 1 } },
	{ "other properties of the experimental range are skipped, too (TC 6.3)",
	  { 5, 0xffffff00, 1, 0xff000000, W_PROP(0xffffff05, 2), 0xfffffffe, 0,
	    W_PROP(0xffffffff, ~0u), W_PROP(1, 8192) }, 15, 0, { 8192, 1 } },
	{ "the last one counts", { 2, W_PROP(1, 1024), W_PROP(1, 8192) }, 7, 0, { 8192, 1 } },
	{ "without a value: the default", { 1, 1, 0 }, 3, 0, { 4096, 1 } },
	{ "the last one counts, without a value (4.1)",
	  { 4, W_PROP(1, 8192), 1, 0, W_PROP(2, 2), 2, 0 }, 11, 0,
	  { 4096, 1 } },
	{ "the last one counts, arrays without a value",
	  { 4, 0xffffff03, 8, 1, 0x08000000, 0xffffff03, 0,
	    0xffffff04, 8, 1, 5, 0xffffff04, 0 }, 13, 0, { 4096, 1 } },
	{ "a value too short (4.1)", { 1, 1, 3, 0 }, 4, RPCRDMA_EPROP },
	{ "a value too long (4.1)", { 1, 1, 8, 0, 4096 }, 5, RPCRDMA_EPROP },
};

KUNIT_ARRAY_PARAM_DESC(prop, prop_cases, name);

/* Section 5.3.4: @listed properties, and missing ones, will not change. */
static void expect_nochange(struct kunit *test, const struct rpcrdma_hdr *hdr,
			    u32 nochange, u32 listed)
{
	u32 absent = RPCRDMA_PROPS_ALL;
	struct rpcrdma_props ignored;
	struct rpcrdma_prop prop;
	struct rpcrdma_cursor cur;

	rpcrdma_props_begin(hdr, &cur);
	while (rpcrdma_props_next(&cur, &prop))
		absent &= ~rpcrdma_prop_decode(&ignored, &prop);
	KUNIT_EXPECT_EQ(test, nochange, listed | absent);
}

/*
 * Section 4.1: each property changes only its own value, or nothing if it is
 * unknown or malformed.
 */
static void one_by_one(struct kunit *test, const struct rpcrdma_hdr *hdr,
		       const struct rpcrdma_props *want, int error)
{
	const struct rpcrdma_props before = {
		.values = { 1024, 2, true, true, 9 }, .nochange = 3,
	};
	struct rpcrdma_props props = before, last = before;
	struct rpcrdma_cursor cur;
	struct rpcrdma_prop prop;
	u32 which = 0;
	int ret = 0;

	rpcrdma_props_begin(hdr, &cur);
	while (ret >= 0 && rpcrdma_props_next(&cur, &prop)) {
		last = props;
		ret = rpcrdma_prop_decode(&props, &prop);
		which |= ret;
	}
	codec_expect_props(test, &props, want, ret < 0 ? &last : &before,
			   ret < 0 ? 0 : which);
	KUNIT_EXPECT_EQ(test, ret < 0 ? ret : 0, error);
	KUNIT_EXPECT_EQ(test, props.nochange, before.nochange);
}

/* Section 4: a property set is decoded, or refused if it is malformed. */
static void properties(struct kunit *test)
{
	const typeof(prop_cases[0]) *c = test->param_value;
	u32 i, words[5 + 24] = { XID, 2, 64, RPCRDMA2_CONNPROP, 0 };
	struct rpcrdma_props props, want = { .nochange = c->want[5] };
	struct rpcrdma_hdr hdr;
	u8 *buf;

	memcpy(want.values, c->want, sizeof(want.values));
	for (i = 0; i < c->nwords; i++)
		words[5 + i] = c->words[i];
	buf = codec_message(test, words, 5 + c->nwords);
	KUNIT_ASSERT_EQ(test, codec_decode(2, &hdr, buf, 4 * (5 + c->nwords)), 0);

	one_by_one(test, &hdr, &want, c->error);
	KUNIT_ASSERT_EQ(test, rpcrdma_props_decode(&props, &hdr), c->error);
	if (c->error)
		return;
	codec_expect_props(test, &props, &want, NULL, RPCRDMA_PROPS_ALL);
	expect_nochange(test, &hdr, props.nochange, want.nochange);
}

static void encode_props(struct rpcrdma_encoder *enc, const void *props)
{
	rpcrdma_props_encode(enc, props);
}

/* All properties are sent, and decode to the encoded values. */
static void properties_round_trip(struct kunit *test)
{
	struct rpcrdma_props got;
	struct rpcrdma_hdr hdr;
	u32 i;

	for (i = 0; i < 32 << 6; i++) {
		const struct rpcrdma_props props = {
			.recv_size = i & 1 ? 65536 : 4096,
			.reverse = i & 2 ? 2 : 1,
			.remote_inv = !!(i & 4),
			.read_replies = !!(i & 8),
			.htypes = i & 16 ? 0x80000208 : 0,
			.nochange = i >> 5,
		};

		codec_encode_decode(test, &hdr, RPCRDMA2_CONNPROP, encode_props,
				    &props);
		KUNIT_ASSERT_EQ(test, rpcrdma_props_decode(&got, &hdr), 0);
		KUNIT_EXPECT_EQ(test, hdr.props_count, 6);
		codec_expect_props(test, &got, &props, NULL, RPCRDMA_PROPS_ALL);
		KUNIT_EXPECT_EQ(test, got.nochange, props.nochange);
	}
}

/* A subset of any length is decoded: here, it contains the 100th property. */
static void nochange_far_away(struct kunit *test)
{
	u32 words[6 + 99 * 2 + 3 + 2 + 5] = { XID, 2, 64, RPCRDMA2_CONNPROP, 0, 101 };
	struct rpcrdma_props props;
	struct rpcrdma_hdr hdr;
	u32 i, n = 6;

	for (i = 0; i < 99; i++) {
		words[n++] = 1000 + i;
		words[n++] = 0;
	}
	words[n++] = 1;
	words[n++] = 4;
	words[n++] = 8192;
	words[n++] = RPCRDMA2_PROP_NOCHANGE;
	words[n++] = 20;
	words[n++] = 4;
	words[n + 3] = 8;
	n += 4;
	KUNIT_ASSERT_EQ(test, 0, codec_decode(2, &hdr,
					      codec_message(test, words, n),
					      4 * n));

	KUNIT_ASSERT_EQ(test, 0, rpcrdma_props_decode(&props, &hdr));

	KUNIT_EXPECT_EQ(test, props.recv_size, 8192);
	expect_nochange(test, &hdr, props.nochange, RPCRDMA_PROPS_RBSIZ);
}

static struct kunit_case codec_props_cases[] = {
	KUNIT_CASE_PARAM(properties, prop_gen_params),
	KUNIT_CASE(properties_round_trip),
	KUNIT_CASE(nochange_far_away),
	{}
};

SUITE("rpcrdma_codec_props", codec_props_cases);
