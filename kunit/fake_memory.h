/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that runs out, for a file that is tested by itself: its allocations
 * and DMA mappings succeed as often as they are told to. Included before that
 * file, and after all headers.
 */
#ifndef _RPCRDMA_FAKE_MEMORY_H
#define _RPCRDMA_FAKE_MEMORY_H

#include <linux/slab.h>
#include <rdma/ib_verbs.h>

/* Allocations and mappings that will succeed; all of them if negative. */
static int fake_memory_left = -1;

/* Flags of all allocations so far. */
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

#undef kmalloc
#undef kzalloc
#undef kvcalloc
#undef kmalloc_array
#undef kmalloc_node
#undef kzalloc_node
#undef kmem_cache_alloc
#undef kmem_cache_alloc_node
#define kmalloc(size, gfp) \
	(fake_memory_gfp |= (gfp), \
	 fake_memory_out() ? NULL : kmalloc_noprof(size, gfp))
#define kzalloc(size, gfp) \
	(fake_memory_gfp |= (gfp), \
	 fake_memory_out() ? NULL : kzalloc_noprof(size, gfp))
#define kvcalloc(n, size, gfp) \
	(fake_memory_out() ? NULL : kvcalloc_noprof(n, size, gfp))
#define kmalloc_array(n, size, gfp) \
	(fake_memory_out() ? NULL : kmalloc_array_noprof(n, size, gfp))
#define kmalloc_node(size, gfp, node) \
	(fake_memory_out() ? NULL : kmalloc_node_noprof(size, gfp, node))
#define kzalloc_node(size, gfp, node) \
	(fake_memory_out() ? NULL : kmalloc_node_noprof(size, (gfp) | __GFP_ZERO, node))
#define kmem_cache_alloc(cache, gfp) \
	(fake_memory_out() ? NULL : kmem_cache_alloc_noprof(cache, gfp))
#define kmem_cache_alloc_node(cache, gfp, node) \
	(fake_memory_out() ? NULL : kmem_cache_alloc_node_noprof(cache, gfp, node))
#define ib_dma_mapping_error(device, addr) \
	((void)(addr), fake_memory_out())

#endif /* _RPCRDMA_FAKE_MEMORY_H */
