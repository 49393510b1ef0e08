// SPDX-License-Identifier: GPL-2.0-only
/*
 * A version 2 server that cannot do everything and says so, with errors on
 * which a client can act (v2 draft section 5.3.3); and servers that fail in
 * various ways when they are offered version 2 (section 7.2).
 */

#include <rpcrdma/cursor.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "responder.h"

/* Segments per chunk that the server can process */
#define SEGMENTS	1u
/* One in so many calls that offer no chunk is refused for that. */
#define NO_CHUNK_EACH	3u
/* Rounds of the main loop within which a client that can send does so */
#define QUIET_ROUNDS	200u
/* Seconds; longer than a client waits for a server that it does not know */
#define SLOW_ANSWER	7

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
	[REFUSE_LATE]		= "late",
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
	[ODD_INLINE]		= "odd-inline",
	[ODD_WRITE]		= "odd-write",
	[ODD_REPLY]		= "odd-reply",
	[ODD_READ]		= "odd-read",
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

/* Encode the error code and the one or two words that belong to it. */
static void send_error(struct link *link, const struct rpcrdma_hdr *hdr,
		       u32 err, u32 n, u32 first, u32 second)
{
	struct message m;
	u8 buf[MSG_SIZE];

	message_init(&m, RPCRDMA_VERSION_2, get_unaligned_be32(hdr->base),
		     RPCRDMA2_ERROR);
	m.flags = RPCRDMA2_F_RESPONSE;
	m.lists = false;
	message_word(&m, err);
	if (n > 0)
		message_word(&m, first);
	if (n > 1)
		message_word(&m, second);
	link_send(link, buf, message_encode(&m, buf), IBV_WR_SEND, 0);
}

/* Answer a call with an error if it is to be refused. Return: true if so. */
bool refuse_call(struct responder *r, struct link *link,
		 const struct rpcrdma_hdr *hdr)
{
	bool write = hdr->writes.chunks, reply = hdr->reply.chunks;

	if (hdr->version != RPCRDMA_VERSION_2)
		return false;
	if (r->refuse == REFUSE_READS && payload_read(hdr))
		send_error(link, hdr, RPCRDMA2_ERR_READ_CHUNKS, 1, 0, 0);
	else if (r->refuse == REFUSE_WRITES && write)
		send_error(link, hdr, RPCRDMA2_ERR_WRITE_CHUNKS, 1, 0, 0);
	else if (r->refuse == REFUSE_SEGMENTS && hdr->writes.segments > SEGMENTS)
		send_error(link, hdr, RPCRDMA2_ERR_SEGMENTS, 1, SEGMENTS, 0);
	else if (r->refuse == REFUSE_WRITE_SIZE && write)
		send_error(link, hdr, RPCRDMA2_ERR_WRITE_RESOURCE, 2, 1,
			   hdr->writes.bytes + 4);
	else if (r->refuse == REFUSE_INLINE && !write && !reply &&
		 r->calls % NO_CHUNK_EACH == 0)
		send_error(link, hdr, RPCRDMA2_ERR_REPLY_RESOURCE, 1, 16, 0);
	else if (r->refuse == REFUSE_CHUNKS && (write || hdr->reads.chunks))
		send_error(link, hdr, RPCRDMA2_ERR_SYSTEM, 0, 0, 0);
	else if (r->refuse == REFUSE_ALWAYS && (write || reply))
		send_error(link, hdr, RPCRDMA2_ERR_REPLY_RESOURCE, 1, 16, 0);
	else
		return false;
	r->refused++;
	return true;
}

/* Mistreat an offer of version 2 if that is wanted. Return: true if so. */
bool refuse_offer(struct responder *r, struct link *link)
{
	r->offers++;
	if ((r->refuse == REFUSE_SLOWLY && r->connections == 2) ||
	    (r->refuse == REFUSE_LATE && r->connections == 1)) {
		r->refused++;
		sleep(SLOW_ANSWER);
	}
	if (r->refuse != REFUSE_SILENTLY && r->refuse != REFUSE_RUDELY)
		return false;
	if (r->refuse == REFUSE_RUDELY)
		link->gone = true;
	r->refused++;
	return true;
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

/* Credits granted with the answer to the offer, or with a @reply */
u32 refuse_credits(const struct responder *r, u32 credits, bool reply)
{
	return goes_mute(r) && !reply ? 1 : early_credits(r, credits);
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

/* Return: the call that was held back, once the client's Sends must wait. */
struct call *refuse_due(struct responder *r, struct link *link)
{
	struct call *call = link->held;

	if (r->refuse != REFUSE_RECEIVES)
		return early_due(r, link);
	if (!call || link->spent < EP_RECVS || ++link->rounds < QUIET_ROUNDS)
		return NULL;
	link->held = NULL;
	printf("# all Receives are used\n");
	return call;
}
