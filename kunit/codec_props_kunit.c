// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: transport properties are decoded and encoded as the specification
 * (draft-cel-nfsv4-rpcrdma-version-two-09, "v2 draft", section 4) says, and
 * malformed ones are refused.
 */
#include "suite.h"
#include "codec_vectors.h"

#define XID	0x5eed0005

#define W_PREFIX(type, flags)	XID, 2, 64, (type), (flags)
#define W_PROP(id, val)		(id), 4, (val)

static int decode(struct rpcrdma_hdr *hdr, const u8 *buf, u32 len)
{
	memset(hdr, 0xff, sizeof(*hdr));
	return rpcrdma_decode_v2(hdr, buf, len);
}

/* Property sets and their meaning, or the error */
static const struct {
	const char *name;
	u32 words[24];
	u32 nwords;
	int error;
	struct rpcrdma_props want;
} prop_cases[] = {
	{ "defaults (4.2)", { 0 }, 1, 0, { 4096, 1 } },
	{ "Receive Buffer Size (4.2.1)", { 1, W_PROP(1, 65536) }, 4, 0,
	  { 65536, 1 } },
	{ "no reverse requests (4.2.2)", { 1, W_PROP(2, 0) }, 4, 0,
	  { 4096, 0 } },
	{ "reverse requests with chunks (4.2.2)", { 1, W_PROP(2, 2) }, 4, 0,
	  { 4096, 2 } },
	{ "unknown support of reverse requests", { 1, W_PROP(2, 3) }, 4,
	  RPCRDMA_EPROP },
	{ "remote invalidation", { 1, W_PROP(0xffffff01, 1) }, 4, 0,
	  { 4096, 1, true } },
	{ "a boolean that is none", { 1, W_PROP(0xffffff01, 2) }, 4,
	  RPCRDMA_EPROP },
	{ "replies in Read chunks", { 1, W_PROP(0xffffff02, 1) }, 4, 0,
	  { 4096, 1, false, true } },
	{ "types 3 and 9", { 1, 0xffffff03, 6, 2, 0x08020000 }, 5,
	  RPCRDMA_EPROP },
	{ "types 3 and 9, padded", { 1, 0xffffff03, 8, 2, 0x08020000 }, 5, 0,
	  { 4096, 1, false, false, 0x208 } },
	{ "types, longer than they are", { 1, 0xffffff03, 8, 5, 0 }, 5,
	  RPCRDMA_EPROP },
	{ "types, none", { 1, 0xffffff03, 4, 0 }, 4, 0, { 4096, 1 } },
	{ "types, half a count", { 1, 0xffffff03, 2, 0 }, 4, RPCRDMA_EPROP },
	{ "types, padded by other than zeros", { 1, 0xffffff03, 8, 2, 0x08020101 },
	  5, 0, { 4096, 1, false, false, 0x208 } },
	{ "types beyond 31", { 1, 0xffffff03, 12, 8, 0x08000000, 0x01020304 }, 6,
	  0, { 4096, 1, false, false, 0x8 } },
	{ "types, the second time fewer", { 2, 0xffffff03, 8, 2, 0x08020000,
	  0xffffff03, 8, 1, 0x01000000 }, 9, 0,
	  { 4096, 1, false, false, 0x1 } },
	{ "types, 0xffffffff octets", { 1, 0xffffff03, 8, 0xffffffff, 0 }, 5,
	  RPCRDMA_EPROP },
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
	{ "what will not change, wrong count", { 1, 0xffffff04, 8, 2, 5 }, 5,
	  RPCRDMA_EPROP },
	{ "what will not change, half a count", { 1, 0xffffff04, 2, 0 }, 4,
	  RPCRDMA_EPROP },
	{ "what will not change, half of the largest count",
	  { 1, 0xffffff04, 2, 0xffffffff }, 4, RPCRDMA_EPROP },
	{ "what will not change, a count and a half", { 1, 0xffffff04, 6, 0, 5 },
	  5, RPCRDMA_EPROP },
	{ "what will not change, nothing",
	  { 2, 0xffffff04, 4, 0, W_PROP(1, 8192) }, 7, 0, { 8192, 1 } },
	{ "what will not change, two words", { 1, 0xffffff04, 12, 2, 5, 7 }, 6, 0,
	  { 4096, 1, false, false, 0, RPCRDMA_PROPS_NOCHANGE } },
	{ "what will not change, half a word", { 1, 0xffffff04, 6, 1, 5 }, 5,
	  RPCRDMA_EPROP },
	{ "unknown properties are skipped (4.1)",
	  { 2, W_PROP(0x1234, 7), W_PROP(1, 8192) }, 7, 0, { 8192, 1 } },
	{ "other properties of the experimental range are skipped, too (TC 6.3)",
	  { 5, 0xffffff00, 1, 0xff000000, W_PROP(0xffffff05, 2), 0xfffffffe, 0,
	    W_PROP(0xffffffff, ~0u), W_PROP(1, 8192) }, 15, 0, { 8192, 1 } },
	{ "the last one counts", { 2, W_PROP(1, 1024), W_PROP(1, 8192) }, 7, 0,
	  { 8192, 1 } },
	{ "without a value: the default", { 1, 1, 0 }, 3, 0, { 4096, 1 } },
	{ "the last one counts, without a value (4.1)",
	  { 4, W_PROP(1, 8192), 1, 0, W_PROP(2, 2), 2, 0 }, 11, 0,
	  { 4096, 1 } },
	{ "the last one counts, ours without a value",
	  { 4, W_PROP(0xffffff01, 1), 0xffffff01, 0, W_PROP(0xffffff02, 1),
	    0xffffff02, 0 }, 11, 0, { 4096, 1 } },
	{ "the last one counts, arrays without a value",
	  { 4, 0xffffff03, 8, 1, 0x08000000, 0xffffff03, 0,
	    0xffffff04, 8, 1, 5, 0xffffff04, 0 }, 13, 0, { 4096, 1 } },
	{ "one that is not known, without a value",
	  { 2, W_PROP(1, 8192), 0x1234, 0 }, 6, 0, { 8192, 1 } },
	{ "a value too short (4.1)", { 1, 1, 3, 0 }, 4, RPCRDMA_EPROP },
	{ "a value too long (4.1)", { 1, 1, 8, 0, 4096 }, 5, RPCRDMA_EPROP },
};

KUNIT_ARRAY_PARAM_DESC(prop, prop_cases, name);

static void expect_props(struct kunit *test, const struct rpcrdma_props *props,
			 const struct rpcrdma_props *want)
{
	KUNIT_EXPECT_EQ(test, props->recv_size, want->recv_size);
	KUNIT_EXPECT_EQ(test, props->reverse, want->reverse);
	KUNIT_EXPECT_EQ(test, props->remote_inv, want->remote_inv);
	KUNIT_EXPECT_EQ(test, props->read_replies, want->read_replies);
	KUNIT_EXPECT_EQ(test, props->htypes, want->htypes);
}

/* Section 5.3.4: those in @listed, and any that is not in the message */
static void expect_nochange(struct kunit *test, const struct rpcrdma_hdr *hdr,
			    u32 nochange, u32 listed)
{
	u32 absent = RPCRDMA_PROPS_ALL;
	struct rpcrdma_prop prop;
	struct rpcrdma_cursor cur;

	rpcrdma_props_begin(hdr, &cur);
	while (rpcrdma_props_next(&cur, &prop))
		absent &= ~rpcrdma_prop_mask(prop.id);
	KUNIT_EXPECT_EQ(test, nochange, listed | absent);
}

/* Section 4: a property set is decoded, or refused if it is malformed. */
static void properties(struct kunit *test)
{
	const typeof(prop_cases[0]) *c = test->param_value;
	u32 i, words[5 + 24] = { W_PREFIX(5, 0) };
	struct rpcrdma_props props;
	struct rpcrdma_hdr hdr;
	u8 *buf;

	for (i = 0; i < c->nwords; i++)
		words[5 + i] = c->words[i];
	buf = codec_message(test, words, 5 + c->nwords);
	KUNIT_ASSERT_EQ(test, decode(&hdr, buf, 4 * (5 + c->nwords)), 0);

	KUNIT_ASSERT_EQ(test, rpcrdma_props_decode(&props, &hdr), c->error);
	if (c->error)
		return;
	expect_props(test, &props, &c->want);
	expect_nochange(test, &hdr, props.nochange, c->want.nochange);
}

static u32 count_bits(u32 word)
{
	u32 n;

	for (n = 0; word; n++)
		word &= word - 1;
	return n;
}

/* Any properties can be encoded and decoded, unless the buffer is too small. */
static void properties_round_trip(struct kunit *test)
{
	u8 *buf = codec_buffer(test, 256);
	struct rpcrdma_encoder enc;
	struct rpcrdma_props got;
	struct rpcrdma_hdr hdr;
	u32 i, size, sent;
	int len = 0;

	for (i = 0; i < 64; i++) {
		const struct rpcrdma_props props = {
			.recv_size = i & 1 ? 65536 : 4096,
			.reverse = i & 2 ? 2 : 1,
			.remote_inv = !!(i & 4),
			.read_replies = !!(i & 8),
			.htypes = i & 16 ? 0x80000208 : 0,
			.nochange = i & 32 ? 0x3f : 0,
		};

		for (size = 0; size <= 256; size++) {
			rpcrdma_encode_init(&enc, buf, size);
			rpcrdma_encode_fixed(&enc, cpu_to_be32(XID), 2, 64,
					     RPCRDMA2_CONNPROP);
			rpcrdma_encode_word(&enc, 0);
			rpcrdma_props_encode(&enc, &props);
			len = rpcrdma_encode_finish(&enc);
			if (len > 0)
				break;
			KUNIT_ASSERT_EQ(test, len, -EMSGSIZE);
		}

		KUNIT_ASSERT_EQ(test, (u32)len, size);
		/*
		 * Properties that have their default are left out, unless they
		 * may change, or the message says that they will not.
		 */
		sent = i & 32 ? 31 : i | 1;
		KUNIT_EXPECT_EQ(test, size, 24 + 12 * count_bits(sent & 15) +
					    16 * ((sent >> 4) + (i >> 5)));
		KUNIT_ASSERT_EQ(test, decode(&hdr, buf, len), 0);
		KUNIT_ASSERT_EQ(test, rpcrdma_props_decode(&got, &hdr), 0);
		expect_props(test, &got, &props);
		expect_nochange(test, &hdr, got.nochange, props.nochange);
	}
}

/* A single property, as in RDMA2_UPDPROP, and what decoding it returns */
static const struct {
	const char *name;
	u32 words[6];
	int ret;
	struct rpcrdma_props want;
} one_cases[] = {
	{ "Receive Buffer Size", { W_PROP(1, 8192) }, RPCRDMA_PROPS_RBSIZ,
	  { 8192, 2, true, true, 9, 3 } },
	{ "Receive Buffer Size, the default", { 1, 0 }, RPCRDMA_PROPS_RBSIZ,
	  { 4096, 2, true, true, 9, 3 } },
	{ "Receive Buffer Size, too short", { 1, 3, 0 }, RPCRDMA_EPROP },
	{ "reverse requests", { W_PROP(2, 0) }, RPCRDMA_PROPS_BRS,
	  { 1024, 0, true, true, 9, 3 } },
	{ "reverse requests, out of range", { W_PROP(2, 3) }, RPCRDMA_EPROP },
	{ "remote invalidation", { W_PROP(0xffffff01, 0) },
	  RPCRDMA_PROPS_REMOTE_INV, { 1024, 2, false, true, 9, 3 } },
	{ "remote invalidation, no boolean", { W_PROP(0xffffff01, 2) },
	  RPCRDMA_EPROP },
	{ "replies in Read chunks", { 0xffffff02, 0 },
	  RPCRDMA_PROPS_READ_REPLIES, { 1024, 2, true, false, 9, 3 } },
	{ "header types", { 0xffffff03, 8, 2, 0x08020000 },
	  RPCRDMA_PROPS_HTYPES, { 1024, 2, true, true, 0x208, 3 } },
	{ "header types, too long", { 0xffffff03, 8, 5, 0x08020000 },
	  RPCRDMA_EPROP },
	{ "what will not change", { 0xffffff04, 8, 1, 1 },
	  RPCRDMA_PROPS_NOCHANGE, { 1024, 2, true, true, 9, 3 } },
	{ "what will not change, no value", { 0xffffff04, 0 },
	  RPCRDMA_PROPS_NOCHANGE, { 1024, 2, true, true, 9, 3 } },
	{ "what will not change, wrong count", { 0xffffff04, 8, 2, 1 },
	  RPCRDMA_EPROP },
	{ "unknown", { W_PROP(77, 1) }, 0, { 1024, 2, true, true, 9, 3 } },
	{ "unknown, no value", { 77, 0 }, 0, { 1024, 2, true, true, 9, 3 } },
	{ "unknown, of the experimental range", { W_PROP(0xffffff05, 2) }, 0,
	  { 1024, 2, true, true, 9, 3 } },
	{ "unknown, the last number", { W_PROP(0xffffffff, ~0u) }, 0,
	  { 1024, 2, true, true, 9, 3 } },
};

KUNIT_ARRAY_PARAM_DESC(one, one_cases, name);

/* One property is changed, or none if it is unknown or malformed. */
static void one_property(struct kunit *test)
{
	const struct rpcrdma_props before = { 1024, 2, true, true, 9, 3 };
	const typeof(one_cases[0]) *c = test->param_value;
	u8 *buf = codec_message(test, c->words, ARRAY_SIZE(c->words));
	struct rpcrdma_props props = before;
	const struct rpcrdma_prop prop = {
		.id	= c->words[0],
		.data	= buf + 2 * RPCRDMA_XDR_UNIT,
		.len	= c->words[1],
	};

	KUNIT_ASSERT_EQ(test, rpcrdma_prop_decode(&props, &prop), c->ret);

	expect_props(test, &props, c->ret < 0 ? &before : &c->want);
	KUNIT_EXPECT_EQ(test, props.nochange, before.nochange);
	if (c->ret >= 0)
		KUNIT_EXPECT_EQ(test, rpcrdma_prop_mask(prop.id), (u32)c->ret);
}

/* A subset of any length is understood: here, the 100th property is in it. */
static void nochange_far_away(struct kunit *test)
{
	u32 words[6 + 99 * 2 + 3 + 2 + 5] = { W_PREFIX(5, 0), 101 };
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
	KUNIT_ASSERT_EQ(test, 0, decode(&hdr, codec_message(test, words, n),
					4 * n));

	KUNIT_ASSERT_EQ(test, 0, rpcrdma_props_decode(&props, &hdr));

	KUNIT_EXPECT_EQ(test, props.recv_size, 8192);
	expect_nochange(test, &hdr, props.nochange, RPCRDMA_PROPS_RBSIZ);
}

/* What will not change is sent; bits that mean nothing are ignored. */
static void nochange_round_trip(struct kunit *test)
{
	u8 *buf = codec_buffer(test, 256);
	struct rpcrdma_props props, got;
	struct rpcrdma_encoder enc;
	struct rpcrdma_hdr hdr;
	u32 i, sent;
	int len;

	for (i = 0; i < 128; i++) {
		rpcrdma_props_default(&props);
		props.nochange = i;
		props.read_replies = i % 3 == 0;

		rpcrdma_encode_init(&enc, buf, 256);
		rpcrdma_encode_fixed(&enc, cpu_to_be32(XID), 2, 64,
				     RPCRDMA2_CONNPROP);
		rpcrdma_encode_word(&enc, 0);
		rpcrdma_props_encode(&enc, &props);
		len = rpcrdma_encode_finish(&enc);
		KUNIT_ASSERT_GT(test, len, 0);
		KUNIT_ASSERT_EQ(test, decode(&hdr, buf, len), 0);
		KUNIT_ASSERT_EQ(test, rpcrdma_props_decode(&got, &hdr), 0);

		props.nochange &= RPCRDMA_PROPS_ALL;
		expect_props(test, &got, &props);
		expect_nochange(test, &hdr, got.nochange, props.nochange);
		sent = props.nochange | RPCRDMA_PROPS_RBSIZ |
		       (props.nochange ? RPCRDMA_PROPS_NOCHANGE : 0) |
		       (props.read_replies ? RPCRDMA_PROPS_READ_REPLIES : 0);
		KUNIT_EXPECT_EQ(test, hdr.props_count, count_bits(sent));
	}
}

static struct kunit_case codec_props_cases[] = {
	KUNIT_CASE_PARAM(properties, prop_gen_params),
	KUNIT_CASE_PARAM(one_property, one_gen_params),
	KUNIT_CASE(properties_round_trip),
	KUNIT_CASE(nochange_far_away),
	KUNIT_CASE(nochange_round_trip),
	{}
};

SUITE("rpcrdma_codec_props", codec_props_cases);
