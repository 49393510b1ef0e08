/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between the versions of RPC-over-RDMA: one table for each. */
#ifndef _XPRTRDMA_VERSION_OPS_H
#define _XPRTRDMA_VERSION_OPS_H

#include <linux/types.h>

struct rpcrdma_encoder;
struct rpcrdma_hdr;
struct xprt_rdma_conn;
struct xprt_rdma_recv_ctx;
struct xprt_rdma_req;

/**
 * struct xprt_rdma_fault - why a backchannel call cannot be served
 * @code: an enum rpcrdma2_errcode; 0 if nothing is wrong
 * @value: the most chunks or segments, or the bytes needed
 */
struct xprt_rdma_fault {
	u32	code;
	u32	value;
};

/**
 * struct xprt_rdma_version - what a version of RPC-over-RDMA does its own way
 * @number: the version, as in a header
 * @hdr_min: bytes; a header without chunks
 * @has_flags: headers have flags, and name one handle that may be invalidated
 * @has_props: peers exchange transport properties
 * @error_grants: the credits in an RDMA_ERROR count
 * @decode: decode the header of a received message (see rpcrdma_decode())
 * @is_call: is a received message sent in the reverse direction
 * @ignores: is a message of the reverse direction one that needs no answer; NULL
 *	if there are no such messages
 * @check_type: what is wrong with the type of a backchannel call: an enum
 *	rpcrdma2_errcode, or 0
 * @encode_error: append an error to the fixed part of a header
 * @error: an error has arrived instead of a reply: -EAGAIN if the call is to be
 *	sent again, -EINPROGRESS if so, but later, -EREMOTEIO if it ends
 * @done_handle: the handle that an RDMA_DONE for a reply may invalidate, or 0
 *
 * Methods are called in completion handlers.
 */
struct xprt_rdma_version {
	u32	number;
	u32	hdr_min;
	bool	has_flags;
	bool	has_props;
	bool	error_grants;
	int (*decode)(struct rpcrdma_hdr *hdr, const void *buf, u32 len);
	bool (*is_call)(const struct xprt_rdma_recv_ctx *recv);
	bool (*ignores)(const struct xprt_rdma_recv_ctx *recv);
	u32 (*check_type)(const struct xprt_rdma_recv_ctx *recv);
	void (*encode_error)(struct rpcrdma_encoder *enc,
			     const struct xprt_rdma_fault *fault);
	int (*error)(struct xprt_rdma_req *req, const struct rpcrdma_hdr *hdr);
	u32 (*done_handle)(const struct xprt_rdma_conn *conn,
			   const struct rpcrdma_hdr *hdr);
};

#endif /* _XPRTRDMA_VERSION_OPS_H */
