// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a CM private message (RFC 8797) is encoded and decoded exactly, and
 * private data that is not one is ignored.
 */
#include "codec_vectors.h"

/**
 * struct private_vector - private data of a CM event and its meaning
 * @name: what is special about it
 * @bytes: private data
 * @len: number of @bytes in use
 * @found: it is a CM private message
 * @priv: its contents, or the defaults
 */
struct private_vector {
	const char *name;
	u8 bytes[16];
	u32 len;
	bool found;
	struct rpcrdma_private priv;
};

#define MAGIC		0xf6, 0xab, 0x0e, 0x18
#define DEFAULTS	{ 1024, 1024, false }

static const struct private_vector private_vectors[] = {
	/* RFC 8797 section 4.1: sizes are in units of 1024 bytes, less one */
	{ "smallest sizes", { MAGIC, 1, 0, 0, 0 }, 8, true,
	  { 1024, 1024, false } },
	{ "largest sizes", { MAGIC, 1, 0, 255, 255 }, 8, true,
	  { 262144, 262144, false } },
	{ "4096 bytes and remote invalidation", { MAGIC, 1, 1, 3, 3 }, 8, true,
	  { 4096, 4096, true } },
	{ "send and receive sizes differ", { MAGIC, 1, 1, 0, 7 }, 8, true,
	  { 1024, 8192, true } },

	/* RFC 8797 section 4: reserved flags are ignored */
	{ "reserved flags", { MAGIC, 1, 0xfe, 3, 3 }, 8, true,
	  { 4096, 4096, false } },
	{ "all flags", { MAGIC, 1, 0xff, 3, 3 }, 8, true,
	  { 4096, 4096, true } },

	/* The CM pads private data with zeros. */
	{ "padded", { MAGIC, 1, 1, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0 }, 16, true,
	  { 4096, 4096, true } },

	/* RFC 8797 section 5: what is not recognized is ignored */
	{ "nothing", { 0 }, 0, false, DEFAULTS },
	{ "one byte short", { MAGIC, 1, 1, 3 }, 7, false, DEFAULTS },
	{ "magic alone", { MAGIC }, 4, false, DEFAULTS },
	{ "zeros", { 0 }, 16, false, DEFAULTS },
	{ "wrong magic", { 0xf6, 0xab, 0x0e, 0x19, 1, 1, 3, 3 }, 8, false,
	  DEFAULTS },
	{ "magic in the other byte order",
	  { 0x18, 0x0e, 0xab, 0xf6, 1, 1, 3, 3 }, 8, false, DEFAULTS },
	{ "magic one byte later", { 0, MAGIC, 1, 1, 3, 3 }, 9, false,
	  DEFAULTS },
	{ "format version 0", { MAGIC, 0, 1, 3, 3 }, 8, false,
	  DEFAULTS },
	{ "format version 2", { MAGIC, 2, 1, 3, 3 }, 8, false,
	  DEFAULTS },
};

KUNIT_ARRAY_PARAM_DESC(private, private_vectors, name);

static const struct private_vector sent_vectors[] = {
	{ "smallest sizes", { MAGIC, 1, 0, 0, 0 }, 8, true,
	  { 1024, 1024, false } },
	{ "largest sizes", { MAGIC, 1, 0, 255, 255 }, 8, true,
	  { 262144, 262144, false } },
	{ "remote invalidation", { MAGIC, 1, 1, 3, 3 }, 8, true,
	  { 4096, 4096, true } },
	{ "send and receive sizes differ", { MAGIC, 1, 1, 0, 7 }, 8, true,
	  { 1024, 8192, true } },
};

KUNIT_ARRAY_PARAM_DESC(sent, sent_vectors, name);

/* RFC 8797 section 4 */
static void decoded(struct kunit *test)
{
	const struct private_vector *v = test->param_value;
	struct rpcrdma_private priv;
	u8 *buf;

	/* Arrange */
	memset(&priv, 0xff, sizeof(priv));
	buf = codec_buffer(test, v->len);
	memcpy(buf, v->bytes, v->len);

	/* Act and assert */
	KUNIT_EXPECT_EQ(test, rpcrdma_private_decode(&priv, buf, v->len),
			v->found);
	KUNIT_EXPECT_EQ(test, priv.send_size, v->priv.send_size);
	KUNIT_EXPECT_EQ(test, priv.recv_size, v->priv.recv_size);
	KUNIT_EXPECT_EQ(test, priv.remote_inv, v->priv.remote_inv);
}

/* RFC 8797 section 4, byte for byte */
static void encoded(struct kunit *test)
{
	const struct private_vector *v = test->param_value;
	u8 *buf = codec_buffer(test, RPCRDMA_PRIVATE_SIZE);

	/* Act */
	rpcrdma_private_encode(&v->priv, buf);

	/* Assert */
	KUNIT_EXPECT_MEMEQ(test, buf, v->bytes, RPCRDMA_PRIVATE_SIZE);
}

/* A CM event without private data has a NULL pointer. */
static void absent(struct kunit *test)
{
	struct rpcrdma_private priv;

	memset(&priv, 0xff, sizeof(priv));
	KUNIT_EXPECT_FALSE(test, rpcrdma_private_decode(&priv, NULL, 0));
	KUNIT_EXPECT_EQ(test, priv.send_size, 1024);
	KUNIT_EXPECT_EQ(test, priv.recv_size, 1024);
	KUNIT_EXPECT_FALSE(test, priv.remote_inv);
	KUNIT_EXPECT_FALSE(test, rpcrdma_private_decode(&priv, NULL, 8));
}

/*
 * RFC 8797 section 4.2: a size that the format cannot express is rounded down,
 * so that the peer never sends more than fits.
 */
static void sizes_round_down(struct kunit *test)
{
	static const u32 sizes[][2] = {
		{ 0, 1024 }, { 1, 1024 }, { 1023, 1024 }, { 1024, 1024 },
		{ 1025, 1024 }, { 2047, 1024 }, { 2048, 2048 },
		{ 4095, 3072 }, { 4096, 4096 }, { 262143, 261120 },
		{ 262144, 262144 }, { 262145, 262144 },
		{ 0xffffffff, 262144 },
	};
	u8 buf[RPCRDMA_PRIVATE_SIZE];
	struct rpcrdma_private priv;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		/* Arrange */
		priv.send_size = sizes[i][0];
		priv.recv_size = sizes[ARRAY_SIZE(sizes) - 1 - i][0];
		priv.remote_inv = false;

		/* Act */
		rpcrdma_private_encode(&priv, buf);
		KUNIT_ASSERT_TRUE(test, rpcrdma_private_decode(&priv, buf,
							       sizeof(buf)));

		/* Assert */
		KUNIT_EXPECT_EQ(test, priv.send_size, sizes[i][1]);
		KUNIT_EXPECT_EQ(test, priv.recv_size,
				sizes[ARRAY_SIZE(sizes) - 1 - i][1]);
	}
}

static struct kunit_case private_cases[] = {
	KUNIT_CASE_PARAM(decoded, private_gen_params),
	KUNIT_CASE_PARAM(encoded, sent_gen_params),
	KUNIT_CASE(absent),
	KUNIT_CASE(sizes_round_down),
	{}
};

static struct kunit_suite private_suite = {
	.name = "rpcrdma_private",
	.test_cases = private_cases,
};

kunit_test_suite(private_suite);
