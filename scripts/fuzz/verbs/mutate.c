// SPDX-License-Identifier: GPL-2.0-only
/* Mutates encoded messages without knowing the meaning of words. */

#include "verbs.h"

/* Return a count or length near @word or near a limit, or any value. */
u32 mutate_word(struct rng *rng, u32 word)
{
	static const u32 limits[] = {
		0, 1, 2, 3, 4, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff,
		0x10000001, 0x40000000, 1023, 1024, 4095, 4096, 4097, 1u << 16,
		1u << 20, (1u << 20) + 4,
	};
	const u32 words[] = {
		rng_word(rng), word + rng_below(rng, 9) - 4,
		word ^ (1u << rng_below(rng, 32)),
		rng_pick(rng, limits), rng_pick(rng, limits),
	};

	return rng_pick(rng, words);
}

/* Return a handle, half of an address at an end of the memory, or a value of mutate_word(). */
static u32 other_word(struct rng *rng, u32 word, const struct handles *handles)
{
	u64 end = handles->base + (rng_one_in(rng, 2) ? handles->size : 0);

	switch (rng_below(rng, 8)) {
	case 0:
	case 1:
		return handles->n ?
		       handles->handle[rng_below(rng, handles->n)] : word + 1;
	case 2:
		return end + rng_below(rng, 32) - 16;
	default:
		return mutate_word(rng, word);
	}
}

/*
 * Change the first @header bytes of a message of @len bytes at @buf, which has room
 * for MSG_SIZE. Return: its new length.
 *
 * All entries of a list have the same length. So inserting or removing that number of
 * words, at any place, keeps the list well-formed.
 */
static u32 mutate(u8 *buf, u32 len, u32 header, struct rng *rng,
		  const struct handles *handles)
{
	/* Words in a number, in a segment, and in an entry of the Read list */
	static const u32 sizes[] = { 1, 4, 6 };
	u32 n = 4 * rng_pick(rng, sizes), at;

	if (header > len)
		header = len;
	if (header < n)
		return len;
	at = 4 * rng_below(rng, (header - n) / 4 + 1);
	switch (rng_below(rng, 16)) {
	case 0:
		return rng_below(rng, header);
	case 1:
	case 2:
		if (len + n > MSG_SIZE)
			return len;
		memmove(buf + at + n, buf + at, len - at);
		return len + n;
	case 3:
	case 4:
		memmove(buf + at, buf + at + n, len - at - n);
		return len - n;
	default:
		put_unaligned_be32(other_word(rng, get_unaligned_be32(buf + at),
					      handles), buf + at);
		return len;
	}
}

/*
 * Encode @m into @buf, MSG_SIZE bytes, with @n changes of its header, or with @rpc also
 * of the RPC message. Return: bytes used.
 */
u32 mutate_message(const struct message *m, u8 *buf, u32 n, bool rpc,
		   struct rng *rng, const struct handles *handles)
{
	u32 len = message_encode(m, buf);
	u32 header = m->lists && !rpc ? len - m->payload_len : len;

	while (n--)
		len = mutate(buf, len, header, rng, handles);
	return len;
}
