/* SPDX-License-Identifier: GPL-2.0-only */
/* Segments, which describe registered memory to the peer. */
#ifndef _RPCRDMA_SEGMENT_H
#define _RPCRDMA_SEGMENT_H

#include <rpcrdma/platform.h>

/**
 * struct rpcrdma_segment - a range of registered memory
 * @handle: steering tag (R_key)
 * @length: bytes
 * @offset: address of the first byte, as registered
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
