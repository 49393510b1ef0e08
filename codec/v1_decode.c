// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decoder for RPC-over-RDMA version 1: a header becomes a view, in one pass.
 *
 * Every chunk list is walked here once, with each count and length checked
 * against what is left of the message; the cursors then need no checks.
 */

#include <rpcrdma/codec.h>

/*
 * The functions below take the place where their item begins and return the
 * place behind it, or NULL if it is malformed or does not end before @end.
 */

static inline u32 left(const u8 *p, const u8 *end)
{
	return end - p;
}

/*
 * RFC 5666 section 4.3, struct xdr_read_list; position: section 3.4. A list
 * discriminator is an XDR boolean: anything but 0 and 1 is malformed.
 */
static inline const u8 *read_list(struct rpcrdma_list *list, const u8 *p,
				  const u8 *end)
{
	u32 position, last = 1;		/* no legal position is 1 */

	/* an entry, and the discriminator that must follow it */
	while (left(p, end) >= RPCRDMA_READ_SEGMENT_SIZE + RPCRDMA_XDR_UNIT) {
		if (get_unaligned_be32(p) != 1)
			break;
		position = get_unaligned_be32(p + 4);
		if (unlikely(position % RPCRDMA_XDR_UNIT))
			return NULL;
		list->chunks += position != last;
		last = position;
		list->segments++;
		list->bytes += get_unaligned_be32(p + 12);
		p += RPCRDMA_READ_SEGMENT_SIZE;
	}
	if (unlikely(left(p, end) < RPCRDMA_XDR_UNIT || get_unaligned_be32(p)))
		return NULL;
	return p + RPCRDMA_XDR_UNIT;
}

/* RFC 5666 section 4.3, struct xdr_write_chunk: a counted array of segments */
static inline const u8 *chunk(struct rpcrdma_list *list, const u8 *p,
			      const u8 *end)
{
	u32 count;

	if (unlikely(left(p, end) < RPCRDMA_XDR_UNIT))
		return NULL;
	count = get_unaligned_be32(p);
	p += RPCRDMA_XDR_UNIT;
	if (unlikely(count > left(p, end) / RPCRDMA_SEGMENT_SIZE))
		return NULL;
	list->chunks++;
	list->segments += count;
	for (; count; count--) {
		list->bytes += get_unaligned_be32(p + 4);
		p += RPCRDMA_SEGMENT_SIZE;
	}
	return p;
}

/* RFC 5666 section 4.3, struct xdr_write_list */
static inline const u8 *write_list(struct rpcrdma_list *list, const u8 *p,
				   const u8 *end)
{
	u32 present;

	while (p && left(p, end) >= RPCRDMA_XDR_UNIT) {
		present = get_unaligned_be32(p);
		p += RPCRDMA_XDR_UNIT;
		if (!present)
			return p;
		if (unlikely(present != 1))
			return NULL;
		p = chunk(list, p, end);
	}
	return NULL;
}

/* RFC 5666 section 4.3, rdma_reply: an optional chunk */
static inline const u8 *reply_chunk(struct rpcrdma_list *list, const u8 *p,
				    const u8 *end)
{
	u32 present;

	if (unlikely(left(p, end) < RPCRDMA_XDR_UNIT))
		return NULL;
	present = get_unaligned_be32(p);
	p += RPCRDMA_XDR_UNIT;
	if (!present)
		return p;
	return likely(present == 1) ? chunk(list, p, end) : NULL;
}

static int decode_chunk_lists(struct rpcrdma_hdr *hdr, const u8 *p)
{
	const u8 *end = hdr->base + hdr->len;

	hdr->reads.offset = p - hdr->base;
	p = read_list(&hdr->reads, p, end);
	if (unlikely(!p))
		return RPCRDMA_ECHUNK;
	hdr->writes.offset = p - hdr->base;
	p = write_list(&hdr->writes, p, end);
	if (unlikely(!p))
		return RPCRDMA_ECHUNK;
	hdr->reply.offset = p - hdr->base;
	p = reply_chunk(&hdr->reply, p, end);
	if (unlikely(!p))
		return RPCRDMA_ECHUNK;
	hdr->payload = p - hdr->base;
	return 0;
}

/*
 * RFC 5666 section 4.3, union rpc_rdma_error. ERR_CHUNK is accepted with and
 * without the eight words that only that document has (RFC 8166 section 4.5).
 */
static int decode_error(struct rpcrdma_hdr *hdr, const u8 *p)
{
	hdr->payload = hdr->len;
	if (hdr->len < RPCRDMA_V1_ERR_CHUNK_SIZE)
		return RPCRDMA_ESHORT;
	hdr->err = get_unaligned_be32(p);
	if (hdr->err == RPCRDMA_ERR_CHUNK)
		return 0;
	if (hdr->err != RPCRDMA_ERR_VERS)
		return RPCRDMA_EERRCODE;
	if (hdr->len < RPCRDMA_V1_ERR_VERS_SIZE)
		return RPCRDMA_ESHORT;
	hdr->vers_low = get_unaligned_be32(p + 4);
	hdr->vers_high = get_unaligned_be32(p + 8);
	return 0;
}

/**
 * rpcrdma_v1_decode - decode what follows the fixed part of a version 1 header
 * @hdr: view in which rpcrdma_decode_prefix() has filled in the fixed part
 *
 * RFC 5666 section 4.3, RFC 8166 section 4.
 *
 * Context: any.
 * Return: 0, RPCRDMA_ESHORT, RPCRDMA_ETYPE, RPCRDMA_ECHUNK or
 * RPCRDMA_EERRCODE.
 */
int rpcrdma_v1_decode(struct rpcrdma_hdr *hdr)
{
	const u8 *p = hdr->base + RPCRDMA_V1_FIXED_SIZE;

	switch (hdr->type) {
	case RPCRDMA_DONE:
		hdr->payload = hdr->len;
		return 0;
	case RPCRDMA_ERROR:
		return decode_error(hdr, p);
	case RPCRDMA_MSGP:
		/* struct rpc_rdma_header_padded */
		if (hdr->len < RPCRDMA_V1_FIXED_SIZE + RPCRDMA_V1_MSGP_EXTRA)
			return RPCRDMA_ESHORT;
		hdr->align = get_unaligned_be32(p);
		hdr->thresh = get_unaligned_be32(p + 4);
		p += RPCRDMA_V1_MSGP_EXTRA;
		fallthrough;
	case RPCRDMA_MSG:
	case RPCRDMA_NOMSG:
		return decode_chunk_lists(hdr, p);
	default:
		return RPCRDMA_ETYPE;
	}
}
EXPORT_SYMBOL_GPL(rpcrdma_v1_decode);
