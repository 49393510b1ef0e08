// SPDX-License-Identifier: GPL-2.0-only
/* Random headers: what one codec encodes, the other must decode to the same. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model.h"

static int fail(uint64_t seed, unsigned long round, const char *what)
{
	printf("not ok - round %lu of seed %llu: %s\n", round,
	       (unsigned long long)seed, what);
	return 1;
}

static const char *one_round(const struct model *m)
{
	unsigned char a[MODEL_MAX_SIZE], b[MODEL_MAX_SIZE];
	struct model back;
	int alen, blen;

	alen = ours_encode(m, a, sizeof(a));
	blen = rpcgen_encode(m, b, sizeof(b));
	if (alen < 0 || blen < 0)
		return "a header could not be encoded";
	if (alen != blen || memcmp(a, b, alen))
		return "the encodings differ";
	if (rpcgen_decode(&back, a, alen) != alen || !model_equal(m, &back))
		return "rpcgen's decoder reads our encoding differently";
	if (ours_decode(&back, b, blen) != blen || !model_equal(m, &back))
		return "our decoder reads rpcgen's encoding differently";
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long i, rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 200000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL);
	uint64_t state = seed;
	struct model m;

	for (i = 0; i < rounds; i++) {
		const char *what;

		model_random(&m, &state);
		what = one_round(&m);
		if (what)
			return fail(seed, i, what);
	}
	printf("ok - %lu random headers in each direction, seed %llu\n",
	       rounds, (unsigned long long)seed);
	return 0;
}
