// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory regions: created when a call needs one, kept for later calls.
 *
 * Operation: each connection has two LIFO free lists, by size. These lists
 * start with the regions that one call may need, so that memory reclaim does
 * not depend on allocating regions. A region is created only when all regions
 * of its size are in use. Each region in use has a Send Queue entry for its
 * invalidation, which limits the number of regions.
 *
 * Ownership: a region is in a free list or in the list of one request. A region
 * whose registration or invalidation failed is in an unknown state, and in
 * neither list. All regions are destroyed when the connection ends.
 *
 * Errors: a call that gets no region is sent later.
 */

#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "../conn.h"
#include "../limits.h"
#include "../stats.h"
#include "../xprt.h"
#include "verbs.h"

/* Pages that a small region can cover: fewer than a large one on any device */
#define SMALL_DEPTH	8u

static struct list_head *xprt_rdma_mrs_free(struct xprt_rdma_conn *conn,
					    u32 depth)
{
	return depth > SMALL_DEPTH ? &conn->mrs.free_large :
				     &conn->mrs.free_small;
}

static struct xprt_rdma_mr *xprt_rdma_mr_alloc(struct xprt_rdma_conn *conn,
					       u32 depth)
{
	struct xprt_rdma_mr *mr;

	mr = kvzalloc(struct_size(mr, sg, depth), XPRT_RDMA_GFP);
	if (!mr)
		return NULL;
	mr->depth = depth;
	mr->ibmr = ib_alloc_mr(conn->pd, IB_MR_TYPE_MEM_REG, depth);
	if (IS_ERR(mr->ibmr)) {
		kvfree(mr);
		return NULL;
	}
	sg_init_table(mr->sg, depth);
	INIT_LIST_HEAD(&mr->list);
	return mr;
}

static struct xprt_rdma_mr *xprt_rdma_mr_take(struct xprt_rdma_conn *conn,
					      u32 depth)
{
	struct xprt_rdma_mr *mr;

	spin_lock(&conn->mrs.lock);
	mr = list_first_entry_or_null(xprt_rdma_mrs_free(conn, depth),
				      struct xprt_rdma_mr, list);
	if (mr) {
		list_del_init(&mr->list);
		conn->mrs.busy++;
	}
	spin_unlock(&conn->mrs.lock);
	return mr;
}

static struct xprt_rdma_mr *xprt_rdma_mr_create(struct xprt_rdma_conn *conn,
						u32 depth)
{
	unsigned int noio = memalloc_noio_save();
	struct xprt_rdma_mr *mr = xprt_rdma_mr_alloc(conn, depth);

	memalloc_noio_restore(noio);
	if (!mr)
		return NULL;

	spin_lock(&conn->mrs.lock);
	list_add_tail(&mr->all, &conn->mrs.all);
	conn->mrs.count++;
	conn->mrs.busy++;
	spin_unlock(&conn->mrs.lock);
	conn->r_xprt->stats.mrs_allocated++;
	xprt_rdma_count(mrs_now);
	return mr;
}

/**
 * xprt_rdma_mr_get - get a region for a number of pages
 * @conn: connection
 * @pages: pages to be covered, at most the connection's mrs.depth
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: region, or NULL. If NULL, the caller must return the regions that it
 * already has, so that another call can use them.
 */
struct xprt_rdma_mr *xprt_rdma_mr_get(struct xprt_rdma_conn *conn, u32 pages)
{
	u32 depth = pages > SMALL_DEPTH ? conn->mrs.depth : SMALL_DEPTH;

	return xprt_rdma_mr_take(conn, depth) ?: xprt_rdma_mr_create(conn, depth);
}

static void xprt_rdma_mr_unmap(struct xprt_rdma_conn *conn,
			       struct xprt_rdma_mr *mr)
{
	if (!mr->nents)
		return;
	ib_dma_unmap_sg(conn->device, mr->sg, mr->nents, mr->dir);
	mr->nents = 0;
	/*
	 * Bounce buffers are copied to the pages before a task sees that its
	 * request has no regions: pairs with xprt_rdma_invalidate_sync().
	 */
	smp_wmb();
}

/**
 * xprt_rdma_mr_put - return a region that the peer cannot access
 * @conn: connection
 * @mr: region
 * @usable: the region was invalidated, or never registered. If false, its state
 *	is unknown, and only the Queue Pair's error state keeps the peer from
 *	accessing it: it is not used again.
 *
 * Context: process.
 */
void xprt_rdma_mr_put(struct xprt_rdma_conn *conn, struct xprt_rdma_mr *mr,
		      bool usable)
{
	xprt_rdma_mr_unmap(conn, mr);
	spin_lock(&conn->mrs.lock);
	list_del_init(&mr->list);
	if (likely(usable))
		list_add(&mr->list, xprt_rdma_mrs_free(conn, mr->depth));
	else
		conn->r_xprt->stats.mrs_recycled++;
	WARN_ON_ONCE(!conn->mrs.busy);
	conn->mrs.busy--;
	spin_unlock(&conn->mrs.lock);
}

/**
 * xprt_rdma_mrs_reserve - create the regions that a connection always has: as
 * many as a call with the largest payload may need
 * @conn: connection that is not used yet
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: 0 or -ENOMEM.
 */
int xprt_rdma_mrs_reserve(struct xprt_rdma_conn *conn)
{
	u32 large = DIV_ROUND_UP(XPRT_RDMA_MAX_PAYLOAD / PAGE_SIZE + 1,
				 conn->mrs.depth);
	struct xprt_rdma_mr *mr;
	u32 i;

	for (i = 0; i < XPRT_RDMA_RESERVE_SMALL + large; i++) {
		mr = xprt_rdma_mr_create(conn, i < large ? conn->mrs.depth :
							   SMALL_DEPTH);
		if (!mr)
			return -ENOMEM;
		xprt_rdma_mr_put(conn, mr, true);
	}
	return 0;
}

/**
 * xprt_rdma_mrs_destroy - destroy all regions, including those of requests
 * @conn: connection without a Queue Pair, in use by no other task
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_mrs_destroy(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_mr *mr, *next;

	list_for_each_entry_safe(mr, next, &conn->mrs.all, all) {
		xprt_rdma_mr_unmap(conn, mr);
		list_del_init(&mr->list);
		list_del(&mr->all);
		ib_dereg_mr(mr->ibmr);
		kvfree(mr);
		conn->mrs.count--;
		xprt_rdma_count_add(mrs_now, -1);
	}
	WARN_ON_ONCE(conn->mrs.count);
	conn->mrs.busy = 0;
}
