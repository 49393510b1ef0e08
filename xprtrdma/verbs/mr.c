// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory regions: created when a call needs one, kept for later calls.
 *
 * Operation: each connection has a LIFO free list per size class. These lists
 * start with the regions that one call may need, so that memory reclaim does
 * not depend on allocating regions. A region is created only when all regions
 * of its class are in use. Each region in use has a Send Queue entry for its
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

/* Pages that a small region can cover */
#define SMALL_DEPTH	8u

static struct xprt_rdma_mr *xprt_rdma_mr_alloc(struct xprt_rdma_conn *conn,
					       enum xprt_rdma_mr_class class)
{
	u32 depth = class == XPRT_RDMA_MR_SMALL ?
			    min(SMALL_DEPTH, conn->mrs.depth) : conn->mrs.depth;
	struct xprt_rdma_mr *mr;

	mr = kvzalloc(struct_size(mr, sg, depth), XPRT_RDMA_GFP);
	if (!mr)
		return NULL;
	mr->class = class;
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

static void xprt_rdma_mr_free(struct xprt_rdma_mr *mr)
{
	ib_dereg_mr(mr->ibmr);
	kvfree(mr);
	xprt_rdma_count_add(mrs_now, -1);
}

static struct xprt_rdma_mr *xprt_rdma_mr_take(struct xprt_rdma_conn *conn,
					      enum xprt_rdma_mr_class class)
{
	struct xprt_rdma_mr *mr;

	spin_lock(&conn->mrs.lock);
	mr = list_first_entry_or_null(&conn->mrs.free[class],
				      struct xprt_rdma_mr, list);
	if (mr) {
		list_del_init(&mr->list);
		conn->mrs.busy++;
	}
	spin_unlock(&conn->mrs.lock);
	return mr;
}

/* Create a region, and add it to the free list. */
static int xprt_rdma_mr_create(struct xprt_rdma_conn *conn,
			       enum xprt_rdma_mr_class class)
{
	unsigned int noio = memalloc_noio_save();
	struct xprt_rdma_mr *mr = xprt_rdma_mr_alloc(conn, class);

	memalloc_noio_restore(noio);
	if (!mr)
		return -ENOMEM;

	spin_lock(&conn->mrs.lock);
	list_add_tail(&mr->all, &conn->mrs.all);
	list_add(&mr->list, &conn->mrs.free[class]);
	conn->mrs.count++;
	spin_unlock(&conn->mrs.lock);
	conn->r_xprt->stats.mrs_allocated++;
	xprt_rdma_count(mrs_now);
	return 0;
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
	enum xprt_rdma_mr_class class = pages <= SMALL_DEPTH ?
						XPRT_RDMA_MR_SMALL :
						XPRT_RDMA_MR_LARGE;
	struct xprt_rdma_mr *mr = xprt_rdma_mr_take(conn, class);

	if (mr || xprt_rdma_mr_create(conn, class))
		return mr;
	return xprt_rdma_mr_take(conn, class);
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
		list_add(&mr->list, &conn->mrs.free[mr->class]);
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
	const u32 reserve[] = {
		[XPRT_RDMA_MR_SMALL] = XPRT_RDMA_RESERVE_SMALL,
		[XPRT_RDMA_MR_LARGE] = DIV_ROUND_UP(XPRT_RDMA_MAX_PAYLOAD / PAGE_SIZE + 1,
						    conn->mrs.depth),
	};
	int class, rc = 0;
	u32 i;

	for (class = 0; class < XPRT_RDMA_MR_CLASSES; class++)
		for (i = reserve[class]; i && !rc; i--)
			rc = xprt_rdma_mr_create(conn, class);
	return rc;
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
		xprt_rdma_mr_free(mr);
		conn->mrs.count--;
	}
	WARN_ON_ONCE(conn->mrs.count);
	conn->mrs.busy = 0;
}
