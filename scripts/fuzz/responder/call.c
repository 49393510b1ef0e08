// SPDX-License-Identifier: GPL-2.0-only
/*
 * Assembles the client's calls and passes them on, and builds the reply that a correct
 * server would send.
 */

#include "responder.h"

#define RPC_REPLY	1u
#define INLINE_MAX	EP_RECV_SIZE

struct call *call_find(struct link *link, u32 xid)
{
	u32 i;

	for (i = 0; i < CALLS; i++)
		if (link->calls[i].used &&
		    get_unaligned_be32(link->calls[i].buf) == xid)
			return &link->calls[i];
	return NULL;
}

/* Return: the number of calls that have been received and not answered. */
u32 call_unanswered(const struct link *link)
{
	u32 i, n = 0;

	for (i = 0; i < CALLS; i++)
		n += link->calls[i].used;
	return n;
}

/* Get a segment of a call: the first of its Read list, or else of another list. */
bool call_segment(const struct rpcrdma_hdr *hdr, struct rpcrdma_segment *seg,
		  bool *read)
{
	*read = hdr->reads.segments;
	return message_segments(hdr, seg, 1);
}

/* Free a call, and record its handles as old ones. */
void call_done(struct link *link, struct call *call)
{
	struct rpcrdma_segment segs[MSG_ALL_SEGMENTS];
	u32 i, n = message_segments(&call->hdr, segs, MSG_ALL_SEGMENTS);

	call->used = false;
	for (i = 0; i < n; i++)
		link->old.handle[link->nold++ % MUTATE_HANDLES] = segs[i].handle;
	link->old.n = link->nold < MUTATE_HANDLES ? link->nold : MUTATE_HANDLES;
}

/* Read the chunk at position zero, or all others. Return: bytes read, or -1. */
static int read_chunks(struct link *link, const struct rpcrdma_hdr *hdr,
		       bool zero, u32 at, u32 *position)
{
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;
	u32 start = at;

	rpcrdma_reads_begin(hdr, &cur);
	while (rpcrdma_reads_next(&cur, &rseg)) {
		if (zero != !rseg.position)
			continue;
		*position = rseg.position;
		if (link_rdma(link, IBV_WR_RDMA_READ, at, &rseg.seg))
			return -1;
		at += rseg.seg.length;
	}
	return at - start;
}

/* Assemble the RPC message in the stage. Return: its length, or -1. */
static int assemble(struct link *link, const struct rpcrdma_hdr *hdr)
{
	u32 len = hdr->len - hdr->payload, position = 0, room;
	int base, data;

	if (len > STAGE_SIZE / 4)
		return -1;
	base = read_chunks(link, hdr, true, 0, &position);
	if (base < 0)
		return -1;
	if (!base) {
		memcpy(link->stage, hdr->base + hdr->payload, len);
		base = len;
	}
	data = read_chunks(link, hdr, false, base, &position);
	if (data <= 0)
		return data ? -1 : base;
	/* Swap the data and the rest of the message after the position. */
	room = rpcrdma_xdr_align(data);
	if (position > (u32)base || room + base + data > STAGE_SIZE / 2)
		return -1;
	memcpy(link->stage + STAGE_SIZE / 2, link->stage + base, data);
	memmove(link->stage + position + room, link->stage + position,
		base - position);
	memset(link->stage + position, 0, room);
	memcpy(link->stage + position, link->stage + STAGE_SIZE / 2, data);
	return base + room;
}

static struct call *new_call(struct link *link, const u8 *buf, u32 len)
{
	struct call *call = link->calls;

	while (call->used && call < link->calls + CALLS - 1)
		call++;
	call->used = true;
	memcpy(call->buf, buf, len);
	message_decode(&call->hdr, call->buf, len);
	return call;
}

/* Pass a call on to the real server. */
void call_pass(struct link *link, struct call *call)
{
	int len = assemble(link, &call->hdr);

	if (len < 0 || record_send(link, link->stage, len))
		link->gone = true;
}

static bool is_reply(const struct rpcrdma_hdr *hdr)
{
	return hdr->len - hdr->payload >= 8 &&
	       get_unaligned_be32(hdr->base + hdr->payload + 4) == RPC_REPLY;
}

/* Handle a message from the client, which is not hostile. */
void call_receive(struct responder *r, struct link *link,
		  const struct received *got)
{
	struct rpcrdma_hdr hdr;
	struct call *call;

	if (message_decode(&hdr, got->buf, got->len)) {
		r->why = "the client sent what cannot be decoded";
		return;
	}
	if (hdr.version == RPCRDMA_VERSION_2 && hdr.type == RPCRDMA2_CONNPROP &&
	    !refuse_offer(r, link))
		tamper_connprop(r, link, &hdr);
	if (hdr.version == RPCRDMA_VERSION_2 && rpcrdma_v2_changes_props(hdr.type))
		tamper_change(r, link, &hdr);
	if (hdr.type != RPCRDMA_MSG && hdr.type != RPCRDMA_NOMSG)
		return;
	if (is_reply(&hdr)) {
		record_send(link, hdr.base + hdr.payload, hdr.len - hdr.payload);
		return;
	}
	link->version = hdr.version;
	call = new_call(link, got->buf, got->len);
	link->last_xid = get_unaligned_be32(call->buf);
	link->data |= hdr.writes.chunks || hdr.reply.chunks;
	/* Early answers free the credits of calls that have not been answered. */
	if (r->refuse && r->refuse != REFUSE_EARLY &&
	    call_unanswered(link) > link->granted)
		r->why = "more calls than were granted";
	if (!refuse_pass(r, link, call))
		call_pass(link, call);
}

/* Pass on a callback of the real server to the client. */
void call_reverse(struct link *link, const u8 *rpc, u32 len)
{
	struct message m;

	if (len > EP_RECV_SIZE - 64)
		return;
	message_init(&m, link->version, get_unaligned_be32(rpc), RPCRDMA_MSG);
	memcpy(m.payload, rpc, len);
	m.payload_len = len;
	link_post(link, &m);
}

/*
 * In the replies that matter here, a DDP-eligible payload is the last item, so it extends
 * to the end. Return: offset of its data, or 0 if there is none.
 */
static u32 payload_at(const u8 *rpc, u32 len)
{
	u32 p, n;

	for (p = 24; p + 8 <= len; p += 4) {
		n = get_unaligned_be32(rpc + p);
		if (n && n < len && rpcrdma_xdr_align(n) == len - p - 4)
			return p + 4;
	}
	return 0;
}

/*
 * Write @len bytes to the first chunk of @list and describe it in @chunk.
 * Return: number of bytes that did not fit, or -1.
 */
static int fill_chunk(struct link *link, const struct rpcrdma_hdr *hdr,
		      const struct rpcrdma_list *list, const u8 *data, u32 len,
		      struct msg_chunk *chunk)
{
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	u32 count;

	rpcrdma_chunks_begin(hdr, list, &cur);
	rpcrdma_chunks_next(&cur, &count);
	message_chunk(chunk);
	while (rpcrdma_segments_next(&cur, &seg)) {
		if (seg.length > len)
			seg.length = len;
		memcpy(link->stage, data, seg.length);
		if (seg.length &&
		    link_rdma(link, IBV_WR_RDMA_WRITE, 0, &seg))
			return -1;
		message_segment(chunk, &seg);
		data += seg.length;
		len -= seg.length;
	}
	return len;
}

/*
 * Build the reply, and write data for chunks immediately. Return: 0, or -1 if a Write failed.
 */
int reply_build(struct responder *r, struct link *link, const struct call *call,
		const u8 *rpc, u32 len, struct message *m)
{
	const struct rpcrdma_hdr *hdr = &call->hdr;
	u32 at = 0, n = 0, rest = len;

	message_init(m, hdr->version, get_unaligned_be32(call->buf),
		     RPCRDMA_MSG);
	m->flags = RPCRDMA2_F_RESPONSE;
	if (hdr->writes.chunks) {
		at = payload_at(rpc, len);
		n = at ? get_unaligned_be32(rpc + at - 4) : 0;
		if (fill_chunk(link, hdr, &hdr->writes, rpc + at, n,
			       message_write(m)))
			return -1;
		rest = at ? at : len;
	}
	if (rest + 64 + 16 * hdr->writes.segments <= INLINE_MAX) {
		memcpy(m->payload, rpc, rest);
		m->payload_len = rest;
		return 0;
	}
	if (!hdr->reply.chunks) {
		m->type = RPCRDMA_ERROR;
		m->lists = false;
		message_word(m, m->version == RPCRDMA_VERSION_1 ?
			     (u32)RPCRDMA_ERR_CHUNK : (u32)RPCRDMA2_ERR_SYSTEM);
		return 0;
	}
	m->type = RPCRDMA_NOMSG;
	m->nwrites = 0;
	m->replies = true;
	return fill_chunk(link, hdr, &hdr->reply, rpc, rest, &m->reply) ?
	       -1 : 0;
}
