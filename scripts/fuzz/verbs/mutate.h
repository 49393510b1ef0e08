/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers, and mutations of messages that know the meaning of their fields. */
#ifndef _FUZZ_MUTATE_H
#define _FUZZ_MUTATE_H

#include "message.h"

#define MUTATE_HANDLES	16

/* The same numbers for the same seed */
struct rng {
	u64 state;
};

static inline u64 rng_next(struct rng *rng)
{
	u64 z = (rng->state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* Each batch of a seed has its own sequence, whatever the others have used. */
static inline void rng_seed(struct rng *rng, u64 seed, u64 batch)
{
	rng->state = seed;
	rng->state = rng_next(rng) + batch * 0xd1342543de82ef95ull;
}

static inline u32 rng_word(struct rng *rng)
{
	return rng_next(rng) >> 32;
}

/* A number from 0 to @n - 1 */
static inline u32 rng_below(struct rng *rng, u32 n)
{
	return n ? rng_word(rng) % n : 0;
}

/* True once in @n times */
static inline bool rng_one_in(struct rng *rng, u32 n)
{
	return !rng_below(rng, n);
}

#define rng_pick(rng, array)	\
	((array)[rng_below((rng), sizeof(array) / sizeof((array)[0]))])

/* Memory to which a segment might refer */
struct handles {
	u32 n;	/* valid entries of @handle */
	/* handles of other calls, with other access rights, or old ones */
	u32 handle[MUTATE_HANDLES];
	u64 base;	/* a valid address */
	u32 size;	/* bytes at @base */
};

const char *mutate_message(struct message *m, struct rng *rng,
			   const struct handles *handles);
u32 mutate_bytes(u8 *buf, u32 len, struct rng *rng);
u32 mutate_word(struct rng *rng, u32 word);

#endif /* _FUZZ_MUTATE_H */
