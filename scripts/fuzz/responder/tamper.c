// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ways to tamper with a reply, or to send something else instead; and accesses to the
 * client's memory that must fail.
 */

#include <stdio.h>

#include "responder.h"

/* Octets of an HTYPES property with types 7, 8 and 9 */
#define CHANGE_TYPES	0x80030000u
#define NFS4_CALLBACK	0x40000000u
/* Rounds of the main loop, 5 ms at least, before an attempt to access memory */
#define ROUNDS		40

static void attempt(struct responder *r, struct link *link, bool read,
		    const struct rpcrdma_segment *seg, const char *why)
{
	enum ibv_wr_opcode opcode = read ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
	struct rpcrdma_segment part = *seg;

	if (part.length > STAGE_SIZE)
		part.length = STAGE_SIZE;
	if (r->verbose)
		printf("# %s of %u bytes with handle %08x\n",
		       read ? "read" : "write", part.length, part.handle);
	r->pokes++;
	memset(link->stage, 0xbd, part.length);
	if (!link_rdma(link, opcode, 0, &part))
		r->why = why;
	link->gone = true;
}

/* The call is about to be answered: its handles must soon be invalid. */
static void poke_plan(struct link *link, const struct rpcrdma_hdr *hdr)
{
	struct poke *poke = NULL;
	u32 i;

	for (i = 0; i < POKES && !poke; i++)
		if (!link->pokes[i].rounds)
			poke = &link->pokes[i];
	if (poke && call_segment(hdr, &poke->seg, &poke->read) &&
	    poke->seg.length)
		poke->rounds = ROUNDS;
}

/* While the call is being served: in the wrong direction, or beyond the end. */
static void poke_now(struct responder *r, struct link *link,
		     const struct rpcrdma_hdr *hdr, struct rng *rng)
{
	struct rpcrdma_segment seg;
	bool read;

	if (!call_segment(hdr, &seg, &read))
		return;
	if (rng_one_in(rng, 2)) {
		attempt(r, link, !read, &seg,
			"memory could be accessed in the wrong direction");
		return;
	}
	seg.length++;
	if (rng_one_in(rng, 2))
		seg.offset += seg.length - 1;
	attempt(r, link, read, &seg, "memory beyond a segment was accessible");
}

void poke_due(struct responder *r, struct link *link)
{
	u32 i;

	for (i = 0; i < POKES && !link->gone; i++) {
		struct poke *poke = &link->pokes[i];

		if (!poke->rounds || --poke->rounds)
			continue;
		attempt(r, link, poke->read, &poke->seg,
			"memory was accessible after the reply");
	}
}

/* State of one reply */
struct context {
	struct responder *r;
	struct link *link;
	struct call *call;
	struct message m;
	struct rng rng;
	u8 buf[MSG_SIZE];
};

static void send_bytes(struct context *c, u32 len)
{
	link_send(c->link, c->buf, len, IBV_WR_SEND, 0);
}

static void send_message(struct context *c)
{
	link_post(c->link, &c->m);
}

static void honest(struct context *c)
{
	c->m.credits = refuse_credits(c->r, c->m.credits, true);
	send_message(c);
}

/* Mutate the header only: this is not a test of NFS. */
static void send_mutated(struct context *c)
{
	send_bytes(c, mutate_message(&c->m, c->buf, 1 + rng_below(&c->rng, 2),
				     false, &c->rng, &c->link->old));
}

static void wrong_xid(struct context *c)
{
	u32 xid = c->m.xid;

	c->m.xid = rng_one_in(&c->rng, 2) ? xid + 1 : rng_word(&c->rng);
	send_message(c);
	c->m.xid = xid;
	send_message(c);
}

static void duplicate(struct context *c)
{
	u32 n = 2 + rng_below(&c->rng, 3);

	while (n--)
		send_message(c);
}

/* Reply to a call that the real server has not answered yet. */
static void other_call(struct context *c)
{
	u32 i;

	for (i = 0; i < CALLS; i++) {
		struct call *call = &c->link->calls[i];

		if (!call->used || call == c->call)
			continue;
		c->m.xid = get_unaligned_be32(call->buf);
		send_message(c);
		break;
	}
	c->m.xid = get_unaligned_be32(c->call->buf);
	send_message(c);
}

/* Claim that more was written to chunks than was offered. */
static void more_bytes(struct context *c)
{
	struct msg_chunk *chunk = c->m.nwrites ? &c->m.writes[0] : &c->m.reply;
	u32 i;

	if (!c->m.nwrites && !c->m.replies) {
		c->m.replies = true;
		message_chunk(chunk);
	}
	i = rng_below(&c->rng, chunk->nsegs);
	if (chunk->nsegs)
		chunk->segs[i].length += 1 + rng_below(&c->rng, 8192);
	else
		message_segment(chunk, &(struct rpcrdma_segment) {
			.handle = 1, .length = 4096, });
	send_message(c);
}

static void read_chunks(struct context *c)
{
	const struct rpcrdma_segment seg = {
		.handle = c->link->stage_mr->rkey,
		.length = mutate_word(&c->rng, 4096),
		.offset = (uintptr_t)c->link->stage,
	};
	u32 n = 1 + rng_below(&c->rng, 40);

	while (n--)
		message_read(&c->m, 4 * rng_below(&c->rng, 30), &seg);
	send_message(c);
}

static void no_reply_chunk(struct context *c)
{
	c->m.type = RPCRDMA_NOMSG;
	message_chunk(&c->m.reply);
	c->m.replies = rng_one_in(&c->rng, 2);
	if (rng_one_in(&c->rng, 2))
		c->m.payload_len = 0;
	send_message(c);
}

static void error(struct context *c)
{
	u32 n = rng_below(&c->rng, 10);

	c->m.lists = false;
	c->m.type = RPCRDMA_ERROR;
	message_word(&c->m, rng_below(&c->rng, 11));
	while (n--)
		message_word(&c->m, mutate_word(&c->rng, 1));
	send_message(c);
}

static void no_lists(struct context *c)
{
	u32 n = rng_below(&c->rng, 20);

	c->m.lists = false;
	c->m.type = rng_below(&c->rng, 11);
	while (n--)
		message_word(&c->m, mutate_word(&c->rng, 1));
	send_message(c);
}

static void other_version(struct context *c)
{
	c->m.version ^= RPCRDMA_VERSION_1 ^ RPCRDMA_VERSION_2;
	c->m.wire_version = c->m.version;
	send_message(c);
}

static u32 a_handle(struct context *c, const struct call *call)
{
	struct rpcrdma_segment seg;
	bool read;

	return call_segment(&call->hdr, &seg, &read) ? seg.handle :
						       rng_word(&c->rng);
}

/* Invalidate a handle of this or another call, an old one, or a wrong one. */
static void invalidate(struct context *c)
{
	u32 i, handle = a_handle(c, c->call);

	switch (rng_below(&c->rng, 5)) {
	case 0:
		for (i = 0; i < CALLS; i++)
			if (c->link->calls[i].used &&
			    &c->link->calls[i] != c->call)
				handle = a_handle(c, &c->link->calls[i]);
		break;
	case 1:
		handle = mutate_word(&c->rng, handle);
		break;
	case 2:
		i = rng_below(&c->rng, c->link->old.n);
		handle = c->link->old.handle[i];
		break;
	}
	link_message(c->link, &c->m, IBV_WR_SEND_WITH_INV, handle);
}

static void with_immediate(struct context *c)
{
	link_message(c->link, &c->m, IBV_WR_SEND_WITH_IMM, rng_word(&c->rng));
}

static void hang_up(struct context *c)
{
	if (rng_one_in(&c->rng, 2))
		send_message(c);
	if (rng_one_in(&c->rng, 2))
		rdma_disconnect(c->link->id);
	c->link->gone = true;
}

static void silence(struct context *c)
{
	if (!rng_one_in(&c->rng, 4))
		send_message(c);
}

static void too_long(struct context *c)
{
	u32 len = message_encode(&c->m, c->buf);

	memset(c->buf + len, 0, MSG_SIZE - len);
	send_bytes(c, EP_RECV_SIZE + rng_below(&c->rng, 5000));
}

/* Send a backchannel call, even if this client has no backchannel. */
static void reverse_calls(struct context *c)
{
	u32 n = 1 + rng_below(&c->rng, rng_one_in(&c->rng, 4) ? 60 : 3), i;
	struct message *m = &c->m;

	send_message(c);
	while (n--) {
		message_init(m, c->call->hdr.version, rng_word(&c->rng),
			     RPCRDMA_MSG);
		message_put(m, m->xid);
		message_put(m, 0);
		message_put(m, 2);
		message_put(m, NFS4_CALLBACK);
		for (i = rng_below(&c->rng, 30); i; i--)
			message_put(m, mutate_word(&c->rng, 1));
		if (rng_one_in(&c->rng, 3))
			send_mutated(c);
		else
			send_message(c);
	}
}

/* Send messages about changes of properties, even if nobody asked. */
static void changes(struct context *c)
{
	static const u32 types[] = {
		RPCRDMA2_REQPROP, RPCRDMA2_REQPROP, RPCRDMA2_UPDPROP,
		RPCRDMA2_RESPROP,
	};
	u32 n = 1 + rng_below(&c->rng, rng_one_in(&c->rng, 8) ? 60 : 4);

	send_message(c);
	while (n-- && !c->link->gone) {
		c->m.xid = rng_word(&c->rng);
		changes_random(&c->link->changes, &c->m,
			       rng_pick(&c->rng, types), &c->rng);
		if (rng_one_in(&c->rng, 2))
			send_mutated(c);
		else
			send_message(c);
	}
}

static void wrong_access(struct context *c)
{
	poke_now(c->r, c->link, &c->call->hdr, &c->rng);
	if (!c->link->gone)
		send_message(c);
}

/*
 * @late: whatever the client does with this reply, the call is over, and its
 * handles are tried later
 */
static const struct {
	const char *name;
	void (*act)(struct context *c);
	bool late;
} tricks[] = {
	{ "mutated", send_mutated },
	{ "mutated", send_mutated },
	{ "mutated", send_mutated },
	{ "mutated", send_mutated },
	{ "mutated", send_mutated },
	{ "wrong-xid", wrong_xid },
	{ "duplicate", duplicate, true },
	{ "other-call", other_call },
	{ "more-bytes", more_bytes, true },
	{ "more-bytes", more_bytes, true },
	{ "read-chunks", read_chunks, true },
	{ "no-reply-chunk", no_reply_chunk, true },
	{ "error", error, true },
	{ "no-lists", no_lists },
	{ "other-version", other_version },
	{ "invalidate", invalidate },
	{ "invalidate", invalidate },
	{ "with-immediate", with_immediate },
	{ "hang-up", hang_up },
	{ "silence", silence },
	{ "too-long", too_long },
	{ "reverse-calls", reverse_calls },
	{ "changes", changes },
	{ "changes", changes },
	{ "good", send_message, true },
	{ "good", send_message, true },
	{ "wrong-access", wrong_access },
};

#define TRICKS	(sizeof(tricks) / sizeof(tricks[0]))

/*
 * Tamper with one in so many replies. A mount takes some fifteen calls, all of
 * which have to succeed, before any data is moved in chunks.
 */
static u32 rarity(const struct call *call)
{
	if (call->hdr.reads.segments || call->hdr.writes.segments)
		return 3;
	return call->hdr.reply.segments ? 8 : 20;
}

/* Answer @call; @rpc is the real server's reply. */
void tamper_reply(struct responder *r, struct link *link, struct call *call,
		  const u8 *rpc, u32 len)
{
	static struct context c;
	u32 i;

	responder_rng(r, &c.rng);
	c.r = r;
	c.link = link;
	c.call = call;
	r->answers++;
	if (reply_build(r, link, call, rpc, len, &c.m)) {
		link->gone = true;
	} else if (r->honest || !rng_one_in(&c.rng, rarity(call))) {
		honest(&c);
	} else {
		i = rng_below(&c.rng, TRICKS);
		if (r->verbose)
			printf("# answer %u: %s\n", r->number - 1,
			       tricks[i].name);
		r->tampered++;
		if (tricks[i].late)
			poke_plan(link, &call->hdr);
		tricks[i].act(&c);
	}
	call_done(link, call);
}

static void put_properties(struct context *c)
{
	u32 n = rng_below(&c->rng, 5), words;

	message_word(&c->m, n);
	while (n--) {
		words = rng_one_in(&c->rng, 2) ? 1 : rng_below(&c->rng, 4);
		message_word(&c->m, rng_one_in(&c->rng, 2) ?
			     rng_below(&c->rng, 4) :
			     0xffffff00u + rng_below(&c->rng, 6));
		message_word(&c->m, 4 * words);
		while (words--)
			message_word(&c->m, mutate_word(&c->rng, 4096));
	}
}

/* Answer an offer of version 2: refuse it, or send any properties. */
void tamper_connprop(struct responder *r, struct link *link,
		     const struct rpcrdma_hdr *hdr)
{
	static struct context c;
	u32 xid = get_unaligned_be32(hdr->base);

	responder_rng(r, &c.rng);
	c.r = r;
	c.link = link;
	c.m.nwords = 0;
	if (!r->honest && rng_one_in(&c.rng, 2)) {
		message_init(&c.m, RPCRDMA_VERSION_1, xid, RPCRDMA_ERROR);
		message_word(&c.m, RPCRDMA_ERR_VERS);
		message_word(&c.m, 1);
		message_word(&c.m, 1);
	} else {
		message_init(&c.m, RPCRDMA_VERSION_2, xid, RPCRDMA2_CONNPROP);
		c.m.credits = refuse_credits(r, c.m.credits, false);
		c.m.flags = RPCRDMA2_F_RESPONSE;
		if (r->honest || rng_one_in(&c.rng, 3)) {
			message_word(&c.m, 0);
		} else if (rng_one_in(&c.rng, 2)) {
			message_word(&c.m, 1);
			changes_understand(&c.m, CHANGE_TYPES);
		} else {
			put_properties(&c);
		}
	}
	c.m.lists = false;
	if (!r->honest && rng_one_in(&c.rng, 4))
		send_mutated(&c);
	else
		send_message(&c);
}

/* Answer the client's request: rejected, pending, or in a way that is wrong. */
static void answer_request(struct responder *r, struct link *link)
{
	struct changes *ch = &link->changes;
	bool pending, send = true;
	struct message m;
	struct rng rng;

	responder_rng(r, &rng);
	pending = rng_one_in(&rng, 2);
	if (!r->honest && rng_one_in(&rng, 4)) {
		send = changes_wrong_answer(ch, &m, &rng);
		pending = false;
	} else {
		changes_answer(ch, &m, pending ? CHANGES_PENDING :
						 CHANGES_REJECTED);
	}
	if (send)
		link_post(link, &m);
	if (!pending || !ch->count)
		return;
	/* The change has been made, or will not be. */
	message_control(&m, rng_word(&rng), RPCRDMA2_UPDPROP, 0);
	message_property(&m, RPCRDMA2_PROP_RBSIZ, EP_RECV_SIZE);
	message_word(&m, 1);
	link_post(link, &m);
}

/* Check a message of the client's about changes; if it is a request, answer it. */
void tamper_change(struct responder *r, struct link *link,
		   const struct rpcrdma_hdr *hdr)
{
	r->changes++;
	if (hdr->type == RPCRDMA2_RESPROP)
		return;
	r->why = changes_received(&link->changes, hdr);
	if (!r->why && hdr->type == RPCRDMA2_REQPROP)
		answer_request(r, link);
}
