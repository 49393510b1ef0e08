// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages by which properties change (Transport Characteristics draft section
 * 4): made up ones, answers to the client's, and checks of what it sends.
 */

#include "responder.h"

/* Octets of an HTYPES property with types 7, 8 and 9 */
#define CHANGE_TYPES	0x80030000u

static void init(struct message *m, u32 xid, u32 type, u32 flags)
{
	message_init(m, RPCRDMA_VERSION_2, xid, type);
	m->lists = false;
	m->flags = flags;
}

static void send_it(struct link *link, const struct message *m)
{
	u8 buf[MSG_SIZE];

	link_send(link, buf, message_encode(m, buf), IBV_WR_SEND, 0);
}

/* Say that this server understands such messages. */
void changes_announce(struct message *m)
{
	message_word(m, 1);
	message_word(m, RPCRDMA2_PROP_HTYPES);
	message_word(m, 8);
	message_word(m, 2);
	message_word(m, CHANGE_TYPES);
}

/* Note whether a message to the client says so, or is a request. */
void changes_note(struct link *link, const u8 *buf, u32 len)
{
	struct rpcrdma_hdr hdr;

	if (message_decode(&hdr, buf, len) || hdr.version != RPCRDMA_VERSION_2)
		return;
	link->changes |= changes_understood(&hdr);
	if (hdr.type == RPCRDMA2_REQPROP)
		link->asked[link->nasked++ % CHANGES_ASKED] = (struct asked){
			.xid = get_unaligned_be32(hdr.base),
			.count = hdr.props_count,
		};
}

static void put_property(struct message *m, struct rng *rng)
{
	static const u32 sizes[] = {
		0, 1, 1023, 1024, 4096, 9216, 9217, 18432, 18433, 65536,
		1u << 20, 0x80000000, 0xffffffff,
	};
	u32 id = RPCRDMA2_PROP_RBSIZ, words = 1, i;

	if (rng_one_in(rng, 3))
		id = rng_one_in(rng, 3) ? rng_below(rng, 80) :
					  0xffffff00u + rng_below(rng, 6);
	if (rng_one_in(rng, 8))
		words = rng_below(rng, 4);
	message_word(m, id);
	message_word(m, rng_one_in(rng, 12) ? mutate_word(rng, 4 * words) :
					      4 * words);
	for (i = 0; i < words; i++)
		message_word(m, id == RPCRDMA2_PROP_RBSIZ ?
			     rng_pick(rng, sizes) : mutate_word(rng, 1));
}

static void request(struct link *link, struct rng *rng)
{
	u32 n = rng_below(rng, rng_one_in(rng, 4) ? 10 : 2), i;
	struct message m;

	init(&m, rng_word(rng), RPCRDMA2_REQPROP, rng_one_in(rng, 12));
	message_word(&m, rng_one_in(rng, 12) ? mutate_word(rng, n) : n);
	for (i = 0; i < n; i++)
		put_property(&m, rng);
	send_it(link, &m);
}

/* Sizes of ours; now and then one that is not true */
static void update(struct link *link, struct rng *rng)
{
	struct message m;

	init(&m, rng_word(rng), RPCRDMA2_UPDPROP, rng_one_in(rng, 12));
	if (rng_one_in(rng, 3))
		put_property(&m, rng);
	else
		changes_put_size(&m, rng_below(rng, EP_RECV_SIZE + 1));
	changes_put_pending(&m, rng);
	send_it(link, &m);
}

/* An answer to nothing, or to the client's last request once more */
static void answer(struct link *link, struct rng *rng)
{
	struct message m;

	init(&m, rng_one_in(rng, 2) ? rng_word(rng) :
	     link->request_xid + rng_below(rng, 3) - 1,
	     RPCRDMA2_RESPROP, !rng_one_in(rng, 12));
	changes_put_subsets(&m, rng);
	send_it(link, &m);
}

/* Send some messages, or many. */
void changes_disturb(struct link *link, struct rng *rng)
{
	static void (* const kinds[])(struct link *, struct rng *) = {
		request, request, update, answer,
	};
	u32 n = 1 + rng_below(rng, rng_one_in(rng, 8) ? 60 : 4);

	while (n-- && !link->gone)
		rng_pick(rng, kinds)(link, rng);
}

/* A change that was pending has been made, or will not be. */
static void fulfill(struct link *link, struct rng *rng)
{
	struct message m;

	init(&m, rng_word(rng), RPCRDMA2_UPDPROP, 0);
	changes_put_size(&m, EP_RECV_SIZE);
	message_word(&m, 1);
	send_it(link, &m);
}

/* Answer the client's request: rejected, pending, or in a way that is wrong. */
static void answer_request(struct responder *r, struct link *link,
			   const struct rpcrdma_hdr *hdr)
{
	u32 which = 1, xid = get_unaligned_be32(hdr->base);
	struct message m;
	struct rng rng;

	responder_rng(r, &rng);
	link->request_xid = xid;
	init(&m, xid, RPCRDMA2_RESPROP, RPCRDMA2_F_RESPONSE);
	if (!r->honest && rng_one_in(&rng, 4)) {
		if (rng_one_in(&rng, 4))
			return;
		if (rng_one_in(&rng, 3)) {
			m.type = RPCRDMA2_ERROR;
			message_word(&m, 1 + rng_below(&rng, 10));
		} else {
			changes_put_subsets(&m, &rng);
		}
	} else {
		which += rng_one_in(&rng, 2);
		changes_put_verdict(&m, hdr->props_count, which);
	}
	send_it(link, &m);
	if (which == 2 && hdr->props_count)
		fulfill(link, &rng);
}

static const char *check_answer(struct link *link,
				const struct rpcrdma_hdr *hdr)
{
	u32 i, xid = get_unaligned_be32(hdr->base);
	struct rpcrdma_resprop resp;

	rpcrdma_resprop_get(&resp, hdr);
	if (rpcrdma_resprop_overlaps(&resp))
		return "subsets that overlap";
	if (link->nasked > CHANGES_ASKED)
		return NULL;
	for (i = 0; i < link->nasked; i++)
		if (link->asked[i].xid == xid)
			return rpcrdma_resprop_covers(&resp,
						      link->asked[i].count) ?
			       NULL : "subsets that do not cover the request";
	return "an answer to no request";
}

/* Check a message of the client's; if it is a request, answer it. */
void changes_receive(struct responder *r, struct link *link,
		     const struct rpcrdma_hdr *hdr)
{
	bool response = hdr->flags & RPCRDMA2_F_RESPONSE;
	bool answer = hdr->type == RPCRDMA2_RESPROP;
	const char *why;

	if (response != answer)
		why = "the flag of a response is wrong";
	else if (answer)
		why = check_answer(link, hdr);
	else if (!link->changes)
		why = "a change that this server does not understand";
	else
		why = hdr->type == RPCRDMA2_UPDPROP ? changes_check_update(hdr) : NULL;
	if (why)
		r->why = why;
	else if (hdr->type == RPCRDMA2_REQPROP)
		answer_request(r, link, hdr);
	r->changes++;
}
