/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages of a connection that carry no RPC. */
#ifndef _XPRTRDMA_CONTROLS_H
#define _XPRTRDMA_CONTROLS_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/**
 * struct xprt_rdma_controls - messages without an RPC in flight
 * @lock: protects @all
 * @all: list of these messages
 * @count: number of these messages
 */
struct xprt_rdma_controls {
	spinlock_t		lock;
	struct list_head	all;
	atomic_t		count;
};

static inline void xprt_rdma_controls_init(struct xprt_rdma_controls *controls)
{
	spin_lock_init(&controls->lock);
	INIT_LIST_HEAD(&controls->all);
}

#endif /* _XPRTRDMA_CONTROLS_H */
