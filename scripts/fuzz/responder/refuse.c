// SPDX-License-Identifier: GPL-2.0-only
/*
 * A version 2 server that cannot do everything and says so, with errors on
 * which a client can act (v2 draft section 5.3.3); servers that fail in various ways
 * when they are offered version 2 (section 7.2); and those that send messages without
 * an RPC at any time, and the answers that these must get.
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
/* Messages that are sent at once; each has an XID of its own. */
#define REQUESTS	12u
/* So many errors a client sends at a time. */
#define DONES		3u
#define FIRST_XID	0x0d0e0000u

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
	[REFUSE_DEPTH]		= "depth",
	[REFUSE_ROUNDUP]	= "roundup",
	[EARLY_AHEAD]		= "ahead",
	[EARLY_STORM]		= "storm",
	[CONTROL_DONE]		= "done",
	[CONTROL_REQUESTS]	= "requests",
	[CONTROL_UNASKED]	= "unasked",
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

static void send_properties(struct link *link, u32 xid, u32 flags)
{
	struct message m;

	message_control(&m, xid, RPCRDMA2_CONNPROP, flags);
	message_word(&m, 0);
	link_post(link, &m);
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
	case CONTROL_UNASKED:
		/* The answer comes after an announcement. */
		link->offer_xid = get_unaligned_be32(hdr->base);
		send_properties(link, FIRST_XID, 0);
		send_properties(link, link->offer_xid, 0);
		link->rounds = QUIET_ROUNDS;
		return true;
	default:
		return false;
	}
}

/* Count the right answers to messages without an RPC; an early call is wrong. */
void refuse_check(struct responder *r, struct link *link,
		  const struct rpcrdma_hdr *hdr)
{
	u32 xid = get_unaligned_be32(hdr->base);
	bool ours = hdr->version == RPCRDMA_VERSION_2 &&
		    xid - FIRST_XID < REQUESTS && hdr->flags & RPCRDMA2_F_RESPONSE;

	if (r->refuse == CONTROL_UNASKED && link->rounds &&
	    hdr->type != RPCRDMA2_CONNPROP)
		r->why = "a message before the offer was answered";
	if (r->refuse == CONTROL_DONE)
		r->refused += ours && hdr->type == RPCRDMA2_ERROR &&
			      hdr->err == RPCRDMA2_ERR_INVAL_HTYPE;
	if (r->refuse == CONTROL_REQUESTS)
		r->refused += ours && hdr->type == RPCRDMA2_RESPROP;
}

/*
 * Choose the handle of a Write chunk's last segment for invalidation, if that
 * is wanted. RFC 8166 section 3.4.3.1 allows any handle of the call.
 */
bool refuse_handle(struct responder *r, const struct rpcrdma_hdr *hdr,
		   u32 *handle)
{
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	u32 count;

	if (r->refuse != REFUSE_ROUNDUP || hdr->writes.segments < 2)
		return false;
	rpcrdma_chunks_begin(hdr, &hdr->writes, &cur);
	rpcrdma_chunks_next(&cur, &count);
	while (rpcrdma_segments_next(&cur, &seg))
		*handle = seg.handle;
	r->refused++;
	return true;
}

static bool goes_mute(const struct responder *r)
{
	return r->refuse == REFUSE_REPLIES || r->refuse == REFUSE_CONNECTION;
}

/*
 * Decide whether to hold a call back from the real server: the first one that
 * offers memory, or that one and all that follow.
 */
bool refuse_pass(struct responder *r, struct link *link, struct call *call)
{
	bool first = !r->refused &&
		     (call->hdr.writes.chunks || call->hdr.reply.chunks);

	if ((r->refuse == REFUSE_RECEIVES || r->refuse == EARLY_AHEAD) &&
	    first) {
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

/* After the first call of a connection, send messages without an RPC. */
static void burst(struct responder *r, struct link *link)
{
	bool done = r->refuse == CONTROL_DONE;
	struct message m;
	u32 i;

	if ((!done && r->refuse != CONTROL_REQUESTS) || !link->last_xid ||
	    link->burst)
		return;
	link->burst = true;
	for (i = 0; i < (done ? DONES : REQUESTS); i++) {
		message_control(&m, FIRST_XID + i,
				done ? RPCRDMA2_DONE : RPCRDMA2_REQPROP, 0);
		if (!done) {
			/* The client's Receives are large enough. */
			message_word(&m, 1);
			message_property(&m, RPCRDMA2_PROP_RBSIZ,
					 RPCRDMA2_FIRST_MAX);
		}
		link_post(link, &m);
	}
}

/* Once in each round of the main loop: do what is due. */
void refuse_due(struct responder *r, struct link *link)
{
	struct call *call = link->held;

	burst(r, link);
	early_due(r, link);
	if (r->refuse == CONTROL_UNASKED && link->rounds && !--link->rounds) {
		send_properties(link, link->offer_xid, RPCRDMA2_F_RESPONSE);
		r->refused++;
	}
	/* Pass on the call that was held once the client's Sends must wait. */
	if (r->refuse == REFUSE_RECEIVES && call && link->spent >= EP_RECVS &&
	    ++link->rounds >= QUIET_ROUNDS) {
		link->held = NULL;
		printf("# all Receives are used\n");
		call_pass(link, call);
	}
}
