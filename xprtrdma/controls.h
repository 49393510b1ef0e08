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

#endif /* _XPRTRDMA_CONTROLS_H */
