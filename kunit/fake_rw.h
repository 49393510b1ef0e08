/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An adapter that reads the peer's memory. Tests complete the Reads. The
 * contents of the peer's memory depend only on its handle and address. The file
 * also replaces the mapping and registration of rdma_rw, and contains
 * core/verbs/rw.c.
 */
#ifndef _XPRT_RDMA_FAKE_RW_H
#define _XPRT_RDMA_FAKE_RW_H

#include <linux/scatterlist.h>
#include <rdma/mr_pool.h>
#include <rdma/rdma_cm.h>
#include <rdma/rw.h>

#include "fake_common.h"
#include "fake_memory.h"

#define FAKE_CHAINS	8u

static struct fake_rw {
	/* Chains posted but not completed, oldest first */
	const struct ib_send_wr *chains[FAKE_CHAINS];
	u32 nchains;	/* number of entries of @chains */
	/*
	 * Copies of Sends and Work Requests without data, which are posted
	 * alone: an adapter copies Work Requests when they are posted
	 */
	struct ib_send_wr send[FAKE_CHAINS];
	struct ib_sge send_sge[FAKE_CHAINS];	/* gather entries of @send */
	u32 mapped;	/* number of Reads mapped */
	u32 unmapped;	/* number of Reads unmapped */
	u32 reads;	/* number of Reads posted that do not confirm others */
	u32 confirms;	/* number of Reads posted that confirm others */
	u32 sends;	/* number of Sends posted */
	u32 posts;	/* number of chains posted */
	/*
	 * Work Requests that are signaled but not last in their chain, or last
	 * but not signaled, and Sends in a chain with others
	 */
	u32 order;
	bool refuses;	/* posting fails */
	/* Posting fails only after the first Work Request of a chain */
	bool in_part;
	bool ends;	/* a Work Request without data can be posted even so */
	int status;	/* error that mapping a Read returns, unless 0 */
	u32 taken;	/* number of times that another thread will take the last region */
	u32 map_pages;	/* pages that fit into a region, unless 0 */
	bool no_region;	/* no region can be created */
	u32 regions;	/* number of regions created */
	u32 region_pages;	/* pages of the last region */
	u32 factor;	/* Send Queue entries per Read */
	bool iwarp;	/* Reads need a registration */
} hw;

static u8 fake_remote_byte(u32 handle, u64 at)
{
	return at * 13 + (at >> 8) * 7 + handle * 101;
}

static int fake_map(struct scatterlist *sg, u32 nents)
{
	u32 pages = 0;

	if (hw.taken) {
		hw.taken--;
		return -EAGAIN;
	}
	/* Drivers count pages, not entries, which may be merged. */
	for (; nents; nents--, sg = sg_next(sg))
		pages += DIV_ROUND_UP(sg->offset + sg->length, PAGE_SIZE);
	if (hw.map_pages && pages > hw.map_pages)
		return -EINVAL;
	return fake_memory_out() ? -ENOMEM : hw.status;
}

static int fake_ctx_init(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port,
			 struct scatterlist *sg, u32 nents, u32 sg_offset,
			 u64 offset, u32 handle, enum dma_data_direction dir)
{
	struct ib_sge *sges;
	int ret = fake_map(sg, nents);
	u32 i;

	if (ret)
		return ret;
	sges = kmalloc_array_noprof(nents, sizeof(*sges), GFP_KERNEL);
	if (!sges)
		return -ENOMEM;
	for (i = 0; i < nents; i++, sg = sg_next(sg)) {
		sges[i].addr = (uintptr_t)sg_virt(sg);
		sges[i].length = sg->length;
		sges[i].lkey = 0;
	}
	hw.mapped++;
	fake_dma_map((uintptr_t)ctx, nents, dir);
	memset(ctx, 0, sizeof(*ctx));
	ctx->single.wr.wr.sg_list = sges;
	ctx->single.wr.wr.num_sge = nents;
	ctx->single.wr.remote_addr = offset;
	ctx->single.wr.rkey = handle;
	ctx->single.wr.wr.opcode = dir == DMA_FROM_DEVICE ? IB_WR_RDMA_READ :
							    IB_WR_RDMA_WRITE;
	return 1;
}

static int fake_pool_init(u32 n, u32 pages)
{
	if (hw.no_region)
		return -ENOMEM;
	hw.regions += n;
	hw.region_pages = pages;
	return 0;
}

static struct ib_send_wr *fake_ctx_wrs(struct rdma_rw_ctx *ctx,
				       struct ib_qp *qp, u32 port,
				       struct ib_cqe *cqe,
				       struct ib_send_wr *next)
{
	struct ib_send_wr *wr = &ctx->single.wr.wr;

	wr->next = next;
	if (!next) {
		wr->wr_cqe = cqe;
		wr->send_flags = IB_SEND_SIGNALED;
	}
	return wr;
}

static void fake_read(const struct ib_send_wr *wr)
{
	u64 at = rdma_wr(wr)->remote_addr;
	int i;
	u32 j;

	for (i = 0; i < wr->num_sge; i++) {
		u8 *p = (u8 *)(uintptr_t)wr->sg_list[i].addr;

		for (j = 0; j < wr->sg_list[i].length; j++)
			p[j] = fake_remote_byte(rdma_wr(wr)->rkey, at++);
	}
}

/* True if a Read repeats the last byte of the Read before it. */
static bool fake_confirms(const struct ib_send_wr *wr,
			  const struct ib_send_wr *last)
{
	const struct ib_sge *end = &last->sg_list[last->num_sge - 1];
	u64 remote = rdma_wr(last)->remote_addr;
	int i;

	for (i = 0; i < last->num_sge; i++)
		remote += last->sg_list[i].length;
	return wr->num_sge == 1 && wr->sg_list->length == 1 &&
	       wr->sg_list->addr == end->addr + end->length - 1 &&
	       wr->sg_list->lkey == end->lkey &&
	       rdma_wr(wr)->remote_addr == remote - 1 &&
	       rdma_wr(wr)->rkey == rdma_wr(last)->rkey;
}

static __maybe_unused int
fake_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
	       const struct ib_send_wr **bad)
{
	const struct ib_send_wr *last = NULL;
	u32 n = 0, i = hw.posts % FAKE_CHAINS;

	if ((hw.refuses && !(hw.ends && !wr->num_sge)) ||
	    hw.nchains == FAKE_CHAINS) {
		if (bad)
			*bad = hw.in_part ? wr->next : wr;
		return -ENOMEM;
	}
	if (!wr->next && (wr->opcode == IB_WR_SEND || !wr->num_sge ||
			  wr->opcode == IB_WR_SEND_WITH_INV)) {
		hw.send[i] = *wr;
		if (wr->num_sge)
			hw.send_sge[i] = *wr->sg_list;
		hw.send[i].sg_list = &hw.send_sge[i];
		wr = &hw.send[i];
	}
	hw.posts++;
	hw.chains[hw.nchains++] = wr;
	for (; wr; last = wr, wr = wr->next, n++) {
		bool send = wr->opcode != IB_WR_RDMA_READ;
		bool confirm = !send && last && fake_confirms(wr, last);

		if (!!(wr->send_flags & IB_SEND_SIGNALED) != !wr->next ||
		    (send && (wr->next || n)))
			hw.order++;
		if (send)
			fake_dma_posted(wr->sg_list, wr->num_sge,
					DMA_TO_DEVICE);
		hw.sends += send;
		hw.reads += !send && !confirm;
		hw.confirms += confirm;
	}
	return 0;
}

/* Complete the oldest chain with @status. Returns false if there is none. */
static __maybe_unused bool fake_complete(void *context, enum ib_wc_status status)
{
	const struct ib_send_wr *wr = hw.chains[0], *next;

	if (!hw.nchains)
		return false;
	memmove(hw.chains, hw.chains + 1,
		--hw.nchains * sizeof(hw.chains[0]));
	for (; wr; wr = next) {
		next = wr->next;
		if (!status && wr->opcode == IB_WR_RDMA_READ)
			fake_read(wr);
		if (wr->send_flags & IB_SEND_SIGNALED)
			fake_completes(context, wr->wr_cqe, status);
	}
	return true;
}

#define rdma_rw_ctx_init	fake_ctx_init
#define rdma_rw_ctx_wrs		fake_ctx_wrs
#define rdma_rw_ctx_destroy(ctx, qp, port, sg, n, dir) \
	((void)hw.unmapped++, fake_dma_unmap((uintptr_t)(ctx), n, dir), \
	 (kfree)((ctx)->single.wr.wr.sg_list))
#define ib_mr_pool_init(qp, list, n, type, pages, meta) \
	((void)(qp), (void)(list), (void)(meta), fake_pool_init(n, pages))
#define rdma_rw_max_send_wr(device, port, n, flags) \
	((void)(port), (n) * hw.factor)
#define rdma_protocol_iwarp(device, port)	((void)(port), hw.iwarp)
#define sg_alloc_table_chained(table, n, first, have) \
	(fake_memory_out() ? -ENOMEM : \
	 sg_alloc_table_chained(table, n, first, have))
#define ib_post_send	fake_post_send

#include "../core/verbs/rw.c"

#endif /* _XPRT_RDMA_FAKE_RW_H */
