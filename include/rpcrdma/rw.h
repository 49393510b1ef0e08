/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An RDMA Read or Write: it moves data between one segment of the peer's memory
 * and one range of local memory without gaps. Both sides keep lists of them,
 * and post each list as one chain of Work Requests.
 *
 * Ownership: until its owner releases it, a Read or Write holds a DMA mapping
 * and, if the device needs one, a memory region of the Queue Pair. While it is
 * mapped, it is also in the set of its connection: when the Queue Pair has been
 * drained, everything in the set is unmapped, including Reads and Writes whose
 * completion the provider never reported.
 *
 * Regions: each Read or Write needs one at most. One is created if none is free,
 * and lives as long as the Queue Pair. So who bounds the Reads and Writes of a
 * connection bounds its regions, and nobody waits for one.
 *
 * Lengths: drivers count the pages of a region, rdma_rw the entries of a
 * scatterlist. So a Read or Write covers no more pages than a region does,
 * however few entries they are. An entry is no longer than any device and
 * swiotlb can map.
 */
#ifndef _RPCRDMA_RW_H
#define _RPCRDMA_RW_H

#include <linux/list.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/sizes.h>
#include <rdma/ib_verbs.h>
#include <rdma/mr_pool.h>
#include <rdma/rw.h>

#include <rpcrdma/rw_set.h>
#include <rpcrdma/segment.h>

/*
 * Scatterlist entries that need no extra allocation: 64 KiB in pages, not
 * aligned
 */
#define RPCRDMA_RW_FIRST	17

/* Bytes of an entry: the dma_get_max_seg_size() of drivers that set none */
#define RPCRDMA_RW_ENTRY	SZ_64K

/**
 * struct rpcrdma_rw - one RDMA Read or Write
 * @list: entry of the list of its owner
 * @all: entry of the connection's set while it is mapped
 * @ctx: Work Requests
 * @sgt: local memory
 * @nents: entries of @sgt in use, one or more pages each
 * @dir: DMA_FROM_DEVICE for a Read
 * @first: the first entries of @sgt
 */
struct rpcrdma_rw {
	struct list_head list;
	struct list_head all;
	struct rdma_rw_ctx ctx;
	struct sg_table sgt;
	unsigned int nents;
	enum dma_data_direction dir;
	struct scatterlist first[RPCRDMA_RW_FIRST];
};

/**
 * struct rpcrdma_rw_memory - local memory
 * @base: address in the kernel's direct mapping, or NULL
 * @pages: pages, if @base is NULL
 * @offset: offset in the first page, in bytes
 */
struct rpcrdma_rw_memory {
	void *base;
	struct page **pages;
	u32 offset;
};

/*
 * Fill in the scatterlist with a range of pages; with @merge, pages that adjoin
 * in memory share an entry, up to its length. Returns the number of entries.
 */
static inline unsigned int
rpcrdma_rw_set_pages(struct rpcrdma_rw *rw, const struct rpcrdma_rw_memory *mem,
		     u32 length, bool merge)
{
	struct scatterlist *sg = rw->sgt.sgl;
	struct page **pages = mem->pages;
	u32 bytes, offset = mem->offset;
	unsigned int nents = 0;

	for (; length; length -= bytes, pages++, offset = 0) {
		bytes = min_t(u32, length, PAGE_SIZE - offset);
		if (merge && nents && sg->length + bytes <= RPCRDMA_RW_ENTRY &&
		    page_to_pfn(*pages) == page_to_pfn(pages[-1]) + 1) {
			sg->length += bytes;
			continue;
		}
		if (nents++)
			sg = sg_next(sg);
		sg_set_page(sg, *pages, bytes, offset);
	}
	return nents;
}

static inline bool rpcrdma_rw_merges(const struct rpcrdma_rw_set *set,
				     enum dma_data_direction dir)
{
	return dir == DMA_FROM_DEVICE ? set->merge_reads : set->merge_writes;
}

static inline void rpcrdma_rw_construct(void *object)
{
	struct rpcrdma_rw *rw = object;

	INIT_LIST_HEAD(&rw->all);
}

/**
 * rpcrdma_rw_cache_create - create a cache for Reads and Writes
 * @name: its name
 *
 * It has a constructor, so that kernels that clear memory when it is allocated
 * do not clear what rpcrdma_rw_alloc() sets anyway.
 *
 * Context: process.
 * Return: cache, for kmem_cache_destroy(); NULL if there is no memory.
 */
static inline struct kmem_cache *rpcrdma_rw_cache_create(const char *name)
{
	return kmem_cache_create(name, sizeof(struct rpcrdma_rw), 0,
				 SLAB_HWCACHE_ALIGN, rpcrdma_rw_construct);
}

/**
 * rpcrdma_rw_alloc - allocate a Read or Write
 * @set: Reads and Writes of the connection
 * @mem: local memory
 * @length: bytes, more than 0
 * @dir: DMA_FROM_DEVICE for a Read, DMA_TO_DEVICE for a Write
 * @gfp: allocation flags
 *
 * Context: process.
 * Return: a Read or Write that is not mapped; NULL if the allocation failed.
 */
static inline struct rpcrdma_rw *
rpcrdma_rw_alloc(const struct rpcrdma_rw_set *set,
		 const struct rpcrdma_rw_memory *mem, u32 length,
		 enum dma_data_direction dir, gfp_t gfp)
{
	struct rpcrdma_rw *rw;

	rw = kmem_cache_alloc(set->cache, gfp);
	if (!rw)
		return NULL;
	rw->dir = dir;
	rw->nents = 1;
	if (!mem->base)
		rw->nents = DIV_ROUND_UP(mem->offset + length, PAGE_SIZE);
	rw->sgt.sgl = rw->first;
	if (sg_alloc_table_chained(&rw->sgt, rw->nents, rw->first,
				   RPCRDMA_RW_FIRST)) {
		kmem_cache_free(set->cache, rw);
		return NULL;
	}
	if (mem->base)
		sg_set_buf(rw->sgt.sgl, mem->base, length);
	else
		rw->nents = rpcrdma_rw_set_pages(rw, mem, length,
						 rpcrdma_rw_merges(set, dir));
	return rw;
}

/**
 * rpcrdma_rw_free - undo rpcrdma_rw_alloc()
 * @set: Reads and Writes of the connection
 * @rw: Read or Write that is not mapped
 *
 * Context: any.
 */
static inline void rpcrdma_rw_free(const struct rpcrdma_rw_set *set,
				   struct rpcrdma_rw *rw)
{
	sg_free_table_chained(&rw->sgt, RPCRDMA_RW_FIRST);
	kmem_cache_free(set->cache, rw);
}

/* Remove @rw from the set. False if rpcrdma_rw_end() has already done so. */
static inline bool rpcrdma_rw_take(struct rpcrdma_rw_set *set,
				   struct rpcrdma_rw *rw)
{
	bool mapped;

	spin_lock_bh(&set->lock);
	mapped = !list_empty(&rw->all);
	list_del_init(&rw->all);
	set->count -= mapped;
	spin_unlock_bh(&set->lock);
	return mapped;
}

static inline void rpcrdma_rw_unmap(struct rpcrdma_rw *rw, struct ib_qp *qp,
				    u32 port)
{
	rdma_rw_ctx_destroy(&rw->ctx, qp, port, rw->sgt.sgl, rw->nents,
			    rw->dir);
}

/* Create one more region if none is free: then rdma_rw_ctx_init() finds it. */
static inline int rpcrdma_rw_map(const struct rpcrdma_rw_set *set,
				 struct rpcrdma_rw *rw, struct ib_qp *qp,
				 u32 port, const struct rpcrdma_segment *seg)
{
	bool more = rw->dir == DMA_FROM_DEVICE && list_empty(&qp->rdma_mrs);
	int ret;

	for (;; more = true) {
		if (unlikely(more) && set->regions &&
		    ib_mr_pool_init(qp, &qp->rdma_mrs, 1, IB_MR_TYPE_MEM_REG,
				    set->pages, 0))
			return -ENOMEM;
		ret = rdma_rw_ctx_init(&rw->ctx, qp, port, rw->sgt.sgl,
				       rw->nents, 0, seg->offset, seg->handle,
				       rw->dir);
		/* Another thread may have taken the new region. */
		if (likely(ret != -EAGAIN || !set->regions))
			return ret;
	}
}

/**
 * rpcrdma_rw_room - how much one Read or Write can move
 * @set: Reads and Writes of the connection
 * @mem: local memory
 *
 * Context: any.
 * Return: bytes.
 */
static inline u32 rpcrdma_rw_room(const struct rpcrdma_rw_set *set,
				  const struct rpcrdma_rw_memory *mem)
{
	u32 offset = mem->base ? offset_in_page(mem->base) : mem->offset;

	return set->pages * PAGE_SIZE - offset;
}

/* Go to the end of the first @length bytes. */
static inline void rpcrdma_rw_advance(struct rpcrdma_rw_memory *mem, u32 length)
{
	if (mem->base) {
		mem->base += length;
		return;
	}
	mem->offset += length;
	mem->pages += mem->offset >> PAGE_SHIFT;
	mem->offset = offset_in_page(mem->offset);
}

/**
 * rpcrdma_rw_add - create a Read or Write, map it and add it to a list
 * @set: Reads and Writes of the connection
 * @rws: list of struct rpcrdma_rw
 * @qp: Queue Pair
 * @port: its port
 * @mem: local memory
 * @seg: the peer's memory; @seg->length bytes are moved, more than 0 and no more
 *	than rpcrdma_rw_room()
 * @dir: DMA_FROM_DEVICE for a Read, DMA_TO_DEVICE for a Write
 * @gfp: allocation flags
 *
 * Context: process.
 * Return: number of Send Queue entries that it needs; -ENOMEM, also for a memory
 * region; or another negative errno. After an error, nothing has been added.
 */
static inline int rpcrdma_rw_add(struct rpcrdma_rw_set *set,
				 struct list_head *rws, struct ib_qp *qp,
				 u32 port, const struct rpcrdma_rw_memory *mem,
				 const struct rpcrdma_segment *seg,
				 enum dma_data_direction dir, gfp_t gfp)
{
	struct rpcrdma_rw *rw;
	int ret;

	rw = rpcrdma_rw_alloc(set, mem, seg->length, dir, gfp);
	if (!rw)
		return -ENOMEM;
	ret = rpcrdma_rw_map(set, rw, qp, port, seg);
	if (ret < 0) {
		rpcrdma_rw_free(set, rw);
		return ret;
	}
	spin_lock_bh(&set->lock);
	list_add_tail(&rw->all, &set->all);
	set->count++;
	spin_unlock_bh(&set->lock);
	list_add_tail(&rw->list, rws);
	return ret;
}

/**
 * rpcrdma_rw_release - unmap and free all entries of a list
 * @set: Reads and Writes of the connection
 * @rws: list of struct rpcrdma_rw, none of whose Work Requests is outstanding;
 *	empty on return
 * @qp: Queue Pair
 * @port: its port
 *
 * Context: any.
 * Return: number of entries released.
 */
static inline u32 rpcrdma_rw_release(struct rpcrdma_rw_set *set,
				     struct list_head *rws, struct ib_qp *qp,
				     u32 port)
{
	struct rpcrdma_rw *rw, *next;
	u32 n = 0;

	list_for_each_entry_safe(rw, next, rws, list) {
		list_del(&rw->list);
		if (likely(rpcrdma_rw_take(set, rw)))
			rpcrdma_rw_unmap(rw, qp, port);
		rpcrdma_rw_free(set, rw);
		n++;
	}
	return n;
}

/**
 * rpcrdma_rw_end - unmap all Reads and Writes of a connection
 * @set: Reads and Writes of the connection
 * @qp: Queue Pair, in the error state and drained, but not destroyed
 * @port: its port
 *
 * Their owners still have to release them. All memory regions of the Queue Pair
 * are returned to it; otherwise it could not be destroyed.
 *
 * Context: process.
 */
static inline void rpcrdma_rw_end(struct rpcrdma_rw_set *set, struct ib_qp *qp,
				  u32 port)
{
	struct rpcrdma_rw *rw, *next;

	spin_lock_bh(&set->lock);
	list_for_each_entry_safe(rw, next, &set->all, all) {
		list_del_init(&rw->all);
		set->count--;
		rpcrdma_rw_unmap(rw, qp, port);
	}
	spin_unlock_bh(&set->lock);
}

/**
 * rpcrdma_rw_chain - chain the Work Requests of all entries of a list
 * @rws: list of struct rpcrdma_rw
 * @qp: Queue Pair
 * @port: its port
 * @cqe: completion of the last Work Request, if @wr is NULL
 * @wr: Work Request at the end of the chain, or NULL
 *
 * Context: any; called once per list, before posting.
 * Return: first Work Request of the chain; @wr if the list is empty.
 */
static inline struct ib_send_wr *
rpcrdma_rw_chain(struct list_head *rws, struct ib_qp *qp, u32 port,
		 struct ib_cqe *cqe, struct ib_send_wr *wr)
{
	struct rpcrdma_rw *rw;

	list_for_each_entry_reverse(rw, rws, list) {
		wr = rdma_rw_ctx_wrs(&rw->ctx, qp, port, cqe, wr);
		cqe = NULL;
	}
	return wr;
}

#endif /* _RPCRDMA_RW_H */
