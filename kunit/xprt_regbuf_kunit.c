// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a buffer is mapped for DMA once, and unmapped as often, whatever
 * fails. Otherwise, the adapter would access memory that is no longer the
 * buffer's, or DMA mappings would leak.
 */
#include "xprt_fakes.h"
#include "fake_memory.h"

#include "../core/verbs/buffer.c"
#include "../xprtrdma/verbs/regbuf.c"

#define SIZE	100u

static struct ib_device device;

static struct xprt_rdma_regbuf *buffer(struct kunit *test)
{
	struct xprt_rdma_regbuf *rb = fake_zalloc(test, sizeof(*rb));

	fake_dma.mapped = 0;
	fake_memory_left = -1;
	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_regbuf_alloc(rb, SIZE, GFP_KERNEL,
							DMA_TO_DEVICE));
	return rb;
}

/* All buffers of a case are unmapped and freed. */
static void expect_balance(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, fake_dma.n, 0);
	fake_expect_balance(test, regbufs);
}

/*
 * However often a buffer is used, it is mapped once, as a whole. The end of a
 * connection unmaps it; the next connection maps it again.
 */
static void mapped_once_per_connection(struct kunit *test)
{
	struct xprt_rdma_regbuf *rb = buffer(test);

	xprt_rdma_regbuf_unmap(rb);
	KUNIT_EXPECT_EQ(test, xprt_rdma_regbuf_map(rb, &device), 0);
	KUNIT_EXPECT_EQ(test, xprt_rdma_regbuf_map(rb, &device), 0);
	KUNIT_EXPECT_EQ(test, fake_dma.mapped, 1);
	KUNIT_EXPECT_EQ(test, fake_dma.maps[0].len, SIZE);
	KUNIT_EXPECT_EQ(test, fake_dma.maps[0].dir, DMA_TO_DEVICE);
	KUNIT_EXPECT_EQ(test, rb->addr, (u64)(uintptr_t)rb->data);
	xprt_rdma_regbuf_unmap(rb);
	xprt_rdma_regbuf_unmap(rb);
	KUNIT_EXPECT_EQ(test, fake_dma.n, 0);
	KUNIT_EXPECT_EQ(test, xprt_rdma_regbuf_map(rb, &device), 0);
	KUNIT_EXPECT_EQ(test, fake_dma.mapped, 2);
	xprt_rdma_regbuf_free(rb);
	expect_balance(test);
}

/* Replacing a buffer unmaps the old memory; the new one is not mapped yet. */
static void old_memory_unmapped(struct kunit *test)
{
	struct xprt_rdma_regbuf *rb = buffer(test);

	KUNIT_EXPECT_EQ(test, xprt_rdma_regbuf_map(rb, &device), 0);
	KUNIT_EXPECT_EQ(test, xprt_rdma_regbuf_alloc(rb, 2 * SIZE, GFP_KERNEL,
						     DMA_FROM_DEVICE), 0);
	KUNIT_EXPECT_EQ(test, fake_dma.n, 0);
	KUNIT_EXPECT_NULL(test, rb->device);
	KUNIT_EXPECT_EQ(test, rb->size, 2 * SIZE);
	KUNIT_EXPECT_EQ(test, rb->dir, DMA_FROM_DEVICE);
	xprt_rdma_regbuf_free(rb);
	xprt_rdma_regbuf_free(rb);
	KUNIT_EXPECT_NULL(test, rb->data);
	KUNIT_EXPECT_EQ(test, rb->size, 0);
	expect_balance(test);
}

/*
 * Without memory for a new buffer, the old one stays. One that could not be mapped
 * is not unmapped.
 */
static void no_memory_changes_nothing(struct kunit *test)
{
	struct xprt_rdma_regbuf *rb = buffer(test);
	void *data = rb->data;

	fake_memory_left = 0;
	KUNIT_EXPECT_EQ(test, xprt_rdma_regbuf_alloc(rb, 2 * SIZE, GFP_KERNEL,
						     DMA_TO_DEVICE), -ENOMEM);
	KUNIT_EXPECT_PTR_EQ(test, rb->data, data);
	KUNIT_EXPECT_EQ(test, rb->size, SIZE);
	KUNIT_EXPECT_EQ(test, xprt_rdma_regbuf_map(rb, &device), -ENOBUFS);
	KUNIT_EXPECT_NULL(test, rb->device);
	fake_memory_left = -1;
	xprt_rdma_regbuf_free(rb);
	expect_balance(test);
}

static struct kunit_case xprt_regbuf_cases[] = {
	KUNIT_CASE(mapped_once_per_connection),
	KUNIT_CASE(old_memory_unmapped),
	KUNIT_CASE(no_memory_changes_nothing),
	{}
};

SUITE("xprt_rdma_regbuf", xprt_regbuf_cases);
