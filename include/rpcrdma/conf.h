/* SPDX-License-Identifier: GPL-2.0-only */
/* The Connection Configuration Protocol, an RPC program (RFC 5666 section 6). */
#ifndef _RPCRDMA_CONF_H
#define _RPCRDMA_CONF_H

#include <rpcrdma/platform.h>
#include <rpcrdma/wire.h>
#include <rpcrdma/header.h>
#include <rpcrdma/encode.h>

/* RFC 5666 sections 6.2 and 12 */
#define RPCRDMA_CONF_PROG	100417u
#define RPCRDMA_CONF_VERS	1u

enum rpcrdma_conf_proc {
	RPCRDMA_CONF_NULL	= 0,
	RPCRDMA_CONF_RDMA	= 1,
};

/* Bytes in the longest call or reply that we encode, without transport header */
#define RPCRDMA_CONF_SIZE	64u

/**
 * enum rpcrdma_conf_status - the outcome of a call
 * @RPCRDMA_CONF_SUCCESS: the call was executed
 * @RPCRDMA_CONF_PROG_MISMATCH: the responder does not have this program version
 * @RPCRDMA_CONF_PROC_UNAVAIL: the program does not have this procedure
 * @RPCRDMA_CONF_GARBAGE_ARGS: the arguments could not be decoded
 * @RPCRDMA_CONF_RPC_MISMATCH: the responder does not have this RPC version
 * @RPCRDMA_CONF_AUTH_ERROR: the credential or verifier was refused
 *
 * The values up to RPCRDMA_CONF_GARBAGE_ARGS are those of accept_stat (RFC
 * 5531 section 9).
 */
enum rpcrdma_conf_status {
	RPCRDMA_CONF_SUCCESS		= 0,
	RPCRDMA_CONF_PROG_MISMATCH	= 2,
	RPCRDMA_CONF_PROC_UNAVAIL	= 3,
	RPCRDMA_CONF_GARBAGE_ARGS	= 4,
	RPCRDMA_CONF_RPC_MISMATCH,
	RPCRDMA_CONF_AUTH_ERROR,
};

/* RFC 5531 section 9: the values of auth_stat that we send */
enum rpcrdma_conf_auth_stat {
	RPCRDMA_CONF_BADCRED		= 1,
	RPCRDMA_CONF_REJECTEDCRED	= 2,
	RPCRDMA_CONF_BADVERF		= 3,
};

/**
 * struct rpcrdma_conf_req - struct config_rdma_req: the client's limits
 * @maxcall_sendsize: bytes of the client's longest message
 * @maxreply_sendsize: bytes of the longest message that the client can receive
 * @maxrdmaread: RDMA Reads that the server may have outstanding
 */
struct rpcrdma_conf_req {
	u32 maxcall_sendsize;
	u32 maxreply_sendsize;
	u32 maxrdmaread;
};

/**
 * struct rpcrdma_conf_res - struct config_rdma_reply: the server's limits
 * @maxcall_sendsize: bytes of the longest message that the server can receive
 * @align: bytes; recommended alignment of opaque data
 * @maxrdmaread: RDMA Reads that the client may have outstanding
 */
struct rpcrdma_conf_res {
	u32 maxcall_sendsize;
	u32 align;
	u32 maxrdmaread;
};

/**
 * struct rpcrdma_conf_call - a call, as the server sees it
 * @xid: XID
 * @proc: procedure; an enum rpcrdma_conf_proc if @status is success
 * @status: status to answer the call with
 * @auth_stat: reason for RPCRDMA_CONF_AUTH_ERROR
 * @req: arguments, valid for a successful RPCRDMA_CONF_RDMA
 */
struct rpcrdma_conf_call {
	u32 xid;
	u32 proc;
	enum rpcrdma_conf_status status;
	u32 auth_stat;
	struct rpcrdma_conf_req req;
};

/**
 * rpcrdma_conf_is_call - test whether a message is a call of this program
 * @hdr: decoded header of a version 1 RDMA_MSG or RDMA_MSGP
 *
 * Context: any.
 * Return: true if the payload begins with such a call.
 */
static inline bool rpcrdma_conf_is_call(const struct rpcrdma_hdr *hdr)
{
	const u8 *p = hdr->base + hdr->payload;

	if (hdr->len - hdr->payload < 4 * RPCRDMA_XDR_UNIT)
		return false;
	return get_unaligned_be32(p + 3 * RPCRDMA_XDR_UNIT) ==
		       RPCRDMA_CONF_PROG &&
	       !get_unaligned_be32(p + RPCRDMA_XDR_UNIT);
}

void rpcrdma_conf_call_encode(struct rpcrdma_encoder *enc, __be32 xid,
			      const struct rpcrdma_conf_req *req);
void rpcrdma_conf_call_decode(struct rpcrdma_conf_call *call, const void *buf,
			      u32 len);
void rpcrdma_conf_reply_encode(struct rpcrdma_encoder *enc,
			       const struct rpcrdma_conf_call *call,
			       const struct rpcrdma_conf_res *res);
int rpcrdma_conf_reply_decode(struct rpcrdma_conf_res *res, __be32 xid,
			      const void *buf, u32 len);

#endif /* _RPCRDMA_CONF_H */
