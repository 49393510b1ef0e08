// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: memory regions are used again, limited in number, and all destroyed
 * with the connection; a call that finds none waits and is woken. Otherwise, a
 * busy mount would hang, or each connection would leak regions of the adapter.
 */
#include "xprt_fakes.h"
#include "fake_mr.h"
#include "fake_balance.h"

#include "../xprtrdma/verbs/mr.c"

#define DEPTH		100u
#define MRS_MAX		4u

static struct xprt_rdma_conn *connection(struct kunit *test)
{
	struct xprt_rdma_conn *conn = fake_mr_conn(test, DEPTH, MRS_MAX);

	fake_mrs_destroy_later(test, conn);
	return conn;
}

static void expect_counts(struct kunit *test, const struct xprt_rdma_conn *conn,
			  u32 count, u32 busy)
{
	KUNIT_EXPECT_EQ(test, conn->mrs.count, count);
	KUNIT_EXPECT_EQ(test, conn->mrs.busy, busy);
	KUNIT_EXPECT_EQ(test, fake_mrs.allocated - fake_mrs.deregistered,
			count);
}

/* A number of pages, and the size of the region for it */
static const struct size_case {
	const char *name;
	u32 depth;
	u32 pages;
	u32 want;
} size_cases[] = {
	{ "one page", DEPTH, 1, SMALL_DEPTH },
	{ "a small one's last page", DEPTH, SMALL_DEPTH, SMALL_DEPTH },
	{ "one more", DEPTH, SMALL_DEPTH + 1, DEPTH },
	{ "as many as possible", DEPTH, DEPTH, DEPTH },
	{ "device with less than a small one", 4, 4, 4 },
};

KUNIT_ARRAY_PARAM_DESC(size_case, size_cases, name);

/* A few pages get a small region, more of them a large one. */
static void size_fits_pages(struct kunit *test)
{
	const struct size_case *c = test->param_value;
	struct xprt_rdma_conn *conn = connection(test);
	struct xprt_rdma_mr *mr;

	conn->mrs.depth = c->depth;
	mr = xprt_rdma_mr_get(conn, c->pages);
	KUNIT_ASSERT_NOT_NULL(test, mr);
	KUNIT_EXPECT_EQ(test, mr->depth, c->want);
	KUNIT_EXPECT_EQ(test, fake_mrs.depth, c->want);
	expect_counts(test, conn, 1, 1);
	xprt_rdma_mr_put(conn, mr, true);
	expect_counts(test, conn, 1, 0);
}

/* The region used last is used next; releasing one wakes waiting tasks. */
static void last_used_is_used_next(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);
	struct xprt_rdma_mr *a, *b;

	a = xprt_rdma_mr_get(conn, 1);
	b = xprt_rdma_mr_get(conn, 1);
	KUNIT_ASSERT_TRUE(test, a && b && a != b);
	xprt_rdma_mr_put(conn, a, true);
	xprt_rdma_mr_put(conn, b, true);
	KUNIT_EXPECT_EQ(test, fake_mrs.write_space, 2);
	KUNIT_EXPECT_PTR_EQ(test, xprt_rdma_mr_get(conn, 1), b);
	KUNIT_EXPECT_PTR_EQ(test, xprt_rdma_mr_get(conn, 1), a);
	expect_counts(test, conn, 2, 2);
	KUNIT_EXPECT_EQ(test, conn->r_xprt->stats.mrs_allocated, 2);
}

/* Map @n entries of the region's scatter list. */
static void map(struct xprt_rdma_mr *mr, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		sg_set_buf(&mr->sg[i], mr, i + 1);
	mr->nents = n;
	mr->dir = DMA_TO_DEVICE;
	fake_dma_map_sg(mr->sg, n, mr->dir);
}

/* Releasing a region unmaps it, if it is mapped. */
static void unmapped_when_released(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);
	struct xprt_rdma_mr *mr = xprt_rdma_mr_get(conn, 1);

	KUNIT_ASSERT_NOT_NULL(test, mr);
	map(mr, 3);
	xprt_rdma_mr_put(conn, mr, true);
	KUNIT_EXPECT_EQ(test, fake_mrs.unmapped, 3);
	KUNIT_EXPECT_EQ(test, mr->nents, 0);
	KUNIT_EXPECT_PTR_EQ(test, xprt_rdma_mr_get(conn, 1), mr);
	xprt_rdma_mr_put(conn, mr, true);
	KUNIT_EXPECT_EQ(test, fake_mrs.unmapped, 3);
}

/* At the limit, a free region of the other size is replaced by a new one. */
static void other_size_replaced_at_limit(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);
	struct xprt_rdma_mr *small[MRS_MAX], *large;
	u32 i;

	/* Arrange: as many as allowed, one of them free */
	for (i = 0; i < MRS_MAX; i++) {
		small[i] = xprt_rdma_mr_get(conn, 1);
		KUNIT_ASSERT_NOT_NULL(test, small[i]);
	}
	xprt_rdma_mr_put(conn, small[2], true);

	/* Act */
	large = xprt_rdma_mr_get(conn, DEPTH);

	/* Assert */
	KUNIT_ASSERT_NOT_NULL(test, large);
	KUNIT_EXPECT_EQ(test, large->depth, DEPTH);
	expect_counts(test, conn, MRS_MAX, MRS_MAX);
	KUNIT_EXPECT_EQ(test, fake_mrs.deregistered, 1);
	KUNIT_EXPECT_NULL(test, xprt_rdma_mr_get(conn, DEPTH));
	KUNIT_EXPECT_NULL(test, xprt_rdma_mr_get(conn, 1));

	/* Act and assert: now a large one is free, and a small one is wanted */
	xprt_rdma_mr_put(conn, large, true);
	small[2] = xprt_rdma_mr_get(conn, 1);
	KUNIT_ASSERT_NOT_NULL(test, small[2]);
	KUNIT_EXPECT_EQ(test, small[2]->depth, SMALL_DEPTH);
	expect_counts(test, conn, MRS_MAX, MRS_MAX);
}

/* Without memory, a large region is used in place of a small one. */
static void large_used_without_memory(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);
	struct xprt_rdma_mr *large = xprt_rdma_mr_get(conn, DEPTH);

	KUNIT_ASSERT_NOT_NULL(test, large);
	xprt_rdma_mr_put(conn, large, true);
	fake_memory_left = 0;
	KUNIT_EXPECT_PTR_EQ(test, xprt_rdma_mr_get(conn, 1), large);
	KUNIT_EXPECT_NULL(test, xprt_rdma_mr_get(conn, DEPTH));
	fake_memory_left = -1;
	expect_counts(test, conn, 1, 1);
}

/* Whichever allocation fails, nothing leaks. */
static void no_memory_leaks_nothing(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);
	struct xprt_rdma_mr *mr = NULL;
	int n;

	for (n = 0; n < 8 && !mr; n++) {
		fake_memory_left = n;
		mr = xprt_rdma_mr_get(conn, 1);
		expect_counts(test, conn, mr ? 1 : 0, mr ? 1 : 0);
	}
	fake_memory_left = -1;
	/* The region, its scatterlist, the verbs object */
	KUNIT_EXPECT_EQ(test, n, 4);
	KUNIT_ASSERT_NOT_NULL(test, mr);
	xprt_rdma_mr_put(conn, mr, true);
}

/*
 * A task that finds no region is woken when one is released, or tries again
 * after a delay if none is in use.
 */
static void waiting_task_woken(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);
	struct xprt_rdma_mr *mr;

	KUNIT_EXPECT_EQ(test, xprt_rdma_mr_wait(conn), -ENOBUFS);
	KUNIT_EXPECT_EQ(test, fake_mrs.write_space, 1);
	mr = xprt_rdma_mr_get(conn, 1);
	KUNIT_ASSERT_NOT_NULL(test, mr);
	KUNIT_EXPECT_EQ(test, xprt_rdma_mr_wait(conn), -EAGAIN);
	KUNIT_EXPECT_EQ(test, fake_mrs.waits, 2);
	KUNIT_EXPECT_EQ(test, fake_mrs.write_space, 1);
	xprt_rdma_mr_put(conn, mr, true);
	KUNIT_EXPECT_EQ(test, fake_mrs.write_space, 2);
}

/* A region in an unknown state is not used again, and destroyed at the end. */
static void unknown_state_not_used_again(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);
	struct xprt_rdma_mr *mr = xprt_rdma_mr_get(conn, 1);

	/* Act */
	KUNIT_ASSERT_NOT_NULL(test, mr);
	map(mr, 1);
	xprt_rdma_mr_put(conn, mr, false);

	/* Assert */
	KUNIT_EXPECT_EQ(test, fake_mrs.unmapped, 1);
	KUNIT_EXPECT_EQ(test, conn->r_xprt->stats.mrs_recycled, 1);
	expect_counts(test, conn, 1, 0);
	KUNIT_EXPECT_PTR_NE(test, xprt_rdma_mr_get(conn, 1), mr);
	xprt_rdma_mrs_destroy(conn);
	expect_counts(test, conn, 0, 0);
}

/* The end of a connection destroys all regions, also those of requests. */
static void all_destroyed_at_end(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);
	struct xprt_rdma_mr *mr;
	LIST_HEAD(request);
	u32 i;

	/* Arrange: one used, one discarded, one free */
	for (i = 0; i < 3; i++) {
		mr = xprt_rdma_mr_get(conn, i == 1 ? DEPTH : 1);
		KUNIT_ASSERT_NOT_NULL(test, mr);
		map(mr, 1);
		if (i == 0)
			list_add(&mr->list, &request);
		else if (i == 1)
			xprt_rdma_mr_put(conn, mr, false);
		else
			xprt_rdma_mr_put(conn, mr, true);
	}
	expect_counts(test, conn, 3, 1);

	/* Act */
	xprt_rdma_mrs_destroy(conn);

	/* Assert */
	expect_counts(test, conn, 0, 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&request));
	KUNIT_EXPECT_EQ(test, fake_mrs.unmapped, 3);
	KUNIT_EXPECT_EQ(test, fake_count(mrs_created),
			fake_count(mrs_destroyed));
}

/* A connection's reserve is enough for any call, without more memory. */
static void reserve_enough_for_a_call(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);
	u32 large = DIV_ROUND_UP(XPRT_RDMA_MAX_PAYLOAD / PAGE_SIZE + 1, DEPTH);
	u32 all = XPRT_RDMA_RESERVE_SMALL + large;
	u32 i;

	/* Act */
	conn->mrs.max = all;
	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_mrs_reserve(conn));

	/* Assert */
	expect_counts(test, conn, all, 0);
	fake_memory_left = 0;
	for (i = 0; i < large; i++)
		KUNIT_EXPECT_NOT_NULL(test, xprt_rdma_mr_get(conn, DEPTH));
	for (i = 0; i < XPRT_RDMA_RESERVE_SMALL; i++)
		KUNIT_EXPECT_NOT_NULL(test, xprt_rdma_mr_get(conn, 1));
	KUNIT_EXPECT_NULL(test, xprt_rdma_mr_get(conn, 1));
	/* The release of one of these wakes the next call. */
	KUNIT_EXPECT_EQ(test, xprt_rdma_mr_wait(conn), -EAGAIN);
	fake_memory_left = -1;
	expect_counts(test, conn, all, all);
}

/* The reserve suffices for 1 MiB that is not page-aligned: 257 pages. */
static void reserve_for_unaligned_payload(struct kunit *test)
{
	static const struct { u32 depth, large; } cases[] = {
		{ 128, 3 }, { 256, 2 }, { 257, 1 },
	};
	struct xprt_rdma_conn *conn;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		conn = connection(test);
		conn->mrs.depth = cases[i].depth;
		conn->mrs.max = 100;
		KUNIT_ASSERT_EQ(test, 0, xprt_rdma_mrs_reserve(conn));
		expect_counts(test, conn,
			      XPRT_RDMA_RESERVE_SMALL + cases[i].large, 0);
		xprt_rdma_mrs_destroy(conn);
	}
}

/* Lack of memory for the reserve is reported; the rest is destroyed later. */
static void reserve_no_memory(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);

	conn->mrs.max = 100;
	fake_memory_left = 4;
	KUNIT_EXPECT_EQ(test, -ENOMEM, xprt_rdma_mrs_reserve(conn));
	fake_memory_left = -1;
	expect_counts(test, conn, 1, 0);
	xprt_rdma_mrs_destroy(conn);
	expect_counts(test, conn, 0, 0);
}

static struct kunit_case xprt_mr_cases[] = {
	KUNIT_CASE_PARAM(size_fits_pages, size_case_gen_params),
	KUNIT_CASE(last_used_is_used_next),
	KUNIT_CASE(unmapped_when_released),
	KUNIT_CASE(other_size_replaced_at_limit),
	KUNIT_CASE(large_used_without_memory),
	KUNIT_CASE(no_memory_leaks_nothing),
	KUNIT_CASE(waiting_task_woken),
	KUNIT_CASE(unknown_state_not_used_again),
	KUNIT_CASE(all_destroyed_at_end),
	KUNIT_CASE(reserve_enough_for_a_call),
	KUNIT_CASE(reserve_for_unaligned_payload),
	KUNIT_CASE(reserve_no_memory),
	{}
};

SUITE("xprt_rdma_mr", xprt_mr_cases, .exit = balance_exit);
