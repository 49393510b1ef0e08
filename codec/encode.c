// SPDX-License-Identifier: GPL-2.0-only
/*
 * Encoder: the pieces that headers are made of, appended one after another.
 *
 * A version 1 header is: rpcrdma_encode_fixed(); for RDMA_MSGP,
 * rpcrdma_encode_msgp(); the Read list (rpcrdma_encode_read_segment() for each
 * entry, then rpcrdma_encode_list_end()); the Write list (each chunk between
 * rpcrdma_encode_chunk_begin() and rpcrdma_encode_chunk_end(), then
 * rpcrdma_encode_list_end()); the Reply chunk (a chunk, or
 * rpcrdma_encode_list_end() for none); rpcrdma_encode_finish().
 */

#include <rpcrdma/codec.h>

/* Claim @size bytes. Once that has failed, it fails for good. */
static inline u8 *reserve(struct rpcrdma_encoder *enc, u32 size)
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

static inline void put_segment(u8 *p, const struct rpcrdma_segment *seg)
{
	put_unaligned_be32(seg->handle, p);
	put_unaligned_be32(seg->length, p + 4);
	put_unaligned_be64(seg->offset, p + 8);
}

/**
 * rpcrdma_encode_init - begin a header
 * @enc: encoder
 * @buf: where the header goes
 * @size: bytes in @buf
 *
 * Context: any.
 */
void rpcrdma_encode_init(struct rpcrdma_encoder *enc, void *buf, u32 size)
{
	enc->base = buf;
	enc->p = buf;
	enc->end = enc->base + size;
	enc->count = NULL;
	enc->segments = 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_encode_init);

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
void rpcrdma_encode_fixed(struct rpcrdma_encoder *enc, __be32 xid, u32 version,
			  u32 credits, u32 type)
{
	u8 *p = reserve(enc, RPCRDMA_V1_FIXED_SIZE);

	if (unlikely(!p))
		return;
	memcpy(p, &xid, sizeof(xid));
	put_unaligned_be32(version, p + 4);
	put_unaligned_be32(credits, p + 8);
	put_unaligned_be32(type, p + 12);
}
EXPORT_SYMBOL_GPL(rpcrdma_encode_fixed);

/**
 * rpcrdma_encode_msgp - append the two words that RDMA_MSGP adds
 * @enc: encoder
 * @align: alignment of the padded data, in bytes
 * @thresh: data items of at least this many bytes are padded
 *
 * RFC 5666 section 4.3, struct rpc_rdma_header_padded.
 *
 * Context: any.
 */
void rpcrdma_encode_msgp(struct rpcrdma_encoder *enc, u32 align, u32 thresh)
{
	u8 *p = reserve(enc, RPCRDMA_V1_MSGP_EXTRA);

	if (unlikely(!p))
		return;
	put_unaligned_be32(align, p);
	put_unaligned_be32(thresh, p + 4);
}
EXPORT_SYMBOL_GPL(rpcrdma_encode_msgp);

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
void rpcrdma_encode_read_segment(struct rpcrdma_encoder *enc, u32 position,
				 const struct rpcrdma_segment *seg)
{
	u8 *p = reserve(enc, RPCRDMA_READ_SEGMENT_SIZE);

	if (unlikely(!p))
		return;
	put_unaligned_be32(1, p);
	put_unaligned_be32(position, p + 4);
	put_segment(p + 8, seg);
}
EXPORT_SYMBOL_GPL(rpcrdma_encode_read_segment);

/**
 * rpcrdma_encode_list_end - close a Read or Write list, or omit a Reply chunk
 * @enc: encoder
 *
 * Context: any.
 */
void rpcrdma_encode_list_end(struct rpcrdma_encoder *enc)
{
	u8 *p = reserve(enc, RPCRDMA_XDR_UNIT);

	if (likely(p))
		put_unaligned_be32(0, p);
}
EXPORT_SYMBOL_GPL(rpcrdma_encode_list_end);

/**
 * rpcrdma_encode_chunk_begin - open a Write chunk or the Reply chunk
 * @enc: encoder
 *
 * RFC 5666 section 4.3, struct xdr_write_chunk. Its segment count is filled in
 * by rpcrdma_encode_chunk_end().
 *
 * Context: any.
 */
void rpcrdma_encode_chunk_begin(struct rpcrdma_encoder *enc)
{
	u8 *p = reserve(enc, 2 * RPCRDMA_XDR_UNIT);

	enc->segments = 0;
	if (unlikely(!p))
		return;
	put_unaligned_be32(1, p);
	enc->count = p + RPCRDMA_XDR_UNIT;
}
EXPORT_SYMBOL_GPL(rpcrdma_encode_chunk_begin);

/**
 * rpcrdma_encode_segment - append a segment to the open chunk
 * @enc: encoder
 * @seg: the memory that the peer may write; in a reply, what was written
 *
 * Context: any.
 */
void rpcrdma_encode_segment(struct rpcrdma_encoder *enc,
			    const struct rpcrdma_segment *seg)
{
	u8 *p = reserve(enc, RPCRDMA_SEGMENT_SIZE);

	if (unlikely(!p))
		return;
	put_segment(p, seg);
	enc->segments++;
}
EXPORT_SYMBOL_GPL(rpcrdma_encode_segment);

/**
 * rpcrdma_encode_chunk_end - close the open chunk
 * @enc: encoder
 *
 * Context: any.
 */
void rpcrdma_encode_chunk_end(struct rpcrdma_encoder *enc)
{
	if (likely(enc->p && enc->count))
		put_unaligned_be32(enc->segments, enc->count);
	enc->count = NULL;
}
EXPORT_SYMBOL_GPL(rpcrdma_encode_chunk_end);

/**
 * rpcrdma_encode_err_vers - append the body of an ERR_VERS error
 * @enc: encoder
 * @low: lowest version implemented
 * @high: highest version implemented
 *
 * RFC 8166 section 4.5.1.
 *
 * Context: any.
 */
void rpcrdma_encode_err_vers(struct rpcrdma_encoder *enc, u32 low, u32 high)
{
	u8 *p = reserve(enc, 3 * RPCRDMA_XDR_UNIT);

	if (unlikely(!p))
		return;
	put_unaligned_be32(RPCRDMA_ERR_VERS, p);
	put_unaligned_be32(low, p + 4);
	put_unaligned_be32(high, p + 8);
}
EXPORT_SYMBOL_GPL(rpcrdma_encode_err_vers);

/**
 * rpcrdma_encode_err_chunk - append the body of an ERR_CHUNK error
 * @enc: encoder
 *
 * RFC 8166 section 4.5.2, without the extra words of RFC 5666.
 *
 * Context: any.
 */
void rpcrdma_encode_err_chunk(struct rpcrdma_encoder *enc)
{
	u8 *p = reserve(enc, RPCRDMA_XDR_UNIT);

	if (likely(p))
		put_unaligned_be32(RPCRDMA_ERR_CHUNK, p);
}
EXPORT_SYMBOL_GPL(rpcrdma_encode_err_chunk);

/**
 * rpcrdma_encode_finish - end a header
 * @enc: encoder
 *
 * Context: any.
 * Return: the length of the header in bytes, or -EMSGSIZE if it did not fit.
 */
int rpcrdma_encode_finish(const struct rpcrdma_encoder *enc)
{
	if (unlikely(!enc->p))
		return -EMSGSIZE;
	return enc->p - enc->base;
}
EXPORT_SYMBOL_GPL(rpcrdma_encode_finish);
