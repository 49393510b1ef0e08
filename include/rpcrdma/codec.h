/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The header codec: one decoder and one encoder per protocol version, used by
 * requester and responder, in the kernel and in userspace.
 *
 * Decoding is a single bounded pass over a received header. It allocates
 * nothing and copies no chunk list: it yields a view (struct rpcrdma_hdr) that
 * refers to the buffer it was decoded from, and cursors walk the lists of that
 * view. Every length and count is checked by the pass, so a cursor on a view
 * that was decoded successfully never reads outside the buffer.
 *
 * Encoding appends to a buffer of known size. An encoder that has run out of
 * space stays in that state, and rpcrdma_encode_finish() reports it.
 */
#ifndef _RPCRDMA_CODEC_H
#define _RPCRDMA_CODEC_H

#include <rpcrdma/platform.h>
#include <rpcrdma/wire.h>

/*
 * Errors of the decoder. Each names a different fault of the peer.
 *
 * @RPCRDMA_ESHORT: the message ends before its header does
 * @RPCRDMA_EVERSION: a version this decoder does not implement
 * @RPCRDMA_ETYPE: a message type that the version does not define
 * @RPCRDMA_ECHUNK: a malformed chunk list (also one that runs past the end of
 *	the message)
 * @RPCRDMA_EERRCODE: an RDMA_ERROR with an error code that the version does
 *	not define
 */
#define RPCRDMA_ESHORT		(-EMSGSIZE)
#define RPCRDMA_EVERSION	(-EPROTONOSUPPORT)
#define RPCRDMA_ETYPE		(-EOPNOTSUPP)
#define RPCRDMA_ECHUNK		(-EBADMSG)
#define RPCRDMA_EERRCODE	(-EPROTO)

/**
 * struct rpcrdma_segment - a region of memory that a peer has registered
 * @handle: steering tag (R_key)
 * @length: bytes
 * @offset: address of the first byte in the peer's registration
 */
struct rpcrdma_segment {
	u32 handle;
	u32 length;
	u64 offset;
};

/**
 * struct rpcrdma_read_segment - an entry of a Read list
 * @position: byte offset in the XDR stream; entries of one chunk share it
 * @seg: the memory to be read
 */
struct rpcrdma_read_segment {
	u32 position;
	struct rpcrdma_segment seg;
};

/**
 * struct rpcrdma_list - where a decoded chunk list lies
 * @offset: bytes from the start of the header to the first entry
 * @chunks: entries of a Write list; 0 or 1 for a Reply chunk; for a Read
 *	list, runs of adjacent entries that have the same position
 * @segments: segments in all chunks of the list
 * @bytes: sum of the lengths of these segments (cannot overflow)
 */
struct rpcrdma_list {
	u32 offset;
	u32 chunks;
	u32 segments;
	u64 bytes;
};

/**
 * struct rpcrdma_hdr - view of a decoded transport header
 * @base: first byte of the header, in the caller's buffer
 * @len: bytes in the caller's buffer, header and payload
 * @xid: as on the wire
 * @version: RPC-over-RDMA version
 * @credits: requested (in a call) or granted (in a reply)
 * @type: an enum rpcrdma_type
 * @reads: the Read list
 * @writes: the Write list
 * @reply: the Reply chunk, a list of at most one
 * @align: RDMA_MSGP only, rdma_align
 * @thresh: RDMA_MSGP only, rdma_thresh
 * @err: RDMA_ERROR only, an enum rpcrdma_errcode
 * @vers_low: ERR_VERS only, lowest version that the sender implements
 * @vers_high: ERR_VERS only, highest version that the sender implements
 * @payload: bytes from @base to the RPC message (@len if there is none)
 */
struct rpcrdma_hdr {
	const u8 *base;
	u32 len;

	__be32 xid;
	u32 version;
	u32 credits;
	u32 type;

	struct rpcrdma_list reads;
	struct rpcrdma_list writes;
	struct rpcrdma_list reply;

	u32 align;
	u32 thresh;

	u32 err;
	u32 vers_low;
	u32 vers_high;

	u32 payload;
};

/**
 * struct rpcrdma_cursor - a place in a decoded chunk list
 * @p: next byte to be read
 * @chunks: chunks of the list not yet begun (Write list and Reply chunk)
 * @segments: segments not yet read of the chunk that was begun, or, in a Read
 *	list, of the list
 */
struct rpcrdma_cursor {
	const u8 *p;
	u32 chunks;
	u32 segments;
};

int rpcrdma_decode(struct rpcrdma_hdr *hdr, const void *buf, u32 len);
int rpcrdma_decode_prefix(struct rpcrdma_hdr *hdr, const void *buf, u32 len);
int rpcrdma_v1_decode(struct rpcrdma_hdr *hdr);

void rpcrdma_reads_begin(const struct rpcrdma_hdr *hdr,
			 struct rpcrdma_cursor *cur);
bool rpcrdma_reads_next(struct rpcrdma_cursor *cur,
			struct rpcrdma_read_segment *rseg);
void rpcrdma_chunks_begin(const struct rpcrdma_hdr *hdr,
			  const struct rpcrdma_list *list,
			  struct rpcrdma_cursor *cur);
bool rpcrdma_chunks_next(struct rpcrdma_cursor *cur, u32 *segcount);
bool rpcrdma_segments_next(struct rpcrdma_cursor *cur,
			   struct rpcrdma_segment *seg);

/**
 * struct rpcrdma_encoder - a header being written
 * @base: first byte of the buffer
 * @p: next byte to be written; NULL once the buffer has overflowed
 * @end: one past the last byte of the buffer
 * @count: where the segment count of the open chunk goes
 * @segments: segments written to the open chunk
 */
struct rpcrdma_encoder {
	u8 *base;
	u8 *p;
	u8 *end;
	u8 *count;
	u32 segments;
};

void rpcrdma_encode_init(struct rpcrdma_encoder *enc, void *buf, u32 size);
void rpcrdma_encode_fixed(struct rpcrdma_encoder *enc, __be32 xid, u32 version,
			  u32 credits, u32 type);
void rpcrdma_encode_msgp(struct rpcrdma_encoder *enc, u32 align, u32 thresh);
void rpcrdma_encode_read_segment(struct rpcrdma_encoder *enc, u32 position,
				 const struct rpcrdma_segment *seg);
void rpcrdma_encode_list_end(struct rpcrdma_encoder *enc);
void rpcrdma_encode_chunk_begin(struct rpcrdma_encoder *enc);
void rpcrdma_encode_segment(struct rpcrdma_encoder *enc,
			    const struct rpcrdma_segment *seg);
void rpcrdma_encode_chunk_end(struct rpcrdma_encoder *enc);
void rpcrdma_encode_err_vers(struct rpcrdma_encoder *enc, u32 low, u32 high);
void rpcrdma_encode_err_chunk(struct rpcrdma_encoder *enc);
int rpcrdma_encode_finish(const struct rpcrdma_encoder *enc);

/**
 * struct rpcrdma_private - the CM private message (RFC 8797)
 * @send_size: bytes; the largest message that the sender of this will Send
 * @recv_size: bytes; the size of its Receive buffers
 * @remote_inv: it can have its handles invalidated by its peer
 */
struct rpcrdma_private {
	u32 send_size;
	u32 recv_size;
	bool remote_inv;
};

void rpcrdma_private_encode(const struct rpcrdma_private *priv,
			    u8 buf[RPCRDMA_PRIVATE_SIZE]);
bool rpcrdma_private_decode(struct rpcrdma_private *priv, const void *buf,
			    size_t len);

#endif /* _RPCRDMA_CODEC_H */
