// SPDX-License-Identifier: GPL-2.0-only
/*
 * A version 2 server that cannot do everything and says so, with errors on
 * which a client can act (v2 draft section 5.3.3); servers that fail in various ways
 * when they are offered version 2 (section 7.2); and servers that stop.
 */

#include <stdio.h>
#include <unistd.h>

#include "responder.h"

/* Segments per chunk that the server can process */
#define SEGMENTS	1u
/* One in so many calls that offer no chunk is refused for that. */
#define NO_CHUNK_EACH	3u
/* Rounds of the main loop within which a client that can send does so */
#define QUIET_ROUNDS	200u
/* Seconds; longer than a client waits for a server that it does not know */
#define SLOW_ANSWER	6
static const char * const names[] = {
	[REFUSE_NOTHING]	= "nothing",
	[REFUSE_READS]		= "reads",
	[REFUSE_WRITES]		= "writes",
	[REFUSE_SEGMENTS]	= "segments",
	[REFUSE_WRITE_SIZE]	= "write-size",
	[REFUSE_INLINE]		= "inline",
	[REFUSE_CHUNKS]		= "chunks",
	[REFUSE_ALWAYS]		= "always",
	[REFUSE_SILENTLY]	= "silently",
	[REFUSE_RUDELY]		= "rudely",
	[REFUSE_SLOWLY]		= "slowly",
	[REFUSE_RECEIVES]	= "receives",
	[REFUSE_REPLIES]	= "replies",
	[REFUSE_CONNECTION]	= "connection",
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

static bool payload_read(const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;

	rpcrdma_reads_begin(hdr, &cur);
	while (rpcrdma_reads_next(&cur, &rseg))
		if (rseg.position)
			return true;
	return false;
}

/* Return: the error with which a call is refused, or 0. */
static u32 choose_error(const struct responder *r, const struct rpcrdma_hdr *hdr)
{
	bool write = hdr->writes.chunks, reply = hdr->reply.chunks;

	if (hdr->version != RPCRDMA_VERSION_2)
		return 0;
	if (r->refuse == REFUSE_READS && payload_read(hdr))
		return RPCRDMA2_ERR_READ_CHUNKS;
	if (r->refuse == REFUSE_WRITES && write)
		return RPCRDMA2_ERR_WRITE_CHUNKS;
	if (r->refuse == REFUSE_SEGMENTS && hdr->writes.segments > SEGMENTS)
		return RPCRDMA2_ERR_SEGMENTS;
	if (r->refuse == REFUSE_WRITE_SIZE && write)
		return RPCRDMA2_ERR_WRITE_RESOURCE;
	if (r->refuse == REFUSE_CHUNKS && (write || hdr->reads.chunks))
		return RPCRDMA2_ERR_SYSTEM;
	if ((r->refuse == REFUSE_ALWAYS && (write || reply)) ||
	    (r->refuse == REFUSE_INLINE && !write && !reply &&
	     r->calls % NO_CHUNK_EACH == 0))
		return RPCRDMA2_ERR_REPLY_RESOURCE;
	return 0;
}

/* The code of an error, and the words that belong to it */
static void put_error(struct message *m, u32 err, const struct rpcrdma_hdr *hdr)
{
	message_word(m, err);
	if (err == RPCRDMA2_ERR_READ_CHUNKS || err == RPCRDMA2_ERR_WRITE_CHUNKS)
		message_word(m, 0);
	else if (err == RPCRDMA2_ERR_SEGMENTS)
		message_word(m, SEGMENTS);
	else if (err == RPCRDMA2_ERR_REPLY_RESOURCE)
		message_word(m, 16);
	if (err != RPCRDMA2_ERR_WRITE_RESOURCE)
		return;
	message_word(m, 1);
	message_word(m, hdr->writes.bytes + 4);
}

/* Answer a call with an error if it is to be refused. Return: true if so. */
bool refuse_call(struct responder *r, struct link *link,
		 const struct rpcrdma_hdr *hdr)
{
	u32 err = choose_error(r, hdr);
	struct message m;

	if (!err)
		return false;
	message_control(&m, get_unaligned_be32(hdr->base), RPCRDMA2_ERROR,
			RPCRDMA2_F_RESPONSE);
	put_error(&m, err, hdr);
	link_post(link, &m);
	r->refused++;
	return true;
}

/* Mistreat an offer of version 2 if that is wanted. Return: true if so. */
bool refuse_offer(struct responder *r, struct link *link,
		  const struct rpcrdma_hdr *hdr)
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

/* Credits granted with the answer to an offer, or with a @reply that is right */
u32 refuse_credits(const struct responder *r, u32 credits, bool reply)
{
	return goes_mute(r) && !reply ? 1 : credits;
}

/*
 * Decide whether to hold a call back from the real server: the first one that
 * offers memory, or that one and all that follow.
 */
bool refuse_pass(struct responder *r, struct link *link, struct call *call)
{
	bool first = !r->refused &&
		     (call->hdr.writes.chunks || call->hdr.reply.chunks);

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

/* Once in each round of the main loop: do what is due. */
void refuse_due(struct responder *r, struct link *link)
{
	struct call *call = link->held;

	/* Pass on the call that was held once the client's Sends must wait. */
	if (r->refuse == REFUSE_RECEIVES && call && link->spent >= EP_RECVS &&
	    ++link->rounds >= QUIET_ROUNDS) {
		link->held = NULL;
		printf("# all Receives are used\n");
		call_pass(link, call);
	}
}
