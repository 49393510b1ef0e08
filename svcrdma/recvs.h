/* SPDX-License-Identifier: GPL-2.0-only */
/* The Receives of a connection, and their completion queue. */
#ifndef _SVC_RDMA_RECVS_H
#define _SVC_RDMA_RECVS_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

/**
 * struct svc_rdma_recv_cq - the completion queue of the Receives
 *	(verbs/recv_cq.c)
 * @cq: polled by the nfsd thread that takes the next message
 * @event: @cq may hold completions, and is not armed
 * @work: enqueues the transport when a completion handler must not
 */
struct svc_rdma_recv_cq {
	struct ib_cq *cq;
	bool event;
	struct work_struct work;
};

/**
 * struct svc_rdma_recvs - Receive contexts (message/recv_ctx.c)
 * @done: received messages that have not been taken by a thread yet; belongs to
 *	the thread that holds XPT_BUSY
 * @lock: protects the members below
 * @idle: Receive contexts to be reposted
 * @all: all Receive contexts
 * @nidle: entries of @idle
 * @total: entries of @all
 * @size: bytes; size of Receive buffers allocated from now on. Until the
 *	version is known, the largest size that any version uses. Changes later
 *	(svc_rdma_recvs_resize()), and back to @floor without memory for it.
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

#endif /* _SVC_RDMA_RECVS_H */
