// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the encoder never writes beyond the end of a buffer that is too small,
 * and rpcrdma_encode_plain() writes the same bytes as the other functions. The
 * decoder's suites prove that headers have the specified format.
 */
#include "suite.h"
#include "codec_vectors.h"

#define GUARD		64u
#define GUARD_BYTE	0xa5

static bool guard_intact(const u8 *p, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		if (p[i] != GUARD_BYTE)
			return false;
	return true;
}

/* Any buffer that is too small causes an error, and no overflow. */
static void overflow_at_every_size(struct kunit *test)
{
	const struct codec_vector *v = test->param_value;
	u8 *msg = codec_message(test, v->words, v->nwords), *buf, *exact;
	struct rpcrdma_hdr hdr;
	int size, len;

	KUNIT_ASSERT_EQ(test, 0, codec_decode(v->words[1], &hdr, msg,
					      v->nwords * RPCRDMA_XDR_UNIT));
	buf = codec_buffer(test, CODEC_MAX_BYTES + GUARD);
	len = codec_reencode(&hdr, buf, CODEC_MAX_BYTES);
	KUNIT_ASSERT_GT(test, len, 0);

	for (size = 0; size < len; size++) {
		memset(buf, GUARD_BYTE, len + GUARD);
		exact = codec_buffer(test, size);

		KUNIT_ASSERT_EQ(test, codec_reencode(&hdr, buf, size), -EMSGSIZE);
		KUNIT_ASSERT_TRUE(test, guard_intact(buf + size,
						     len + GUARD - size));
		KUNIT_EXPECT_EQ(test, codec_reencode(&hdr, exact, size), -EMSGSIZE);
		kunit_kfree(test, exact);
	}
}

/* rpcrdma_encode_plain() writes the expected bytes, and only if they fit. */
static void plain_headers(struct kunit *test)
{
	static const u32 words[][9] = {
		{ 0x5eed0003, 1, 32 }, { 0x5eed0003, 2, 32 },
		{ 0x5eed0003, 2, 32, 0, 1 },
	};
	u8 buf[RPCRDMA2_MIN_SIZE + GUARD], *want;
	u32 size, i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		u32 whole = i ? RPCRDMA2_MIN_SIZE : RPCRDMA_V1_MIN_SIZE;

		want = codec_message(test, words[i], ARRAY_SIZE(words[i]));
		for (size = 0; size <= whole + 1; size++) {
			u32 len = size < whole ? 0 : whole;

			memset(buf, GUARD_BYTE, sizeof(buf));
			ret = rpcrdma_encode_plain(buf, size,
						   cpu_to_be32(words[i][0]),
						   words[i][1], 32, i != 1);
			KUNIT_EXPECT_EQ(test, ret, len ? (int)len : -EMSGSIZE);
			KUNIT_EXPECT_MEMEQ(test, buf, want, len);
			KUNIT_EXPECT_TRUE(test, guard_intact(buf + len, GUARD));
		}
	}
}

/* RFC 8166 section 4.5: version 1 has no codes for most errors of version 2. */
static void errors_of_version_1(struct kunit *test)
{
	u32 buf[8], code;

	for (code = RPCRDMA2_ERR_VERS; code <= RPCRDMA2_ERR_SYSTEM; code++) {
		bool vers = code == RPCRDMA2_ERR_VERS;
		struct rpcrdma_encoder enc;

		rpcrdma_encode_init(&enc, buf, sizeof(buf));
		rpcrdma_encode_error(&enc, 0, RPCRDMA_VERSION_1, 32, code, 1, 2);
		KUNIT_EXPECT_EQ(test, rpcrdma_encode_finish(&enc), vers ? 28 : 20);
		KUNIT_EXPECT_EQ(test, get_unaligned_be32(&buf[4]),
				vers ? RPCRDMA_ERR_VERS : RPCRDMA_ERR_CHUNK);
	}
}

static struct kunit_case codec_encode_cases[] = {
	KUNIT_CASE_PARAM(overflow_at_every_size, codec_vector_gen_params),
	KUNIT_CASE(plain_headers),
	KUNIT_CASE(errors_of_version_1),
	{}
};

SUITE("rpcrdma_codec_encode", codec_encode_cases);
