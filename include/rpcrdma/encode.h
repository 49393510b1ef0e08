/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Encoder: appends the parts of a header to a buffer, one after another.
 *
 * A version 1 header is encoded by these calls, in this order:
 *
 * - rpcrdma_encode_fixed()
 * - for RDMA_MSGP, rpcrdma_encode_word() for alignment and threshold
 * - Read list: rpcrdma_encode_read_segment() for each entry, then
 *   rpcrdma_encode_list_end()
 * - Write list: for each chunk, rpcrdma_encode_chunk_begin() and
 *   rpcrdma_encode_segment() for each segment; then rpcrdma_encode_list_end()
 * - Reply chunk: like a chunk of the Write list, or rpcrdma_encode_list_end() if
 *   there is none
 * - rpcrdma_encode_finish()
 *
 * rpcrdma_encode_plain() alone encodes the most frequent header, which has no
 * chunks.
 *
 * These functions are inline because a call would cost more than their work.
 *
 * Once an encoder has run out of space, it writes nothing more, and
 * rpcrdma_encode_finish() returns an error.
 */
#ifndef _RPCRDMA_ENCODE_H
#define _RPCRDMA_ENCODE_H

#include <rpcrdma/platform.h>
#include <rpcrdma/wire.h>

/**
 * struct rpcrdma_encoder - a header being written
 * @base: first byte of the buffer
 * @p: next byte to write; NULL once the encoder has run out of space
 * @end: one past the last byte of the buffer
 */
struct rpcrdma_encoder {
	u8 *base;
	u8 *p;
	u8 *end;
};

/* Reserve @size bytes. After one failure, all later calls fail too. */
static inline u8 *rpcrdma_encode_reserve(struct rpcrdma_encoder *enc, u32 size)
{
	u8 *p = enc->p;

	if (unlikely(!p))
		return NULL;
	if (unlikely((size_t)(enc->end - p) < size)) {
		enc->p = NULL;
		return NULL;
	}
	enc->p = p + size;
	return p;
}

static inline void rpcrdma_put_segment(u8 *p, const struct rpcrdma_segment *seg)
{
	put_unaligned_be32(seg->handle, p);
	put_unaligned_be32(seg->length, p + 4);
	put_unaligned_be64(seg->offset, p + 8);
}

/* Write the four words that every header begins with. There must be room. */
static inline void rpcrdma_put_fixed(u8 *p, __be32 xid, u32 version,
				     u32 credits, u32 type)
{
	memcpy(p, &xid, sizeof(xid));
	put_unaligned_be32(version, p + 4);
	put_unaligned_be32(credits, p + 8);
	put_unaligned_be32(type, p + 12);
}

/**
 * rpcrdma_encode_word - append one word
 * @enc: encoder
 * @val: value: version 2's rdma_flags or rdma_inv_handle, RDMA_MSGP's
 *	rdma_align or rdma_thresh, or a word of an error or property
 *
 * Context: any.
 */
static inline void rpcrdma_encode_word(struct rpcrdma_encoder *enc, u32 val)
{
	u8 *p = rpcrdma_encode_reserve(enc, RPCRDMA_XDR_UNIT);

	if (likely(p))
		put_unaligned_be32(val, p);
}

/**
 * rpcrdma_encode_init - begin a header
 * @enc: encoder
 * @buf: buffer for the header
 * @size: bytes in @buf
 *
 * Context: any.
 */
static inline void rpcrdma_encode_init(struct rpcrdma_encoder *enc, void *buf,
				       u32 size)
{
	enc->base = buf;
	enc->p = buf;
	enc->end = enc->base + size;
}

/**
 * rpcrdma_encode_fixed - append the four words that every header begins with
 * @enc: encoder
 * @xid: XID of the RPC, as on the wire
 * @version: RPC-over-RDMA version
 * @credits: credits requested, or granted
 * @type: an enum rpcrdma_type
 *
 * RFC 5666 section 4.2.
 *
 * Context: any.
 */
static inline void rpcrdma_encode_fixed(struct rpcrdma_encoder *enc, __be32 xid,
					u32 version, u32 credits, u32 type)
{
	u8 *p = rpcrdma_encode_reserve(enc, RPCRDMA_V1_FIXED_SIZE);

	if (likely(p))
		rpcrdma_put_fixed(p, xid, version, credits, type);
}

/**
 * rpcrdma_encode_read_segment - append an entry of a Read list
 * @enc: encoder
 * @position: byte offset of the chunk in the XDR stream
 * @seg: the memory that the peer may read
 *
 * RFC 5666 section 4.3, struct xdr_read_list.
 *
 * Context: any.
 */
static inline void
rpcrdma_encode_read_segment(struct rpcrdma_encoder *enc, u32 position,
			    const struct rpcrdma_segment *seg)
{
	u8 *p = rpcrdma_encode_reserve(enc, RPCRDMA_READ_SEGMENT_SIZE);

	if (unlikely(!p))
		return;
	put_unaligned_be32(1, p);
	put_unaligned_be32(position, p + 4);
	rpcrdma_put_segment(p + 8, seg);
}

/**
 * rpcrdma_encode_list_end - end a Read or Write list, or omit the Reply chunk
 * @enc: encoder
 *
 * Context: any.
 */
static inline void rpcrdma_encode_list_end(struct rpcrdma_encoder *enc)
{
	rpcrdma_encode_word(enc, 0);
}

/**
 * rpcrdma_encode_no_chunks - append three empty lists
 * @enc: encoder that has written the header up to its chunk lists
 *
 * Context: any.
 */
static inline void rpcrdma_encode_no_chunks(struct rpcrdma_encoder *enc)
{
	rpcrdma_encode_list_end(enc);
	rpcrdma_encode_list_end(enc);
	rpcrdma_encode_list_end(enc);
}

/**
 * rpcrdma_encode_chunk_begin - begin a Write chunk or the Reply chunk
 * @enc: encoder
 * @segments: number of segments that the caller appends to it; may be 0
 *
 * RFC 5666 section 4.3, struct xdr_write_chunk.
 *
 * Context: any.
 */
static inline void rpcrdma_encode_chunk_begin(struct rpcrdma_encoder *enc,
					      u32 segments)
{
	u8 *p = rpcrdma_encode_reserve(enc, 2 * RPCRDMA_XDR_UNIT);

	if (unlikely(!p))
		return;
	put_unaligned_be32(1, p);
	put_unaligned_be32(segments, p + RPCRDMA_XDR_UNIT);
}

/**
 * rpcrdma_encode_segment - append a segment to the chunk that was begun last
 * @enc: encoder
 * @seg: the memory that the peer may write; in a reply, what was written
 *
 * Context: any.
 */
static inline void rpcrdma_encode_segment(struct rpcrdma_encoder *enc,
					  const struct rpcrdma_segment *seg)
{
	u8 *p = rpcrdma_encode_reserve(enc, RPCRDMA_SEGMENT_SIZE);

	if (likely(p))
		rpcrdma_put_segment(p, seg);
}

/**
 * rpcrdma_encode_finish - complete a header
 * @enc: encoder
 *
 * Context: any.
 * Return: length of the header in bytes, or -EMSGSIZE if it did not fit.
 */
static inline int rpcrdma_encode_finish(const struct rpcrdma_encoder *enc)
{
	if (unlikely(!enc->p))
		return -EMSGSIZE;
	return enc->p - enc->base;
}

/**
 * rpcrdma_encode_flags - append the words before version 2's chunk lists
 * @enc: encoder
 * @flags: flags of the message
 * @inv_handle: handle that the responder may invalidate, or 0
 *
 * v2 draft sections 3.2 and 3.3.
 *
 * Context: any.
 */
static inline void rpcrdma_encode_flags(struct rpcrdma_encoder *enc, u32 flags,
					u32 inv_handle)
{
	rpcrdma_encode_word(enc, flags);
	rpcrdma_encode_word(enc, inv_handle);
}

/**
 * rpcrdma_encode_head - append the header of a message up to its chunk lists
 * @enc: encoder
 * @xid: XID of the RPC, as on the wire
 * @version: RPC-over-RDMA version
 * @credits: credits requested, or granted
 * @type: RPCRDMA_MSG or RPCRDMA_NOMSG
 * @response: version 2 only, the RPC message is a reply
 * @inv_handle: version 2 only, handle that the responder may invalidate, or 0
 *
 * Context: any.
 */
static inline void rpcrdma_encode_head(struct rpcrdma_encoder *enc, __be32 xid,
				       u32 version, u32 credits, u32 type,
				       bool response, u32 inv_handle)
{
	rpcrdma_encode_fixed(enc, xid, version, credits, type);
	if (version == RPCRDMA_VERSION_2)
		rpcrdma_encode_flags(enc, response ? RPCRDMA2_F_RESPONSE : 0,
				     inv_handle);
}

/**
 * rpcrdma_encode_plain - encode a complete RDMA_MSG header without chunks
 * @buf: buffer for the header
 * @size: bytes in @buf
 * @xid: XID of the RPC, as on the wire
 * @version: RPC-over-RDMA version
 * @credits: credits requested, or granted
 * @response: the RPC message is a reply; ignored in version 1
 *
 * RFC 5666 section 4.3, struct rpc_rdma_header with three empty lists; v2 draft
 * section 3.3, with no handle to be invalidated.
 *
 * Context: any.
 * Return: length of the header in bytes, or -EMSGSIZE if it does not fit.
 */
static inline int rpcrdma_encode_plain(void *buf, u32 size, __be32 xid,
				       u32 version, u32 credits, bool response)
{
	u8 *p = buf, *body = p + RPCRDMA_V1_FIXED_SIZE;
	bool v2 = version == RPCRDMA_VERSION_2;
	u32 len = v2 ? RPCRDMA2_MIN_SIZE : RPCRDMA_V1_MIN_SIZE;

	if (unlikely(size < len))
		return -EMSGSIZE;
	rpcrdma_put_fixed(p, xid, version, credits, RPCRDMA_MSG);
	if (v2) {
		put_unaligned_be32(response ? RPCRDMA2_F_RESPONSE : 0, body);
		body += RPCRDMA_XDR_UNIT;
		memset(body, 0, RPCRDMA2_MIN_SIZE - RPCRDMA2_PREFIX_SIZE);
	} else {
		memset(body, 0, RPCRDMA_V1_MIN_SIZE - RPCRDMA_V1_FIXED_SIZE);
	}
	return len;
}

void rpcrdma_encode_error(struct rpcrdma_encoder *enc, __be32 xid, u32 version,
			  u32 credits, u32 code, u32 index, u32 value);

#endif /* _RPCRDMA_ENCODE_H */
