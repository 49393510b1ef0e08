/* SPDX-License-Identifier: GPL-2.0-only */
/* Segments: what both directions of the codec say of registered memory. */
#ifndef _RPCRDMA_SEGMENT_H
#define _RPCRDMA_SEGMENT_H

#include <rpcrdma/platform.h>

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

#endif /* _RPCRDMA_SEGMENT_H */
