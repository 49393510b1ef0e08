// SPDX-License-Identifier: GPL-2.0-only
/* Legal and illegal uses of a reply in a Read chunk. */

#include <stdio.h>

#include "caller.h"

/* Send an RDMA_DONE, which is not answered. */
static void done(struct session *s, struct run *run, u32 xid,
		 enum ibv_wr_opcode opcode, u32 handle)
{
	u8 *slot = session_slot(s, run);
	struct message m;

	if (!slot || s->nsent >= SENT_MAX)
		return;
	message_init(&m, s->version, xid, RPCRDMA_DONE);
	m.lists = false;
	session_send(s, run, slot, message_encode(&m, slot), opcode, handle);
	s->waiting -= !!s->waiting;
}

static void rdma(struct session *s, const struct rpcrdma_segment *seg,
		 enum ibv_wr_opcode opcode)
{
	struct memory *mem = s->mem;
	struct ibv_sge sge = {
		.addr = (uintptr_t)mem->scratch,
		.length = seg->length < SCRATCH_SIZE ? seg->length :
						       SCRATCH_SIZE,
	};

	/* It may have been deregistered. */
	if (!mem->scratch_mr)
		return;
	sge.lkey = mem->scratch_mr->lkey;
	if (endpoint_rdma(&s->ep, opcode, &sge, seg->handle, seg->offset, 0))
		s->ep.dead = true;
}

/* Choose any reply, whether it was read, or even released, or not. */
static const struct advert *choose(const struct session *s, struct rng *rng)
{
	u32 n = s->nadverts < ADVERTS_MAX ? s->nadverts : ADVERTS_MAX;

	return &s->adverts[rng_below(rng, n)];
}

static void good(struct session *s, struct run *run, const struct advert *e,
		 bool invalidate)
{
	rdma(s, &e->seg, IBV_WR_RDMA_READ);
	done(s, run, e->xid,
	     invalidate ? IBV_WR_SEND_WITH_INV : IBV_WR_SEND, e->seg.handle);
}

static void wrong_place(struct session *s, struct rng *rng,
			const struct advert *e)
{
	struct rpcrdma_segment seg = e->seg;

	switch (rng_below(rng, 3)) {
	case 0:
		seg.length += rng_below(rng, 8192);
		break;
	case 1:
		seg.offset = mutate_word(rng, seg.offset);
		break;
	default:
		seg.handle = mutate_word(rng, seg.handle);
		break;
	}
	rdma(s, &seg, IBV_WR_RDMA_READ);
}

/* Most actions are legal, so that the connection survives for a while. */
void read_replies(struct session *s, struct run *run, struct rng *rng)
{
	const struct advert *e = choose(s, rng);

	if (run->verbose)
		printf("# of the reply 0x%x\n", e->xid);
	switch (rng_below(rng, 24)) {
	case 0:
		wrong_place(s, rng, e);
		break;
	case 1:
		rdma(s, &e->seg, IBV_WR_RDMA_WRITE);
		break;
	case 2:
		done(s, run, e->xid, IBV_WR_SEND_WITH_INV,
		     mutate_word(rng, e->seg.handle));
		break;
	case 3:
		done(s, run, e->xid + rng_below(rng, 3), IBV_WR_SEND_WITH_INV,
		     e->seg.handle);
		break;
	case 4:
		good(s, run, e, true);
		break;
	case 5 ... 9:
		done(s, run, mutate_word(rng, e->xid), IBV_WR_SEND, 0);
		break;
	case 10 ... 13:
		done(s, run, e->xid, IBV_WR_SEND, 0);
		break;
	default:
		good(s, run, e, false);
		break;
	}
}
