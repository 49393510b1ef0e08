// SPDX-License-Identifier: GPL-2.0-only
/*
 * A version 2 server that answers calls before it has received them: a client
 * numbers them one after the other, so it can guess their XIDs.
 */

#include <arpa/inet.h>
#include <stdio.h>

#include "responder.h"

/* NFS3ERR_IO, NFS4ERR_IO */
#define NFS_IO		5u
/* Number of XIDs to answer, from the one after the last call on */
#define AHEAD		60u
/* Answers per round of the main loop */
#define STORM		16u
/* Credits meanwhile: most calls wait for one. */
#define STORM_CREDITS	4u
/* XIDs, around the last one, that these are for */
#define STORM_XIDS	8u

/* The XID of the @n-th call after @xid: the client, on this host, counts so. */
static u32 xid_after(u32 xid, u32 n)
{
	return ntohl(htonl(xid) + n);
}

/* The client is to send this call in another form, with the same XID. */
static void send_segments(struct link *link, u32 xid, u32 credits)
{
	struct message m;

	message_control(&m, xid, RPCRDMA2_ERROR, RPCRDMA2_F_RESPONSE);
	m.credits = credits;
	message_word(&m, RPCRDMA2_ERR_SEGMENTS);
	message_word(&m, 1);
	link_post(link, &m);
}

/*
 * A call that was accepted and has failed with an I/O error, which NFS does not
 * remember: results that it believes would disturb it later, too.
 */
static void send_reply(struct link *link, u32 xid, u32 credits,
		       enum ibv_wr_opcode opcode, u32 handle)
{
	struct message m;

	message_init(&m, RPCRDMA_VERSION_2, xid, RPCRDMA2_MSG);
	m.flags = RPCRDMA2_F_RESPONSE;
	m.credits = credits;
	message_put(&m, xid);
	message_put(&m, 1);
	message_puts(&m, 4, 0);
	message_put(&m, NFS_IO);
	message_puts(&m, 23, 0);
	link_message(link, &m, opcode, handle);
}

static void send_junk(struct link *link, u32 xid, struct rng *rng)
{
	u8 buf[64];
	u32 i;

	for (i = 0; i < sizeof(buf); i++)
		buf[i] = rng_word(rng);
	put_unaligned_be32(xid, buf);
	link_send(link, buf, sizeof(buf), IBV_WR_SEND, 0);
}

static void send_any(struct link *link, u32 xid, struct rng *rng)
{
	u32 handle = link->old.n ? link->old.handle[link->old.n - 1] : 1;

	/* It ends the connection, unless it is the next call's. */
	if (rng_one_in(rng, 500)) {
		send_reply(link, xid, STORM_CREDITS, IBV_WR_SEND_WITH_INV,
			   handle + 1);
		return;
	}
	switch (rng_below(rng, 4)) {
	case 0:
		send_junk(link, xid, rng);
		break;
	case 1:
		send_reply(link, xid, STORM_CREDITS, IBV_WR_SEND, 0);
		break;
	default:
		send_segments(link, xid, STORM_CREDITS);
	}
}

/* Answer calls that the client is about to send, as fast as possible. */
static void storm(struct responder *r, struct link *link)
{
	struct rng rng;
	u32 i;

	responder_rng(r, &rng);
	for (i = 0; i < STORM && !link->gone && !r->calm; i++) {
		send_any(link, xid_after(link->last_xid,
					 rng_below(&rng, STORM_XIDS)), &rng);
		r->refused++;
	}
}

/* One call is held, and there is one credit: no other call can be sent. */
static void answer_queued(struct responder *r, struct link *link)
{
	u32 i;

	for (i = 1; i <= AHEAD && !link->gone; i++) {
		if (i % 2)
			send_segments(link, xid_after(link->last_xid, i), 1);
		else
			send_reply(link, xid_after(link->last_xid, i), 1,
				   IBV_WR_SEND, 0);
		r->refused++;
	}
	r->go = false;
	printf("# answered ahead\n");
}

/* Credits granted with the answer to an offer, or with a @reply that is right */
u32 refuse_credits(const struct responder *r, u32 credits, bool reply)
{
	if (r->refuse == REFUSE_REPLIES || r->refuse == REFUSE_CONNECTION)
		return reply ? credits : 1;
	if (r->refuse == EARLY_AHEAD)
		return 1;
	return r->refuse == EARLY_STORM && !r->calm ? STORM_CREDITS : credits;
}

/* Note the XID of a call, and whether the client has begun to move data. */
void early_call(struct link *link, const struct call *call)
{
	link->last_xid = get_unaligned_be32(call->buf);
	link->data |= call->hdr.writes.chunks || call->hdr.reply.chunks;
}

/*
 * Answer calls that have not arrived, if that is wanted; and pass on the call that was
 * held until then.
 */
void early_due(struct responder *r, struct link *link)
{
	struct call *call = link->held;

	if (r->refuse == EARLY_STORM && link->data && !r->calm)
		storm(r, link);
	if (r->refuse != EARLY_AHEAD || !call)
		return;
	if (r->go)
		answer_queued(r, link);
	if (r->calm) {
		link->held = NULL;
		call_pass(link, call);
	}
}
