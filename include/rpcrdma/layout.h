/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the parts of a message with Read chunks belong (core/verbs/layout.c). */
#ifndef _RPCRDMA_LAYOUT_H
#define _RPCRDMA_LAYOUT_H

#include <rpcrdma/codec.h>

struct xdr_buf;

/* Maximum number of chunks in a message, apart from the chunk at position zero */
#define RPCRDMA_LAYOUT_CHUNKS	32u

/**
 * struct rpcrdma_layout_chunk - a part of a message that is missing from its base
 * @position: bytes from the start of the message
 * @length: bytes, without XDR roundup
 * @done: bytes passed to rpcrdma_layout_advance() so far
 */
struct rpcrdma_layout_chunk {
	u32 position;
	u32 length;
	u32 done;
};

/**
 * struct rpcrdma_layout - where the parts of a message belong
 * @start: bytes from the start of the message to the start of the buffer
 * @end: bytes from the start of the message to the end of the buffer; bytes of
 *	the message outside of the buffer are dropped
 * @base: the base, which is inline or in the chunk at position zero; its length
 *	includes @base_pad
 * @base_pad: bytes of XDR roundup that the chunk at position zero lacks
 * @nchunks: number of @chunks
 * @chunks: chunks that are missing from the base, in ascending order of
 *	position
 * @cur: cursor in the Read list, after @rseg
 * @rseg: current Read segment, without the bytes that were passed to
 *	rpcrdma_layout_advance()
 */
struct rpcrdma_layout {
	u32 start;
	u32 end;
	struct rpcrdma_layout_chunk base;
	u32 base_pad;
	u32 nchunks;
	struct rpcrdma_layout_chunk chunks[RPCRDMA_LAYOUT_CHUNKS];
	struct rpcrdma_cursor cur;
	struct rpcrdma_read_segment rseg;
};

int rpcrdma_layout_reads(struct rpcrdma_layout *layout,
			 const struct rpcrdma_hdr *hdr, u32 max);
int rpcrdma_layout_add(struct rpcrdma_layout *layout, u32 position, u32 length,
		       u32 max);
int rpcrdma_layout_length(const struct rpcrdma_layout *layout);
int rpcrdma_layout_copy(const struct rpcrdma_layout *layout,
			const struct xdr_buf *xdr, const struct rpcrdma_hdr *hdr);
void rpcrdma_layout_begin(struct rpcrdma_layout *layout,
			  const struct rpcrdma_hdr *hdr);
bool rpcrdma_layout_next(struct rpcrdma_layout *layout, u32 *at, u32 *room);
void rpcrdma_layout_advance(struct rpcrdma_layout *layout, u32 bytes);

#endif /* _RPCRDMA_LAYOUT_H */
