// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages that change properties (Transport Characteristics draft section 4):
 * builds random messages and answers, and checks messages from the peer.
 */

#include "verbs.h"

/* Append a property with the supported header types. */
void changes_understand(struct message *m, u32 octets)
{
	message_word(m, RPCRDMA2_PROP_HTYPES);
	message_word(m, 8);
	message_word(m, 2);
	message_word(m, octets);
}

/* Append three subsets of random lengths. */
static void put_subsets(struct message *m, struct rng *rng)
{
	u32 i, words;

	for (i = 0; i < 3; i++) {
		words = rng_below(rng, 3);
		message_word(m, words);
		while (words--)
			message_word(m, mutate_word(rng, 1));
	}
}

/* Make @m, which has an XID, a message of this type. An answer has no request. */
void changes_random(const struct changes *ch, struct message *m, u32 type,
		    struct rng *rng)
{
	static const u32 sizes[] = {
		0, 1, 1023, 1024, 3000, 4096, 9216, 9217, 18432, 18433, 65536,
		1u << 20, 0x80000000, 0xffffffff,
	};
	u32 n = type == RPCRDMA2_UPDPROP ? 1 : rng_below(rng, 4);

	message_control(m, m->xid, type, type == RPCRDMA2_RESPROP);
	if (type == RPCRDMA2_RESPROP) {
		put_subsets(m, rng);
		/* Now and then, the XID is that of a request. */
		if (rng_one_in(rng, 2))
			m->xid = ch->xid + rng_below(rng, 3) - 1;
		return;
	}
	if (type == RPCRDMA2_REQPROP)
		message_word(m, n);
	while (n--)
		message_property(m, rng_one_in(rng, 3) ?
				    RPCRDMA2_PROP_REMOTE_INV + rng_below(rng, 4) :
				    RPCRDMA2_PROP_RBSIZ, rng_pick(rng, sizes));
	if (type == RPCRDMA2_UPDPROP)
		message_word(m, rng_below(rng, 2));
}

/* Answer the other side's last request. */
void changes_answer(struct changes *ch, struct message *m,
		    enum changes_verdict verdict)
{
	u32 i;

	message_control(m, ch->xid, RPCRDMA2_RESPROP, RPCRDMA2_F_RESPONSE);
	ch->asked = false;
	for (i = 0; i < 3; i++) {
		message_word(m, ch->count && i == verdict);
		if (ch->count && i == verdict)
			message_word(m, (1u << (ch->count & 31)) - 1);
	}
}

/* Answer the other side's last request illegally. Return: false if there is no answer. */
bool changes_wrong_answer(struct changes *ch, struct message *m, struct rng *rng)
{
	u32 kind = rng_below(rng, 4);

	message_control(m, ch->xid, RPCRDMA2_RESPROP, RPCRDMA2_F_RESPONSE);
	ch->asked = false;
	if (kind == 1) {
		m->type = RPCRDMA2_ERROR;
		message_word(m, 1 + rng_below(rng, 10));
	} else if (kind) {
		put_subsets(m, rng);
	}
	return kind;
}

/* Record the meaning of a message that is sent. */
void changes_sent(struct changes *ch, const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_props props;

	if (hdr->version != RPCRDMA_VERSION_2)
		return;
	if (hdr->type == RPCRDMA2_CONNPROP && !rpcrdma_props_decode(&props, hdr)) {
		ch->understood |= (props.htypes & 0x280) == 0x280;
		ch->reads |= props.read_replies;
	}
	if ((hdr->type == RPCRDMA2_RESPROP || hdr->type == RPCRDMA2_ERROR) &&
	    get_unaligned_be32(hdr->base) == ch->xid)
		ch->asked = false;
}

/* Check an update that announces @size. Return: the error, or NULL. */
const char *changes_update(const struct rpcrdma_hdr *hdr, u32 *size)
{
	struct rpcrdma_props props;
	struct rpcrdma_cursor cur;
	struct rpcrdma_prop prop;

	rpcrdma_props_default(&props);
	rpcrdma_props_begin(hdr, &cur);
	rpcrdma_props_next(&cur, &prop);
	if (rpcrdma_prop_decode(&props, &prop) != RPCRDMA_PROPS_RBSIZ)
		return "a change of what should not change";
	*size = props.recv_size;
	return *size < RPCRDMA2_INLINE_DEFAULT ? "too small a size" : NULL;
}

/* Check a request or an update from the other side. Return: the error, or NULL. */
const char *changes_received(struct changes *ch, const struct rpcrdma_hdr *hdr)
{
	u32 size;

	if (hdr->flags & RPCRDMA2_F_RESPONSE)
		return "a request or an update with the flag of a response";
	if (!ch->understood)
		return "a change that this side does not understand";
	if (hdr->type == RPCRDMA2_UPDPROP)
		return changes_update(hdr, &size);
	if (ch->asked)
		return "a second request while one is not answered";
	ch->asked = true;
	ch->xid = get_unaligned_be32(hdr->base);
	ch->count = hdr->props_count;
	return NULL;
}

/* Check the answer to a request for @count properties. Return: the error, or NULL. */
const char *changes_judge(const struct rpcrdma_hdr *answer, u32 count)
{
	struct rpcrdma_resprop resp;
	const struct rpcrdma_subset *subsets[] = {
		&resp.done, &resp.rejected, &resp.pending
	};
	u32 i, bits, all = 0;

	if (!(answer->flags & RPCRDMA2_F_RESPONSE))
		return "an answer that does not say that it is one";
	rpcrdma_resprop_get(&resp, answer);
	for (i = 0; i < ARRAY_SIZE(subsets); i++) {
		bits = rpcrdma_subset_word(subsets[i], 0);
		if (bits & all || !rpcrdma_subset_is(subsets[i], bits))
			return "subsets that overlap, or with more than the request";
		all |= bits;
	}
	return all == (1ull << count) - 1 ? NULL : "subsets that do not cover the request";
}
