/* SPDX-License-Identifier: GPL-2.0-only */
/* The set of RDMA Reads and Writes of a connection (rw.h). */
#ifndef _RPCRDMA_RW_SET_H
#define _RPCRDMA_RW_SET_H

#include <linux/list.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>
#include <rdma/rw.h>

/* Pages that rdma_rw lets a memory region cover, if the device allows more */
#define RPCRDMA_RW_PAGES	256u

/**
 * struct rpcrdma_rw_set - the Reads and Writes of one connection
 * @cache: where they are allocated
 * @lock: protects @all and @count
 * @all: list of struct rpcrdma_rw that are mapped
 * @count: number of entries of @all
 * @regions: the device may need memory regions, which are created as they are
 *	needed; set before the Queue Pair is used
 * @pages: pages that one Read or Write covers at most; the same
 * @merge_reads: pages that adjoin in memory share an entry of a Read; set
 *	before the Queue Pair is used
 * @merge_writes: the same for a Write
 */
struct rpcrdma_rw_set {
	struct kmem_cache *cache;
	spinlock_t lock;
	struct list_head all;
	u32 count;
	bool regions;
	u32 pages;
	bool merge_reads;
	bool merge_writes;
};

/**
 * rpcrdma_rw_set_init - initialize the set of a connection
 * @set: set, cleared
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
	set->pages = RPCRDMA_RW_PAGES;
}

/**
 * rpcrdma_rw_set_device - find out what a device needs for Reads and Writes
 * @set: set of a connection without Reads and Writes
 * @device: its device
 * @port: its port
 *
 * rdma_rw decides whether a Read or Write needs a memory region: a Read over
 * iWARP, a Read of more than max_sgl_rd entries, or everything, with force_mr of
 * ib_core. It does not tell, but counts the Work Requests for it.
 *
 * Context: any.
 */
static inline void rpcrdma_rw_set_device(struct rpcrdma_rw_set *set,
					 struct ib_device *device, u32 port)
{
	set->regions = rdma_rw_max_send_wr(device, port, 1, 0) > 1;
	set->pages = RPCRDMA_RW_PAGES;
	if (set->regions)
		set->pages = clamp(device->attrs.max_fast_reg_page_list_len, 1u,
				   RPCRDMA_RW_PAGES);
}

#endif /* _RPCRDMA_RW_SET_H */
