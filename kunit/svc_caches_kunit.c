// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the slab caches of RDMA Reads and Writes and of svcrdma's Read contexts
 * are created or loading fails, and what comes from them is large enough and has
 * empty lists. If this failed, a call with chunks would overwrite the next
 * one's.
 */
#include <linux/module.h>
#include <linux/slab.h>

/* Caches that can be created, and what there is */
static u32 fake_left, fake_caches;

/* Size of each and its constructor, in order of creation */
static struct {
	u32 size;
	void (*construct)(void *object);
} fake_made[2];

static struct kmem_cache *fake_create(u32 size, void (*construct)(void *object))
{
	if (!fake_left || fake_caches >= ARRAY_SIZE(fake_made))
		return NULL;
	fake_left--;
	fake_made[fake_caches].size = size;
	fake_made[fake_caches].construct = construct;
	fake_caches++;
	return (void *)(uintptr_t)fake_caches;
}

static void fake_destroy(const struct kmem_cache *cache)
{
	fake_caches -= !!cache;
}

#undef kmem_cache_create
#define kmem_cache_create(name, size, align, flags, construct) \
	fake_create(size, construct)
#define kmem_cache_destroy(cache)	fake_destroy(cache)

#include "svc_fakes.h"

#include "../core/verbs/rw.c"
#include "../svcrdma/message/caches.c"

static void created_or_not(struct kunit *test)
{
	fake_caches = 0;
	fake_left = 0;
	KUNIT_EXPECT_EQ(test, rpcrdma_rw_init(), -ENOMEM);
	KUNIT_EXPECT_EQ(test, svc_rdma_caches_init(), -ENOMEM);
	fake_left = 2;
	KUNIT_EXPECT_EQ(test, rpcrdma_rw_init(), 0);
	KUNIT_EXPECT_EQ(test, svc_rdma_caches_init(), 0);
	KUNIT_EXPECT_EQ(test, fake_caches, 2);
	svc_rdma_caches_exit();
	rpcrdma_rw_exit();
	KUNIT_EXPECT_EQ(test, fake_caches, 0);
}

/* Without a constructor, many kernels clear 4 KiB for each call. */
static void constructed(struct kunit *test)
{
	struct svc_rdma_read_ctx *read = fake_zalloc(test, sizeof(*read));
	struct rpcrdma_rw *rw = fake_zalloc(test, sizeof(*rw));

	fake_caches = 0;
	fake_left = 2;
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_rw_init());
	KUNIT_ASSERT_EQ(test, 0, svc_rdma_caches_init());
	KUNIT_EXPECT_EQ(test, fake_made[0].size, sizeof(*rw));
	KUNIT_EXPECT_EQ(test, fake_made[1].size, sizeof(*read));
	KUNIT_ASSERT_NOT_NULL(test, fake_made[0].construct);
	KUNIT_ASSERT_NOT_NULL(test, fake_made[1].construct);
	fake_made[0].construct(rw);
	fake_made[1].construct(read);
	KUNIT_EXPECT_TRUE(test, list_empty(&rw->all));
	KUNIT_EXPECT_TRUE(test, list_empty(&read->rws));
}

static struct kunit_case svc_caches_cases[] = {
	KUNIT_CASE(created_or_not),
	KUNIT_CASE(constructed),
	{}
};

static struct kunit_suite svc_caches_suite = {
	.name		= "svc_rdma_caches",
	.test_cases	= svc_caches_cases,
};

kunit_test_suite(svc_caches_suite);

MODULE_DESCRIPTION("KUnit suite: svcrdma's slab caches");
MODULE_LICENSE("GPL");
