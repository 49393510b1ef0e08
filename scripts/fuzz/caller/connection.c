// SPDX-License-Identifier: GPL-2.0-only
/*
 * A random connection: its parameters, its messages, and checks that the
 * server's answers are legal, even to malformed messages.
 */

#include "caller.h"

/* Time limit for a Send to complete, in milliseconds */
#define SEND_TIMEOUT	300

/* Connect, mostly in a normal way. Return: 0 when connected. */
int caller_open(struct caller *c)
{
	struct rdma_conn_param param = {
		.initiator_depth = 4, .responder_resources = 4,
		.retry_count = 7, .rnr_retry_count = 7,
	};
	const struct memory *mem = &c->p.s.mem;
	u8 buf[56];

	c->connects++;
	c->nsent = 0;
	c->nadverts = 0;
	c->changes = (struct changes){ 0 };
	c->waiting = 0;
	c->grant = 8;
	c->p.s.version = RPCRDMA_VERSION_1 + rng_one_in(&c->rng, 4);
	private_choose(&param, buf, rng_one_in(&c->rng, 3), RPCRDMA_HINT_NONE, &c->rng);
	if (rng_one_in(&c->rng, 10)) {
		param.initiator_depth = rng_below(&c->rng, 3);
		param.responder_resources = rng_below(&c->rng, 3);
		param.rnr_retry_count = rng_below(&c->rng, 8);
	}
	/* Some connections post no Receives. */
	if (session_open(&c->p.s, rng_one_in(&c->rng, 15) ? 0 : EP_RECVS, &param))
		return -1;
	c->handles = (struct handles){
		.n = 3,
		.handle = { mem->sink_mr->rkey, mem->stale, c->p.s.ep.mr->rkey },
		.base = (uintptr_t)mem->sink,
		.size = SINK_SIZE,
	};
	return 0;
}

void caller_close(struct caller *c, bool polite)
{
	session_close(&c->p.s, polite);
	if (!c->why)
		c->why = memory_check(&c->p.s.mem);
}

/* Is @type a legal answer to a message of type @request? */
static bool answers(u32 type, u32 request)
{
	if (type == RPCRDMA2_RESPROP)
		return request == RPCRDMA2_REQPROP;
	return type == RPCRDMA_ERROR ||
	       (request != RPCRDMA2_REQPROP && request != RPCRDMA_DONE);
}

/*
 * Find the message that an answer of @type is for. Another message may have the
 * same XID, such as an RDMA_DONE, which is not answered.
 */
static struct sent *find(struct caller *c, u32 xid, u32 type)
{
	struct sent *sent;

	for (sent = c->sent; sent < c->sent + c->nsent; sent++)
		if (sent->xid == xid && !sent->answered && answers(type, sent->type))
			return sent;
	return NULL;
}

static bool same_place(const struct rpcrdma_segment *got,
		       const struct rpcrdma_segment *offered)
{
	return got->handle == offered->handle &&
	       got->offset == offered->offset && got->length <= offered->length;
}

/* Each returned chunk must be a chunk that was sent, or a part of one. */
static bool lists_match(const struct rpcrdma_hdr *got,
			const struct rpcrdma_list *got_list,
			const struct rpcrdma_hdr *sent,
			const struct rpcrdma_list *sent_list)
{
	struct rpcrdma_segment gseg, sseg;
	struct rpcrdma_cursor g, s;
	u32 gcount, scount;

	rpcrdma_chunks_begin(got, got_list, &g);
	rpcrdma_chunks_begin(sent, sent_list, &s);
	while (rpcrdma_chunks_next(&g, &gcount)) {
		if (!rpcrdma_chunks_next(&s, &scount) || gcount > scount)
			return false;
		while (rpcrdma_segments_next(&g, &gseg))
			if (!rpcrdma_segments_next(&s, &sseg) ||
			    !same_place(&gseg, &sseg))
				return false;
	}
	return true;
}

/* Reliable-reply draft section 4.1: a whole reply, if the peer supports it */
static const char *check_reads(struct caller *c, const struct rpcrdma_hdr *hdr)
{
	struct advert *e = &c->adverts[c->nadverts % ADVERTS_MAX];
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;
	u32 n = 0;

	if (hdr->version == RPCRDMA_VERSION_1 || !c->changes.reads)
		return "a Read list that was not asked for";
	if (hdr->type != RPCRDMA_NOMSG || hdr->reply.chunks)
		return "a Read list beside another form of a reply";
	rpcrdma_reads_begin(hdr, &cur);
	while (rpcrdma_reads_next(&cur, &rseg)) {
		if (rseg.position || !rseg.seg.length)
			return "a Read list with something strange in it";
		if (!n++)
			e->seg = rseg.seg;
	}
	e->xid = get_unaligned_be32(hdr->base);
	c->handles.handle[3 + c->nadverts % ADVERTS_MAX] = e->seg.handle;
	c->nadverts++;
	if (c->handles.n < 3 + ADVERTS_MAX && c->handles.n < 3 + c->nadverts)
		c->handles.n++;
	return NULL;
}

static const char *check_lists(struct caller *c, const struct rpcrdma_hdr *hdr,
			       const struct sent *sent)
{
	const char *why = NULL;
	struct rpcrdma_hdr call;

	if (hdr->type != RPCRDMA_MSG && hdr->type != RPCRDMA_NOMSG)
		return NULL;
	if (hdr->version == RPCRDMA_VERSION_2 &&
	    !(hdr->flags & RPCRDMA2_F_RESPONSE))
		return "an answer that does not say that it is one";
	if (hdr->reads.segments)
		why = check_reads(c, hdr);
	if (why)
		return why;
	if (message_decode(&call, sent->buf, sent->len))
		return "an invalid message was answered as if it were valid";
	if (!lists_match(hdr, &hdr->writes, &call, &call.writes))
		return "a Write list that was not offered";
	if (!lists_match(hdr, &hdr->reply, &call, &call.reply))
		return "a Reply chunk that was not offered";
	return NULL;
}

static const char *check_header(const struct rpcrdma_hdr *hdr)
{
	if (!hdr->credits)
		return "a grant of 0 credits";
	if (hdr->type == RPCRDMA_DONE || hdr->type == RPCRDMA_MSGP)
		return "a type that no server sends";
	return NULL;
}

/* The answer to a request to change properties */
static const char *check_change(const struct rpcrdma_hdr *hdr,
				const struct sent *sent)
{
	struct rpcrdma_hdr request;

	if (message_decode(&request, sent->buf, sent->len) ||
	    request.type != RPCRDMA2_REQPROP)
		return "an answer to what was no request";
	return changes_judge(hdr, request.props_count);
}

/* Set @c->why if the message is not a legal answer. */
static void check(struct caller *c, const struct received *got)
{
	struct rpcrdma_hdr hdr;
	struct sent *sent;

	c->answers++;
	if (message_decode(&hdr, got->buf, got->len)) {
		c->why = "an answer that cannot be decoded";
		return;
	}
	c->errors += hdr.type == RPCRDMA_ERROR;
	c->why = check_header(&hdr);
	c->grant = hdr.credits < EP_SENDS ? hdr.credits : EP_SENDS;
	if (!c->why && (hdr.type == RPCRDMA2_REQPROP ||
			hdr.type == RPCRDMA2_UPDPROP)) {
		c->why = changes_received(&c->changes, &hdr);
		return;
	}
	c->waiting -= !!c->waiting;
	if (c->why || hdr.type == RPCRDMA2_CONNPROP)
		return;
	sent = find(c, get_unaligned_be32(got->buf), hdr.type);
	if (!sent) {
		c->why = "an answer to nothing";
		return;
	}
	c->why = hdr.type == RPCRDMA2_RESPROP ?
		 check_change(&hdr, sent) :
		 check_lists(c, &hdr, sent);
	sent->answered = true;
}

/* Process received messages, and note whether the connection was lost. */
void caller_poll(struct caller *c)
{
	struct received got;

	endpoint_poll(&c->p.s.ep);
	while (endpoint_take(&c->p.s.ep, &got)) {
		check(c, &got);
		if (c->why || endpoint_recv(&c->p.s.ep, got.slot))
			c->p.s.ep.dead = true;
	}
	if (session_ended(&c->p.s, 0))
		c->p.s.ep.dead = true;
}

/* Wait up to @ms milliseconds for the outstanding answers. */
void caller_drain(struct caller *c, int ms)
{
	long end = endpoint_now() + ms;

	caller_poll(c);
	while (c->waiting && !c->p.s.ep.dead && endpoint_now() < end) {
		endpoint_sleep(&c->p.s.ep, 5);
		caller_poll(c);
	}
	c->waiting = 0;
}

/* Return a Send slot; NULL if the server does not receive earlier messages. */
u8 *caller_slot(struct caller *c)
{
	u8 *slot = endpoint_slot(&c->p.s.ep, SEND_TIMEOUT);

	caller_poll(c);
	return c->p.s.ep.dead ? NULL : slot;
}

/* Send a message, and remember it. */
int caller_send(struct caller *c, u8 *slot, u32 len, enum ibv_wr_opcode opcode,
		u32 extra)
{
	struct sent *sent = &c->sent[c->nsent];
	struct rpcrdma_hdr hdr;

	sent->answered = len < 4;
	sent->type = SENT_INVALID;
	sent->len = len;
	memcpy(sent->buf, slot, len);
	if (len >= 4)
		sent->xid = get_unaligned_be32(slot);
	if (!message_decode(&hdr, slot, len)) {
		sent->type = hdr.type;
		changes_sent(&c->changes, &hdr);
	}
	if (session_send(&c->p.s, slot, len, opcode, extra)) {
		c->p.s.ep.dead = true;
		return -1;
	}
	c->nsent++;
	c->waiting++;
	c->messages++;
	return 0;
}

/* Encode the message and send it; the arguments are those of endpoint_send(). */
int caller_post(struct caller *c, enum ibv_wr_opcode opcode, u32 extra)
{
	u8 *slot = caller_slot(c);

	if (!slot || c->nsent == SENT_MAX)
		return -1;
	return caller_send(c, slot, message_encode(&c->p.m, slot), opcode, extra);
}
