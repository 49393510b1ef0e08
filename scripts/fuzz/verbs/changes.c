// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bodies of messages by which properties change, and checks of ours (Transport
 * Characteristics draft section 4), for peers of either side.
 */

#include <rpcrdma/cursor.h>

#include "changes.h"

/* Three subsets of a response, of any length */
void changes_put_subsets(struct message *m, struct rng *rng)
{
	u32 i, words;

	for (i = 0; i < 3; i++) {
		words = rng_below(rng, 3);
		message_word(m, rng_one_in(rng, 12) ?
			     mutate_word(rng, words) : words);
		while (words--)
			message_word(m, mutate_word(rng, 1));
	}
}

/* Subset @which has all @count properties: done (0), rejected (1), pending (2) */
void changes_put_verdict(struct message *m, u32 count, u32 which)
{
	u32 i;

	for (i = 0; i < 3; i++) {
		message_word(m, count && i == which);
		if (count && i == which)
			message_word(m, (1u << (count & 31)) - 1);
	}
}

/* The property Receive Buffer Size */
void changes_put_size(struct message *m, u32 size)
{
	message_word(m, RPCRDMA2_PROP_RBSIZ);
	message_word(m, 4);
	message_word(m, size);
}

/* The last word of an update, which says whether a request is fulfilled */
void changes_put_pending(struct message *m, struct rng *rng)
{
	message_word(m, rng_one_in(rng, 8) ? mutate_word(rng, 1) :
					     rng_below(rng, 2));
}

/* True if the message says that its sender understands requests and updates. */
bool changes_understood(const struct rpcrdma_hdr *hdr)
{
	const u32 types = 1u << RPCRDMA2_REQPROP | 1u << RPCRDMA2_UPDPROP;
	struct rpcrdma_props props;

	return hdr->type == RPCRDMA2_CONNPROP &&
	       !rpcrdma_props_decode(&props, hdr) &&
	       (props.htypes & types) == types;
}

/* An update of ours: what is wrong with it, or NULL */
const char *changes_check_update(const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_props props;
	struct rpcrdma_cursor cur;
	struct rpcrdma_prop prop;

	rpcrdma_props_default(&props);
	rpcrdma_props_begin(hdr, &cur);
	rpcrdma_props_next(&cur, &prop);
	if (rpcrdma_prop_decode(&props, &prop) != RPCRDMA_PROPS_RBSIZ)
		return "a change of what should not change";
	return props.recv_size < RPCRDMA2_INLINE_DEFAULT ? "too small a size" : NULL;
}
