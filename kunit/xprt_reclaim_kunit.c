// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a transport with a swap file keeps more requests in reserve, and code
 * that memory reclaim waits for starts no I/O when it allocates. Otherwise, a
 * client short of memory would deadlock.
 */
#include "xprt_fakes.h"

static u32 fake_reserve;

/* There is no memory for it now. */
static int fake_reqs_reserve(struct xprt_rdma *r_xprt, u32 count)
{
	fake_reserve = count;
	r_xprt->reqs_reserve = count;
	return -ENOMEM;
}

#define xprt_rdma_reqs_reserve	fake_reqs_reserve

#include "../xprtrdma/control/reclaim.c"

static struct xprt_rdma *transport(struct kunit *test)
{
	struct xprt_rdma *r_xprt = fake_r_xprt(test);

	fake_reserve = 0;
	r_xprt->reqs_reserve = XPRT_RDMA_RESERVE_REQS;
	return r_xprt;
}

/*
 * The reserve is larger from the first swap file to the last one. sunrpc cannot undo
 * a swap file that one of several transports refuses, so none does. It may report the
 * end of one to a transport that was created after its beginning.
 */
static void reserve_while_swapping(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);
	struct rpc_xprt *xprt = &r_xprt->xprt;

	xprt_rdma_op_disable_swap(xprt);
	KUNIT_EXPECT_EQ(test, atomic_read(&xprt->swapper), 0);
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
	KUNIT_CASE(flags_saved_and_restored),
	{}
};

SUITE("xprt_rdma_reclaim", xprt_reclaim_cases);
