/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages that a connection keeps for its next RDMA Reads and replies. */
#ifndef _SVC_RDMA_STASH_H
#define _SVC_RDMA_STASH_H

#include <linux/list.h>
#include <linux/spinlock.h>

/**
 * struct svc_rdma_stash - pages kept by a connection
 * @lock: protects the members up to @quota
 * @pages: pages that only the stash references, linked by page->lru
 * @count: entries of @pages
 * @low: lowest @count since the last svc_rdma_stash_trim()
 * @quota: pages charged to this stash; never less than @count
 * @entry: entry of the list of all stashes
 */
struct svc_rdma_stash {
	spinlock_t lock;
	struct list_head pages;
	u32 count;
	u32 low;
	u32 quota;
	struct list_head entry;
};

#endif /* _SVC_RDMA_STASH_H */
