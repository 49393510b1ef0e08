// SPDX-License-Identifier: GPL-2.0-only
/* Random headers: what one codec encodes, the other must decode to the same. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rpcrdma/wire.h>

#include "model.h"

struct peer {
	const char *name;
	u32 version;
	int (*encode)(const struct model *m, void *buf, size_t size);
	int (*decode)(struct model *m, const void *buf, size_t len);
};

static const struct peer peers[] = {
	{ "version 1", RPCRDMA_VERSION_1, rpcgen_encode, rpcgen_decode },
	{ "version 2", RPCRDMA_VERSION_2, rpcgen2_encode, rpcgen2_decode },
};

/* RDMA2_MSG is followed by the first word of an RPC message at least. */
static int payload(const struct model *m)
{
	return m->version == RPCRDMA_VERSION_2 && m->type == RPCRDMA2_MSG ?
		RPCRDMA_XDR_UNIT : 0;
}

static const char *one_round(const struct peer *peer, const struct model *m)
{
	unsigned char a[MODEL_MAX_SIZE] = { 0 }, b[MODEL_MAX_SIZE];
	struct model back;
	int alen, blen;

	alen = ours_encode(m, a, sizeof(a));
	blen = peer->encode(m, b, sizeof(b));
	if (alen < 0 || blen < 0)
		return "a header could not be encoded";
	if (alen != blen || memcmp(a, b, alen))
		return "the encodings differ";
	if (peer->decode(&back, a, alen) != alen || !model_equal(m, &back))
		return "rpcgen's decoder reads our encoding differently";
	if (ours_decode(&back, b, blen + payload(m)) != blen ||
	    !model_equal(m, &back))
		return "our decoder reads rpcgen's encoding differently";
	return NULL;
}

static int compare(const struct peer *peer, unsigned long rounds, u64 seed)
{
	const char *what = NULL;
	u64 state = seed;
	unsigned long i;
	struct model m;

	for (i = 0; i < rounds && !what; i++) {
		model_random(&m, peer->version, &state);
		what = one_round(peer, &m);
	}
	if (what)
		printf("not ok - %s, round %lu of seed %llu: %s\n", peer->name,
		       i, (unsigned long long)seed, what);
	else
		printf("ok - %s, %lu random headers in each direction, seed %llu\n",
		       peer->name, rounds, (unsigned long long)seed);
	return !!what;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 200000;
	u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (u64)time(NULL);
	int failed = 0;
	size_t i;

	for (i = 0; i < sizeof(peers) / sizeof(peers[0]); i++)
		failed |= compare(&peers[i], rounds, seed);
	return failed;
}
