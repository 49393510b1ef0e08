// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a transport with a swap file keeps more requests in reserve, and code
 * that memory reclaim waits for starts no I/O when it allocates. Otherwise, a
 * client short of memory would deadlock.
 */
#include "xprt_fakes.h"

static u32 fake_reserve;
static int fake_reserve_status;

static int fake_reqs_reserve(struct xprt_rdma *r_xprt, u32 count)
{
	fake_reserve = count;
	r_xprt->reqs_reserve = count;
	return fake_reserve_status;
}

#define xprt_rdma_reqs_reserve	fake_reqs_reserve

#include "../xprtrdma/control/reclaim.c"

static struct xprt_rdma *transport(struct kunit *test)
{
	struct xprt_rdma *r_xprt = fake_r_xprt(test);

	fake_reserve = 0;
	fake_reserve_status = 0;
	r_xprt->reqs_reserve = XPRT_RDMA_RESERVE_REQS;
	return r_xprt;
}

/* The reserve is larger from the first swap file to the last one. */
static void reserve_while_swapping(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);
	struct rpc_xprt *xprt = &r_xprt->xprt;

	KUNIT_EXPECT_EQ(test, xprt_rdma_op_enable_swap(xprt), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&xprt->swapper), 1);
	KUNIT_EXPECT_EQ(test, fake_reserve, XPRT_RDMA_RESERVE_SWAP);
	fake_reserve = 0;
	KUNIT_EXPECT_EQ(test, xprt_rdma_op_enable_swap(xprt), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&xprt->swapper), 2);
	KUNIT_EXPECT_EQ(test, fake_reserve, 0);
	xprt_rdma_op_disable_swap(xprt);
	KUNIT_EXPECT_EQ(test, r_xprt->reqs_reserve, XPRT_RDMA_RESERVE_SWAP);
	xprt_rdma_op_disable_swap(xprt);
	KUNIT_EXPECT_EQ(test, atomic_read(&xprt->swapper), 0);
	KUNIT_EXPECT_EQ(test, r_xprt->reqs_reserve, XPRT_RDMA_RESERVE_REQS);
}

/* sunrpc cannot undo a swap file that one of several transports refuses. */
static void never_refused(struct kunit *test)
{
	struct rpc_xprt *xprt = &transport(test)->xprt;

	fake_reserve_status = -ENOMEM;
	KUNIT_EXPECT_EQ(test, xprt_rdma_op_enable_swap(xprt), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&xprt->swapper), 1);
}

/*
 * sunrpc may report the end of a swap file to a transport that was created
 * after its beginning.
 */
static void unbalanced_end_ignored(struct kunit *test)
{
	struct rpc_xprt *xprt = &transport(test)->xprt;

	xprt_rdma_op_disable_swap(xprt);
	KUNIT_EXPECT_EQ(test, atomic_read(&xprt->swapper), 0);
}

/* The task's flags are set for reclaim, and restored, also when nested. */
static void flags_saved_and_restored(struct kunit *test)
{
	const unsigned int both = PF_MEMALLOC_NOIO | PF_MEMALLOC;
	struct xprt_rdma *r_xprt = transport(test);
	unsigned int outer, inner;

	KUNIT_ASSERT_EQ(test, current->flags & both, 0);
	outer = xprt_rdma_reclaim_save(r_xprt);
	KUNIT_EXPECT_EQ(test, current->flags & both, PF_MEMALLOC_NOIO);
	KUNIT_EXPECT_TRUE(test, xprt_rdma_reclaim_safe());
	KUNIT_EXPECT_TRUE(test, current_gfp_context(GFP_KERNEL) == GFP_NOIO);
	atomic_inc(&r_xprt->xprt.swapper);
	inner = xprt_rdma_reclaim_save(r_xprt);
	KUNIT_EXPECT_EQ(test, current->flags & both, both);
	xprt_rdma_reclaim_restore(inner);
	KUNIT_EXPECT_EQ(test, current->flags & both, PF_MEMALLOC_NOIO);
	xprt_rdma_reclaim_restore(outer);
	KUNIT_EXPECT_EQ(test, current->flags & both, 0);
	KUNIT_EXPECT_FALSE(test, xprt_rdma_reclaim_safe());
}

static struct kunit_case xprt_reclaim_cases[] = {
	KUNIT_CASE(reserve_while_swapping),
	KUNIT_CASE(never_refused),
	KUNIT_CASE(unbalanced_end_ignored),
	KUNIT_CASE(flags_saved_and_restored),
	{}
};

SUITE("xprt_rdma_reclaim", xprt_reclaim_cases);
