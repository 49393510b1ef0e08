/* SPDX-License-Identifier: GPL-2.0-only */
/* The Send Queue, and waiters for its entries (verbs/sq.c). */
#ifndef _SVC_RDMA_SQ_H
#define _SVC_RDMA_SQ_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

/**
 * struct svc_rdma_sq_wait - a waiter for Send Queue entries
 * @list: entry of the Send Queue's @waiters
 * @entries: number of entries wanted
 * @ready: called when the entries have been taken, to post the Work Requests.
 *	Called at most once, in softirq or process context, without locks of the
 *	Send Queue; not called if the connection is closed first. Must not
 *	sleep. Closes the connection if posting fails. Returns 0 or -ENOTCONN.
 */
struct svc_rdma_sq_wait {
	struct list_head list;
	unsigned int entries;
	int (*ready)(struct svc_rdma_sq_wait *wait);
};

/**
 * struct svc_rdma_sq - the Send Queue of a connection
 * @cq: completions of Sends, Reads and Writes, polled in softirq
 * @lock: protects all members below
 * @waiters: struct svc_rdma_sq_wait, in FIFO order
 * @depth: total number of entries
 * @avail: number of free entries
 * @returned: number of entries returned since the connection was created,
 *	modulo 2^32
 * @serving: a context is calling @ready methods, and will check @waiters again
 *	before it stops
 */
struct svc_rdma_sq {
	struct ib_cq *cq;
	spinlock_t lock ____cacheline_aligned_in_smp;
	struct list_head waiters;
	u32 depth;
	u32 avail;
	u32 returned;
	bool serving;
};

#endif /* _SVC_RDMA_SQ_H */
