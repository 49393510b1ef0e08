// SPDX-License-Identifier: GPL-2.0-only
/*
 * Servers that fail in various ways when a client offers version 2 (v2 draft section 7.2),
 * servers that stop answering, and a server that answers calls before it has received them:
 * it can guess their XIDs, because a client numbers calls consecutively.
 */

#include <arpa/inet.h>
#include <stdio.h>
#include <unistd.h>

#include "responder.h"

/* A client that can send does so within this number of rounds of the main loop. */
#define QUIET_ROUNDS	200u
/* Seconds; longer than a client waits for a server that it does not know */
#define SLOW_ANSWER	6
/* Credits while answers are early: so few that most calls wait for a credit */
#define EARLY_CREDITS	4u
/* NFS3ERR_IO, NFS4ERR_IO */
#define NFS_IO		5u
/* Answers per round of the main loop */
#define STORM		16u
/* The answers use this number of XIDs, beginning with that of the last call. */
#define STORM_XIDS	8u

static const char * const names[] = {
	[REFUSE_NOTHING]	= "nothing",
	[REFUSE_SILENTLY]	= "silently",
	[REFUSE_RUDELY]		= "rudely",
	[REFUSE_SLOWLY]		= "slowly",
	[REFUSE_RECEIVES]	= "receives",
	[REFUSE_REPLIES]	= "replies",
	[REFUSE_CONNECTION]	= "connection",
	[REFUSE_EARLY]		= "early",
};

/* Return: the refusal called @name; REFUSE_NOTHING if there is none. */
enum refuse refuse_parse(const char *name)
{
	enum refuse i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return i;
	return REFUSE_NOTHING;
}

/* A server may take long to answer an offer only if its hint announces version 2. */
enum rpcrdma_hint refuse_hint(const struct responder *r)
{
	return r->refuse == REFUSE_SLOWLY ? RPCRDMA_HINT_V2 : RPCRDMA_HINT_NONE;
}

/* Mistreat an offer of version 2 if selected. Return: true if so. */
bool refuse_offer(struct responder *r, struct link *link)
{
	switch (r->refuse) {
	case REFUSE_SLOWLY:
		if (r->connections == 2) {
			r->refused++;
			sleep(SLOW_ANSWER);
		}
		return false;
	case REFUSE_RUDELY:
	case REFUSE_SILENTLY:
		if (r->refuse == REFUSE_RUDELY)
			link->gone = true;
		r->refused++;
		return true;
	default:
		return false;
	}
}

static bool goes_mute(const struct responder *r)
{
	return r->refuse == REFUSE_REPLIES || r->refuse == REFUSE_CONNECTION;
}

bool early_storms(const struct responder *r)
{
	return r->refuse == REFUSE_EARLY && !r->calm;
}

/* Credits to grant in the answer to an offer, or in a correct @reply */
u32 refuse_credits(const struct responder *r, u32 credits, bool reply)
{
	if (early_storms(r))
		return EARLY_CREDITS;
	return goes_mute(r) && !reply ? 1 : credits;
}

/*
 * Decide whether to hold a call back from the real server: the first call that
 * offers memory, or this call and all later ones.
 */
bool refuse_pass(struct responder *r, struct link *link, struct call *call)
{
	bool first = !r->refused && link->data;

	if (r->refuse == REFUSE_RECEIVES && first) {
		printf("# a call is held\n");
		link->held = call;
		return true;
	}
	if (first && goes_mute(r)) {
		printf("# no more replies\n");
		link->mute = true;
	}
	r->refused += link->mute;
	if (link->mute && call_unanswered(link) >= link->granted) {
		printf("# no more credits\n");
		link->gone = r->refuse == REFUSE_CONNECTION;
	}
	return link->mute;
}

/* Decide whether the Receive of a message is not posted again. */
bool refuse_receive(struct responder *r, struct link *link)
{
	if (r->refuse != REFUSE_RECEIVES || (!link->held && !link->spent))
		return false;
	link->spent++;
	r->refused++;
	return true;
}

/*
 * Answer a call that may not have been sent: with junk; with an NFS I/O error, which NFS
 * does not remember (plausible results would disturb NFS later); or, mostly, with a demand
 * to send the call in another form, with the same XID.
 */
static void answer_early(struct link *link, u32 xid, struct rng *rng)
{
	u32 i, kind = rng_below(rng, 4);
	struct message m;

	message_control(&m, xid, RPCRDMA2_ERROR, RPCRDMA2_F_RESPONSE);
	m.credits = EARLY_CREDITS;
	if (kind == 0) {
		m.wire_version = rng_word(rng);
		for (i = 0; i < 12; i++)
			message_word(&m, rng_word(rng));
	} else if (kind == 1) {
		m.type = RPCRDMA2_MSG;
		m.lists = true;
		message_put(&m, xid);
		message_put(&m, 1);
		message_puts(&m, 4, 0);
		message_put(&m, NFS_IO);
		message_puts(&m, 23, 0);
	} else {
		message_word(&m, RPCRDMA2_ERR_SEGMENTS);
		message_word(&m, 1);
	}
	link_post(link, &m);
}

/* Answer calls that the client is about to send, as fast as possible. */
static void early_due(struct responder *r, struct link *link)
{
	struct rng rng;
	u32 i, xid;

	if (!early_storms(r) || !link->data)
		return;
	responder_rng(r, &rng);
	for (i = 0; i < STORM && !link->gone && !r->calm; i++) {
		xid = ntohl(htonl(link->last_xid) + rng_below(&rng, STORM_XIDS));
		answer_early(link, xid, &rng);
		r->refused++;
	}
}

/* Perform pending actions, once in each round of the main loop. */
void refuse_due(struct responder *r, struct link *link)
{
	struct call *call = link->held;

	/* Pass on the held call when the client's Sends must wait. */
	if (r->refuse == REFUSE_RECEIVES && call && link->spent >= EP_RECVS &&
	    ++link->rounds >= QUIET_ROUNDS) {
		link->held = NULL;
		printf("# all Receives are used\n");
		call_pass(link, call);
	}
	early_due(r, link);
}
