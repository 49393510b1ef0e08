/* SPDX-License-Identifier: GPL-2.0-only */
/* The set of RDMA Reads and Writes of a connection (rw.h). */
#ifndef _RPCRDMA_RW_SET_H
#define _RPCRDMA_RW_SET_H

#include <linux/list.h>
#include <linux/spinlock.h>

/**
 * struct rpcrdma_rw_set - the Reads and Writes of one connection
 * @lock: protects @all and @count
 * @all: list of struct rpcrdma_rw that are mapped
 * @count: number of entries of @all
 */
struct rpcrdma_rw_set {
	spinlock_t lock;
	struct list_head all;
	u32 count;
};

/**
 * rpcrdma_rw_set_init - initialize the set of a connection
 * @set: set
 *
 * Context: any.
 */
static inline void rpcrdma_rw_set_init(struct rpcrdma_rw_set *set)
{
	spin_lock_init(&set->lock);
	INIT_LIST_HEAD(&set->all);
	set->count = 0;
}

#endif /* _RPCRDMA_RW_SET_H */
