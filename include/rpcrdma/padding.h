/* SPDX-License-Identifier: GPL-2.0-only */
/* The padding of an RDMA_MSGP (RFC 5666 section 3.9). */
#ifndef _RPCRDMA_PADDING_H
#define _RPCRDMA_PADDING_H

#include <rpcrdma/codec.h>
#include <rpcrdma/extensions.h>

#ifdef RPCRDMA_EXT_MSGP
int rpcrdma_padding_decode(struct rpcrdma_hdr *hdr);
int rpcrdma_decode_msgp(struct rpcrdma_hdr *hdr, const void *buf, u32 len);
int rpcrdma_unpad_call(struct rpcrdma_hdr *hdr, void *buf);
int rpcrdma_unpad_reply(struct rpcrdma_hdr *hdr, void *buf);
#else
/* Without the extension, an RDMA_MSGP is a message of unknown type. */
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
