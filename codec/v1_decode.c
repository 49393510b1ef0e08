// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decoder for RPC-over-RDMA version 1: a header becomes a view, in one pass.
 *
 * Every chunk list is walked here once, with each count and length checked
 * against what is left of the message; the cursors then need no checks.
 */

#include <rpcrdma/codec.h>

/*
 * The unread part of a message. Kept apart from struct rpcrdma_hdr so that the
 * compiler can hold it in registers.
 */
struct reader {
	const u8 *p;
	const u8 *end;
};

static inline bool reader_word(struct reader *rd, u32 *val)
{
	if (unlikely(rd->end - rd->p < RPCRDMA_XDR_UNIT))
		return false;
	*val = get_unaligned_be32(rd->p);
	rd->p += RPCRDMA_XDR_UNIT;
	return true;
}

/* A list discriminator is an XDR boolean: anything but 0 and 1 is malformed. */
static inline bool reader_present(struct reader *rd, u32 *present)
{
	return likely(reader_word(rd, present)) && *present <= 1;
}

/* RFC 5666 section 4.3, struct xdr_read_list; position: section 3.4 */
static bool decode_read_list(struct rpcrdma_hdr *hdr, struct reader *rd)
{
	struct rpcrdma_list *list = &hdr->reads;
	u32 present, position, last = 0;

	list->offset = rd->p - hdr->base;
	while (reader_present(rd, &present)) {
		if (!present)
			return true;
		if (rd->end - rd->p < RPCRDMA_XDR_UNIT + RPCRDMA_SEGMENT_SIZE)
			return false;
		position = get_unaligned_be32(rd->p);
		if (position % RPCRDMA_XDR_UNIT)
			return false;
		if (!list->segments || position != last)
			list->chunks++;
		last = position;
		list->segments++;
		list->bytes += get_unaligned_be32(rd->p + 8);
		rd->p += RPCRDMA_XDR_UNIT + RPCRDMA_SEGMENT_SIZE;
	}
	return false;
}

/* RFC 5666 section 4.3, struct xdr_write_chunk: a counted array of segments */
static bool decode_chunk(struct rpcrdma_list *list, struct reader *rd)
{
	u32 count;

	if (!reader_word(rd, &count))
		return false;
	if (count > (u32)(rd->end - rd->p) / RPCRDMA_SEGMENT_SIZE)
		return false;
	list->chunks++;
	list->segments += count;
	for (; count; count--) {
		list->bytes += get_unaligned_be32(rd->p + 4);
		rd->p += RPCRDMA_SEGMENT_SIZE;
	}
	return true;
}

/* RFC 5666 section 4.3, struct xdr_write_list */
static bool decode_write_list(struct rpcrdma_hdr *hdr, struct reader *rd)
{
	u32 present;

	hdr->writes.offset = rd->p - hdr->base;
	while (reader_present(rd, &present)) {
		if (!present)
			return true;
		if (!decode_chunk(&hdr->writes, rd))
			return false;
	}
	return false;
}

/* RFC 5666 section 4.3, rdma_reply: an optional chunk */
static bool decode_reply_chunk(struct rpcrdma_hdr *hdr, struct reader *rd)
{
	u32 present;

	hdr->reply.offset = rd->p - hdr->base;
	if (!reader_present(rd, &present))
		return false;
	return !present || decode_chunk(&hdr->reply, rd);
}

static int decode_chunk_lists(struct rpcrdma_hdr *hdr, struct reader *rd)
{
	/* No lists at all is by far the most frequent message. */
	if (unlikely(!decode_read_list(hdr, rd)))
		return RPCRDMA_ECHUNK;
	if (unlikely(!decode_write_list(hdr, rd)))
		return RPCRDMA_ECHUNK;
	if (unlikely(!decode_reply_chunk(hdr, rd)))
		return RPCRDMA_ECHUNK;
	hdr->payload = rd->p - hdr->base;
	return 0;
}

/* RFC 5666 section 4.3, struct rpc_rdma_header_padded */
static int decode_msgp(struct rpcrdma_hdr *hdr, struct reader *rd)
{
	if (!reader_word(rd, &hdr->align) || !reader_word(rd, &hdr->thresh))
		return RPCRDMA_ESHORT;
	return decode_chunk_lists(hdr, rd);
}

/*
 * RFC 5666 section 4.3, union rpc_rdma_error. ERR_CHUNK is accepted with and
 * without the eight words that only that document has (RFC 8166 section 4.5).
 */
static int decode_error(struct rpcrdma_hdr *hdr, struct reader *rd)
{
	if (!reader_word(rd, &hdr->err))
		return RPCRDMA_ESHORT;
	switch (hdr->err) {
	case RPCRDMA_ERR_VERS:
		if (!reader_word(rd, &hdr->vers_low) ||
		    !reader_word(rd, &hdr->vers_high))
			return RPCRDMA_ESHORT;
		return 0;
	case RPCRDMA_ERR_CHUNK:
		return 0;
	default:
		return RPCRDMA_EERRCODE;
	}
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
	struct reader rd = {
		.p	= hdr->base + RPCRDMA_V1_FIXED_SIZE,
		.end	= hdr->base + hdr->len,
	};

	switch (hdr->type) {
	case RPCRDMA_MSG:
	case RPCRDMA_NOMSG:
		return decode_chunk_lists(hdr, &rd);
	case RPCRDMA_MSGP:
		return decode_msgp(hdr, &rd);
	case RPCRDMA_DONE:
		return 0;
	case RPCRDMA_ERROR:
		return decode_error(hdr, &rd);
	default:
		return RPCRDMA_ETYPE;
	}
}
EXPORT_SYMBOL_GPL(rpcrdma_v1_decode);
