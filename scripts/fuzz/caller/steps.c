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

/* Send a message, which is valid one time in four. */
static void message(struct caller *c)
{
	u8 *slot = caller_slot(c);
	u32 n = rng_below(&c->rng, 4), len;
	struct message m;

	if (!slot) {
		c->s.ep.dead = true;
		return;
	}
	tell(c, "message", call_build(c, &m));
	c->mutated += !!n;
	while (n--)
		tell(c, " changed", mutate_message(&m, &c->rng, &c->handles));
	len = message_encode(&m, slot);
	if (len > EP_RECV_SIZE && !rng_one_in(&c->rng, 20))
		len = EP_RECV_SIZE;
	if (rng_one_in(&c->rng, 8))
		len = mutate_bytes(slot, len, &c->rng);
	if (c->waiting >= c->grant)
		caller_drain(c, PATIENCE);
	if (!c->s.ep.dead)
		caller_send(c, slot, len, IBV_WR_SEND, 0);
}

/* Send more calls than the server has granted credits. */
static void flood(struct caller *c)
{
	u32 n = 10 + rng_below(&c->rng, 60), len;
	struct message m;
	u8 *slot;

	tell(c, "flood", "");
	while (n-- && c->nsent < SENT_MAX) {
		slot = caller_slot(c);
		if (!slot)
			break;
		call_build(c, &m);
		len = message_encode(&m, slot);
		if (len > EP_RECV_SIZE)
			len = EP_RECV_SIZE;
		if (caller_send(c, slot, len, IBV_WR_SEND, 0))
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
	struct message m;

	tell(c, "odd send", "");
	if (!slot)
		return;
	call_build(c, &m);
	caller_send(c, slot, message_encode(&m, slot) % EP_RECV_SIZE,
		    rng_pick(&c->rng, opcodes), rng_word(&c->rng));
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
	if (endpoint_rdma(&c->s.ep, opcode, &sge, seg->handle, seg->offset))
		c->s.ep.dead = true;
}

/* Attempt RDMA with a handle that the server has never advertised. */
static void intrude(struct caller *c)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM,
	};
	const struct rpcrdma_segment seg = {
		.handle = mutate_word(&c->rng, c->s.ep.mr->rkey),
		.length = rng_below(&c->rng, 64),
		.offset = rng_next(&c->rng),
	};

	tell(c, "intrude", "");
	rdma(c, rng_pick(&c->rng, opcodes), c->s.ep.buf, c->s.ep.mr, &seg);
}

/* Deregister memory that the server may be about to use. */
static void take_away(struct caller *c)
{
	tell(c, "take away", "");
	memory_unregister(&c->s.mem);
	caller_drain(c, PATIENCE);
}

static void finish(struct caller *c, bool polite)
{
	c->lost += c->s.ep.dead;
	caller_close(c, polite);
}

/*
 * Half of the version 2 sessions accept replies in Read chunks, and changes of
 * properties.
 */
static void greet(struct caller *c)
{
	struct message m;

	if (c->s.version == RPCRDMA_VERSION_1 || rng_one_in(&c->rng, 2))
		return;
	tell(c, "wish", "");
	message_control(&m, ++c->s.xid, RPCRDMA2_CONNPROP, 0);
	message_word(&m, 2);
	message_property(&m, RPCRDMA2_PROP_READ_REPLIES, 1);
	/* Types 3, 7, 8 and 9 */
	changes_understand(&m, 0x88030000);
	caller_post(c, &m);
	caller_drain(c, PATIENCE);
}

/* Calls whose replies come in Read chunks */
static void ask(struct caller *c)
{
	u32 n = 1 + rng_below(&c->rng, 4);
	struct message m;

	tell(c, "ask", "");
	while (n-- && c->nsent < SENT_MAX - STEP_MAX) {
		call_long(c, &m, 5000 + rng_below(&c->rng, BODY - 5000));
		if (caller_post(c, &m))
			return;
	}
	caller_drain(c, PATIENCE);
}

/* Send an RDMA_DONE, which is not answered. */
static void done(struct caller *c, u32 xid, enum ibv_wr_opcode opcode,
		 u32 handle)
{
	u8 *slot = caller_slot(c);
	struct message m;

	if (!slot || c->nsent >= SENT_MAX)
		return;
	message_init(&m, c->s.version, xid, RPCRDMA_DONE);
	m.lists = false;
	caller_send(c, slot, message_encode(&m, slot), opcode, handle);
	c->waiting -= !!c->waiting;
}

static void scratch(struct caller *c, enum ibv_wr_opcode opcode,
		    const struct rpcrdma_segment *seg)
{
	rdma(c, opcode, c->s.mem.scratch, c->s.mem.scratch_mr, seg);
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
	struct message m;

	if (!slot)
		return;
	if (rng_one_in(&c->rng, 3) &&
	    !changes_wrong_answer(&c->changes, &m, &c->rng))
		return;
	if (c->changes.asked)
		changes_answer(&c->changes, &m, rng_below(&c->rng, 3));
	endpoint_send(&c->s.ep, slot, message_encode(&m, slot), IBV_WR_SEND, 0);
	c->changed++;
}

static bool is_open(struct caller *c)
{
	if (c->s.open)
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
	if (c->s.ep.dead || what > 95 || c->nsent > SENT_MAX - STEP_MAX)
		finish(c, true);
}
