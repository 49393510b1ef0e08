/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between the versions of RPC-over-RDMA: one table per version. */
#ifndef _XPRTRDMA_VERSION_OPS_H
#define _XPRTRDMA_VERSION_OPS_H

#include <linux/types.h>

struct rpcrdma_hdr;
struct xprt_rdma_recv_ctx;
struct xprt_rdma_req;

/* Fault code: the peer gets no answer */
#define XPRT_RDMA_NO_ANSWER	U32_MAX

/**
 * struct xprt_rdma_fault - why a backchannel call cannot be served
 * @code: an enum rpcrdma2_errcode, or XPRT_RDMA_NO_ANSWER; 0 if nothing is wrong
 * @value: depends on @code: limit of chunks or segments, or bytes needed
 */
struct xprt_rdma_fault {
	u32	code;
	u32	value;
};

/**
 * struct xprt_rdma_version - properties and methods of a version
 * @number: version number in a header
 * @hdr_min: bytes; size of a header without chunks
 * @has_flags: headers have flags and name the handle that may be invalidated,
 *	and an RDMA_ERROR grants no credits
 * @has_props: peers exchange transport properties; otherwise, the Connection
 *	Configuration Protocol may be used
 * @decode: decode the header of a received message (see rpcrdma_decode())
 * @is_call: return true for a message of the reverse direction
 * @check_call: check a message of the reverse direction; return a fault code,
 *	or 0 if it may be a call
 * @control: handle a message that concerns the connection, of a type other than
 *	RDMA_MSG and RDMA_NOMSG; return false for any other message. NULL if
 *	there are no such types
 * @error: handle an error that arrived instead of a reply; return -EAGAIN to
 *	complete the call so that sunrpc sends it again, -ENOTCONN to leave it
 *	to the next connection, -EREMOTEIO to fail it
 *
 * Context: completion handler.
 */
struct xprt_rdma_version {
	u32	number;
	u32	hdr_min;
	bool	has_flags;
	bool	has_props;
	int (*decode)(struct rpcrdma_hdr *hdr, const void *buf, u32 len);
	bool (*is_call)(const struct xprt_rdma_recv_ctx *recv);
	u32 (*check_call)(const struct xprt_rdma_recv_ctx *recv);
	bool (*control)(struct xprt_rdma_recv_ctx *recv);
	int (*error)(struct xprt_rdma_req *req, const struct rpcrdma_hdr *hdr);
};

#endif /* _XPRTRDMA_VERSION_OPS_H */
