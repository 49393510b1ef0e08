// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: memory regions are reused, and all of them are destroyed with the
 * connection. A reserve always suffices for one call. Otherwise, each
 * connection would leak regions of the adapter, or a mount would hang when
 * memory is short.
 */
#include "xprt_fakes.h"
#include "fake_mr.h"
#include "fake_balance.h"

#include "../xprtrdma/verbs/mr.c"

#define DEPTH		100u

/* The connection under test; init creates a new one for each case. */
static struct xprt_rdma_conn *conn;

static int connection(struct kunit *test)
{
	conn = fake_mr_conn(test, DEPTH);
	fake_mrs_destroy_later(test, conn);
	return 0;
}

static void expect_counts(struct kunit *test, u32 count, u32 busy)
{
	KUNIT_EXPECT_EQ(test, conn->mrs.count, count);
	KUNIT_EXPECT_EQ(test, conn->mrs.busy, busy);
	KUNIT_EXPECT_EQ(test, fake_mrs.allocated - fake_mrs.deregistered,
			count);
}

static struct xprt_rdma_mr *get(struct kunit *test, u32 pages)
{
	struct xprt_rdma_mr *mr = xprt_rdma_mr_get(conn, pages);

	KUNIT_ASSERT_NOT_NULL(test, mr);
	return mr;
}

/*
 * A mapping of a few pages gets a small region, a larger mapping a large one.
 */
static void size_fits_pages(struct kunit *test)
{
	static const struct { u32 depth, pages, want; } cases[] = {
		{ DEPTH, 1, SMALL_DEPTH },
		{ DEPTH, SMALL_DEPTH, SMALL_DEPTH },
		{ DEPTH, SMALL_DEPTH + 1, DEPTH },
		{ DEPTH, DEPTH, DEPTH },
		/* The smallest that xprt_rdma_frwr_query() accepts */
		{ 16, 9, 16 },
	};
	struct xprt_rdma_mr *mr;

	for_each_case(c, cases) {
		connection(test);
		conn->mrs.depth = c->depth;
		mr = get(test, c->pages);
		KUNIT_EXPECT_EQ(test, mr->depth, c->want);
		KUNIT_EXPECT_EQ(test, fake_mrs.depth, c->want);
		expect_counts(test, 1, 1);
		xprt_rdma_mr_put(conn, mr, true);
		expect_counts(test, 1, 0);
	}
}

/* DMA-map @n entries of the region's scatterlist. */
static void map(struct xprt_rdma_mr *mr, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		sg_set_buf(&mr->sg[i], mr, i + 1);
	mr->nents = n;
	mr->dir = DMA_TO_DEVICE;
	fake_dma_map_sg(mr->sg, n, mr->dir);
}

/* Releasing a region unmaps it. The region released last is reused first. */
static void last_used_is_used_next(struct kunit *test)
{
	struct xprt_rdma_mr *a = get(test, 1), *b = get(test, 1);

	KUNIT_EXPECT_PTR_NE(test, a, b);
	map(a, 3);
	xprt_rdma_mr_put(conn, a, true);
	xprt_rdma_mr_put(conn, b, true);
	KUNIT_EXPECT_EQ(test, fake_dma.n, 0);
	KUNIT_EXPECT_PTR_EQ(test, xprt_rdma_mr_get(conn, 1), b);
	KUNIT_EXPECT_PTR_EQ(test, xprt_rdma_mr_get(conn, 1), a);
	expect_counts(test, 2, 2);
	KUNIT_EXPECT_EQ(test, conn->r_xprt->stats.mrs_allocated, 2);
	xprt_rdma_mr_put(conn, a, true);
	KUNIT_EXPECT_EQ(test, fake_dma.n, 0);
}

/*
 * The end of a connection destroys all regions, including those of requests,
 * and those in an unknown state, which are never reused.
 */
static void all_destroyed_at_end(struct kunit *test)
{
	struct xprt_rdma_mr *used = get(test, 1), *unknown = get(test, DEPTH);
	LIST_HEAD(request);

	map(used, 1);
	list_add(&used->list, &request);
	map(unknown, 1);
	xprt_rdma_mr_put(conn, unknown, false);
	KUNIT_EXPECT_EQ(test, fake_dma.n, 1);
	KUNIT_EXPECT_EQ(test, conn->r_xprt->stats.mrs_recycled, 1);
	expect_counts(test, 2, 1);
	KUNIT_EXPECT_PTR_NE(test, get(test, DEPTH), unknown);
	xprt_rdma_mr_put(conn, get(test, 1), true);

	xprt_rdma_mrs_destroy(conn);

	expect_counts(test, 0, 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&request));
	KUNIT_EXPECT_EQ(test, fake_dma.n, 0);
	fake_expect_balance(test, mrs);
}

/* The reserve suffices for a call of 1 MiB, even if unaligned (257 pages). */
static void reserve_enough_for_a_call(struct kunit *test)
{
	static const struct { u32 depth, large; } cases[] = {
		{ DEPTH, 3 }, { 128, 3 }, { 256, 2 }, { 257, 1 },
	};
	u32 n, all;

	for_each_case(c, cases) {
		connection(test);
		conn->mrs.depth = c->depth;
		all = XPRT_RDMA_RESERVE_SMALL + c->large;
		KUNIT_ASSERT_EQ(test, 0, xprt_rdma_mrs_reserve(conn));

		expect_counts(test, all, 0);
		fake_memory_left = 0;
		for (n = 0; n < c->large; n++)
			get(test, c->depth);
		for (; n < all; n++)
			get(test, 1);
		KUNIT_EXPECT_NULL(test, xprt_rdma_mr_get(conn, 1));
		expect_counts(test, all, all);
		xprt_rdma_mrs_destroy(conn);
	}
	fake_memory_left = -1;
}

/*
 * If any allocation for the reserve fails, -ENOMEM is returned and nothing
 * leaks.
 */
static void no_memory_leaks_nothing(struct kunit *test)
{
	int n;

	/* Allocations per region: struct, verbs object */
	for (n = 0; n < 3 * 2; n++) {
		fake_memory_left = n;
		KUNIT_EXPECT_EQ(test, -ENOMEM, xprt_rdma_mrs_reserve(conn));
		expect_counts(test, n / 2, 0);
		xprt_rdma_mrs_destroy(conn);
		expect_counts(test, 0, 0);
	}
	fake_memory_left = -1;
}

static struct kunit_case xprt_mr_cases[] = {
	KUNIT_CASE(size_fits_pages),
	KUNIT_CASE(last_used_is_used_next),
	KUNIT_CASE(all_destroyed_at_end),
	KUNIT_CASE(reserve_enough_for_a_call),
	KUNIT_CASE(no_memory_leaks_nothing),
	{}
};

SUITE("xprt_rdma_mr", xprt_mr_cases, .init = connection, .exit = balance_exit);
