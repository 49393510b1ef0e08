// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory regions, which make memory of the server accessible to the requester.
 *
 * Operation: a Work Request registers a region, in front of the Send that
 * advertises the handle. The handle changes each time a region is used, and is
 * valid only in the protection domain of its connection.
 *
 * Ownership: a region holds a reference to each of its pages, from
 * svc_rdma_mr_add() until svc_rdma_mr_put(), which is called when the requester
 * no longer has access.
 *
 * Errors: svc_rdma_mr_get() returns NULL if there is no memory, or the device
 * has no region left.
 */

#include <linux/mm.h>

#include "../../conn.h"
#include "../../counters.h"
#include "pulled.h"
#include <trace/events/svcrdma.h>

#include "../../verbs/wc.h"

/* Idle regions that a connection keeps, and maximum pages of one region */
#define SVC_RDMA_MRS_KEPT	8u
#define SVC_RDMA_MR_PAGES	128u

static struct svc_rdma_mr *svc_rdma_mr_alloc(struct svc_rdma_conn *conn)
{
	u32 depth = min(SVC_RDMA_MR_PAGES,
			conn->dev->attrs.max_fast_reg_page_list_len);
	struct svc_rdma_mr *mr;

	mr = kzalloc(struct_size(mr, sg, depth), GFP_KERNEL);
	if (!mr)
		return NULL;
	mr->depth = depth;
	mr->ibmr = ib_alloc_mr(conn->pd, IB_MR_TYPE_MEM_REG, depth);
	if (IS_ERR(mr->ibmr)) {
		kfree(mr);
		return NULL;
	}
	svc_rdma_count(advert_mrs_now);
	return mr;
}

/**
 * svc_rdma_mr_get - get a memory region without pages
 * @conn: connection
 * @dir: DMA_TO_DEVICE if the requester may read the region, DMA_FROM_DEVICE if
 *	it may write to the region
 *
 * Context: process.
 * Return: region, or NULL if none can be allocated.
 */
struct svc_rdma_mr *svc_rdma_mr_get(struct svc_rdma_conn *conn,
				    enum dma_data_direction dir)
{
	struct svc_rdma_adverts *adverts = &conn->adverts;
	struct svc_rdma_mr *mr;

	spin_lock_bh(&adverts->lock);
	mr = list_first_entry_or_null(&adverts->idle, struct svc_rdma_mr, list);
	if (mr) {
		list_del(&mr->list);
		adverts->nidle--;
	}
	spin_unlock_bh(&adverts->lock);
	if (!mr)
		mr = svc_rdma_mr_alloc(conn);
	if (!mr)
		return NULL;
	mr->dir = dir;
	mr->invalidated = false;
	sg_init_table(mr->sg, mr->depth);
	return mr;
}

/**
 * svc_rdma_mr_add - add part of a page to a region
 * @mr: region
 * @page: page; a reference to it is taken
 * @offset: bytes from the start of the page
 * @length: bytes, not beyond the end of the page
 *
 * A region must not have gaps: a part must follow the previous one at a page
 * boundary.
 *
 * Context: any.
 * Return: true if the part was added, false if it needs another region.
 */
bool svc_rdma_mr_add(struct svc_rdma_mr *mr, struct page *page, u32 offset,
		     u32 length)
{
	const struct scatterlist *last;

	if (mr->nents) {
		last = &mr->sg[mr->nents - 1];
		if (mr->nents == mr->depth || offset ||
		    last->offset + last->length != PAGE_SIZE)
			return false;
	}
	get_page(page);
	sg_set_page(&mr->sg[mr->nents++], page, length, offset);
	return true;
}

static void svc_rdma_mr_wc_done(struct ib_cq *cq, struct ib_wc *wc)
{
	if (wc->status != IB_WC_SUCCESS)
		svc_rdma_wc_failed(cq->cq_context, RPCRDMA_NL_DETAIL_REGION,
				   cq, wc);
}

/*
 * Shared by unsignaled Work Requests of all connections. Some adapters also
 * flush executed Work Requests, whose advert may no longer exist.
 */
static struct ib_cqe svc_rdma_mr_cqe = { .done = svc_rdma_mr_wc_done };

/**
 * svc_rdma_mr_map - map the pages of a region and prepare its Work Requests
 * @conn: connection
 * @mr: region with pages
 *
 * Context: process.
 * Return: 0 or -EIO.
 */
int svc_rdma_mr_map(struct svc_rdma_conn *conn, struct svc_rdma_mr *mr)
{
	struct ib_mr *ibmr = mr->ibmr;

	mr->mapped = ib_dma_map_sg(conn->dev, mr->sg, mr->nents, mr->dir);
	if (!mr->mapped ||
	    ib_map_mr_sg(ibmr, mr->sg, mr->mapped, NULL, PAGE_SIZE) !=
	    mr->mapped)
		return -EIO;
	/* Do not disclose DMA addresses to the requester. */
	ibmr->iova = offset_in_page(ibmr->iova);
	ib_update_fast_reg_key(ibmr, ibmr->rkey + 1);

	mr->reg = (struct ib_reg_wr) {
		.wr = {
			.wr_cqe	= &svc_rdma_mr_cqe,
			.opcode	= IB_WR_REG_MR,
		},
		.mr	= ibmr,
		.key	= ibmr->rkey,
		.access	= mr->dir == DMA_TO_DEVICE ? IB_ACCESS_REMOTE_READ :
				IB_ACCESS_REMOTE_WRITE | IB_ACCESS_LOCAL_WRITE,
	};
	mr->inv = (struct ib_send_wr) {
		.wr_cqe		= &svc_rdma_mr_cqe,
		.opcode		= IB_WR_LOCAL_INV,
		.ex.invalidate_rkey = ibmr->rkey,
	};
	return 0;
}

/**
 * svc_rdma_mr_unmap - make data written by the requester visible to the CPU
 * @conn: connection
 * @mr: region that the requester can no longer access
 *
 * Context: any.
 */
void svc_rdma_mr_unmap(struct svc_rdma_conn *conn, struct svc_rdma_mr *mr)
{
	if (mr->mapped)
		ib_dma_unmap_sg(conn->dev, mr->sg, mr->nents, mr->dir);
	mr->mapped = 0;
}

static void svc_rdma_mr_destroy(struct svc_rdma_mr *mr)
{
	ib_dereg_mr(mr->ibmr);
	kfree(mr);
	svc_rdma_add(advert_mrs_now, -1);
}

/**
 * svc_rdma_mr_put - release a region and its pages
 * @conn: connection
 * @mr: region that the requester can no longer access, and that is in no list
 *
 * Context: process.
 */
void svc_rdma_mr_put(struct svc_rdma_conn *conn, struct svc_rdma_mr *mr)
{
	struct svc_rdma_adverts *adverts = &conn->adverts;
	bool keep;

	svc_rdma_mr_unmap(conn, mr);
	while (mr->nents)
		put_page(sg_page(&mr->sg[--mr->nents]));
	spin_lock_bh(&adverts->lock);
	keep = adverts->nidle < SVC_RDMA_MRS_KEPT;
	if (keep) {
		list_add(&mr->list, &adverts->idle);
		adverts->nidle++;
	}
	spin_unlock_bh(&adverts->lock);
	if (!keep)
		svc_rdma_mr_destroy(mr);
}

/**
 * svc_rdma_mrs_destroy - free the idle regions
 * @conn: connection whose Queue Pair has been drained
 *
 * Context: process.
 */
void svc_rdma_mrs_destroy(struct svc_rdma_conn *conn)
{
	struct svc_rdma_mr *mr, *next;

	list_for_each_entry_safe(mr, next, &conn->adverts.idle, list)
		svc_rdma_mr_destroy(mr);
}
