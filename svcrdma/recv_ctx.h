/* SPDX-License-Identifier: GPL-2.0-only */
/* A Receive and the message in it. */
#ifndef _SVC_RDMA_RECV_CTX_H
#define _SVC_RDMA_RECV_CTX_H

#include <linux/list.h>
#include <rdma/ib_verbs.h>

#include <rpcrdma/codec.h>

#include "fault.h"
#include "limits.h"

struct svc_rdma_read_ctx;

/**
 * struct svc_rdma_payload - a result that belongs into a Write chunk
 * @offset: bytes from the start of the reply
 * @length: bytes; 0 if the chunk stays unused
 */
struct svc_rdma_payload {
	u32 offset;
	u32 length;
};

/**
 * struct svc_rdma_recv_ctx - a Receive buffer and the call that is in it
 * @list: entry of @recv_idle or @recv_done of the connection
 * @all: entry of @recv_all of the connection
 * @cqe: completion of the Receive
 * @wr: Receive
 * @sge: describes @buf
 * @buf: Receive buffer, mapped for as long as this exists
 * @len: bytes received
 * @hdr: the transport header in @buf
 * @invalidated: its Send has invalidated @inv_handle, and nobody has yet found
 *	that to be right
 * @inv_handle: one of ours, or one that was
 * @invalidate: the reply may invalidate @handle
 * @handle: one of the call's
 * @read: pages the call's Read chunks were read into, or NULL
 * @fault: what makes it impossible to serve or to answer the call
 * @npayloads: entries of @payloads
 * @payloads: results that belong into Write chunks, in the chunks' order
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
	bool invalidate;
	u32 handle;
	struct svc_rdma_read_ctx *read;

	struct svc_rdma_fault fault;
	u32 npayloads;
	struct svc_rdma_payload payloads[SVC_RDMA_PAYLOADS];
};

/* What was found first is what the requester is told. */
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
