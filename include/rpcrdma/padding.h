/* SPDX-License-Identifier: GPL-2.0-only */
/* The padding of an RDMA_MSGP (RFC 5666 section 3.9). */
#ifndef _RPCRDMA_PADDING_H
#define _RPCRDMA_PADDING_H

#include <rpcrdma/codec.h>
#include <rpcrdma/extensions.h>

#ifdef RPCRDMA_EXT_MSGP
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

int rpcrdma_padding_decode(struct rpcrdma_hdr *hdr);
int rpcrdma_decode_msgp(struct rpcrdma_hdr *hdr, const void *buf, u32 len);
bool rpcrdma_padding_none(const struct rpcrdma_hdr *hdr);
int rpcrdma_padding_in_call(const struct rpcrdma_hdr *hdr, u32 readable,
			    struct rpcrdma_padding *pad);
int rpcrdma_padding_in_reply(const struct rpcrdma_hdr *hdr,
			     struct rpcrdma_padding *pad);
#else
/* An RDMA_MSGP is a message of unknown type. */
static inline int rpcrdma_padding_decode(struct rpcrdma_hdr *hdr)
{
	return RPCRDMA_ETYPE;
}

static inline int rpcrdma_decode_msgp(struct rpcrdma_hdr *hdr, const void *buf,
				      u32 len)
{
	return rpcrdma_decode(hdr, buf, len);
}
#endif

#endif /* _RPCRDMA_PADDING_H */
