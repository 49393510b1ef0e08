/* SPDX-License-Identifier: GPL-2.0-only */
/* The header of an RPC message (RFC 5531), as far as extensions look at it. */
#ifndef _RPCRDMA_CODEC_RPC_H
#define _RPCRDMA_CODEC_RPC_H

#include <rpcrdma/codec.h>

/* RFC 5531 sections 8.2, 9 and 10.1 */
#define RPC_VERSION		2u
#define RPC_CALL		0u
#define RPC_REPLY		1u
#define RPC_ACCEPTED		0u
#define RPC_SUCCESS		0u
#define RPC_AUTH_NONE		0u
#define RPC_AUTH_SYS		1u
#define RPC_AUTH_MAX		400u

/**
 * struct rpcrdma_rpc_cursor - a place in an RPC message
 * @base: start of the data
 * @at: bytes from @base
 * @end: bytes that may be read; @at is never greater
 * @bad: something is missing or is not as expected; nothing is read any more
 */
struct rpcrdma_rpc_cursor {
	const u8 *base;
	u32 at;
	u32 end;
	bool bad;
};

static inline void rpcrdma_rpc_skip(struct rpcrdma_rpc_cursor *cur, u32 bytes)
{
	if (bytes > cur->end - cur->at)
		cur->bad = true;
	else
		cur->at += bytes;
}

/* Read a word; 0 if there is none. */
static inline u32 rpcrdma_rpc_word(struct rpcrdma_rpc_cursor *cur)
{
	u32 at = cur->at;

	rpcrdma_rpc_skip(cur, RPCRDMA_XDR_UNIT);
	return cur->bad ? 0 : get_unaligned_be32(cur->base + at);
}

#endif /* _RPCRDMA_CODEC_RPC_H */
