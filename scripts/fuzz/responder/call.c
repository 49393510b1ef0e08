// SPDX-License-Identifier: GPL-2.0-only
/* Calls of the client: assembles them and passes them on. */

#include <rpcrdma/cursor.h>

#include "responder.h"

#define RPC_REPLY	1u

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

static void remember_handle(struct link *link, u32 handle)
{
	link->old.handle[link->nold++ % MUTATE_HANDLES] = handle;
	if (link->old.n < MUTATE_HANDLES)
		link->old.n = link->nold;
}

/* Remember its handles as old ones. */
void call_done(struct link *link, struct call *call)
{
	const struct rpcrdma_list *lists[] = {
		&call->hdr.writes, &call->hdr.reply,
	};
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	u32 i, count;

	call->used = false;
	rpcrdma_reads_begin(&call->hdr, &cur);
	while (rpcrdma_reads_next(&cur, &rseg))
		remember_handle(link, rseg.seg.handle);
	for (i = 0; i < 2; i++) {
		rpcrdma_chunks_begin(&call->hdr, lists[i], &cur);
		while (rpcrdma_chunks_next(&cur, &count))
			while (rpcrdma_segments_next(&cur, &seg))
				remember_handle(link, seg.handle);
	}
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
	/* Exchange what follows the position and the data. */
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
	u32 i;

	for (i = 0; i < CALLS; i++) {
		call = &link->calls[i];
		if (!call->used)
			break;
	}
	call->used = true;
	memcpy(call->buf, buf, len);
	message_decode(&call->hdr, call->buf, len);
	return call;
}

/* Pass a call on to the real server. */
void call_pass(struct link *link, struct call *call)
{
	int len = assemble(link, &call->hdr);

	if (len < 0 || records_send(&link->records, link->stage, len))
		link->gone = true;
}

static bool is_reply(const struct rpcrdma_hdr *hdr)
{
	return hdr->len - hdr->payload >= 8 &&
	       get_unaligned_be32(hdr->base + hdr->payload + 4) == RPC_REPLY;
}

/* Handle a message of the client, which is not hostile. */
void call_receive(struct responder *r, struct link *link,
		  const struct completion *done)
{
	struct rpcrdma_hdr hdr;
	struct call *call;

	if (message_decode(&hdr, done->buf, done->len)) {
		r->why = "the client sent what cannot be decoded";
		return;
	}
	if (hdr.version == RPCRDMA_VERSION_2)
		control_receive(r, link, &hdr);
	if (hdr.version == RPCRDMA_VERSION_2 &&
	    hdr.type == RPCRDMA2_CONNPROP) {
		if (!refuse_offer(r, link) && !control_offer(r, link, &hdr))
			tamper_connprop(r, link, &hdr);
		return;
	}
	if (hdr.version == RPCRDMA_VERSION_2 &&
	    rpcrdma_v2_changes_props(hdr.type))
		changes_receive(r, link, &hdr);
	if (hdr.type != RPCRDMA_MSG && hdr.type != RPCRDMA_NOMSG)
		return;
	if (is_reply(&hdr)) {
		records_send(&link->records, hdr.base + hdr.payload,
			     hdr.len - hdr.payload);
		return;
	}
	r->calls++;
	link->version = hdr.version;
	if (refuse_call(r, link, &hdr))
		return;
	call = new_call(link, done->buf, done->len);
	early_call(link, call);
	if (r->refuse && call_unanswered(link) > link->granted)
		r->why = "more calls than were granted";
	if (!refuse_pass(r, link, call))
		call_pass(link, call);
}

/* Pass on a callback of the real server to the client. */
void call_reverse(struct link *link, const u8 *rpc, u32 len)
{
	u8 buf[MSG_SIZE];
	struct message m;

	if (len > EP_RECV_SIZE - 64)
		return;
	message_init(&m, link->version, get_unaligned_be32(rpc), RPCRDMA_MSG);
	memcpy(m.payload, rpc, len);
	m.payload_len = len;
	link_send(link, buf, message_encode(&m, buf), IBV_WR_SEND, 0);
}
