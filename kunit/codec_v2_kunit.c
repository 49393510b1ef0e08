// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: version 2 headers are decoded and encoded as the specification
 * (draft-cel-nfsv4-rpcrdma-version-two-09, "v2 draft") says, and malformed ones
 * are refused. What the properties in them mean: codec_props_kunit.c.
 */
#include "suite.h"
#include "codec_vectors.h"

#define XID	0x5eed0004

#define W_PREFIX(type, flags)	XID, 2, 64, (type), (flags)
#define W_SEG			0x77, 4096, 0x1, 0x2000
#define W_PROP(id, val)		(id), 4, (val)

/* A version 2 message and its meaning */
static const struct v2_vector {
	const char *name;	/* ends with the section that defines it */
	u32 words[CODEC_MAX_WORDS];
	u32 nwords;
	u32 payload;	/* words at the end that are the RPC message */
	u32 type, flags, inv;
	u32 reads, writes, reply;	/* segments; chunks */
	u32 err, index, value, low, high;
	u32 props;	/* number of properties */
} v2_vectors[] = {
	/* Section 5.3.1 */
	{ "MSG without chunks (5.3.1)",
	  { W_PREFIX(0, 0), 0, 0, 0, 0, XID, 0, 2 }, 12, 3, 0, 0 },
	{ "MSG, a response (3.2)",
	  { W_PREFIX(0, 1), 0, 0, 0, 0, XID, 1, 0 }, 12, 3, 0, 1 },
	{ "MSG with unknown flags (3.2)",
	  { W_PREFIX(0, 0xfffffffe), 0, 0, 0, 0, XID }, 10, 1, 0, 0xfffffffe },
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
	memset(hdr, 0xff, sizeof(*hdr));
	return rpcrdma_decode_v2(hdr, buf, len);
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

	buf = codec_message(test, v->words, v->nwords);

	KUNIT_ASSERT_EQ(test, decode(&hdr, buf, len), 0);

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

/*
 * What follows a message without an RPC is ignored. A longer ERR_VERS without
 * flags is not what version 1 would send.
 */
static void longer(struct kunit *test)
{
	const struct v2_vector *v = test->param_value;
	u32 len = 4 * v->nwords, more;
	struct rpcrdma_hdr hdr;
	u8 *buf, *msg;

	if (v->type <= RPCRDMA2_NOMSG ||
	    (v->type == RPCRDMA2_ERROR && !v->flags))
		return;
	msg = codec_message(test, v->words, v->nwords);
	for (more = 1; more <= 64; more++) {
		buf = codec_buffer(test, len + more);
		memset(buf, 0xff, len + more);
		memcpy(buf, msg, len);

		KUNIT_ASSERT_EQ(test, 0, decode(&hdr, buf, len + more));
		KUNIT_EXPECT_EQ(test, hdr.payload, len + more);
		KUNIT_EXPECT_EQ(test, hdr.err, v->err);
		if (v->type == RPCRDMA2_CONNPROP)
			KUNIT_EXPECT_EQ(test, hdr.props_count, v->props);
		walk(test, &hdr);
		kunit_kfree(test, buf);
	}
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
		buf = codec_buffer(test, len);
		memcpy(buf, msg, len);

		ret = decode(&hdr, buf, len);

		KUNIT_EXPECT_EQ(test, ret, truncation_error(v, len));
		if (!ret)
			walk(test, &hdr);
		kunit_kfree(test, buf);
	}
}

static const struct codec_bad_vector v2_bad[] = {
	{ "type 2 (MSGP is version 1's)", { W_PREFIX(2, 0), 0, 0, 0, 0 }, 9,
	  RPCRDMA_ETYPE },
	{ "type 6", { W_PREFIX(6, 0), 0, 0, 0, 0 }, 9, RPCRDMA_ETYPE },
	{ "type 0xffffffff", { W_PREFIX(0xffffffff, 0), 0, 0, 0, 0 }, 9,
	  RPCRDMA_ETYPE },
	{ "no flags", { XID, 2, 64, 0 }, 4, RPCRDMA_ESHORT },
	{ "NOMSG with a Read list that has no end",
	  { W_PREFIX(1, 0), 0, 1, 0, W_SEG, 1, 0, W_SEG }, 18, RPCRDMA_ECHUNK },
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
		buf = codec_buffer(test, size);

		rpcrdma_encode_init(&enc, buf, size);
		rpcrdma_encode_fixed(&enc, cpu_to_be32(XID), 2, 64, v->type);
		rpcrdma_encode_word(&enc, v->flags);
		rpcrdma_encode_error(&enc, v->err, v->low ?: v->index,
				     v->high ?: v->value);

		KUNIT_EXPECT_EQ(test, rpcrdma_encode_finish(&enc),
				size < len ? -EMSGSIZE : (int)len);
		if (size == len)
			KUNIT_EXPECT_MEMEQ(test, buf, want, len);
		kunit_kfree(test, buf);
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
		v = &v2_vectors[codec_random(&rng, ARRAY_SIZE(v2_vectors))];
		buf = codec_message(test, v->words, v->nwords);
		for (n = codec_random(&rng, 4); n; n--)
			put_unaligned_be32(codec_random(&rng, 2) ?
					   codec_random(&rng, 12) :
					   0u - codec_random(&rng, 9),
					   buf + 4 * codec_random(&rng,
								  v->nwords));
		len = 4 * v->nwords;

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
	KUNIT_CASE_PARAM(longer, v2_gen_params),
	KUNIT_CASE_PARAM(truncated, v2_gen_params),
	KUNIT_CASE_PARAM(errors_on_the_wire, v2_gen_params),
	KUNIT_CASE_PARAM(refused, v2_bad_gen_params),
	KUNIT_CASE(mutated),
	{}
};

SUITE("rpcrdma_codec_v2", codec_v2_cases);
