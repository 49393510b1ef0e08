/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory regions of a connection. */
#ifndef _XPRTRDMA_MRS_H
#define _XPRTRDMA_MRS_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "regbuf.h"

/**
 * struct xprt_rdma_mrs - the memory regions of a connection
 * @lock: protects the lists and their counts; held while registrations are
 *	posted, so that no invalidation precedes them
 * @depth: pages that a large region can cover
 * @free_small: unused regions for a few pages, which cost little memory
 * @free_large: unused regions for up to @depth pages
 * @all: all regions
 * @count: number of regions in @all
 * @busy: number of regions that requests use
 * @invalidations: requests whose regions are being invalidated
 * @closing: no task may be added to @waiters (under the transport's conn_lock)
 * @waiters: number of tasks that invalidate memory; the end of the connection
 *	waits for them (under the transport's conn_lock)
 * @discard: page that the peer may write to and that is never read
 */
struct xprt_rdma_mrs {
	spinlock_t		lock;
	u32			depth;
	struct list_head	free_small;
	struct list_head	free_large;
	struct list_head	all;
	u32			count;
	u32			busy;
	struct list_head	invalidations;
	bool			closing;
	u32			waiters;
	struct xprt_rdma_regbuf	discard;
};

static inline void xprt_rdma_mrs_init(struct xprt_rdma_mrs *mrs)
{
	spin_lock_init(&mrs->lock);
	INIT_LIST_HEAD(&mrs->free_small);
	INIT_LIST_HEAD(&mrs->free_large);
	INIT_LIST_HEAD(&mrs->all);
	INIT_LIST_HEAD(&mrs->invalidations);
}

#endif /* _XPRTRDMA_MRS_H */
