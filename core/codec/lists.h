/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decoders of chunk lists, which have the same wire format in versions 1 and 2.
 *
 * Each list is walked once. Every count and length is checked against the rest
 * of the message, so the cursors need no checks.
 */
#ifndef _RPCRDMA_CODEC_LISTS_H
#define _RPCRDMA_CODEC_LISTS_H

#include <rpcrdma/codec.h>

/*
 * The functions below take a pointer to an item and return a pointer to the
 * byte after it, or NULL if the item is malformed or extends beyond @end.
 */

static inline u32 rpcrdma_wire_left(const u8 *p, const u8 *end)
{
	return end - p;
}

/*
 * RFC 5666 section 4.3, struct xdr_read_list; position: section 3.4. A list
 * discriminator is an XDR boolean: anything but 0 and 1 is malformed.
 */
static inline const u8 *rpcrdma_decode_read_list(struct rpcrdma_list *list,
						 const u8 *p, const u8 *end)
{
	u32 present, position, last = 1;	/* 1 is never a valid position */

	/* Each entry must be followed by another discriminator. */
	while (rpcrdma_wire_left(p, end) >=
	       RPCRDMA_READ_SEGMENT_SIZE + RPCRDMA_XDR_UNIT) {
		present = get_unaligned_be32(p);
		if (present != 1)
			return likely(!present) ? p + RPCRDMA_XDR_UNIT : NULL;
		position = get_unaligned_be32(p + 4);
		if (unlikely(position % RPCRDMA_XDR_UNIT))
			return NULL;
		list->chunks += position != last;
		last = position;
		list->segments++;
		list->bytes += get_unaligned_be32(p + 12);
		p += RPCRDMA_READ_SEGMENT_SIZE;
	}
	if (unlikely(rpcrdma_wire_left(p, end) < RPCRDMA_XDR_UNIT ||
		     get_unaligned_be32(p)))
		return NULL;
	return p + RPCRDMA_XDR_UNIT;
}

/* RFC 5666 section 4.3, struct xdr_write_chunk: a counted array of segments */
static inline const u8 *rpcrdma_decode_chunk(struct rpcrdma_list *list,
					     const u8 *p, const u8 *end)
{
	u32 count;

	if (unlikely(rpcrdma_wire_left(p, end) < RPCRDMA_XDR_UNIT))
		return NULL;
	count = get_unaligned_be32(p);
	p += RPCRDMA_XDR_UNIT;
	if (unlikely(count > rpcrdma_wire_left(p, end) / RPCRDMA_SEGMENT_SIZE))
		return NULL;
	list->chunks++;
	list->segments += count;
	for (; count; count--) {
		list->bytes += get_unaligned_be32(p + 4);
		p += RPCRDMA_SEGMENT_SIZE;
	}
	return p;
}

/*
 * RFC 5666 section 4.3: struct xdr_write_list or, if @one is set, rdma_reply,
 * which holds at most one chunk and has no end of list
 */
static inline const u8 *rpcrdma_decode_chunks(struct rpcrdma_list *list,
					      const u8 *p, const u8 *end, bool one)
{
	u32 present;

	while (p && rpcrdma_wire_left(p, end) >= RPCRDMA_XDR_UNIT) {
		present = get_unaligned_be32(p);
		p += RPCRDMA_XDR_UNIT;
		if (!present)
			return p;
		if (unlikely(present != 1))
			return NULL;
		p = rpcrdma_decode_chunk(list, p, end);
		if (one)
			return p;
	}
	return NULL;
}

static inline int rpcrdma_decode_chunk_lists(struct rpcrdma_hdr *hdr,
					     const u8 *p)
{
	const u8 *end = hdr->base + hdr->len;

	hdr->reads.offset = p - hdr->base;
	p = rpcrdma_decode_read_list(&hdr->reads, p, end);
	if (unlikely(!p))
		return RPCRDMA_ECHUNK;
	/*
	 * Calls with Read chunks usually have no other chunks: their replies
	 * are short.
	 */
	if (hdr->reads.chunks &&
	    rpcrdma_wire_left(p, end) >= 2 * RPCRDMA_XDR_UNIT &&
	    !get_unaligned_be64(p)) {
		hdr->payload = p + 2 * RPCRDMA_XDR_UNIT - hdr->base;
		return 0;
	}
	hdr->writes.offset = p - hdr->base;
	p = rpcrdma_decode_chunks(&hdr->writes, p, end, false);
	if (unlikely(!p))
		return RPCRDMA_ECHUNK;
	hdr->reply.offset = p - hdr->base;
	p = rpcrdma_decode_chunks(&hdr->reply, p, end, true);
	if (unlikely(!p))
		return RPCRDMA_ECHUNK;
	hdr->payload = p - hdr->base;
	return 0;
}

#endif /* _RPCRDMA_CODEC_LISTS_H */
