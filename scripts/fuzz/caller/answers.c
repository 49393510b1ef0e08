// SPDX-License-Identifier: GPL-2.0-only
/* Checks that the server's answers are legal, whatever it was sent. */

#include "caller.h"

/* Find the message that an answer is for; its XID may have been used twice. */
static struct sent *find(struct session *s, u32 xid)
{
	u32 i;

	for (i = 0; i < s->nsent; i++)
		if (s->sent[i].xid == xid && !s->sent[i].answered)
			return &s->sent[i];
	return NULL;
}

static bool same_place(const struct rpcrdma_segment *got,
		       const struct rpcrdma_segment *offered)
{
	return got->handle == offered->handle &&
	       got->offset == offered->offset && got->length <= offered->length;
}

/* Each returned chunk must be one that was sent, or a part of it. */
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
static const char *check_reads(struct session *s, struct run *run,
			       const struct rpcrdma_hdr *hdr)
{
	struct advert *e = &s->adverts[s->nadverts % ADVERTS_MAX];
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;
	u32 n = 0;

	if (hdr->version == RPCRDMA_VERSION_2 ? !s->wants : !run->v1_advertises)
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
	s->handles.handle[4 + s->nadverts % ADVERTS_MAX] = e->seg.handle;
	s->nadverts++;
	if (s->handles.n < 4 + ADVERTS_MAX && s->handles.n < 4 + s->nadverts)
		s->handles.n++;
	run->advertised++;
	return NULL;
}

static const char *check_lists(struct session *s, struct run *run,
			       const struct rpcrdma_hdr *hdr,
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
		why = check_reads(s, run, hdr);
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

/* Set @s->why if the message is not the answer to anything. */
void answer_check(struct session *s, struct run *run, const u8 *buf, u32 len)
{
	struct rpcrdma_hdr hdr;
	struct sent *sent;

	run->answers++;
	if (message_decode(&hdr, buf, len)) {
		s->why = "an answer that cannot be decoded";
		return;
	}
	run->errors += hdr.type == RPCRDMA_ERROR;
	s->why = check_header(&hdr);
	s->grant = hdr.credits < EP_SENDS ? hdr.credits : EP_SENDS;
	if (!s->why && (hdr.type == RPCRDMA2_REQPROP ||
			hdr.type == RPCRDMA2_UPDPROP)) {
		s->why = changes_check(s, &hdr);
		return;
	}
	s->waiting -= !!s->waiting;
	if (s->why || hdr.type == RPCRDMA2_CONNPROP)
		return;
	sent = find(s, get_unaligned_be32(buf));
	if (!sent) {
		s->why = "an answer to nothing";
		return;
	}
	s->why = hdr.type == RPCRDMA2_RESPROP ?
		 changes_check_answer(&hdr, sent) :
		 check_lists(s, run, &hdr, sent);
	sent->answered = true;
}
