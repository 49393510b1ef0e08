// SPDX-License-Identifier: GPL-2.0-only
/*
 * A version 2 server that answers calls before it has received them: a client
 * numbers them one after the other, so it can guess their XIDs.
 */

#include <arpa/inet.h>

#include "responder.h"

/* NFS3ERR_IO, NFS4ERR_IO */
#define NFS_IO		5u
/* Answers per round of the main loop */
#define STORM		16u
/* Credits meanwhile: most calls wait for one. */
#define STORM_CREDITS	4u
/* XIDs, from the last one on, that these are for */
#define STORM_XIDS	8u

/* The client is to send this call in another form, with the same XID. */
static void send_segments(struct link *link, u32 xid)
{
	struct message m;

	message_control(&m, xid, RPCRDMA2_ERROR, RPCRDMA2_F_RESPONSE);
	m.credits = STORM_CREDITS;
	message_word(&m, RPCRDMA2_ERR_SEGMENTS);
	message_word(&m, 1);
	link_post(link, &m);
}

/*
 * A call that was accepted and has failed with an I/O error, which NFS does not
 * remember: results that it believes would disturb it later, too.
 */
static void send_reply(struct link *link, u32 xid)
{
	struct message m;

	message_init(&m, RPCRDMA_VERSION_2, xid, RPCRDMA2_MSG);
	m.flags = RPCRDMA2_F_RESPONSE;
	m.credits = STORM_CREDITS;
	message_put(&m, xid);
	message_put(&m, 1);
	message_puts(&m, 4, 0);
	message_put(&m, NFS_IO);
	message_puts(&m, 23, 0);
	link_message(link, &m, IBV_WR_SEND, 0);
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

bool early_storms(const struct responder *r)
{
	return r->refuse == REFUSE_EARLY && !r->calm;
}

/* Credits, most of which the storm's answers take back */
u32 early_credits(const struct responder *r, u32 credits)
{
	return early_storms(r) ? STORM_CREDITS : credits;
}

/* Note the XID of a call, and whether the client has begun to move data. */
void early_call(struct link *link, const struct call *call)
{
	link->last_xid = get_unaligned_be32(call->buf);
	link->data |= call->hdr.writes.chunks || call->hdr.reply.chunks;
}

/* Answer calls that the client is about to send, as fast as possible. */
void early_due(struct responder *r, struct link *link)
{
	struct rng rng;
	u32 i, xid;

	if (!early_storms(r) || !link->data)
		return;
	responder_rng(r, &rng);
	for (i = 0; i < STORM && !link->gone && !r->calm; i++) {
		xid = ntohl(htonl(link->last_xid) + rng_below(&rng, STORM_XIDS));
		switch (rng_below(&rng, 4)) {
		case 0:
			send_junk(link, xid, &rng);
			break;
		case 1:
			send_reply(link, xid);
			break;
		default:
			send_segments(link, xid);
		}
		r->refused++;
	}
}
