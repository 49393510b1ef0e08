/* SPDX-License-Identifier: GPL-2.0-only */
/* The set of RDMA Reads and Writes of a connection (rw.h). */
#ifndef _RPCRDMA_RW_SET_H
#define _RPCRDMA_RW_SET_H

#include <linux/list.h>
#include <linux/random.h>
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
 * @confirm: Reads are confirmed (rw_confirm.h); set before the Queue Pair is used
 * @mark: the next mark
 */
struct rpcrdma_rw_set {
	struct kmem_cache *cache;
	spinlock_t lock;
	struct list_head all;
	u32 count;
	bool merge_reads;
	bool merge_writes;
	bool confirm;
	u64 mark;
};

/* Soft-RoCE: pages per Work Request that survive packets out of order */
#define RPCRDMA_RXE_PAGES	5u

/**
 * rpcrdma_on_rxe - find out whether a device is soft-RoCE
 * @device: device
 *
 * Its RDMA Reads and Writes need care (Documentation/decisions:
 * 12-five-pages-per-work-request.rst, 13-reads-are-confirmed.rst).
 *
 * Context: any.
 * Return: true if it is.
 */
static inline bool rpcrdma_on_rxe(const struct ib_device *device)
{
	return device->ops.driver_id == RDMA_DRIVER_RXE;
}

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
	set->confirm = false;
	set->mark = get_random_u64();
}

#endif /* _RPCRDMA_RW_SET_H */
