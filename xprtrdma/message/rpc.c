// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the transport reads of an RPC message: its XID and its direction, the
 * first two words (RFC 5531 section 9, RFC 8167 section 5.2).
 */

#include <linux/types.h>
#include <linux/sunrpc/msg_prot.h>
#include <linux/unaligned.h>

#include <rpcrdma/codec.h>

#include "message.h"

/* Bytes of an RPC message that tell its direction. */
#define RPC_PREFIX	8u

/**
 * xprt_rdma_rpc_is_call - does a message begin like an RPC call
 * @p: message
 * @len: bytes in @p
 * @xid: the XID that it must have
 *
 * Context: any.
 * Return: true if it is a call with this XID.
 */
bool xprt_rdma_rpc_is_call(const u8 *p, u32 len, __be32 xid)
{
	return len >= RPC_PREFIX && !memcmp(p, &xid, sizeof(xid)) &&
	       get_unaligned_be32(p + sizeof(xid)) == RPC_CALL;
}

/**
 * xprt_rdma_rpc_has_call - does the inline part of a message begin like a call
 * @hdr: decoded header
 *
 * Context: any.
 * Return: true if it is a call with the XID of the header.
 */
bool xprt_rdma_rpc_has_call(const struct rpcrdma_hdr *hdr)
{
	return (hdr->type == RPCRDMA_MSG || hdr->type == RPCRDMA_MSGP) &&
	       xprt_rdma_rpc_is_call(hdr->base + hdr->payload,
				     hdr->len - hdr->payload, hdr->xid);
}
