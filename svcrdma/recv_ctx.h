/* SPDX-License-Identifier: GPL-2.0-only */
/* A Receive and the message in it. */
#ifndef _SVC_RDMA_RECV_CTX_H
#define _SVC_RDMA_RECV_CTX_H

#include <linux/list.h>
#include <rdma/ib_verbs.h>

#include <rpcrdma/codec.h>

#include "limits.h"

struct svc_rdma_lent;
struct svc_rdma_read_ctx;

/**
 * struct svc_rdma_fault - why a message cannot be served
 * @code: an enum rpcrdma2_errcode, which rpcrdma_encode_error() translates for
 *	version 1; 0 if nothing is wrong
 * @index: number of the Write chunk that is too small, from 1; or the lowest
 *	version supported (RPCRDMA2_ERR_VERS)
 * @value: limit of chunks or segments; bytes needed; or the highest version
 *	supported (RPCRDMA2_ERR_VERS)
 */
struct svc_rdma_fault {
	u32 code;
	u32 index;
	u32 value;
};

/**
 * struct svc_rdma_payload - a result that belongs in a Write chunk
 * @offset: bytes from the start of the reply
 * @length: bytes; 0 if the Write chunk remains unused
 */
struct svc_rdma_payload {
	u32 offset;
	u32 length;
};

/**
 * struct svc_rdma_recv_ctx - a Receive and the message in it
 * @list: entry of @recvs.idle or @recvs.done of the connection
 * @all: entry of @recvs.all of the connection
 * @cqe: completion of the Receive
 * @wr: Receive
 * @sge: describes @buf; @wr refers to it
 * @buf: Receive buffer, DMA-mapped until the context is destroyed
 * @len: bytes received
 * @hdr: decoded transport header; points into @buf
 * @invalidated: the message has invalidated @inv_handle, and that has not been
 *	found legitimate
 * @inv_handle: handle of ours that the message invalidated
 * @handle: handle of the requester's, from one of the call's chunks, that the
 *	reply invalidates; 0 if none
 * @read: Read context of a call with Read chunks, or NULL
 * @lent: pages that nfsd may replace while it serves the call, or NULL
 * @fault: why the call cannot be served or answered
 * @npayloads: entries of @payloads
 * @payloads: results that belong in Write chunks, in the order of the chunks
 */
struct svc_rdma_recv_ctx {
	struct list_head list;
	struct list_head all;
	struct ib_cqe cqe;
	struct ib_recv_wr wr;
	struct ib_sge sge;
	void *buf;
	u32 len;

	struct rpcrdma_hdr hdr;
	bool invalidated;
	u32 inv_handle;
	u32 handle;
	struct svc_rdma_read_ctx *read;
	struct svc_rdma_lent *lent;

	struct svc_rdma_fault fault;
	u32 npayloads;
	struct svc_rdma_payload payloads[SVC_RDMA_PAYLOADS];
};

/* The first fault is reported to the requester. */
static inline void svc_rdma_fault_set(struct svc_rdma_recv_ctx *recv, u32 code,
				      u32 index, u32 value)
{
	if (recv->fault.code)
		return;
	recv->fault.code = code;
	recv->fault.index = index;
	recv->fault.value = value;
}

#endif /* _SVC_RDMA_RECV_CTX_H */
