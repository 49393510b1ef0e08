// SPDX-License-Identifier: GPL-2.0-only
/* One step of a batch: a message, or something else that peers do. */

#include <stdio.h>

#include "caller.h"

/* Time to wait for an answer before sending more, in milliseconds */
#define PATIENCE	15
/* Messages that a step may need */
#define STEP_MAX	80u

static void tell(const struct caller *c, const char *what, const char *how)
{
	if (c->verbose)
		printf("# %s %s\n", what, how);
}

/* Build a message of this type about changes of properties. */
static void build_change(struct caller *c)
{
	static const u32 types[] = {
		RPCRDMA2_REQPROP, RPCRDMA2_RESPROP, RPCRDMA2_UPDPROP,
	};

	c->p.m.xid = ++c->p.s.xid;
	changes_random(&c->changes, &c->p.m, rng_pick(&c->rng, types), &c->rng);
	tell(c, "change", "");
}

/* Build one of the messages that a case of the table sends; false if it sends none. */
static bool build_case(struct caller *c, const struct peer_case *from)
{
	const u32 version = c->p.s.version;
	bool begun = false, sends = false;
	const struct step *st;

	for (st = from->steps; !is_end(st) && !sends; st++) {
		/* Others send the message, or check something. */
		if (st->build)
			st->build(&c->p, st->a);
		else
			sends = begun && rng_one_in(&c->rng, 3);
		begun |= st->build == build_v1 || st->build == build_v2;
	}
	c->p.s.version = version;
	tell(c, "message of", from->name);
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
	if (rng_one_in(&c->rng, 8)) {
		build_change(c);
		return;
	}
	while (!build_case(c, pick(c)))
		;
	/* Most have the connection's version, some what others have in theirs. */
	if (!rng_one_in(&c->rng, 8))
		c->p.m.version = c->p.s.version;
	if (c->p.m.wire_version == 3 - c->p.m.version)
		c->p.m.wire_version = c->p.m.version;
	if (c->p.m.nwrites && rng_one_in(&c->rng, 2))
		c->p.m.inv_handle = c->p.s.mem.sink_mr->rkey;
}

/* Build a message, and encode it with @n changes; it may be cut. Return: its length. */
static u32 build_changed(struct caller *c, u8 *slot, u32 n)
{
	u32 len;

	build(c);
	len = mutate_message(&c->p.m, slot, n, rng_one_in(&c->rng, 8), &c->rng,
			     &c->handles);
	if (len > EP_RECV_SIZE && !rng_one_in(&c->rng, 20))
		len = EP_RECV_SIZE;
	return len;
}

/* Send a message, which is unchanged one time in four. */
static void message(struct caller *c)
{
	u8 *slot = caller_slot(c);
	u32 n = rng_below(&c->rng, 4), len;

	if (!slot) {
		c->p.s.ep.dead = true;
		return;
	}
	len = build_changed(c, slot, n);
	c->mutated += !!n;
	if (c->waiting >= c->grant)
		caller_drain(c, PATIENCE);
	if (!c->p.s.ep.dead)
		caller_send(c, slot, len, IBV_WR_SEND, 0);
}

/* Send more calls than the server has granted credits. */
static void flood(struct caller *c)
{
	u32 n = 10 + rng_below(&c->rng, 60);
	u8 *slot;

	tell(c, "flood", "");
	while (n-- && c->nsent < SENT_MAX) {
		slot = caller_slot(c);
		if (!slot)
			break;
		if (caller_send(c, slot, build_changed(c, slot, 0), IBV_WR_SEND, 0))
			break;
	}
}

/* Use Send opcodes that the server does not expect. */
static void odd_send(struct caller *c)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND_WITH_INV, IBV_WR_SEND_WITH_IMM,
	};
	u8 *slot = caller_slot(c);

	tell(c, "odd send", "");
	if (!slot)
		return;
	caller_send(c, slot, build_changed(c, slot, 0), rng_pick(&c->rng, opcodes),
		    rng_word(&c->rng));
}

/* RDMA between @len bytes of our own at @buf and the server's memory */
static void rdma(struct caller *c, enum ibv_wr_opcode opcode, u8 *buf,
		 const struct ibv_mr *mr, const struct rpcrdma_segment *seg)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)buf,
		.length = seg->length < SCRATCH_SIZE ? seg->length : SCRATCH_SIZE,
	};

	/* It may have been deregistered. */
	if (!mr)
		return;
	sge.lkey = mr->lkey;
	if (endpoint_rdma(&c->p.s.ep, opcode, &sge, seg->handle, seg->offset))
		c->p.s.ep.dead = true;
}

/* Attempt RDMA with a handle that the server has never advertised. */
static void intrude(struct caller *c)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM,
	};
	const struct rpcrdma_segment seg = {
		.handle = mutate_word(&c->rng, c->p.s.ep.mr->rkey),
		.length = rng_below(&c->rng, 64),
		.offset = rng_next(&c->rng),
	};

	tell(c, "intrude", "");
	rdma(c, rng_pick(&c->rng, opcodes), c->p.s.ep.buf, c->p.s.ep.mr, &seg);
}

/* Deregister memory that the server may be about to use. */
static void take_away(struct caller *c)
{
	tell(c, "take away", "");
	memory_unregister(&c->p.s.mem);
	caller_drain(c, PATIENCE);
}

static void finish(struct caller *c, bool polite)
{
	c->lost += c->p.s.ep.dead;
	caller_close(c, polite);
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
	tell(c, "wish", "");
	message_control(m, ++c->p.s.xid, RPCRDMA2_CONNPROP, 0);
	message_word(m, 2);
	message_property(m, RPCRDMA2_PROP_READ_REPLIES, 1);
	/* Types 3, 7, 8 and 9 */
	changes_understand(m, 0x88030000);
	caller_post(c);
	caller_drain(c, PATIENCE);
}

/* Calls whose replies come in Read chunks */
static void ask(struct caller *c)
{
	static const u32 open[] = { 1, 0 };
	u32 n = 1 + rng_below(&c->rng, 4);

	tell(c, "ask", "");
	while (n-- && c->nsent < SENT_MAX - STEP_MAX) {
		const u32 read[] = { 0, 5000 + rng_below(&c->rng, BODY - 5000), 0 };

		message_init(&c->p.m, c->p.s.version, ++c->p.s.xid, RPCRDMA_MSG);
		build_open(&c->p, open);
		build_nfs_read(&c->p, read);
		if (caller_post(c))
			return;
	}
	caller_drain(c, PATIENCE);
}

/* Send an RDMA_DONE, which is not answered. */
static void done(struct caller *c, u32 xid, enum ibv_wr_opcode opcode,
		 u32 handle)
{
	u8 *slot = caller_slot(c);
	struct message *m = &c->p.m;

	if (!slot || c->nsent >= SENT_MAX)
		return;
	message_init(m, c->p.s.version, xid, RPCRDMA_DONE);
	m->lists = false;
	caller_send(c, slot, message_encode(m, slot), opcode, handle);
	c->waiting -= !!c->waiting;
}

static void scratch(struct caller *c, enum ibv_wr_opcode opcode,
		    const struct rpcrdma_segment *seg)
{
	rdma(c, opcode, c->p.s.mem.scratch, c->p.s.mem.scratch_mr, seg);
}

static void wrong_place(struct caller *c, struct rpcrdma_segment seg)
{
	switch (rng_below(&c->rng, 3)) {
	case 0:
		seg.length += rng_below(&c->rng, 8192);
		break;
	case 1:
		seg.offset = mutate_word(&c->rng, seg.offset);
		break;
	default:
		seg.handle = mutate_word(&c->rng, seg.handle);
		break;
	}
	scratch(c, IBV_WR_RDMA_READ, &seg);
}

/*
 * Use any reply in a Read chunk, whether it was read, or even released, or not. Most
 * actions are legal, so that the connection survives for a while.
 */
static void read_replies(struct caller *c)
{
	u32 n = c->nadverts < ADVERTS_MAX ? c->nadverts : ADVERTS_MAX;
	const struct advert *e = &c->adverts[rng_below(&c->rng, n)];
	u32 xid = e->xid, handle = e->seg.handle;
	enum ibv_wr_opcode opcode = IBV_WR_SEND_WITH_INV;

	tell(c, "use a reply", "");
	switch (rng_below(&c->rng, 24)) {
	case 0:
		wrong_place(c, e->seg);
		return;
	case 1:
		scratch(c, IBV_WR_RDMA_WRITE, &e->seg);
		return;
	case 2:
		handle = mutate_word(&c->rng, handle);
		break;
	case 3:
		xid += rng_below(&c->rng, 3);
		break;
	case 4:
		scratch(c, IBV_WR_RDMA_READ, &e->seg);
		break;
	case 5 ... 9:
		xid = mutate_word(&c->rng, xid);
		opcode = IBV_WR_SEND;
		break;
	case 10 ... 13:
		opcode = IBV_WR_SEND;
		break;
	default:
		scratch(c, IBV_WR_RDMA_READ, &e->seg);
		opcode = IBV_WR_SEND;
		break;
	}
	done(c, xid, opcode, handle);
}

/* Answer the server's last request: most often as it expects. */
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
	c->changed++;
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

void step(struct caller *c)
{
	u32 what = rng_below(&c->rng, 100);

	if (!is_open(c))
		return;
	if ((c->wants || c->v1_advertises) && rng_one_in(&c->rng, 3))
		ask(c);
	if (c->nadverts && rng_one_in(&c->rng, 2))
		read_replies(c);
	if (c->changes.asked && rng_one_in(&c->rng, 2))
		answer(c);
	if (what < 88 || what > 97)
		message(c);
	else if (what < 91)
		caller_drain(c, 5 * PATIENCE);
	else if (what < 93)
		flood(c);
	else if (what < 94)
		odd_send(c);
	else if (what < 95)
		intrude(c);
	if (what > 97) {
		/* With operations in progress */
		if (rng_one_in(&c->rng, 2))
			take_away(c);
		finish(c, rng_one_in(&c->rng, 2));
		return;
	}
	caller_poll(c);
	if (c->p.s.ep.dead || what > 95 || c->nsent > SENT_MAX - STEP_MAX)
		finish(c, true);
}
