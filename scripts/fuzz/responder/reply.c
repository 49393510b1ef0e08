// SPDX-License-Identifier: GPL-2.0-only
/* The reply that an honest server would send: which part goes where. */

#include <rpcrdma/cursor.h>

#include "responder.h"

#define INLINE_MAX	EP_RECV_SIZE

/*
 * In the replies that matter here, a DDP-eligible payload is the last item, so
 * its length is that of the rest. Return: offset of its data, or 0 if there is
 * none.
 */
u32 reply_payload(const u8 *rpc, u32 len)
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
int reply_fill_chunk(struct link *link, const struct rpcrdma_hdr *hdr,
		     const struct rpcrdma_list *list, const u8 *data, u32 len,
		     struct msg_chunk *chunk)
{
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	u32 count;

	rpcrdma_chunks_begin(hdr, list, &cur);
	rpcrdma_chunks_next(&cur, &count);
	chunk->more = 1;
	chunk->count = 0;
	chunk->nsegs = 0;
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

static int with_reply_chunk(struct link *link, const struct call *call,
			    const u8 *rpc, u32 len, struct message *m)
{
	m->type = RPCRDMA_NOMSG;
	m->nwrites = 0;
	m->payload_len = 0;
	return reply_fill_chunk(link, &call->hdr, &call->hdr.reply, rpc, len,
				&m->reply) ? -1 : 0;
}

static void no_room(struct message *m)
{
	m->type = RPCRDMA_ERROR;
	m->lists = false;
	message_word(m, m->version == RPCRDMA_VERSION_1 ?
		     (u32)RPCRDMA_ERR_CHUNK : (u32)RPCRDMA2_ERR_SYSTEM);
}

/* Data for chunks is written at once. Return: 0, or -1 if that failed. */
int reply_build(struct link *link, const struct call *call, const u8 *rpc,
		u32 len, struct message *m)
{
	const struct rpcrdma_hdr *hdr = &call->hdr;
	u32 at = 0, n = 0;

	message_init(m, hdr->version, get_unaligned_be32(call->buf),
		     RPCRDMA_MSG);
	m->flags = RPCRDMA2_F_RESPONSE;
	if (hdr->writes.chunks) {
		at = reply_payload(rpc, len);
		n = at ? get_unaligned_be32(rpc + at - 4) : 0;
		if (reply_fill_chunk(link, hdr, &hdr->writes, rpc + at, n,
				     message_write(m)))
			return -1;
		len = at ? at : len;
	}
	if (len + 64 + 16 * hdr->writes.segments > INLINE_MAX) {
		if (hdr->reply.chunks)
			return with_reply_chunk(link, call, rpc, len, m);
		no_room(m);
		return 0;
	}
	memcpy(m->payload, rpc, len);
	m->payload_len = len;
	return 0;
}
