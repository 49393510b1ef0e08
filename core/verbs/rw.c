// SPDX-License-Identifier: GPL-2.0-only
/* RDMA Reads and Writes of a connection (rpcrdma/rw.h). */

#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sunrpc/xdr.h>
#include <rdma/mr_pool.h>

#include <rpcrdma/rw.h>

#include "../core.h"

/*
 * Maximum bytes of a scatterlist entry: dma_get_max_seg_size() of drivers that
 * set none
 */
#define RPCRDMA_RW_ENTRY	SZ_64K
/* rdma_rw's limit for the pages of a memory region, if the device allows more */
#define RPCRDMA_RW_PAGES	256u

static struct kmem_cache *rpcrdma_rw_cache;

static void rpcrdma_rw_construct(void *object)
{
	struct rpcrdma_rw *rw = object;

	INIT_LIST_HEAD(&rw->all);
}

/**
 * rpcrdma_rw_init - create a cache for Reads and Writes
 *
 * The cache has a constructor because init_on_alloc does not clear objects of
 * such caches. Clearing them is unnecessary: all fields are set before use.
 *
 * Context: module initialization.
 * Return: 0 or -ENOMEM.
 */
int rpcrdma_rw_init(void)
{
	rpcrdma_rw_cache = kmem_cache_create("rpcrdma_rw",
					     sizeof(struct rpcrdma_rw), 0,
					     SLAB_HWCACHE_ALIGN,
					     rpcrdma_rw_construct);
	return rpcrdma_rw_cache ? 0 : -ENOMEM;
}

/**
 * rpcrdma_rw_exit - undo rpcrdma_rw_init()
 *
 * Context: module exit.
 */
void rpcrdma_rw_exit(void)
{
	kmem_cache_destroy(rpcrdma_rw_cache);
}

/**
 * rpcrdma_rw_set_init - initialize the set of a connection
 * @set: zeroed set
 *
 * Context: any.
 */
void rpcrdma_rw_set_init(struct rpcrdma_rw_set *set)
{
	spin_lock_init(&set->lock);
	INIT_LIST_HEAD(&set->all);
	set->pages = RPCRDMA_RW_PAGES;
}
EXPORT_SYMBOL_GPL(rpcrdma_rw_set_init);

/**
 * rpcrdma_rw_set_device - prepare a set for its device
 * @set: empty set of a connection
 * @device: its device
 * @port: its port
 *
 * rdma_rw decides which Reads and Writes use a memory region: Reads over iWARP,
 * Reads of more than max_sgl_rd entries, or all of them if ib_core's force_mr
 * is set. It does not report its choice, but its number of Work Requests
 * reveals it.
 *
 * Context: any.
 */
void rpcrdma_rw_set_device(struct rpcrdma_rw_set *set, struct ib_device *device,
			   u32 port)
{
	set->port = port;
	set->regions = rdma_rw_max_send_wr(device, port, 1, 0) > 1;
	set->pages = RPCRDMA_RW_PAGES;
	if (set->regions)
		set->pages = clamp(device->attrs.max_fast_reg_page_list_len, 1u,
				   RPCRDMA_RW_PAGES);
}
EXPORT_SYMBOL_GPL(rpcrdma_rw_set_device);

/**
 * rpcrdma_rw_xdr - find the memory where a range of an xdr_buf begins
 * @xdr: buffer
 * @offset: where the range begins, in bytes from the start of @xdr
 * @length: bytes in the range, more than 0
 * @mem: set to the part of head, pages or tail where the range begins
 *
 * Context: any.
 * Return: bytes of the range in that part.
 */
u32 rpcrdma_rw_xdr(const struct xdr_buf *xdr, u32 offset, u32 length,
		   struct rpcrdma_rw_memory *mem)
{
	mem->base = NULL;
	if (offset < xdr->head[0].iov_len) {
		mem->base = xdr->head[0].iov_base + offset;
		return min_t(u32, length, xdr->head[0].iov_len - offset);
	}
	offset -= xdr->head[0].iov_len;
	if (offset < xdr->page_len) {
		u32 at = xdr->page_base + offset;

		mem->pages = xdr->pages + (at >> PAGE_SHIFT);
		mem->offset = offset_in_page(at);
		return min(length, xdr->page_len - offset);
	}
	offset -= xdr->page_len;
	mem->base = xdr->tail[0].iov_base + offset;
	return min_t(u32, length, xdr->tail[0].iov_len - offset);
}
EXPORT_SYMBOL_GPL(rpcrdma_rw_xdr);

/*
 * Fill in the scatterlist with a range of pages. With @merge, adjacent pages
 * share an entry of up to RPCRDMA_RW_ENTRY bytes. Returns the number of
 * entries.
 */
static unsigned int
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

/* Allocate a Read or Write without mapping it. Returns NULL if out of memory. */
static struct rpcrdma_rw *
rpcrdma_rw_alloc(const struct rpcrdma_rw_set *set,
		 const struct rpcrdma_rw_memory *mem, u32 length,
		 enum dma_data_direction dir, gfp_t gfp)
{
	struct rpcrdma_rw *rw;

	rw = kmem_cache_alloc(rpcrdma_rw_cache, gfp);
	if (!rw)
		return NULL;
	rw->dir = dir;
	rw->nents = 1;
	if (!mem->base)
		rw->nents = DIV_ROUND_UP(mem->offset + length, PAGE_SIZE);
	rw->sgt.sgl = rw->first;
	if (sg_alloc_table_chained(&rw->sgt, rw->nents, rw->first,
				   RPCRDMA_RW_FIRST)) {
		kmem_cache_free(rpcrdma_rw_cache, rw);
		return NULL;
	}
	if (mem->base)
		sg_set_buf(rw->sgt.sgl, mem->base, length);
	else
		rw->nents = rpcrdma_rw_set_pages(rw, mem, length,
						 set->merge);
	return rw;
}

static void rpcrdma_rw_free(struct rpcrdma_rw *rw)
{
	sg_free_table_chained(&rw->sgt, RPCRDMA_RW_FIRST);
	kmem_cache_free(rpcrdma_rw_cache, rw);
}

/* Remove @rw from the set. Returns false if rpcrdma_rw_end() has done so. */
static bool rpcrdma_rw_take(struct rpcrdma_rw_set *set, struct rpcrdma_rw *rw)
{
	bool mapped;

	spin_lock_bh(&set->lock);
	mapped = !list_empty(&rw->all);
	list_del_init(&rw->all);
	spin_unlock_bh(&set->lock);
	return mapped;
}

static void rpcrdma_rw_unmap(const struct rpcrdma_rw_set *set,
			     struct rpcrdma_rw *rw)
{
	rdma_rw_ctx_destroy(&rw->ctx, set->qp, set->port, rw->sgt.sgl,
			    rw->nents, rw->dir);
}

/*
 * Map a Read or Write. If no memory region is free, create one first, so that
 * rdma_rw_ctx_init() finds it. If that fails, rdma_rw_ctx_init() may still
 * succeed without a region.
 */
static int rpcrdma_rw_map(const struct rpcrdma_rw_set *set,
			  struct rpcrdma_rw *rw,
			  const struct rpcrdma_segment *seg)
{
	struct ib_qp *qp = set->qp;
	bool more = rw->dir == DMA_FROM_DEVICE && list_empty(&qp->rdma_mrs);
	bool none = false;
	int ret;

	for (;; more = true) {
		if (unlikely(more) && set->regions)
			none = ib_mr_pool_init(qp, &qp->rdma_mrs, 1,
					       IB_MR_TYPE_MEM_REG, set->pages, 0);
		ret = rdma_rw_ctx_init(&rw->ctx, qp, set->port, rw->sgt.sgl,
				       rw->nents, 0, seg->offset, seg->handle,
				       rw->dir);
		/* Another thread may have taken the new region. */
		if (likely(ret != -EAGAIN || !set->regions))
			return ret;
		if (none)
			return -ENOMEM;
	}
}

/**
 * rpcrdma_rw_add - create a Read or Write, map it and add it to a list
 * @set: Reads and Writes of the connection
 * @rws: list of struct rpcrdma_rw
 * @mem: local memory
 * @seg: the peer's memory; its length must be from 1 to rpcrdma_rw_room()
 * @dir: DMA_FROM_DEVICE for a Read, DMA_TO_DEVICE for a Write
 * @gfp: allocation flags
 *
 * Context: process.
 * Return: number of Send Queue entries needed; -ENOMEM if there is no memory,
 * memory region or bounce buffer; or another negative errno. On error, nothing
 * is added.
 */
int rpcrdma_rw_add(struct rpcrdma_rw_set *set, struct list_head *rws,
		   const struct rpcrdma_rw_memory *mem,
		   const struct rpcrdma_segment *seg,
		   enum dma_data_direction dir, gfp_t gfp)
{
	struct rpcrdma_rw *rw;
	int ret;

	rw = rpcrdma_rw_alloc(set, mem, seg->length, dir, gfp);
	if (!rw)
		return -ENOMEM;
	ret = rpcrdma_rw_map(set, rw, seg);
	if (ret < 0) {
		rpcrdma_rw_free(rw);
		/* -EIO: swiotlb is full until other memory is unmapped. */
		return ret == -EIO ? -ENOMEM : ret;
	}
	spin_lock_bh(&set->lock);
	list_add_tail(&rw->all, &set->all);
	spin_unlock_bh(&set->lock);
	list_add_tail(&rw->list, rws);
	return ret;
}
EXPORT_SYMBOL_GPL(rpcrdma_rw_add);

/**
 * rpcrdma_rw_release - unmap and free all entries of a list
 * @set: Reads and Writes of the connection
 * @rws: list of struct rpcrdma_rw without outstanding Work Requests; empty on
 *	return
 *
 * Context: any.
 * Return: number of entries released.
 */
u32 rpcrdma_rw_release(struct rpcrdma_rw_set *set, struct list_head *rws)
{
	struct rpcrdma_rw *rw, *next;
	u32 n = 0;

	list_for_each_entry_safe(rw, next, rws, list) {
		list_del(&rw->list);
		if (likely(rpcrdma_rw_take(set, rw)))
			rpcrdma_rw_unmap(set, rw);
		rpcrdma_rw_free(rw);
		n++;
	}
	return n;
}
EXPORT_SYMBOL_GPL(rpcrdma_rw_release);

/**
 * rpcrdma_rw_end - unmap all Reads and Writes of a connection
 * @set: Reads and Writes of the connection, whose Queue Pair is in the error
 *	state and drained, but not destroyed
 *
 * Their owners still have to release them. The Queue Pair gets its memory
 * regions back; otherwise it could not be destroyed.
 *
 * Context: process.
 */
void rpcrdma_rw_end(struct rpcrdma_rw_set *set)
{
	struct rpcrdma_rw *rw, *next;

	spin_lock_bh(&set->lock);
	list_for_each_entry_safe(rw, next, &set->all, all) {
		list_del_init(&rw->all);
		rpcrdma_rw_unmap(set, rw);
	}
	spin_unlock_bh(&set->lock);
}
EXPORT_SYMBOL_GPL(rpcrdma_rw_end);

/**
 * rpcrdma_rw_chain - chain the Work Requests of all entries of a list
 * @set: Reads and Writes of the connection
 * @rws: list of struct rpcrdma_rw
 * @cqe: completion of the last Work Request, if @wr is NULL
 * @wr: Work Request to append to the chain, or NULL
 *
 * Context: any; called once per list, before posting.
 * Return: first Work Request of the chain; @wr if the list is empty.
 */
struct ib_send_wr *rpcrdma_rw_chain(const struct rpcrdma_rw_set *set,
				    struct list_head *rws, struct ib_cqe *cqe,
				    struct ib_send_wr *wr)
{
	struct rpcrdma_rw *rw;

	list_for_each_entry_reverse(rw, rws, list) {
		wr = rdma_rw_ctx_wrs(&rw->ctx, set->qp, set->port, cqe, wr);
		cqe = NULL;
	}
	return wr;
}
EXPORT_SYMBOL_GPL(rpcrdma_rw_chain);
