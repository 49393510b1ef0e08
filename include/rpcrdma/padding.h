/* SPDX-License-Identifier: GPL-2.0-only */
/* The padding of an RDMA_MSGP (RFC 5666 section 3.9). */
#ifndef _RPCRDMA_PADDING_H
#define _RPCRDMA_PADDING_H

#include <rpcrdma/platform.h>
#include <rpcrdma/header.h>

/**
 * struct rpcrdma_padding - the item of a message that may be padded
 * @at: bytes from the start of the header to the padding, or to the item if
 *	there is none; 0 if the message has no item that could be padded
 * @bytes: bytes of padding
 * @length: bytes in the item, without XDR roundup
 */
struct rpcrdma_padding {
	u32 at;
	u32 bytes;
	u32 length;
};

bool rpcrdma_padding_none(const struct rpcrdma_hdr *hdr);
int rpcrdma_padding_in_call(const struct rpcrdma_hdr *hdr, u32 readable,
			    struct rpcrdma_padding *pad);
int rpcrdma_padding_in_reply(const struct rpcrdma_hdr *hdr,
			     struct rpcrdma_padding *pad);

#endif /* _RPCRDMA_PADDING_H */
