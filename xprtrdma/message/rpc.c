// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fields of an RPC message that the transport reads: XID and direction, the
 * first two words (RFC 5531 section 9, RFC 8167 section 5.2). Also the reply
 * that the transport delivers to fail a call.
 */

#include <linux/types.h>
#include <linux/sunrpc/msg_prot.h>
#include <linux/sunrpc/sched.h>
#include <linux/sunrpc/xprt.h>
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

/**
 * xprt_rdma_rpc_fail - choose a reply that fails a call, or has it sent again
 * @rqst: the call, pinned
 * @again: have the call sent again, if sunrpc still allows that
 *
 * Only one way works in every state of the task: to deliver a reply that is too
 * short to be valid. sunrpc treats it as garbage, and sends the call again or
 * ends it with -EIO. To be sent again on the same connection, the call also
 * needs another connect cookie (version/v2_error.c).
 *
 * Interface that could replace this: a negative length for
 * xprt_complete_rqst(), as the task's status.
 *
 * Context: process.
 * Return: bytes; length of the reply, for xprt_complete_rqst().
 */
int xprt_rdma_rpc_fail(struct rpc_rqst *rqst, bool again)
{
	if (!again)
		rqst->rq_task->tk_garb_retry = 0;
	return RPCRDMA_XDR_UNIT;
}
