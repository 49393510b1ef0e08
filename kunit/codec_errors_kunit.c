// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a malformed message is refused with the error that describes its
 * fault, and nothing outside of it is read.
 */
#include "suite.h"
#include "codec_vectors.h"

#define XID	0x5eed0002

#define W_FIXED(vers, type)	XID, (vers), 16, (type)
#define W_SEG			0x21, 4096, 0, 0x1000
#define W_READ(pos)		1, (pos), W_SEG

#define W_PREFIX(type, flags)	XID, 2, 16, (type), (flags)
#define W_PROP(id, val)		(id), 4, (val)
#define W_RESPROP		W_PREFIX(RPCRDMA2_RESPROP, 1)
#define W_UPDPROP		W_PREFIX(RPCRDMA2_UPDPROP, 0)

/* A wrong number of segments, whose multiplication must not overflow */
#define COUNT(n)								\
	{ "Write chunk of " #n " segments",					\
	  { W_FIXED(1, 0), 0, 1, n, W_SEG, W_SEG, W_SEG }, 19, RPCRDMA_ECHUNK },	\
	{ "Reply chunk of " #n " segments",					\
	  { W_FIXED(1, 1), 0, 0, 1, n, W_SEG, W_SEG, W_SEG }, 20, RPCRDMA_ECHUNK }

/* Messages that are too short are tested by truncated(). */
static const struct codec_bad_vector bad_vectors[] = {
	/* RFC 8166 section 4.2.2; RFC 5666 section 4.2 */
	{ "version 0", { W_FIXED(0, 0), 0, 0, 0 }, 7, RPCRDMA_EVERSION },
	{ "version 2", { W_FIXED(2, 0), 0, 0, 0 }, 7, RPCRDMA_EVERSION },
	{ "version 2 and a type that version 1 does not have",
	  { W_FIXED(2, 9), 0, 0, 0 }, 7, RPCRDMA_EVERSION },

	/* RFC 5666 section 4.3: enum rdma_proc */
	{ "type 5", { W_FIXED(1, 5), 0, 0, 0 }, 7, RPCRDMA_ETYPE },
	{ "type 0xffffffff", { W_FIXED(1, 0xffffffff), 0, 0, 0 }, 7, RPCRDMA_ETYPE },

	/* RFC 5666 section 4.3: enum rpc_rdma_errcode */
	{ "error code 0", { W_FIXED(1, 4), 0, 0, 0 }, 7, RPCRDMA_EERRCODE },
	{ "error code 3", { W_FIXED(1, 4), 3, 0, 0 }, 7, RPCRDMA_EERRCODE },
	{ "error code 0xffffffff", { W_FIXED(1, 4), 0xffffffff }, 5, RPCRDMA_EERRCODE },

	/* RFC 4506 section 4.4: a boolean is 0 or 1 */
	{ "Read list discriminator 2", { W_FIXED(1, 0), 2, 0, W_SEG, 0, 0, 0 },
	  13, RPCRDMA_ECHUNK },
	{ "second Read list discriminator 0xffffffff",
	  { W_FIXED(1, 0), W_READ(8), 0xffffffff, 8, W_SEG, 0, 0, 0 }, 19,
	  RPCRDMA_ECHUNK },
	{ "Write list discriminator 2",
	  { W_FIXED(1, 0), 0, 2, 1, W_SEG, 0, 0 }, 12, RPCRDMA_ECHUNK },
	{ "second Write list discriminator 0x80000000",
	  { W_FIXED(1, 0), 0, 1, 1, W_SEG, 0x80000000, 0, 0 }, 13,
	  RPCRDMA_ECHUNK },
	{ "Reply chunk discriminator 2", { W_FIXED(1, 0), 0, 0, 2, 1, W_SEG }, 12, RPCRDMA_ECHUNK },

	/* RFC 8166 section 3.4.4: a position is the offset of an XDR data item */
	{ "Read segment at position 1", { W_FIXED(1, 0), W_READ(1), 0, 0, 0 }, 13, RPCRDMA_ECHUNK },
	{ "second Read segment at position 6",
	  { W_FIXED(1, 0), W_READ(4), W_READ(6), 0, 0, 0 }, 19,
	  RPCRDMA_ECHUNK },

#ifndef RPCRDMA_EXT_MSGP
	{ "MSGP, which is left out", { W_FIXED(1, 2), 4096, 1024, 0, 0, 0 }, 9, RPCRDMA_ETYPE },
#endif

	/* RFC 5666 section 4.3: target<> is a counted array in both kinds of chunks */
	COUNT(4),
	COUNT(0x10000000),
	COUNT(0x10000003),
	COUNT(0x80000000),
	COUNT(0xffffffff),

	/* v2 draft section 5 */
	{ "type 2 (MSGP is version 1's)", { W_PREFIX(2, 0), 0, 0, 0, 0 }, 9, RPCRDMA_ETYPE },
	{ "version 2, type 6", { W_PREFIX(6, 0), 0, 0, 0, 0 }, 9, RPCRDMA_ETYPE },
	{ "version 2, type 0xffffffff", { W_PREFIX(0xffffffff, 0), 0, 0, 0, 0 }, 9, RPCRDMA_ETYPE },
	{ "segment count 0x10000001",
	  { W_PREFIX(1, 0), 0, 0, 1, 0x10000001, W_SEG, 0, 0 }, 15,
	  RPCRDMA_ECHUNK },
	{ "property count 0xffffffff",
	  { W_PREFIX(5, 0), 0xffffffff, W_PROP(1, 4096) }, 9, RPCRDMA_EPROP },
	{ "property of 0xffffffff bytes", { W_PREFIX(5, 0), 1, 1, 0xffffffff,
	  0, 0 }, 10, RPCRDMA_EPROP },
	{ "property of 0xfffffffd bytes", { W_PREFIX(5, 0), 1, 1, 0xfffffffd,
	  0, 0 }, 10, RPCRDMA_EPROP },

	/* Transport Characteristics draft section 4 */
	{ "RESPROP, done: 0xffffffff words", { W_RESPROP, 0xffffffff, 0, 0 }, 8, RPCRDMA_EPROP },
	{ "RESPROP, done: 0x40000000 words", { W_RESPROP, 0x40000000, 0, 0 }, 8, RPCRDMA_EPROP },
	{ "RESPROP, rejected: 0x40000001 words",
	  { W_RESPROP, 0, 0x40000001, 0, 0 }, 9, RPCRDMA_EPROP },
	{ "RESPROP, pending: 0x80000000 words",
	  { W_RESPROP, 0, 0, 0x80000000, 0 }, 9, RPCRDMA_EPROP },
	{ "UPDPROP, boolean 2", { W_UPDPROP, W_PROP(1, 8192), 2 }, 9, RPCRDMA_EPROP },
	{ "UPDPROP, boolean 0xffffffff",
	  { W_UPDPROP, W_PROP(1, 8192), 0xffffffff }, 9, RPCRDMA_EPROP },
	{ "UPDPROP, a value of 0xffffffff bytes",
	  { W_UPDPROP, 1, 0xffffffff, 8192, 0 }, 9, RPCRDMA_EPROP },
};

KUNIT_ARRAY_PARAM_DESC(bad_vector, bad_vectors, name);

/* RFC 5666 section 4.2: the error is right, and fields for an answer are decoded. */
static void refused(struct kunit *test)
{
	const struct codec_bad_vector *v = test->param_value;
	u32 version = v->error == RPCRDMA_EVERSION ? RPCRDMA_VERSION_1 : v->words[1];
	u8 *buf = codec_message(test, v->words, v->nwords);
	struct rpcrdma_hdr hdr;

	KUNIT_EXPECT_EQ(test, v->error,
			codec_decode(version, &hdr, buf,
				     v->nwords * RPCRDMA_XDR_UNIT));
	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.xid), v->words[0]);
	KUNIT_EXPECT_EQ(test, hdr.version, v->words[1]);
	KUNIT_EXPECT_EQ(test, hdr.credits, v->words[2]);
	KUNIT_EXPECT_EQ(test, hdr.type, v->words[3]);
	if (hdr.type != RPCRDMA_ERROR)
		KUNIT_EXPECT_EQ(test, hdr.payload, 0);
}

/* A message shorter than the fixed part may still have XID and version. */
static void no_prefix(struct kunit *test)
{
	static const u32 words[] = { W_FIXED(1, 0) };
	struct rpcrdma_hdr hdr, want = {};
	u32 len;
	u8 *buf;

	for (len = 0; len < sizeof(words); len++) {
		if (len >= 4)
			want.xid = cpu_to_be32(words[0]);
		if (len >= 8)
			want.version = words[1];
		buf = codec_buffer(test, len);
		memcpy(buf, codec_message(test, words, ARRAY_SIZE(words)), len);
		memset(&hdr, 0xff, sizeof(hdr));

		KUNIT_EXPECT_EQ(test, rpcrdma_decode(&hdr, buf, len),
				RPCRDMA_ESHORT);
		KUNIT_EXPECT_MEMEQ(test, &hdr, &want, sizeof(hdr));
		KUNIT_EXPECT_EQ(test, rpcrdma_decode_v2(&hdr, buf, len),
				len < 8 ? RPCRDMA_ESHORT : RPCRDMA_EVERSION);
	}
}

/* Returns the error for a version 2 message that is truncated after @len bytes. */
static int truncation_error_v2(const struct codec_vector *v, u32 len)
{
	u32 header = codec_header_size(v);

	if (len < RPCRDMA2_PREFIX_SIZE)
		return RPCRDMA_ESHORT;
	if (v->words[3] > RPCRDMA2_ERROR)
		return RPCRDMA_EPROP;
	if (v->words[3] == RPCRDMA2_ERROR)
		return codec_looks_like_v1(v, len) ? 0 : RPCRDMA_ESHORT;
	if (len < RPCRDMA2_MIN_SIZE)
		return RPCRDMA_ESHORT;
	if (len < header)
		return RPCRDMA_ECHUNK;
	/* Section 5.3.1: the first word of the RPC message is part of MSG. */
	return v->words[3] == RPCRDMA2_MSG && len < header + RPCRDMA_XDR_UNIT ?
		       RPCRDMA_ESHORT : 0;
}

static int truncation_error(const struct codec_vector *v, u32 len)
{
	u32 header = codec_header_size(v);

	if (len < RPCRDMA_V1_FIXED_SIZE)
		return RPCRDMA_ESHORT;
	if (v->words[1] == RPCRDMA_VERSION_2)
		return truncation_error_v2(v, len);
	if (v->err == RPCRDMA_ERR_CHUNK)
		header = RPCRDMA_V1_FIXED_SIZE + RPCRDMA_XDR_UNIT;
	if (len >= header)
		return 0;
	if (v->words[3] == RPCRDMA_ERROR)
		return RPCRDMA_ESHORT;
	if (v->words[3] == RPCRDMA_MSGP &&
	    len < RPCRDMA_V1_FIXED_SIZE + RPCRDMA_V1_MSGP_EXTRA)
		return RPCRDMA_ESHORT;
	return RPCRDMA_ECHUNK;
}

/*
 * A message truncated after any byte is refused, or decoded if its header is
 * complete. Nothing beyond its end is read.
 */
static void truncated(struct kunit *test)
{
	const struct codec_vector *v = test->param_value;
	struct rpcrdma_hdr hdr;
	u8 *msg, *buf;
	u32 len;

	msg = codec_message(test, v->words, v->nwords);

	for (len = 0; len < v->nwords * RPCRDMA_XDR_UNIT; len++) {
		int want = truncation_error(v, len);

		buf = codec_buffer(test, len);
		memcpy(buf, msg, len);

		KUNIT_EXPECT_EQ(test, want, codec_decode(v->words[1], &hdr, buf,
							 len));

		if (!want)
			codec_check(test, &hdr);
		else if (v->words[3] > RPCRDMA_ERROR)
			KUNIT_EXPECT_EQ(test, hdr.payload, 0);
		kunit_kfree(test, buf);
	}
}

static struct kunit_case codec_errors_cases[] = {
	KUNIT_CASE_PARAM(refused, bad_vector_gen_params),
	KUNIT_CASE(no_prefix),
	KUNIT_CASE_PARAM(truncated, codec_vector_gen_params),
	{}
};

SUITE("rpcrdma_codec_errors", codec_errors_cases);
