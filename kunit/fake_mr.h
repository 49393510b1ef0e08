/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory regions without an adapter, for suites of the files that manage them.
 * Include this header before mr.c.
 */
#ifndef _XPRT_RDMA_FAKE_MR_H
#define _XPRT_RDMA_FAKE_MR_H

#define FAKE_MEMORY_WATCHED
#include "fake_memory.h"

static struct fake_mrs {
	u32 allocated;		/* number of regions allocated */
	u32 deregistered;	/* number of regions deregistered */
	u32 depth;		/* pages of the region allocated last */
} fake_mrs;

static struct ib_mr *fake_alloc_mr(struct ib_pd *pd, enum ib_mr_type type,
				   u32 depth)
{
	struct ib_mr *ibmr = kzalloc(sizeof(*ibmr), GFP_KERNEL);

	if (!ibmr)
		return ERR_PTR(-ENOMEM);
	fake_mrs.allocated++;
	fake_mrs.depth = depth;
	ibmr->rkey = 0x100 * fake_mrs.allocated;
	return ibmr;
}

#define ib_alloc_mr	fake_alloc_mr
#define ib_dereg_mr(ibmr)	((void)fake_mrs.deregistered++, kfree(ibmr))

static struct xprt_rdma_conn *fake_mr_conn(struct kunit *test, u32 depth)
{
	struct xprt_rdma_conn *conn = fake_r_xprt(test)->conn;

	memset(&fake_mrs, 0, sizeof(fake_mrs));
	fake_memory_watch(test);
	fake_memory_left = -1;
	conn->mrs.depth = depth;
	return conn;
}

KUNIT_DEFINE_ACTION_WRAPPER(fake_mrs_destroy, xprt_rdma_mrs_destroy, struct xprt_rdma_conn *);

/*
 * Destroy all regions at the end of the test, before the requests that exist so
 * far are destroyed.
 */
static void fake_mrs_destroy_later(struct kunit *test,
				   struct xprt_rdma_conn *conn)
{
	fake_defer(test, fake_mrs_destroy, conn);
}

#endif /* _XPRT_RDMA_FAKE_MR_H */
