// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a CM private message (RFC 8797) and the version hint that follows it
 * are encoded and decoded exactly, and other private data is ignored. If this
 * failed, a peer with version 2 would get version 1, or vice versa.
 */
#include "suite.h"
#include "codec_vectors.h"

/* Private data of a CM event and its meaning */
struct private_vector {
	const char *name;	/* special property of this message */
	u8 bytes[56];
	u32 len;	/* number of @bytes in use */
	bool found;	/* it is a CM private message */
	struct rpcrdma_private priv;	/* its contents, or the defaults */
	bool sent;	/* the encoder produces these bytes */
};

#define MAGIC		0xf6, 0xab, 0x0e, 0x18
#define DEFAULTS	{ 1024, 1024, false }
#define SIZES		MAGIC, 1, 0, 3, 3
#define HINT_MAGIC	0x7b, 0x9e, 0x50, 0xd4
#define CEL_09		'c', 'e', 'l', '-', '0', '9', 0, 0
#define HINTED(hint)	{ 4096, 4096, false, hint }

static const struct private_vector private_vectors[] = {
	/* RFC 8797 section 4.1: sizes are in units of 1024 bytes, minus one */
	{ "smallest sizes", { MAGIC, 1, 0, 0, 0 }, 8, true, { 1024, 1024, false }, .sent = true },
	{ "largest sizes", { MAGIC, 1, 0, 255, 255 }, 8, true,
	  { 262144, 262144, false }, .sent = true },
	{ "send and receive sizes differ", { MAGIC, 1, 1, 0, 7 }, 8, true,
	  { 1024, 8192, true }, .sent = true },

	/* RFC 8797 section 4: reserved flags are ignored */
	{ "reserved flags", { MAGIC, 1, 0xfe, 3, 3 }, 8, true, { 4096, 4096, false } },

	/* The CM pads private data with zeros. */
	{ "padded", { MAGIC, 1, 1, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0 }, 16, true, { 4096, 4096, true } },

	/* RFC 8797 section 5: unrecognized private data is ignored */
	{ "nothing", { 0 }, 0, false, DEFAULTS },
	{ "one byte short", { MAGIC, 1, 1, 3 }, 7, false, DEFAULTS },
	{ "wrong magic", { 0xf6, 0xab, 0x0e, 0x19, 1, 1, 3, 3 }, 8, false, DEFAULTS },
	{ "format version 2", { MAGIC, 2, 1, 3, 3 }, 8, false, DEFAULTS },

	/* Documentation/protocol.rst, Version hint */
	{ "version 2", { SIZES, HINT_MAGIC, 1, 2, 0, 0, CEL_09 }, 24, true,
	  HINTED(RPCRDMA_HINT_V2), .sent = true },
	{ "version 2, padded", { SIZES, HINT_MAGIC, 1, 2, 0, 0, CEL_09 }, 56,
	  true, HINTED(RPCRDMA_HINT_V2) },
	{ "versions up to 255", { SIZES, HINT_MAGIC, 1, 255, 0, 0, CEL_09 },
	  24, true, HINTED(RPCRDMA_HINT_V2) },
	{ "reserved bytes", { SIZES, HINT_MAGIC, 1, 2, 0xff, 0xff, CEL_09 },
	  24, true, HINTED(RPCRDMA_HINT_V2) },
	{ "version 1", { SIZES, HINT_MAGIC, 1, 1 }, 24, true,
	  HINTED(RPCRDMA_HINT_V1), .sent = true },
	{ "another document",
	  { SIZES, HINT_MAGIC, 1, 2, 0, 0, 'i', 'e', 't', 'f', '-', '0', '7' },
	  24, true, HINTED(RPCRDMA_HINT_V2_OTHER) },
	{ "no document", { SIZES, HINT_MAGIC, 1, 2 }, 24, true,
	  HINTED(RPCRDMA_HINT_V2_OTHER), .sent = true },
	{ "a document whose name begins in the same way",
	  { SIZES, HINT_MAGIC, 1, 2, 0, 0, 'c', 'e', 'l', '-', '0', '9', 0,
	    'b' }, 24, true, HINTED(RPCRDMA_HINT_V2_OTHER) },
	{ "version 0", { SIZES, HINT_MAGIC, 1, 0, 0, 0, CEL_09 }, 24, true,
	  HINTED(RPCRDMA_HINT_NONE) },
	{ "a hint of format 0", { SIZES, HINT_MAGIC, 0, 2, 0, 0, CEL_09 }, 24,
	  true, HINTED(RPCRDMA_HINT_NONE) },
	{ "one byte of the hint short",
	  { SIZES, HINT_MAGIC, 1, 2, 0, 0, CEL_09 }, 23, true,
	  HINTED(RPCRDMA_HINT_NONE) },
	{ "a hint with another magic",
	  { SIZES, 0x7b, 0x9e, 0x50, 0xd5, 1, 2, 0, 0, CEL_09 }, 24, true,
	  HINTED(RPCRDMA_HINT_NONE) },
};

KUNIT_ARRAY_PARAM_DESC(private, private_vectors, name);

/* RFC 8797 section 4: contents are decoded, and the encoder writes exactly the expected bytes. */
static void contents(struct kunit *test)
{
	const struct private_vector *v = test->param_value;
	struct rpcrdma_private priv;
	u8 *buf;

	memset(&priv, 0xff, sizeof(priv));
	buf = codec_buffer(test, v->len);
	memcpy(buf, v->bytes, v->len);

	KUNIT_EXPECT_EQ(test, rpcrdma_private_decode(&priv, buf, v->len),
			v->found);
	KUNIT_EXPECT_EQ(test, priv.send_size, v->priv.send_size);
	KUNIT_EXPECT_EQ(test, priv.recv_size, v->priv.recv_size);
	KUNIT_EXPECT_EQ(test, priv.remote_inv, v->priv.remote_inv);
	KUNIT_EXPECT_EQ(test, priv.hint, v->priv.hint);
	if (!v->sent)
		return;
	memset(buf, 0xff, v->len);
	KUNIT_EXPECT_EQ(test, rpcrdma_private_encode(&v->priv, buf), v->len);
	KUNIT_EXPECT_MEMEQ(test, buf, v->bytes, v->len);
}

/* A CM event without private data has a NULL pointer. */
static void absent(struct kunit *test)
{
	struct rpcrdma_private priv;

	KUNIT_EXPECT_FALSE(test, rpcrdma_private_decode(&priv, NULL, 8));
}

/*
 * RFC 8797 section 4.2: a size that the format cannot express is rounded down,
 * so that the peer never sends more than fits.
 */
static void sizes_round_down(struct kunit *test)
{
	static const struct {
		u32 size, octet;
	} cases[] = {
		{ 0, 0 }, { 1023, 0 }, { 1025, 0 }, { 2047, 0 }, { 2048, 1 },
		{ 262143, 254 }, { 262145, 255 }, { ~0u, 255 },
	};
	u8 buf[RPCRDMA_PRIVATE_MAX];

	for_each_case(c, cases) {
		const struct rpcrdma_private priv = { c->size, c->size };

		KUNIT_EXPECT_EQ(test, rpcrdma_private_encode(&priv, buf),
				RPCRDMA_PRIVATE_SIZE);
		KUNIT_EXPECT_EQ(test, buf[6], c->octet);
		KUNIT_EXPECT_EQ(test, buf[7], c->octet);
	}
}

static struct kunit_case private_cases[] = {
	KUNIT_CASE_PARAM(contents, private_gen_params),
	KUNIT_CASE(absent),
	KUNIT_CASE(sizes_round_down),
	{}
};

SUITE("rpcrdma_private", private_cases);
