/* SPDX-License-Identifier: GPL-2.0-only */
/* The set of RDMA Reads and Writes of a connection (rw.h). */
#ifndef _RPCRDMA_RW_SET_H
#define _RPCRDMA_RW_SET_H

#include <linux/list.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

/**
 * struct rpcrdma_rw_set - the Reads and Writes of one connection
 * @cache: where they are allocated
 * @lock: protects @all and @count
 * @all: list of struct rpcrdma_rw that are mapped
 * @count: number of entries of @all
 * @merge_reads: pages that adjoin in memory share an entry of a Read; set
 *	before the Queue Pair is used
 * @merge_writes: the same for a Write
 */
struct rpcrdma_rw_set {
	struct kmem_cache *cache;
	spinlock_t lock;
	struct list_head all;
	u32 count;
	bool merge_reads;
	bool merge_writes;
};

/**
 * rpcrdma_rw_set_init - initialize the set of a connection
 * @set: set
 * @cache: made by rpcrdma_rw_cache_create()
 *
 * Context: any.
 */
static inline void rpcrdma_rw_set_init(struct rpcrdma_rw_set *set,
				       struct kmem_cache *cache)
{
	set->cache = cache;
	spin_lock_init(&set->lock);
	INIT_LIST_HEAD(&set->all);
	set->count = 0;
}

#endif /* _RPCRDMA_RW_SET_H */
