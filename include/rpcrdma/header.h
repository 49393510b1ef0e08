/* SPDX-License-Identifier: GPL-2.0-only */
/* The view of a transport header that the decoder fills in. */
#ifndef _RPCRDMA_HEADER_H
#define _RPCRDMA_HEADER_H

#include <rpcrdma/platform.h>

/**
 * struct rpcrdma_list - location and totals of a decoded chunk list
 * @bytes: sum of the lengths of the segments (cannot overflow)
 * @offset: bytes from the start of the header to the first entry; meaningless
 *	for an empty list
 * @chunks: entries of a Write list; 0 or 1 for a Reply chunk; for a Read
 *	list, runs of adjacent entries that have the same position
 * @segments: segments in all chunks of the list
 */
struct rpcrdma_list {
	u64 bytes;
	u32 offset;
	u32 chunks;
	u32 segments;
};

/**
 * struct rpcrdma_hdr - view of a decoded transport header
 * @base: first byte of the header, in the caller's buffer
 * @len: bytes in the caller's buffer, header and payload
 * @xid: as on the wire
 * @version: RPC-over-RDMA version
 * @credits: requested (in a call) or granted (in a reply)
 * @type: an enum rpcrdma_type, or an enum rpcrdma2_htype
 * @flags: version 2 only
 * @inv_handle: version 2 only, handle that the responder may invalidate, or 0
 * @reads: the Read list
 * @writes: the Write list
 * @reply: the Reply chunk, a list of at most one chunk
 * @align: RDMA_MSGP only, rdma_align
 * @thresh: RDMA_MSGP only, rdma_thresh
 * @err: RDMA_ERROR only, an enum rpcrdma_errcode or an enum rpcrdma2_errcode
 * @err_index: ERR_VERS: lowest version that the sender implements;
 *	RDMA2_ERR_WRITE_RESOURCE: number of the Write chunk that is too small,
 *	counted from 1, or 0 if the sender does not know
 * @err_value: ERR_VERS: highest version that the sender implements; other
 *	errors of version 2: maximum number of chunks or segments that the
 *	sender can process, or number of bytes that it needs
 * @props_offset: bytes from @base to the first property; in an RDMA2_RESPROP, to
 *	the first subset
 * @props_count: number of properties in an RDMA2_CONNPROP or RDMA2_REQPROP; 1 in
 *	an RDMA2_UPDPROP
 * @payload: bytes from @base to the RPC message; @len if there is none, 0 if
 *	decoding failed
 */
struct rpcrdma_hdr {
	const u8 *base;
	u32 len;

	__be32 xid;
	u32 version;
	u32 credits;
	u32 type;
	u32 flags;
	u32 inv_handle;

	struct rpcrdma_list reads;
	struct rpcrdma_list writes;
	struct rpcrdma_list reply;

	/* Each member applies to one type of message or error, and is 0 in others. */
	union {
		struct {
			u32 align;
			u32 thresh;
		};
		struct {
			u32 err_index;
			u32 err_value;
		};
	};
	u32 err;
	u32 props_offset;
	u32 props_count;

	u32 payload;
};

#endif /* _RPCRDMA_HEADER_H */
