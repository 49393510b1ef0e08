// SPDX-License-Identifier: GPL-2.0-only
/* One step of a batch: a message, or something else that peers do. */

#include <stdio.h>

#include "caller.h"

/* Time to wait for an answer before sending more, in milliseconds */
#define PATIENCE	15

static void tell(const struct run *run, const char *what, const char *how)
{
	if (run->verbose)
		printf("# %s %s\n", what, how);
}

/* Send a message, which is valid one time in four. */
static void message(struct session *s, struct run *run, struct rng *rng)
{
	u8 *slot = session_slot(s, run);
	u32 n = rng_below(rng, 4), len;
	struct message m;

	if (!slot) {
		s->ep.dead = true;
		return;
	}
	tell(run, "message", call_build(s, &m, rng));
	run->mutated += !!n;
	while (n--)
		tell(run, " changed", mutate_message(&m, rng, &s->handles));
	len = message_encode(&m, slot);
	if (len > EP_RECV_SIZE && !rng_one_in(rng, 20))
		len = EP_RECV_SIZE;
	if (rng_one_in(rng, 8))
		len = mutate_bytes(slot, len, rng);
	if (s->waiting >= s->grant)
		session_drain(s, run, PATIENCE);
	if (!s->ep.dead)
		session_send(s, run, slot, len, IBV_WR_SEND, 0);
}

/* Send more calls than the server has granted credits. */
static void flood(struct session *s, struct run *run, struct rng *rng)
{
	u32 n = 10 + rng_below(rng, 60), len;
	struct message m;
	u8 *slot;

	tell(run, "flood", "");
	while (n-- && s->nsent < SENT_MAX) {
		slot = session_slot(s, run);
		if (!slot)
			break;
		call_build(s, &m, rng);
		len = message_encode(&m, slot);
		if (len > EP_RECV_SIZE)
			len = EP_RECV_SIZE;
		if (session_send(s, run, slot, len, IBV_WR_SEND, 0))
			break;
	}
}

/* Use Send opcodes that the server does not expect. */
static void odd_send(struct session *s, struct run *run, struct rng *rng)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND_WITH_INV, IBV_WR_SEND_WITH_IMM,
	};
	u8 *slot = session_slot(s, run);
	struct message m;

	tell(run, "odd send", "");
	if (!slot)
		return;
	call_build(s, &m, rng);
	session_send(s, run, slot, message_encode(&m, slot) % EP_RECV_SIZE,
		     rng_pick(rng, opcodes), rng_word(rng));
}

/* Attempt RDMA with a handle that the server has never advertised. */
static void intrude(struct session *s, struct run *run, struct rng *rng)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM,
	};
	struct ibv_sge sge = {
		.addr = (uintptr_t)s->ep.buf,
		.length = rng_below(rng, 64),
		.lkey = s->ep.mr->lkey,
	};

	tell(run, "intrude", "");
	if (endpoint_rdma(&s->ep, rng_pick(rng, opcodes), &sge,
			  mutate_word(rng, s->ep.mr->rkey), rng_next(rng), 0))
		s->ep.dead = true;
}

/* Deregister memory that the server may be about to use. */
static void take_away(struct session *s, struct run *run)
{
	tell(run, "take away", "");
	memory_unregister(s->mem);
	session_drain(s, run, PATIENCE);
}

static void finish(struct session *s, struct run *run, bool polite)
{
	run->lost += s->ep.dead;
	session_close(s, polite);
}

/*
 * Half of the version 2 sessions accept replies in Read chunks, and changes of
 * properties.
 */
static void greet(struct session *s, struct run *run, struct rng *rng)
{
	u8 *slot = session_slot(s, run);
	struct message m;

	if (!slot || s->version == RPCRDMA_VERSION_1 || rng_one_in(rng, 2))
		return;
	tell(run, "wish", "");
	call_wish(s, &m);
	session_send(s, run, slot, message_encode(&m, slot), IBV_WR_SEND, 0);
	session_drain(s, run, PATIENCE);
}

/* Calls whose replies come in Read chunks */
static void ask(struct session *s, struct run *run, struct rng *rng)
{
	u32 n = 1 + rng_below(rng, 4);
	struct message m;
	u8 *slot;

	tell(run, "ask", "");
	while (n-- && s->nsent < SENT_MAX - 80) {
		slot = session_slot(s, run);
		if (!slot)
			return;
		call_long(s, &m, 5000 + rng_below(rng, BODY - 5000));
		if (session_send(s, run, slot, message_encode(&m, slot),
				 IBV_WR_SEND, 0))
			return;
	}
	session_drain(s, run, PATIENCE);
}

void step(struct session *s, struct run *run, struct rng *rng)
{
	u32 what = rng_below(rng, 100);

	if (!s->open) {
		if (session_open(s, run, rng)) {
			session_close(s, false);
			return;
		}
		greet(s, run, rng);
	}
	if ((s->wants || run->v1_advertises) && rng_one_in(rng, 3))
		ask(s, run, rng);
	if (s->nadverts && rng_one_in(rng, 2))
		read_replies(s, run, rng);
	if (s->asked && rng_one_in(rng, 2))
		changes_answer(s, run, rng);
	if (what < 88 || what > 97)
		message(s, run, rng);
	else if (what < 91)
		session_drain(s, run, 5 * PATIENCE);
	else if (what < 93)
		flood(s, run, rng);
	else if (what < 94)
		odd_send(s, run, rng);
	else if (what < 95)
		intrude(s, run, rng);
	if (what > 97) {
		/* With operations in progress */
		if (rng_one_in(rng, 2))
			take_away(s, run);
		finish(s, run, rng_one_in(rng, 2));
		return;
	}
	session_poll(s, run);
	if (s->ep.dead)
		finish(s, run, true);
	else if (what > 95 || s->nsent > SENT_MAX - 80)
		finish(s, run, true);
}
