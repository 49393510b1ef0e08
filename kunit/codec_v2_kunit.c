// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: version 2 headers and transport properties are decoded and encoded as
 * the specification (draft-cel-nfsv4-rpcrdma-version-two-09, "v2 draft") says,
 * and malformed ones are refused.
 */
#include "codec_vectors.h"

#define XID	0x5eed0004

#define W_PREFIX(type, flags)	XID, 2, 64, (type), (flags)
#define W_SEG			0x77, 4096, 0x1, 0x2000
#define W_PROP(id, val)		(id), 4, (val)

/**
 * struct v2_vector - a version 2 message and its meaning
 * @name: what the message is, and the section that defines it
 * @words: the message in wire order
 * @nwords: number of words in use
 * @payload: how many of them, at the end, are the RPC message
 * @type: expected value
 * @flags: expected value
 * @inv: handle that the responder may invalidate
 * @reads: segments in the Read list
 * @writes: chunks in the Write list
 * @reply: chunks in the Reply list
 * @err: error code
 * @index: number of the Write chunk
 * @value: limit, or length needed
 * @low: lowest version
 * @high: highest version
 * @props: properties
 */
struct v2_vector {
	const char *name;
	u32 words[CODEC_MAX_WORDS];
	u32 nwords;
	u32 payload;
	u32 type, flags, inv;
	u32 reads, writes, reply;
	u32 err, index, value, low, high;
	u32 props;
};

static const struct v2_vector v2_vectors[] = {
	/* Section 5.3.1 */
	{ "MSG without chunks (5.3.1)",
	  { W_PREFIX(0, 0), 0, 0, 0, 0, XID, 0, 2 }, 12, 3, 0, 0 },
	{ "MSG, a response (3.2)",
	  { W_PREFIX(0, 1), 0, 0, 0, 0, XID, 1, 0 }, 12, 3, 0, 1 },
	{ "MSG with unknown flags (3.2)",
	  { W_PREFIX(0, 0xfffffffe), 0, 0, 0, 0, XID }, 10, 1, 0,
	  0xfffffffe },
	{ "MSG with all lists and a handle to invalidate (3.3)",
	  { W_PREFIX(0, 0), 0x77, 1, 100, W_SEG, 0, 1, 1, W_SEG, 0,
	    1, 1, W_SEG, XID, 0 }, 28, 2, 0, 0, 0x77, 1, 1, 1 },
	/* Section 5.3.2 */
	{ "NOMSG without chunks (5.3.2)", { W_PREFIX(1, 0), 0, 0, 0, 0 }, 9, 0,
	  1, 0 },
	{ "NOMSG with a position-zero chunk (5.3.2)",
	  { W_PREFIX(1, 0), 0x77, 1, 0, W_SEG, 0, 0, 0 }, 15, 0, 1, 0, 0x77,
	  1 },
	{ "NOMSG with a Reply chunk (5.3.2)",
	  { W_PREFIX(1, 1), 0, 0, 0, 1, 1, W_SEG }, 14, 0, 1, 1, 0, 0, 0, 1 },
	/* Version 1's RDMA_DONE, as an OPTIONAL type */
	{ "DONE", { W_PREFIX(3, 0) }, 5, 0, 3, 0 },
	/* Section 5.3.3 and 6.4 */
	{ "ERR_VERS (5.3.3)", { W_PREFIX(4, 1), 1, 1, 2 }, 8, 0, 4, 1,
	  .err = 1, .low = 1, .high = 2 },
	{ "ERR_BAD_XDR (5.3.3)", { W_PREFIX(4, 1), 2 }, 6, 0, 4, 1, .err = 2 },
	{ "ERR_INVAL_HTYPE (5.3.3)", { W_PREFIX(4, 1), 3 }, 6, 0, 4, 1,
	  .err = 3 },
	{ "ERR_READ_CHUNKS (5.3.3)", { W_PREFIX(4, 1), 4, 16 }, 7, 0, 4, 1,
	  .err = 4, .value = 16 },
	{ "ERR_WRITE_CHUNKS (5.3.3)", { W_PREFIX(4, 1), 5, 1 }, 7, 0, 4, 1,
	  .err = 5, .value = 1 },
	{ "ERR_SEGMENTS (5.3.3)", { W_PREFIX(4, 1), 6, 0xffffffff }, 7, 0, 4,
	  1, .err = 6, .value = 0xffffffff },
	{ "ERR_WRITE_RESOURCE (5.3.3)", { W_PREFIX(4, 1), 7, 2, 8192 }, 8, 0,
	  4, 1, .err = 7, .index = 2, .value = 8192 },
	{ "ERR_REPLY_RESOURCE (5.3.3)", { W_PREFIX(4, 1), 8, 100000 }, 7, 0, 4,
	  1, .err = 8, .value = 100000 },
	{ "ERR_SYSTEM (5.3.3)", { W_PREFIX(4, 1), 9 }, 6, 0, 4, 1, .err = 9 },
	{ "an unknown error has no body (5.3.3)", { W_PREFIX(4, 1), 77 }, 6, 0,
	  4, 1, .err = 77 },
	{ "ERR_VERS in version 1's form, with version 2's number",
	  { XID, 2, 64, 4, 1, 1, 1 }, 7, 0, 4, 0, .err = 1, .low = 1,
	  .high = 1 },
	/* Section 5.3.4 */
	{ "CONNPROP that says nothing (5.3.4)", { W_PREFIX(5, 0), 0 }, 6, 0, 5,
	  0 },
	{ "CONNPROP with three properties (5.3.4)",
	  { W_PREFIX(5, 1), 3, W_PROP(1, 65536), W_PROP(2, 1),
	    W_PROP(0xffffff01, 1) }, 15, 0, 5, 1, .props = 3 },
	{ "CONNPROP with odd and empty values (4.1)",
	  { W_PREFIX(5, 0), 3, 0x1234, 5, 0x41424344, 0x45000000, 1, 0,
	    0x5678, 1, 0x46000000 }, 15, 0, 5, 0, .props = 3 },
};

KUNIT_ARRAY_PARAM_DESC(v2, v2_vectors, name);

static int decode(struct rpcrdma_hdr *hdr, const u8 *buf, u32 len)
{
	int ret;

	memset(hdr, 0xff, sizeof(*hdr));
	ret = rpcrdma_decode_prefix(hdr, buf, len);
	return ret ?: rpcrdma_v2_decode(hdr);
}

/* Walk a view to its end, including the properties. */
static void walk(struct kunit *test, const struct rpcrdma_hdr *hdr)
{
	const u8 *end = hdr->base + hdr->len;
	struct rpcrdma_cursor cur;
	struct rpcrdma_props props;
	struct rpcrdma_prop prop;
	u32 i, sum = 0, n = 0;

	codec_walk(test, hdr);
	if (hdr->type != RPCRDMA2_CONNPROP)
		return;
	rpcrdma_props_begin(hdr, &cur);
	while (rpcrdma_props_next(&cur, &prop)) {
		KUNIT_ASSERT_LE(test, prop.len, end - prop.data);
		for (i = 0; i < prop.len; i++)
			sum += prop.data[i];
		n++;
	}
	KUNIT_EXPECT_EQ(test, n, hdr->props_count);
	/* Use the sum, so that the reads above are not optimized away. */
	KUNIT_EXPECT_LE(test, sum, 255 * hdr->len);
	if (!rpcrdma_props_decode(&props, hdr))
		KUNIT_EXPECT_LE(test, props.reverse, RPCRDMA2_RVREQSUP_GENL);
}

/* Every field of every message arrives in the view. */
static void decoded(struct kunit *test)
{
	const struct v2_vector *v = test->param_value;
	u32 len = v->nwords * RPCRDMA_XDR_UNIT;
	struct rpcrdma_hdr hdr;
	u8 *buf;

	/* Arrange */
	buf = codec_message(test, v->words, v->nwords);

	/* Act */
	KUNIT_ASSERT_EQ(test, decode(&hdr, buf, len), 0);

	/* Assert */
	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.xid), XID);
	KUNIT_EXPECT_EQ(test, hdr.version, RPCRDMA_VERSION_2);
	KUNIT_EXPECT_EQ(test, hdr.credits, 64);
	KUNIT_EXPECT_EQ(test, hdr.type, v->type);
	KUNIT_EXPECT_EQ(test, hdr.flags, v->flags);
	KUNIT_EXPECT_EQ(test, hdr.inv_handle, v->inv);
	KUNIT_EXPECT_EQ(test, hdr.reads.segments, v->reads);
	KUNIT_EXPECT_EQ(test, hdr.writes.chunks, v->writes);
	KUNIT_EXPECT_EQ(test, hdr.reply.chunks, v->reply);
	KUNIT_EXPECT_EQ(test, hdr.err, v->err);
	KUNIT_EXPECT_EQ(test, hdr.payload, len - 4 * v->payload);
	if (v->type == RPCRDMA2_ERROR && v->err == RPCRDMA2_ERR_VERS) {
		KUNIT_EXPECT_EQ(test, hdr.vers_low, v->low);
		KUNIT_EXPECT_EQ(test, hdr.vers_high, v->high);
	} else {
		KUNIT_EXPECT_EQ(test, hdr.err_index, v->index);
		KUNIT_EXPECT_EQ(test, hdr.err_value, v->value);
		KUNIT_EXPECT_EQ(test, hdr.props_count, v->props);
	}
	walk(test, &hdr);
}

/* An ERR_VERS response without its last word is what version 1 would send. */
static bool looks_like_v1(const struct v2_vector *v, u32 len)
{
	return v->err == RPCRDMA2_ERR_VERS && v->flags == 1 && v->low == 1 &&
	       len == RPCRDMA_V1_ERR_VERS_SIZE;
}

/* The error for a message that was truncated after @len bytes */
static int truncation_error(const struct v2_vector *v, u32 len)
{
	u32 header = 4 * (v->nwords - v->payload);

	if (len < RPCRDMA2_PREFIX_SIZE)
		return RPCRDMA_ESHORT;
	switch (v->type) {
	case RPCRDMA2_MSG:
	case RPCRDMA2_NOMSG:
		if (len < RPCRDMA2_MIN_SIZE)
			return RPCRDMA_ESHORT;
		if (len < header)
			return RPCRDMA_ECHUNK;
		/* Section 5.3.1: the first word of the RPC message is part of MSG. */
		if (v->type == RPCRDMA2_MSG && len < header + RPCRDMA_XDR_UNIT)
			return RPCRDMA_ESHORT;
		return 0;
	case RPCRDMA2_CONNPROP:
		if (len < RPCRDMA2_PREFIX_SIZE + RPCRDMA_XDR_UNIT)
			return RPCRDMA_ESHORT;
		return len < header ? RPCRDMA_EPROP : 0;
	default:
		return len < header && !looks_like_v1(v, len) ? RPCRDMA_ESHORT : 0;
	}
}

/* Truncated after any byte: refused, unless only the RPC message is cut */
static void truncated(struct kunit *test)
{
	const struct v2_vector *v = test->param_value;
	struct rpcrdma_hdr hdr;
	u8 *msg, *buf;
	u32 len;
	int ret;

	msg = codec_message(test, v->words, v->nwords);
	for (len = 0; len < 4 * v->nwords; len++) {
		/* Arrange */
		buf = codec_buffer(test, len);
		memcpy(buf, msg, len);

		/* Act */
		ret = decode(&hdr, buf, len);

		/* Assert */
		KUNIT_EXPECT_EQ(test, ret, truncation_error(v, len));
		if (!ret)
			walk(test, &hdr);
		kunit_kfree(test, buf);
	}
}

static const struct codec_bad_vector v2_bad[] = {
	{ "type 2 (MSGP is version 1's)", { W_PREFIX(2, 0), 0, 0, 0, 0 }, 9,
	  RPCRDMA_ETYPE },
	{ "types 7 to 9 (characteristics draft, 4): REQPROP",
	  { W_PREFIX(7, 0), 0 }, 6, RPCRDMA_ETYPE },
	{ "RESPPROP", { W_PREFIX(8, 1), 0, 0, 0 }, 8, RPCRDMA_ETYPE },
	{ "UPDPROP", { W_PREFIX(9, 0), 1, 4, 8192, 0 }, 9, RPCRDMA_ETYPE },
	{ "type 6", { W_PREFIX(6, 0), 0, 0, 0, 0 }, 9, RPCRDMA_ETYPE },
	{ "type 0xffffffff", { W_PREFIX(0xffffffff, 0), 0, 0, 0, 0 }, 9,
	  RPCRDMA_ETYPE },
	{ "no flags", { XID, 2, 64, 0 }, 4, RPCRDMA_ESHORT },
	{ "NOMSG with a Read list that has no end",
	  { W_PREFIX(1, 0), 0, 1, 0, W_SEG, 1, 0, W_SEG }, 18,
	  RPCRDMA_ECHUNK },
	{ "segment count 0x10000001",
	  { W_PREFIX(1, 0), 0, 0, 1, 0x10000001, W_SEG, 0, 0 }, 15,
	  RPCRDMA_ECHUNK },
	{ "property count 0xffffffff",
	  { W_PREFIX(5, 0), 0xffffffff, W_PROP(1, 4096) }, 9, RPCRDMA_EPROP },
	{ "one property too few", { W_PREFIX(5, 0), 2, W_PROP(1, 4096) }, 9,
	  RPCRDMA_EPROP },
	{ "property of 0xffffffff bytes", { W_PREFIX(5, 0), 1, 1, 0xffffffff,
	  0, 0 }, 10, RPCRDMA_EPROP },
	{ "property of 0xfffffffd bytes", { W_PREFIX(5, 0), 1, 1, 0xfffffffd,
	  0, 0 }, 10, RPCRDMA_EPROP },
	{ "property one byte longer than the message",
	  { W_PREFIX(5, 0), 1, 1, 9, 0, 0 }, 10, RPCRDMA_EPROP },
};

KUNIT_ARRAY_PARAM_DESC(v2_bad, v2_bad, name);

static void refused(struct kunit *test)
{
	const struct codec_bad_vector *v = test->param_value;
	u8 *buf = codec_message(test, v->words, v->nwords);
	struct rpcrdma_hdr hdr;

	KUNIT_EXPECT_EQ(test, decode(&hdr, buf, 4 * v->nwords), v->error);
	/* No RPC message is expected in it. */
	KUNIT_EXPECT_EQ(test, hdr.payload, 0);
}

/* Section 5.3.3: each error code has exactly the words that belong to it. */
static void errors_on_the_wire(struct kunit *test)
{
	const struct v2_vector *v = test->param_value;
	u32 len = 4 * v->nwords, size;
	struct rpcrdma_encoder enc;
	u8 *want, *buf;

	if (v->type != RPCRDMA2_ERROR || v->nwords < 6 || !v->flags)
		return;
	want = codec_message(test, v->words, v->nwords);
	for (size = 0; size <= len; size++) {
		/* Arrange */
		buf = codec_buffer(test, size);

		/* Act */
		rpcrdma_encode_init(&enc, buf, size);
		rpcrdma_encode_fixed(&enc, cpu_to_be32(XID), 2, 64, v->type);
		rpcrdma_encode_word(&enc, v->flags);
		if (v->err == RPCRDMA2_ERR_VERS)
			rpcrdma_encode_v2_error(&enc, v->err, v->low, v->high);
		else
			rpcrdma_encode_v2_error(&enc, v->err, v->index, v->value);

		/* Assert */
		KUNIT_EXPECT_EQ(test, rpcrdma_encode_finish(&enc),
				size < len ? -EMSGSIZE : (int)len);
		if (size == len)
			KUNIT_EXPECT_MEMEQ(test, buf, want, len);
		kunit_kfree(test, buf);
	}
}

/* Property sets and their meaning, or the error */
static const struct {
	const char *name;
	u32 words[16];
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
	{ "what will not change", { 1, 0xffffff04, 8, 1, 5 }, 5, 0,
	  { 4096, 1, false, false, 0, 5 } },
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
	  { 4096, 1, false, false, 0, 5 } },
	{ "what will not change, half a word", { 1, 0xffffff04, 6, 1, 5 }, 5,
	  RPCRDMA_EPROP },
	{ "unknown properties are skipped (4.1)",
	  { 2, W_PROP(0x1234, 7), W_PROP(1, 8192) }, 7, 0, { 8192, 1 } },
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
	KUNIT_EXPECT_EQ(test, props->nochange, want->nochange);
}

/* Section 4: a property set is decoded, or refused if it is malformed. */
static void properties(struct kunit *test)
{
	const typeof(prop_cases[0]) *c = test->param_value;
	u32 i, words[5 + 16] = { W_PREFIX(5, 0) };
	struct rpcrdma_props props;
	struct rpcrdma_hdr hdr;
	u8 *buf;

	/* Arrange */
	for (i = 0; i < c->nwords; i++)
		words[5 + i] = c->words[i];
	buf = codec_message(test, words, 5 + c->nwords);
	KUNIT_ASSERT_EQ(test, decode(&hdr, buf, 4 * (5 + c->nwords)), 0);

	/* Act and assert */
	KUNIT_ASSERT_EQ(test, rpcrdma_props_decode(&props, &hdr), c->error);
	if (!c->error)
		expect_props(test, &props, &c->want);
}

/* Any properties can be encoded and decoded, unless the buffer is too small. */
static void properties_round_trip(struct kunit *test)
{
	u8 *buf = codec_buffer(test, 256);
	struct rpcrdma_encoder enc;
	struct rpcrdma_props got;
	struct rpcrdma_hdr hdr;
	u32 i, size;
	int len = 0;

	for (i = 0; i < 64; i++) {
		/* Arrange */
		const struct rpcrdma_props props = {
			.recv_size = i & 1 ? 65536 : 4096,
			.reverse = i & 2 ? 2 : 1,
			.remote_inv = i & 4,
			.read_replies = i & 8,
			.htypes = i & 16 ? 0x80000208 : 0,
			.nochange = i & 32 ? 0x3f : 0,
		};

		/* Act */
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

		/* Assert */
		KUNIT_ASSERT_EQ(test, (u32)len, size);
		/* Properties that have their default are left out. */
		KUNIT_EXPECT_EQ(test, size, 24 + 12 * ((i & 1) + (i >> 1 & 1) +
						       (i >> 2 & 1) + (i >> 3 & 1)) +
					    16 * ((i >> 4 & 1) + (i >> 5)));
		KUNIT_ASSERT_EQ(test, decode(&hdr, buf, len), 0);
		KUNIT_ASSERT_EQ(test, rpcrdma_props_decode(&got, &hdr), 0);
		expect_props(test, &got, &props);
	}
}

/* Valid messages of which some words were changed */
static void mutated(struct kunit *test)
{
	u32 round, n, len, accepted = 0;
	struct codec_rng rng;
	const struct v2_vector *v;
	struct rpcrdma_hdr hdr;
	u8 *buf;

	codec_seed(test, &rng);
	for (round = 0; round < 20000; round++) {
		/* Arrange */
		v = &v2_vectors[codec_random(&rng, ARRAY_SIZE(v2_vectors))];
		buf = codec_message(test, v->words, v->nwords);
		for (n = codec_random(&rng, 4); n; n--)
			put_unaligned_be32(codec_random(&rng, 2) ?
					   codec_random(&rng, 12) :
					   0u - codec_random(&rng, 9),
					   buf + 4 * codec_random(&rng,
								  v->nwords));
		len = 4 * v->nwords;

		/* Act and assert */
		if (!decode(&hdr, buf, len)) {
			walk(test, &hdr);
			accepted++;
		}
		kunit_kfree(test, buf);
	}
	KUNIT_EXPECT_GT(test, accepted, 1000);
	KUNIT_EXPECT_LT(test, accepted, 20000);
}

static struct kunit_case codec_v2_cases[] = {
	KUNIT_CASE_PARAM(decoded, v2_gen_params),
	KUNIT_CASE_PARAM(truncated, v2_gen_params),
	KUNIT_CASE_PARAM(errors_on_the_wire, v2_gen_params),
	KUNIT_CASE_PARAM(refused, v2_bad_gen_params),
	KUNIT_CASE_PARAM(properties, prop_gen_params),
	KUNIT_CASE(properties_round_trip),
	KUNIT_CASE(mutated),
	{}
};

static struct kunit_suite codec_v2_suite = {
	.name = "rpcrdma_codec_v2",
	.test_cases = codec_v2_cases,
};

kunit_test_suite(codec_v2_suite);
