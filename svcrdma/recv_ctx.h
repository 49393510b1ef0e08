/* SPDX-License-Identifier: GPL-2.0-only */
/* The Receives of a connection, and the messages in them. */
#ifndef _SVC_RDMA_RECV_CTX_H
#define _SVC_RDMA_RECV_CTX_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include <rpcrdma/codec.h>

#include "limits.h"

struct svc_rdma_lent;
struct svc_rdma_read_ctx;

/**
 * struct svc_rdma_fault - why a message cannot be served
 * @code: an enum rpcrdma2_errcode, which rpcrdma_encode_error() translates for
 *	version 1; 0 if there is no fault
 * @index: number of the Write chunk that is too small, counted from 1; or the
 *	lowest supported version (RPCRDMA2_ERR_VERS)
 * @value: limit of chunks or segments; number of bytes needed; or the highest
 *	supported version (RPCRDMA2_ERR_VERS)
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
 * @invalidated: the message has invalidated @inv_handle; cleared when this is
 *	found to be legitimate
 * @inv_handle: handle of the server that the message invalidated
 * @handle: handle of the requester, from a chunk of the call, that the reply
 *	invalidates; 0 if none
 * @read: Read context of a call with Read chunks, or NULL
 * @lent: pages that nfsd can replace while it serves the call, or NULL
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

/* Set the fault of a message. The requester is told only of the first one. */
static inline void svc_rdma_fault_set(struct svc_rdma_recv_ctx *recv, u32 code,
				      u32 index, u32 value)
{
	if (recv->fault.code)
		return;
	recv->fault.code = code;
	recv->fault.index = index;
	recv->fault.value = value;
}

/**
 * struct svc_rdma_recv_cq - the completion queue of the Receives
 *	(verbs/recv_cq.c)
 * @cq: polled by the nfsd thread that takes the next message
 * @event: @cq may hold completions, and is not armed
 * @work: enqueues the transport if the completion handler must not do so
 */
struct svc_rdma_recv_cq {
	struct ib_cq *cq;
	bool event;
	struct work_struct work;
};

/**
 * struct svc_rdma_recvs - Receive contexts (message/recv_ctx.c)
 * @done: received messages that no thread has taken yet; accessed only by the
 *	thread that holds XPT_BUSY
 * @lock: protects the members below
 * @idle: Receive contexts to be reposted
 * @all: all Receive contexts
 * @nidle: entries of @idle
 * @total: entries of @all
 * @size: bytes of each new Receive buffer. Before the version is known, this is
 *	the largest size that any version uses. svc_rdma_recvs_resize() changes
 *	it; it falls back to @floor if there is no memory for a larger size.
 * @floor: bytes; no smaller Receive is posted
 */
struct svc_rdma_recvs {
	struct list_head done;
	spinlock_t lock ____cacheline_aligned_in_smp;
	struct list_head idle;
	struct list_head all;
	u32 nidle;
	u32 total;
	u32 size;
	u32 floor;
};

#endif /* _SVC_RDMA_RECV_CTX_H */
