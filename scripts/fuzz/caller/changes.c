// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages by which properties change (Transport Characteristics draft section
 * 4): made up ones, answers to the server's, and checks of what it sends.
 */

#include "caller.h"

static void begin(struct message *m, u32 type, u32 flags)
{
	m->lists = false;
	m->type = type;
	m->flags = flags;
}

static void put_property(struct message *m, struct rng *rng)
{
	static const u32 ids[] = {
		RPCRDMA2_PROP_RBSIZ, RPCRDMA2_PROP_RBSIZ, RPCRDMA2_PROP_RBSIZ,
		RPCRDMA2_PROP_BRS, RPCRDMA2_PROP_REMOTE_INV,
		RPCRDMA2_PROP_READ_REPLIES, RPCRDMA2_PROP_HTYPES,
		RPCRDMA2_PROP_NOCHANGE, 0, 77,
	};
	static const u32 sizes[] = {
		0, 1, 1023, 1024, 3000, EP_RECV_SIZE, 9216, 9217, 18432, 18433,
		65536, 1u << 20, 0x80000000, 0xffffffff,
	};
	u32 id = rng_pick(rng, ids), words, i;

	words = rng_one_in(rng, 8) ? rng_below(rng, 5) : 1;
	message_word(m, id);
	message_word(m, rng_one_in(rng, 12) ? mutate_word(rng, 4 * words) :
					      4 * words);
	for (i = 0; i < words; i++)
		message_word(m, id == RPCRDMA2_PROP_RBSIZ ?
			     rng_pick(rng, sizes) : mutate_word(rng, i));
}

void change_request(struct session *s, struct message *m, struct rng *rng)
{
	u32 n = rng_below(rng, rng_one_in(rng, 4) ? 10 : 2);

	begin(m, RPCRDMA2_REQPROP, rng_one_in(rng, 12));
	message_word(m, rng_one_in(rng, 12) ? mutate_word(rng, n) : n);
	while (n--)
		put_property(m, rng);
}

/* Sizes beyond ours are announced now and then: the server may believe that. */
void change_update(struct session *s, struct message *m, struct rng *rng)
{
	begin(m, RPCRDMA2_UPDPROP, rng_one_in(rng, 12));
	if (rng_one_in(rng, 3))
		put_property(m, rng);
	else
		changes_put_size(m, rng_below(rng, EP_RECV_SIZE + 1));
	changes_put_pending(m, rng);
}

/* An answer to nothing, unless the XID happens to be right */
void change_answer(struct session *s, struct message *m, struct rng *rng)
{
	begin(m, RPCRDMA2_RESPROP, !rng_one_in(rng, 12));
	changes_put_subsets(m, rng);
	if (rng_one_in(rng, 2))
		m->xid = s->asked_xid + rng_below(rng, 3) - 1;
}

/* Answer the server's last request: most often as it expects. */
void changes_answer(struct session *s, struct run *run, struct rng *rng)
{
	u8 *slot = session_slot(s, run);
	struct message m;

	if (!slot)
		return;
	message_init(&m, RPCRDMA_VERSION_2, s->asked_xid, RPCRDMA2_RESPROP);
	begin(&m, RPCRDMA2_RESPROP, RPCRDMA2_F_RESPONSE);
	s->asked = false;
	switch (rng_below(rng, 8)) {
	case 0:
		changes_put_subsets(&m, rng);
		break;
	case 1:
		m.type = RPCRDMA2_ERROR;
		message_word(&m, 1 + rng_below(rng, 10));
		break;
	case 2:
		return;
	default:
		changes_put_verdict(&m, s->asked_count & 31,
				    rng_below(rng, 3));
	}
	endpoint_send(&s->ep, slot, message_encode(&m, slot), IBV_WR_SEND, 0);
	run->changes++;
}

/*
 * Note what a message means to the server: that messages about changes may come,
 * or that its last request is answered.
 */
void changes_note(struct session *s, const struct rpcrdma_hdr *hdr)
{
	if (hdr->version != RPCRDMA_VERSION_2)
		return;
	s->changes |= changes_understood(hdr);
	if ((hdr->type == RPCRDMA2_RESPROP || hdr->type == RPCRDMA2_ERROR) &&
	    get_unaligned_be32(hdr->base) == s->asked_xid)
		s->asked = false;
}

static const char *check_request(struct session *s, const struct rpcrdma_hdr *hdr)
{
	if (s->asked)
		return "a second request while one is not answered";
	s->asked = true;
	s->asked_xid = get_unaligned_be32(hdr->base);
	s->asked_count = hdr->props_count;
	return NULL;
}

/* A message of the server's own: what is wrong with it, or NULL */
const char *changes_check(struct session *s, const struct rpcrdma_hdr *hdr)
{
	if (hdr->flags & RPCRDMA2_F_RESPONSE)
		return "a request or an update with the flag of a response";
	if (!s->changes)
		return "a change that this peer does not understand";
	return hdr->type == RPCRDMA2_REQPROP ? check_request(s, hdr) :
					       changes_check_update(hdr);
}

/* The server's answer to a request: what is wrong with it, or NULL */
const char *changes_check_answer(const struct rpcrdma_hdr *hdr,
				 const struct sent *sent)
{
	struct rpcrdma_resprop resp;
	struct rpcrdma_hdr request;

	if (message_decode(&request, sent->buf, sent->len) ||
	    request.type != RPCRDMA2_REQPROP)
		return "an answer to what was no request";
	rpcrdma_resprop_get(&resp, hdr);
	if (rpcrdma_resprop_overlaps(&resp))
		return "subsets that overlap";
	if (!rpcrdma_resprop_covers(&resp, request.props_count))
		return "subsets that do not cover the request";
	return NULL;
}
