/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocation failures: a test sets how many allocations and DMA mappings of the
 * file under test succeed. Include this header before that file, and after all
 * others. With FAKE_MEMORY_WATCHED, the file must also free all memory that it
 * allocates.
 */
#ifndef _RPCRDMA_FAKE_MEMORY_H
#define _RPCRDMA_FAKE_MEMORY_H

#include <kunit/test.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "fake_dma.h"

/* Number of allocations and mappings that will succeed; negative: all */
static int fake_memory_left = -1;

/* Flags of all allocations so far */
static __maybe_unused gfp_t fake_memory_gfp;

static bool fake_memory_out(void)
{
	if (fake_memory_left < 0)
		return false;
	if (!fake_memory_left)
		return true;
	fake_memory_left--;
	return false;
}

/* If the test has not created the cache, its objects get a page each. */
static __maybe_unused void *fake_cache_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	if (fake_memory_out())
		return NULL;
	return cache ? kmem_cache_alloc_noprof(cache, gfp) :
		       kmalloc_noprof(PAGE_SIZE, gfp);
}

static __maybe_unused void fake_cache_free(struct kmem_cache *cache, void *p)
{
	if (cache)
		kmem_cache_free(cache, p);
	else
		kfree(p);
}

/* Forget a mapping that is made to fail. */
static __maybe_unused bool fake_mapping_error(u64 addr)
{
	if (!fake_memory_out())
		return false;
	fake_dma_forget(addr, 0, DMA_NONE);
	return true;
}

#ifdef FAKE_MEMORY_WATCHED
/*
 * Allocations that the file under test has not freed yet, and the test that
 * checks them
 */
static int fake_memory_blocks;
static struct kunit *fake_memory_test;

static void *fake_memory_given(void *p)
{
	fake_memory_blocks += !!p;
	return p;
}

static __maybe_unused void fake_memory_taken(const void *p)
{
	fake_memory_blocks -= !!p;
	kvfree(p);
}

static __maybe_unused void fake_memory_pages_taken(void *p, size_t size)
{
	fake_memory_blocks -= !!p;
	free_pages_exact(p, size);
}

static void fake_memory_check(void *data)
{
	struct kunit *test = data;

	KUNIT_EXPECT_EQ(test, fake_memory_blocks, 0);
	fake_memory_blocks = 0;
	fake_memory_test = NULL;
}

/* Expect all memory to be freed when the test's later actions have run. */
static void fake_memory_watch(struct kunit *test)
{
	if (fake_memory_test == test)
		return;
	fake_memory_test = test;
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, fake_memory_check,
						  test));
}
#else
#define fake_memory_given(p)	(p)
#endif

#undef kmalloc
#undef kzalloc
#undef kvcalloc
#undef kvzalloc
#undef kmalloc_array
#undef kmalloc_node
#undef kzalloc_node
#undef alloc_pages_exact
#undef kmem_cache_alloc
#undef kmem_cache_free
#undef kmem_cache_alloc_node
#define kmalloc(size, gfp) \
	(fake_memory_gfp |= (gfp), \
	 fake_memory_out() ? NULL : \
	 fake_memory_given(kmalloc_noprof(size, gfp)))
#define kzalloc(size, gfp) \
	(fake_memory_gfp |= (gfp), \
	 fake_memory_out() ? NULL : \
	 fake_memory_given(kzalloc_noprof(size, gfp)))
#define kvcalloc(n, size, gfp) \
	(fake_memory_out() ? NULL : \
	 fake_memory_given(kvcalloc_noprof(n, size, gfp)))
#define kvzalloc(size, gfp)	kvcalloc(1, size, gfp)
#define alloc_pages_exact(size, gfp) \
	(fake_memory_gfp |= (gfp), \
	 fake_memory_out() ? NULL : \
	 fake_memory_given(alloc_pages_exact_noprof(size, gfp)))
#define kmalloc_array(n, size, gfp) \
	(fake_memory_out() ? NULL : kmalloc_array_noprof(n, size, gfp))
#define kmalloc_node(size, gfp, node) \
	kmalloc(size, gfp)
#define kzalloc_node(size, gfp, node) \
	(fake_memory_out() ? NULL : kmalloc_node_noprof(size, (gfp) | __GFP_ZERO, node))
#define kmem_cache_alloc(cache, gfp)	fake_cache_alloc(cache, gfp)
#define kmem_cache_free(cache, p)	fake_cache_free(cache, p)
#define kmem_cache_alloc_node(cache, gfp, node) \
	fake_cache_alloc(cache, gfp)
#define ib_dma_mapping_error(device, addr) \
	((void)(device), fake_mapping_error(addr))

#ifdef FAKE_MEMORY_WATCHED
#define kfree(p)	fake_memory_taken(p)
#define kvfree(p)	fake_memory_taken(p)
#define free_pages_exact(p, size)	fake_memory_pages_taken(p, size)
#endif

#endif /* _RPCRDMA_FAKE_MEMORY_H */
