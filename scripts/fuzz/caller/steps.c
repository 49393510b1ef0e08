// SPDX-License-Identifier: GPL-2.0-only
/* One step of a batch: a message, or another action of a peer. */

#include "caller.h"

/* Time to wait for an answer before sending more, in milliseconds */
#define PATIENCE	15
/* Messages that a step may need */
#define STEP_MAX	80u

/* Build a message of a case in the table; false if the case sends none. */
static bool build_case(struct caller *c, const struct peer_case *from)
{
	const u32 version = c->p.s.version;
	bool begun = false, sends = false;
	const struct step *st;

	for (st = from->steps; !is_end(st) && !sends; st++) {
		/* Steps without @build send the message, or check something. */
		if (st->build)
			st->build(&c->p, st->a);
		else
			sends = begun && rng_one_in(&c->rng, 3);
		begun |= st->build == build_v1 || st->build == build_v2;
	}
	c->p.s.version = version;
	return begun;
}

/* Any case of the table */
static const struct peer_case *pick(struct caller *c)
{
	const struct peer_case *group = peer_cases[rng_below(&c->rng, PEER_GROUPS)];
	const struct peer_case *from = group;
	u32 n = rng_below(&c->rng, 100);

	while (n--)
		from = from[1].name ? from + 1 : group;
	return from;
}

static void build(struct caller *c)
{
	while (!build_case(c, pick(c)))
		;
	/* Most cases have the connection's version; some are from the other version. */
	if (!rng_one_in(&c->rng, 8))
		c->p.m.version = c->p.s.version;
	if (c->p.m.wire_version == 3 - c->p.m.version)
		c->p.m.wire_version = c->p.m.version;
	if (c->p.m.nwrites && rng_one_in(&c->rng, 2))
		c->p.m.inv_handle = c->p.s.mem.sink_mr->rkey;
}

/*
 * Send a message: one in four is not mutated, and a few have an opcode that the server does
 * not expect. Return: false if nothing could be sent.
 */
static bool message(struct caller *c, bool patient)
{
	static const enum ibv_wr_opcode odd[] = {
		IBV_WR_SEND_WITH_INV, IBV_WR_SEND_WITH_IMM,
	};
	enum ibv_wr_opcode opcode = rng_one_in(&c->rng, 100) ?
				    rng_pick(&c->rng, odd) : IBV_WR_SEND;
	u8 *slot = caller_slot(c);
	u32 len;

	if (!slot)
		return false;
	build(c);
	len = mutate_message(&c->p.m, slot, rng_below(&c->rng, 4),
			     rng_one_in(&c->rng, 8), &c->rng, &c->handles);
	if (len > EP_RECV_SIZE && !rng_one_in(&c->rng, 20))
		len = EP_RECV_SIZE;
	if (patient && c->waiting >= c->grant)
		caller_drain(c, PATIENCE);
	return !c->p.s.ep.dead &&
	       !caller_send(c, slot, len, opcode, rng_word(&c->rng));
}

/* Send more calls than the server has granted credits. */
static void flood(struct caller *c)
{
	u32 n = 10 + rng_below(&c->rng, 60);

	while (n-- && c->nsent < SENT_MAX && message(c, false))
		;
}

/* Attempt RDMA between the end of our memory, which no segment covers, and the server's. */
static void rdma(struct caller *c, enum ibv_wr_opcode opcode,
		 struct rpcrdma_segment seg)
{
	struct memory *mem = &c->p.s.mem;
	const u32 at = SINK_SIZE / 2;

	if (seg.length > at)
		seg.length = at;
	memset(mem->offered + at, 1, seg.length);
	if (endpoint_rdma(&c->p.s.ep, opcode, mem->sink + at, mem->sink_mr, &seg))
		c->p.s.ep.dead = true;
}

/* Attempt RDMA to memory that the server has never advertised. */
static void intrude(struct caller *c)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM,
	};
	u32 handle = c->handles.handle[rng_below(&c->rng, c->handles.n)];
	const struct rpcrdma_segment seg = {
		.handle = rng_one_in(&c->rng, 2) ? handle : mutate_word(&c->rng, handle),
		.length = rng_below(&c->rng, 64),
		.offset = rng_next(&c->rng),
	};

	rdma(c, rng_pick(&c->rng, opcodes), seg);
}

/*
 * Half of the version 2 sessions accept replies in Read chunks, and changes of
 * properties.
 */
static void greet(struct caller *c)
{
	struct message *m = &c->p.m;

	if (c->p.s.version == RPCRDMA_VERSION_1 || rng_one_in(&c->rng, 2))
		return;
	message_control(m, ++c->p.s.xid, RPCRDMA2_CONNPROP, 0);
	message_word(m, 2);
	message_property(m, RPCRDMA2_PROP_READ_REPLIES, 1);
	/* Types 3, 7, 8 and 9 */
	changes_understand(m, 0x88030000);
	caller_post(c, IBV_WR_SEND, 0);
	caller_drain(c, PATIENCE);
}

/* Send calls whose replies are in Read chunks. */
static void ask(struct caller *c)
{
	static const u32 open[] = { 1, 0 };
	u32 n = 1 + rng_below(&c->rng, 4);

	while (n-- && c->nsent < SENT_MAX - STEP_MAX) {
		const u32 read[] = { 0, 5000 + rng_below(&c->rng, BODY - 5000), 0 };

		message_init(&c->p.m, c->p.s.version, ++c->p.s.xid, RPCRDMA_MSG);
		build_open(&c->p, open);
		build_nfs_read(&c->p, read);
		if (caller_post(c, IBV_WR_SEND, 0))
			return;
	}
	caller_drain(c, PATIENCE);
}

/*
 * Use any reply in a Read chunk, whether or not it was read or released. Most actions are
 * legal, so the connection survives for a while.
 */
static void read_replies(struct caller *c)
{
	u32 n = c->nadverts < ADVERTS_MAX ? c->nadverts : ADVERTS_MAX;
	const struct advert *e = &c->adverts[rng_below(&c->rng, n)];
	u32 xid = e->xid, handle = e->seg.handle, what = rng_below(&c->rng, 24);
	struct rpcrdma_segment seg = e->seg;

	if (what == 0)
		seg.length += rng_below(&c->rng, 8192);
	if (what < 2) {
		rdma(c, what ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ, seg);
		return;
	}
	if (what == 2)
		handle = mutate_word(&c->rng, handle);
	else if (what == 3)
		xid += rng_below(&c->rng, 3);
	else if (what == 4 || what > 13)
		rdma(c, IBV_WR_RDMA_READ, seg);
	else if (what < 10)
		xid = mutate_word(&c->rng, xid);
	message_control(&c->p.m, xid, RPCRDMA_DONE, 0);
	c->p.m.version = c->p.s.version;
	c->p.m.wire_version = c->p.s.version;
	caller_post(c, what < 5 ? IBV_WR_SEND_WITH_INV : IBV_WR_SEND, handle);
	/* RDMA_DONE is not answered. */
	c->waiting -= !!c->waiting;
}

/* Answer the server's last request, mostly in a legal way. */
static void answer(struct caller *c)
{
	u8 *slot = caller_slot(c);
	struct message *m = &c->p.m;

	if (!slot)
		return;
	if (rng_one_in(&c->rng, 3) &&
	    !changes_wrong_answer(&c->changes, m, &c->rng))
		return;
	if (c->changes.asked)
		changes_answer(&c->changes, m, rng_below(&c->rng, 3));
	endpoint_send(&c->p.s.ep, slot, message_encode(m, slot), IBV_WR_SEND, 0);
}

static bool is_open(struct caller *c)
{
	if (c->p.s.open)
		return true;
	if (caller_open(c)) {
		caller_close(c, false);
		return false;
	}
	greet(c);
	return true;
}

/* Disconnect with operations in progress; deregister memory first in some cases. */
static void leave(struct caller *c)
{
	if (rng_one_in(&c->rng, 2)) {
		memory_unregister(&c->p.s.mem);
		caller_drain(c, PATIENCE);
	}
	caller_close(c, rng_one_in(&c->rng, 2));
}

void step(struct caller *c)
{
	u32 what = rng_below(&c->rng, 100);

	if (!is_open(c))
		return;
	if (c->changes.reads && rng_one_in(&c->rng, 3))
		ask(c);
	if (c->nadverts && rng_one_in(&c->rng, 2))
		read_replies(c);
	if (c->changes.asked && rng_one_in(&c->rng, 2))
		answer(c);
	if ((what < 88 || what > 97) && !message(c, true))
		c->p.s.ep.dead = true;
	if (what > 97) {
		leave(c);
		return;
	}
	if (what == 88 || what == 89)
		caller_drain(c, 5 * PATIENCE);
	else if (what == 90 || what == 91)
		flood(c);
	else if (what == 92)
		intrude(c);
	caller_poll(c);
	if (c->p.s.ep.dead || what > 95 || c->nsent > SENT_MAX - STEP_MAX)
		caller_close(c, true);
}
