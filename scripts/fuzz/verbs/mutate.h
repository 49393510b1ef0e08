/* SPDX-License-Identifier: GPL-2.0-only */
/* Mutations of messages that know the meaning of their fields. */
#ifndef _FUZZ_MUTATE_H
#define _FUZZ_MUTATE_H

#include "message.h"
#include "random.h"

#define MUTATE_HANDLES	16

/**
 * struct handles - memory to which a segment might refer
 * @n: valid entries of @handle
 * @handle: handles of other calls, with other access rights, or old ones
 * @base: a valid address
 * @size: bytes at @base
 */
struct handles {
	u32 n;
	u32 handle[MUTATE_HANDLES];
	u64 base;
	u32 size;
};

const char *mutate_message(struct message *m, struct rng *rng,
			   const struct handles *handles);
u32 mutate_bytes(u8 *buf, u32 len, struct rng *rng);
u32 mutate_word(struct rng *rng, u32 word);

#endif /* _FUZZ_MUTATE_H */
