// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages without an RPC that a version 2 server may send at any time, and the
 * answers that they must get.
 */

#include <stdio.h>

#include "responder.h"

/* Messages that are sent at once; each has an XID of its own. */
#define REQUESTS	12u
/* So many errors a client sends at a time. */
#define DONES		3u
#define FIRST_XID	0x0d0e0000u
/* Rounds of the main loop that a client waits for the answer to its offer */
#define UNASKED_ROUNDS	200u

static void send_it(struct link *link, const struct message *m)
{
	u8 buf[MSG_SIZE];

	link_send(link, buf, message_encode(m, buf), IBV_WR_SEND, 0);
}

static void init(struct message *m, u32 xid, u32 type, u32 flags)
{
	message_init(m, RPCRDMA_VERSION_2, xid, type);
	m->lists = false;
	m->flags = flags;
}

static void send_done(struct link *link, u32 xid)
{
	struct message m;

	init(&m, xid, RPCRDMA2_DONE, 0);
	send_it(link, &m);
}

/* The client's Receives are large enough. */
static void send_request(struct link *link, u32 xid)
{
	struct message m;

	init(&m, xid, RPCRDMA2_REQPROP, 0);
	message_word(&m, 1);
	changes_put_size(&m, RPCRDMA2_FIRST_MAX);
	send_it(link, &m);
}

static void send_properties(struct link *link, u32 xid, u32 flags)
{
	struct message m;

	init(&m, xid, RPCRDMA2_CONNPROP, flags);
	message_word(&m, 0);
	send_it(link, &m);
}

/* Answer an offer late, after an announcement. Return: true if so. */
bool control_offer(struct responder *r, struct link *link,
		   const struct rpcrdma_hdr *hdr)
{
	if (r->refuse != CONTROL_UNASKED)
		return false;
	link->offer_xid = get_unaligned_be32(hdr->base);
	send_properties(link, FIRST_XID, 0);
	send_properties(link, link->offer_xid, 0);
	link->rounds = UNASKED_ROUNDS;
	return true;
}

/* Send what is due, after the first call of a connection. */
void control_due(struct responder *r, struct link *link)
{
	u32 i;

	if (r->refuse == CONTROL_UNASKED && link->rounds && !--link->rounds) {
		send_properties(link, link->offer_xid, RPCRDMA2_F_RESPONSE);
		r->refused++;
	}
	if (!link->last_xid || link->burst)
		return;
	link->burst = true;
	for (i = 0; r->refuse == CONTROL_DONE && i < DONES; i++)
		send_done(link, FIRST_XID + i);
	for (i = 0; r->refuse == CONTROL_REQUESTS && i < REQUESTS; i++)
		send_request(link, FIRST_XID + i);
}

/* Count the right answers; an early call is wrong. */
void control_receive(struct responder *r, struct link *link,
		     const struct rpcrdma_hdr *hdr)
{
	u32 xid = get_unaligned_be32(hdr->base);
	bool ours = xid - FIRST_XID < REQUESTS && hdr->flags & RPCRDMA2_F_RESPONSE;

	if (r->refuse == CONTROL_UNASKED && link->rounds &&
	    hdr->type != RPCRDMA2_CONNPROP)
		r->why = "a message before the offer was answered";
	if (r->refuse == CONTROL_DONE)
		r->refused += ours && hdr->type == RPCRDMA2_ERROR &&
			      hdr->err == RPCRDMA2_ERR_INVAL_HTYPE;
	if (r->refuse == CONTROL_REQUESTS)
		r->refused += ours && hdr->type == RPCRDMA2_RESPROP;
}
