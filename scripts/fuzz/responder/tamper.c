// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tampers with replies, or sends other messages instead, and attempts accesses to the
 * client's memory that must fail.
 */

#include "responder.h"

/* An HTYPES property with types 7, 8 and 9 */
#define CHANGE_TYPES	0x80030000u
#define NFS4_CALLBACK	0x40000000u
/* Rounds of the main loop, of at least 5 ms, before an attempt to access memory */
#define ROUNDS		40

static void attempt(struct responder *r, struct link *link, bool read,
		    const struct rpcrdma_segment *seg, const char *why)
{
	enum ibv_wr_opcode opcode = read ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
	struct rpcrdma_segment part = *seg;

	if (part.length > STAGE_SIZE)
		part.length = STAGE_SIZE;
	r->pokes++;
	memset(link->stage, 0xbd, part.length);
	if (!link_rdma(link, opcode, 0, &part))
		r->why = why;
	link->gone = true;
}

/* Plan an access with a handle of a call that is about to be answered: it must fail. */
static void poke_plan(struct link *link, const struct rpcrdma_hdr *hdr)
{
	struct poke *poke = &link->poke;

	if (!poke->rounds && call_segment(hdr, &poke->seg, &poke->read) &&
	    poke->seg.length)
		poke->rounds = ROUNDS;
}

void poke_due(struct responder *r, struct link *link)
{
	struct poke *poke = &link->poke;

	if (poke->rounds && !--poke->rounds)
		attempt(r, link, poke->read, &poke->seg,
			"memory was accessible after the reply");
}

/* State of one reply */
struct context {
	struct responder *r;
	struct link *link;
	struct call *call;
	struct message m;
	struct rng rng;
};

static void send_message(struct context *c)
{
	link_post(c->link, &c->m);
}

/* Mutate only the header, up to twice, because this is not a test of NFS. */
static void send_mutated(struct context *c)
{
	u8 buf[MSG_SIZE];
	u32 len = mutate_message(&c->m, buf, rng_below(&c->rng, 3), false, &c->rng,
				 &c->link->old);

	link_send(c->link, buf, len, IBV_WR_SEND, 0);
}

static void duplicate(struct context *c)
{
	u32 n = 2 + rng_below(&c->rng, 3);

	while (n--)
		send_message(c);
}

/* Find another call that the real server has not answered yet, or NULL. */
static struct call *other_call(struct context *c)
{
	struct call *call;

	for (call = c->link->calls; call < c->link->calls + CALLS; call++)
		if (call->used && call != c->call)
			return call;
	return NULL;
}

/* Reply to another call, or to a nonexistent call, before this one. */
static void wrong_xid(struct context *c)
{
	const struct call *other = other_call(c);
	u32 xid = c->m.xid;

	c->m.xid = other && rng_one_in(&c->rng, 2) ?
		   get_unaligned_be32(other->buf) : rng_word(&c->rng);
	send_message(c);
	c->m.xid = xid;
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

/* Send random words instead of chunks and RPC message. */
static void send_words(struct context *c, u32 type)
{
	u32 n = rng_below(&c->rng, 12);

	c->m.lists = false;
	c->m.type = type;
	message_word(&c->m, rng_below(&c->rng, 11));
	while (n--)
		message_word(&c->m, mutate_word(&c->rng, 1));
	send_message(c);
}

static void error(struct context *c)
{
	send_words(c, RPCRDMA_ERROR);
}

static void no_lists(struct context *c)
{
	send_words(c, rng_below(&c->rng, 11));
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

/* Invalidate a handle of this call or of another call, an old handle, or a random one. */
static void invalidate(struct context *c)
{
	const struct call *other = other_call(c);
	u32 handle = a_handle(c, c->call);
	u8 buf[MSG_SIZE];

	switch (rng_below(&c->rng, 5)) {
	case 0:
		if (other)
			handle = a_handle(c, other);
		break;
	case 1:
		handle = mutate_word(&c->rng, handle);
		break;
	case 2:
		handle = c->link->old.handle[rng_below(&c->rng, c->link->old.n)];
		break;
	}
	link_send(c->link, buf, message_encode(&c->m, buf), rng_one_in(&c->rng, 4) ?
		  IBV_WR_SEND_WITH_IMM : IBV_WR_SEND_WITH_INV, handle);
}

static void silence(struct context *c)
{
	if (rng_one_in(&c->rng, 2))
		send_message(c);
	c->link->gone = rng_one_in(&c->rng, 2);
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
		send_mutated(c);
	}
}

/* Send messages about changes of properties, even without a request. */
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
		send_mutated(c);
	}
}

/* While the call is being served, access its memory in the wrong direction, or beyond the end. */
static void wrong_access(struct context *c)
{
	struct rpcrdma_segment seg;
	bool read;

	if (!call_segment(&c->call->hdr, &seg, &read)) {
		send_message(c);
	} else if (rng_one_in(&c->rng, 2)) {
		attempt(c->r, c->link, !read, &seg,
			"memory could be accessed in the wrong direction");
	} else {
		seg.length++;
		if (rng_one_in(&c->rng, 2))
			seg.offset += seg.length - 1;
		attempt(c->r, c->link, read, &seg,
			"memory beyond a segment was accessible");
	}
}

/* An RDMA Write with immediate data uses up a Receive, but is not a message. */
static void immediate(struct context *c)
{
	struct rpcrdma_segment seg = { 0 };
	bool read;

	if (call_segment(&c->call->hdr, &seg, &read) && read)
		seg.length = 0;
	link_rdma(c->link, IBV_WR_RDMA_WRITE_WITH_IMM, 0, &seg);
	send_message(c);
}

/*
 * @late: the call ends whatever the client does with this reply, and its handles
 * are tried later
 */
static const struct trick {
	void (*act)(struct context *c);
	bool late;
} tricks[] = {
	{ send_message, true },
	{ send_mutated },
	{ wrong_xid },
	{ duplicate, true },
	{ read_chunks, true },
	{ error, true },
	{ no_lists },
	{ other_version },
	{ invalidate },
	{ silence },
	{ reverse_calls },
	{ changes },
	{ wrong_access },
	{ immediate, true },
};

/*
 * Tamper with one reply in this number. A mount takes about fifteen calls, all of
 * which must succeed before data is moved in chunks.
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
	const struct trick *trick;

	responder_rng(r, &c.rng);
	c.r = r;
	c.link = link;
	c.call = call;
	if (reply_build(r, link, call, rpc, len, &c.m)) {
		link->gone = true;
	} else if (r->honest || !rng_one_in(&c.rng, rarity(call))) {
		c.m.credits = refuse_credits(r, c.m.credits, true);
		send_message(&c);
	} else {
		trick = rng_one_in(&c.rng, 4) ? &tricks[1] : &rng_pick(&c.rng, tricks);
		r->tampered++;
		if (trick->late)
			poke_plan(link, &call->hdr);
		trick->act(&c);
	}
	call_done(link, call);
}

/* Answer an offer of version 2: refuse it, or send any properties. */
void tamper_connprop(struct responder *r, struct link *link,
		     const struct rpcrdma_hdr *hdr)
{
	static struct context c;
	u32 xid = get_unaligned_be32(hdr->base);
	bool plain = true;

	responder_rng(r, &c.rng);
	c.r = r;
	c.link = link;
	if (!r->honest && rng_one_in(&c.rng, 2)) {
		message_init(&c.m, RPCRDMA_VERSION_1, xid, RPCRDMA_ERROR);
		c.m.lists = false;
		message_word(&c.m, RPCRDMA_ERR_VERS);
		message_word(&c.m, 1);
		message_word(&c.m, 1);
	} else {
		message_control(&c.m, xid, RPCRDMA2_CONNPROP, RPCRDMA2_F_RESPONSE);
		c.m.credits = refuse_credits(r, c.m.credits, false);
		plain = r->honest || rng_one_in(&c.rng, 3);
		message_word(&c.m, plain ? 0 : 2);
	}
	if (!plain) {
		changes_understand(&c.m, CHANGE_TYPES);
		message_property(&c.m, rng_one_in(&c.rng, 2) ?
				 RPCRDMA2_PROP_READ_REPLIES : RPCRDMA2_PROP_RBSIZ,
				 mutate_word(&c.rng, 4096));
	}
	if (!r->honest && rng_one_in(&c.rng, 4))
		send_mutated(&c);
	else
		send_message(&c);
}

/* Answer the client's request; an honest server rejects it. */
static void answer_request(struct responder *r, struct link *link)
{
	struct changes *ch = &link->changes;
	struct message m;
	struct rng rng;

	responder_rng(r, &rng);
	if (r->honest || rng_one_in(&rng, 2))
		changes_answer(ch, &m, r->honest ? CHANGES_REJECTED : rng_below(&rng, 3));
	else if (!changes_wrong_answer(ch, &m, &rng))
		return;
	link_post(link, &m);
}

/* Check a client message about changes; if it is a request, answer it. */
void tamper_change(struct responder *r, struct link *link,
		   const struct rpcrdma_hdr *hdr)
{
	if (hdr->type == RPCRDMA2_RESPROP)
		return;
	r->why = changes_received(&link->changes, hdr);
	if (!r->why && hdr->type == RPCRDMA2_REQPROP)
		answer_request(r, link);
}
