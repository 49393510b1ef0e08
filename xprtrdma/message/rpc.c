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

/* Bytes of XID and direction */
#define RPC_PREFIX	8u

/**
 * xprt_rdma_rpc_is_call - check whether a message is an RPC call
 * @p: message
 * @len: bytes in @p
 * @xid: XID that the call must have
 *
 * Context: any.
 * Return: true if @p begins with @xid and the direction of a call.
 */
bool xprt_rdma_rpc_is_call(const u8 *p, u32 len, __be32 xid)
{
	return len >= RPC_PREFIX && !memcmp(p, &xid, sizeof(xid)) &&
	       get_unaligned_be32(p + sizeof(xid)) == RPC_CALL;
}

/**
 * xprt_rdma_rpc_has_call - check whether an RPC call follows a header
 * @hdr: decoded header
 *
 * Context: any.
 * Return: true if a call with the header's XID follows inline.
 */
bool xprt_rdma_rpc_has_call(const struct rpcrdma_hdr *hdr)
{
	return (hdr->type == RPCRDMA_MSG || hdr->type == RPCRDMA_MSGP) &&
	       xprt_rdma_rpc_is_call(hdr->base + hdr->payload,
				     hdr->len - hdr->payload, hdr->xid);
}
