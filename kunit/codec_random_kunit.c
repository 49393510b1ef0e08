// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: for any input, the decoder reads nothing outside the message, and an
 * accepted message is consistent and encodes to the same bytes again.
 *
 * The seed is printed; load the module with seed=N to repeat a run.
 */
#include <linux/random.h>

#include "suite.h"
#include "codec_vectors.h"

static ulong seed;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "start of the random sequence; 0 chooses one");

static uint rounds = 20000;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "random messages per test");

/* Begin a random sequence, and print its seed. */
void codec_seed(struct kunit *test, struct codec_rng *rng)
{
	u32 chosen = seed ? seed : get_random_u32();

	kunit_info(test, "seed=%u", chosen);
	rng->state = 0x9e3779b97f4a7c15ull ^ chosen;
}

/* Decode @len bytes in a buffer of that size; true if they were accepted. */
static bool try_message(struct kunit *test, u32 version, const u8 *msg, u32 len)
{
	u8 *buf = codec_buffer(test, len);
	struct rpcrdma_hdr hdr;
	bool ok;

	memcpy(buf, msg, len);
	ok = !codec_decode(version, &hdr, buf, len);
	if (ok)
		codec_check(test, &hdr);
	kunit_kfree(test, buf);
	return ok;
}

/* Apply one mutation of a kind that parsers often get wrong. */
static void mutate(struct codec_rng *rng, u8 *msg, u32 *len)
{
	u32 words = *len / RPCRDMA_XDR_UNIT;
	u32 at = codec_random(rng, *len);
	u8 *word = msg + codec_random(rng, words) * RPCRDMA_XDR_UNIT;

	switch (codec_random(rng, 7)) {
	case 0:
		msg[at] ^= 1 << codec_random(rng, 8);
		break;
	case 1:
		msg[at] = codec_random(rng, 256);
		break;
	case 2:
		put_unaligned_be32(codec_random(rng, 5), word);
		break;
	case 3:
		put_unaligned_be32(0u - codec_random(rng, 17), word);
		break;
	case 4:
		put_unaligned_be32(1u << codec_random(rng, 32), word);
		break;
	case 5:
		if (at >= RPCRDMA_XDR_UNIT)
			*len = at;
		break;
	case 6:
		memmove(word, msg + codec_random(rng, words) *
			RPCRDMA_XDR_UNIT, RPCRDMA_XDR_UNIT);
		break;
	}
}

/* Valid messages with one to four mutations are refused, or consistently decoded. */
static void mutated_messages(struct kunit *test)
{
	u8 *msg = codec_buffer(test, CODEC_MAX_BYTES);
	u32 i, k, len, n, accepted = 0;
	const struct codec_vector *v;
	struct codec_rng rng;

	codec_seed(test, &rng);

	for (i = 0; i < rounds; i++) {
		v = &codec_vectors[codec_random(&rng, codec_vector_count)];
		len = v->nwords * RPCRDMA_XDR_UNIT;
		for (k = 0; k < v->nwords; k++)
			put_unaligned_be32(v->words[k], msg + k * RPCRDMA_XDR_UNIT);
		for (n = 1 + codec_random(&rng, 4); n; n--)
			mutate(&rng, msg, &len);

		accepted += try_message(test, v->words[1], msg, len);
	}

	/* If all messages are accepted, or almost none, the run has tested nothing. */
	kunit_info(test, "accepted %u of %u", accepted, rounds);
	KUNIT_EXPECT_GT(test, accepted, rounds / 100);
	KUNIT_EXPECT_LT(test, accepted, rounds);
}

static struct kunit_case codec_random_cases[] = {
	KUNIT_CASE(mutated_messages),
	{}
};

SUITE("rpcrdma_codec_random", codec_random_cases);
