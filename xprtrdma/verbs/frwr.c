// SPDX-License-Identifier: GPL-2.0-only
/*
 * Register memory for the peer, and invalidate it again (fast registration).
 *
 * Operation: the Work Request that registers a region is chained before the
 * Send whose header advertises the region. The peer's access ends when the peer
 * invalidates the region with its reply (Send With Invalidate), when we
 * invalidate it after the reply, or when the Queue Pair enters the error state.
 * If the device cannot do that, the Queue Pair is destroyed. Only then are the
 * pages unmapped, and the reply is passed to sunrpc.
 *
 * Ownership: the peer may access the pages from the Send until its access ends.
 * A request's list of regions is changed by the sender (under XPRT_LOCKED),
 * then by completion handlers while the request is pinned, then by the task
 * that releases the request. The end of the connection takes all remaining
 * regions, but first waits until no other task uses the connection to
 * invalidate (mrs.waiters, under conn_lock).
 *
 * Requests whose regions are being invalidated are in a list of the connection.
 * The thread that removes a request from this list must release its regions.
 * That is the completion handler or, if no completion is reported, the end of
 * the connection.
 *
 * A provider may report a Work Request as flushed although it was executed. So
 * completions refer to requests, which exist until the connection has ended.
 *
 * Errors: a failed invalidation moves the Queue Pair to the error state, which
 * ends the peer's access to all memory of the connection. The regions concerned
 * are not used again. The RPC completes, because its reply is valid.
 */

#include <linux/mm.h>

#include "../conn.h"
#include "../limits.h"
#include "../req.h"
#include "../stats.h"
#include "../xprt.h"
#include "verbs.h"

/* Jiffies that a task waits for an invalidation before it gives up the connection */
#define INV_TIMEOUT	HZ

/**
 * xprt_rdma_frwr_query - check that the device supports fast registration
 * @conn: connection bound to a device; its mrs.depth is set
 *
 * Context: process.
 * Return: 0 or -EOPNOTSUPP.
 */
int xprt_rdma_frwr_query(struct xprt_rdma_conn *conn)
{
	const struct ib_device_attr *attrs = &conn->device->attrs;
	u32 pages = XPRT_RDMA_MAX_PAYLOAD / PAGE_SIZE + 1;
	u32 depth = attrs->device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS ?
		    attrs->max_fast_reg_page_list_len : 0;
	/* Head, tail and roundup take a segment each. */
	u32 least = DIV_ROUND_UP(pages, XPRT_RDMA_MAX_SEGS - 3);
	int rc;

	rc = xprt_rdma_device_has(conn->device, "pages per fast registration",
				  depth, least);
	if (rc)
		return rc;
	conn->mrs.depth = min(depth, pages);
	return 0;
}

/* Completion of an unsignaled Work Request, reported only on failure */
static void xprt_rdma_wc_failed(struct ib_cq *cq, struct ib_wc *wc)
{
	xprt_rdma_conn_failed(cq->cq_context, "unsignaled", wc);
}

/* Shared by all unsignaled Work Requests */
static struct ib_cqe xprt_rdma_cqe_failed = { .done = xprt_rdma_wc_failed };

/* Prepare the registration of the first @dma entries, which are mapped for DMA. */
static int xprt_rdma_mr_prepare(struct xprt_rdma_conn *conn,
				struct xprt_rdma_mr *mr, int dma)
{
	struct ib_mr *ibmr = mr->ibmr;

	if (ib_map_mr_sg(ibmr, mr->sg, dma, NULL, PAGE_SIZE) != dma)
		return -EIO;

	/* Do not disclose a memory address to the peer. */
	ibmr->iova = offset_in_page(ibmr->iova);
	ib_update_fast_reg_key(ibmr, ibmr->rkey + 1);

	mr->seg.handle = ibmr->rkey;
	mr->seg.length = ibmr->length;
	mr->seg.offset = ibmr->iova;
	mr->reg_wr = (struct ib_reg_wr) {
		.wr = {
			.wr_cqe	= &xprt_rdma_cqe_failed,
			.opcode	= IB_WR_REG_MR,
		},
		.mr	= ibmr,
		.key	= ibmr->rkey,
		.access	= mr->dir == DMA_TO_DEVICE ? IB_ACCESS_REMOTE_READ :
				 IB_ACCESS_REMOTE_WRITE | IB_ACCESS_LOCAL_WRITE,
	};
	return 0;
}

static int xprt_rdma_mr_map(struct xprt_rdma_conn *conn,
			    struct xprt_rdma_mr *mr, u32 nents)
{
	int dma;

	dma = ib_dma_map_sg(conn->device, mr->sg, nents, mr->dir);
	if (!dma)
		return -ENOBUFS;
	mr->nents = nents;
	return xprt_rdma_mr_prepare(conn, mr, dma);
}

static struct xprt_rdma_mr *
xprt_rdma_mr_attach(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req,
		    u32 pages, enum dma_data_direction dir)
{
	struct xprt_rdma_mr *mr;

	if (req->nr_mrs >= XPRT_RDMA_MAX_SEGS)
		return ERR_PTR(-EIO);
	mr = xprt_rdma_mr_get(conn, pages);
	if (!mr)
		return ERR_PTR(-ENOBUFS);
	list_add_tail(&mr->list, &req->mrs);
	req->nr_mrs++;
	mr->dir = dir;
	return mr;
}

/**
 * struct xprt_rdma_page_range - a part of a page list
 * @pages: first page
 * @base: bytes; offset of the data in the first page
 * @left: bytes that remain
 */
struct xprt_rdma_page_range {
	struct page	**pages;
	u32		base;
	u32		left;
};

/*
 * Bytes; longest entry of a scatter list. An entry that is longer than a bounce
 * buffer (swiotlb) can never be mapped.
 */
static size_t xprt_rdma_mr_max_entry(const struct xprt_rdma_conn *conn)
{
	struct ib_device *device = conn->device;
	size_t max = ib_dma_max_seg_size(device);

	if (ib_uses_virt_dma(device))
		return max;
	return min(max, dma_max_mapping_size(device->dma_device));
}

/*
 * Take as many pages from @range as @mr can cover. Contiguous pages, as in
 * large folios, become one entry of the scatter list. Returns the number of
 * entries.
 */
static u32 xprt_rdma_mr_take_pages(struct xprt_rdma_conn *conn,
				   struct xprt_rdma_mr *mr,
				   struct xprt_rdma_page_range *range)
{
	size_t max = xprt_rdma_mr_max_entry(conn);
	struct scatterlist *sg = NULL;
	unsigned long next_pfn = 0;
	u32 i, len, n = 0;

	for (i = 0; i < mr->depth && range->left; i++, range->pages++) {
		unsigned long pfn = page_to_pfn(*range->pages);

		len = min_t(u32, PAGE_SIZE - range->base, range->left);
		if (sg && pfn == next_pfn && sg->length + len <= max) {
			sg->length += len;
		} else {
			sg = &mr->sg[n++];
			sg_set_page(sg, *range->pages, len, range->base);
		}
		next_pfn = pfn + 1;
		range->left -= len;
		range->base = 0;
	}
	return n;
}

/**
 * xprt_rdma_map_pages - map the page list of an XDR buffer for registration
 * @conn: connection
 * @req: request that the regions are added to
 * @xdr: buffer with a page list
 * @dir: DMA_TO_DEVICE for the Read list, DMA_FROM_DEVICE for other chunks
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: 0; -ENOBUFS if there are too few regions, or memory cannot be mapped
 * for DMA now; -EIO if it never can. After an error the caller must call
 * xprt_rdma_map_undo().
 */
int xprt_rdma_map_pages(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req,
			const struct xdr_buf *xdr, enum dma_data_direction dir)
{
	struct xprt_rdma_page_range range = {
		.pages	= xdr->pages + (xdr->page_base >> PAGE_SHIFT),
		.base	= offset_in_page(xdr->page_base),
		.left	= xdr->page_len,
	};
	struct xprt_rdma_mr *mr;
	u32 n, count;
	int rc;

	while (range.left) {
		count = DIV_ROUND_UP(range.base + range.left, PAGE_SIZE);
		mr = xprt_rdma_mr_attach(conn, req, min(count, conn->mrs.depth),
					 dir);
		if (IS_ERR(mr))
			return PTR_ERR(mr);
		n = xprt_rdma_mr_take_pages(conn, mr, &range);
		rc = xprt_rdma_mr_map(conn, mr, n);
		if (rc)
			return rc;
	}
	return 0;
}

/**
 * xprt_rdma_map_kvec - map contiguous memory of an XDR buffer for registration
 * @conn: connection
 * @req: request that the region is added to
 * @base: start, in the kernel's linear mapping
 * @len: bytes; may be 0
 * @dir: as for xprt_rdma_map_pages()
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: as xprt_rdma_map_pages().
 */
int xprt_rdma_map_kvec(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req,
		       void *base, size_t len, enum dma_data_direction dir)
{
	u32 pages = DIV_ROUND_UP(offset_in_page(base) + len, PAGE_SIZE);
	struct xprt_rdma_mr *mr;

	if (!len)
		return 0;
	if (unlikely(!virt_addr_valid(base) || pages > conn->mrs.depth))
		return -EIO;
	mr = xprt_rdma_mr_attach(conn, req, pages, dir);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	sg_set_page(&mr->sg[0], virt_to_page(base), len, offset_in_page(base));
	return xprt_rdma_mr_map(conn, mr, 1);
}

/**
 * xprt_rdma_map_discard - map memory for bytes that will be discarded
 * @conn: connection
 * @req: request that the region is added to
 * @len: bytes, at most the connection's mrs.depth pages
 *
 * This region becomes the last segment of a chunk. RFC 5666 section 3.7 lets a
 * responder write XDR roundup into a Write chunk (RFC 8166 section 3.4.6.2
 * forbids that). The roundup must not reach the user's memory after the item.
 * The segment also receives the part of a reply that exceeds NFS's buffer.
 *
 * All requests map the same page, repeatedly if needed. Each request registers
 * the page separately: a peer may invalidate any handle that it received, and
 * that must not affect other calls.
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: as xprt_rdma_map_pages().
 */
int xprt_rdma_map_discard(struct xprt_rdma_conn *conn,
			  struct xprt_rdma_req *req, u32 len)
{
	u32 i, n = DIV_ROUND_UP(len, PAGE_SIZE);
	struct xprt_rdma_mr *mr;

	mr = xprt_rdma_mr_attach(conn, req, n, DMA_FROM_DEVICE);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	for (i = 0; i < n; i++) {
		u32 part = min_t(u32, len - i * PAGE_SIZE, PAGE_SIZE);

		/* The discard page is mapped while the connection exists. */
		sg_set_page(&mr->sg[i], virt_to_page(conn->mrs.discard.data), part,
			    0);
		sg_dma_address(&mr->sg[i]) = conn->mrs.discard.addr;
		sg_dma_len(&mr->sg[i]) = part;
	}
	return xprt_rdma_mr_prepare(conn, mr, n);
}

/**
 * xprt_rdma_map_undo - return regions whose registration was not posted
 * @conn: connection
 * @req: request
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_map_undo(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req)
{
	struct xprt_rdma_mr *mr, *next;

	list_for_each_entry_safe(mr, next, &req->mrs, list)
		xprt_rdma_mr_put(conn, mr, true);
	req->nr_mrs = 0;
}

/**
 * xprt_rdma_invalidated_remotely - release a region that the peer invalidated
 * @conn: connection
 * @req: request that the reply answers
 * @rkey: handle that the adapter reported
 *
 * Context: completion handler; @req is pinned.
 * Return: false if @rkey is not a handle of @req: the peer is broken or
 * hostile.
 */
bool xprt_rdma_invalidated_remotely(struct xprt_rdma_conn *conn,
				    struct xprt_rdma_req *req, u32 rkey)
{
	struct xprt_rdma_mr *mr;

	list_for_each_entry(mr, &req->mrs, list) {
		if (mr->seg.handle != rkey)
			continue;
		xprt_rdma_mr_put(conn, mr, true);
		xprt_rdma_sq_release(conn, 1);
		xprt_rdma_count(remote_invalidations);
		return true;
	}
	return false;
}

/*
 * Remove @req from the list of invalidations. Returns false if another thread
 * has done that already.
 */
static bool xprt_rdma_inv_take(struct xprt_rdma_conn *conn,
			       struct xprt_rdma_req *req)
{
	bool pending;

	spin_lock(&conn->mrs.lock);
	pending = !list_empty(&req->invalidation);
	list_del_init(&req->invalidation);
	spin_unlock(&conn->mrs.lock);
	return pending;
}

/*
 * Release all regions of @req. Then pass @req on, if it was answered, or wake
 * the task that waits. The peer has no access any more: the regions were
 * invalidated (@ok), or the Queue Pair is in the error state or destroyed.
 */
static void xprt_rdma_inv_finish(struct xprt_rdma_conn *conn,
				 struct xprt_rdma_req *req, bool ok)
{
	struct xprt_rdma_mr *mr, *next;
	bool answered = req->recv;
	u32 n = 0;

	/* Once the list is empty, a waiting task may continue and reuse @req. */
	list_for_each_entry_safe(mr, next, &req->mrs, list) {
		xprt_rdma_mr_put(conn, mr, ok);
		n++;
	}
	xprt_rdma_sq_release(conn, n);
	if (likely(answered))
		conn->ops->invalidated(req);
	else
		wake_up_all(&conn->r_xprt->inv_wait);
}

/*
 * Completion of the invalidation of a request's regions, after its reply or
 * without one
 *
 * The reply's Receive is free again, and may be the only one if memory is
 * short. The Receive must be posted here: otherwise no message would arrive,
 * and no other handler could post it.
 */
static void xprt_rdma_wc_inv(struct ib_cq *cq, struct ib_wc *wc)
{
	struct xprt_rdma_req *req = container_of(wc->wr_cqe,
						 struct xprt_rdma_req, inv_cqe);
	struct xprt_rdma_conn *conn = cq->cq_context;
	bool ok = wc->status == IB_WC_SUCCESS;

	if (unlikely(!ok))
		xprt_rdma_wc_failed(cq, wc);
	if (unlikely(!xprt_rdma_inv_take(conn, req)))
		return;
	xprt_rdma_inv_finish(conn, req, ok);
	if (likely(ok))
		xprt_rdma_recvs_post(conn);
}

static int xprt_rdma_inv_post(struct xprt_rdma_conn *conn,
			      struct xprt_rdma_req *req)
{
	struct ib_send_wr *first = NULL, **prev = &first;
	struct xprt_rdma_mr *mr;
	u32 n = 0;

	list_for_each_entry(mr, &req->mrs, list) {
		mr->inv_wr = (struct ib_send_wr) {
			.wr_cqe			= &xprt_rdma_cqe_failed,
			.opcode			= IB_WR_LOCAL_INV,
			.ex.invalidate_rkey	= mr->seg.handle,
		};
		*prev = &mr->inv_wr;
		prev = &mr->inv_wr.next;
		n++;
	}
	req->inv_cqe.done = xprt_rdma_wc_inv;
	mr = list_last_entry(&req->mrs, struct xprt_rdma_mr, list);
	mr->inv_wr.wr_cqe = &req->inv_cqe;
	mr->inv_wr.send_flags = IB_SEND_SIGNALED;
	/* The sender holds this lock until the registrations are posted. */
	spin_lock(&conn->mrs.lock);
	conn->r_xprt->stats.local_inv_needed += n;
	list_add_tail(&req->invalidation, &conn->mrs.invalidations);
	spin_unlock(&conn->mrs.lock);
	return ib_post_send(conn->qp, first, NULL);
}

/**
 * xprt_rdma_invalidations_flush - end invalidations that have not completed
 * @conn: connection without a Queue Pair
 *
 * Context: process; the caller holds XPRT_LOCKED. No completion handler can
 * run.
 */
void xprt_rdma_invalidations_flush(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_req *req, *next;

	list_for_each_entry_safe(req, next, &conn->mrs.invalidations,
				 invalidation) {
		list_del_init(&req->invalidation);
		xprt_rdma_inv_finish(conn, req, false);
	}
}

/**
 * xprt_rdma_invalidate_async - invalidate a request's regions, then complete it
 * @conn: connection
 * @req: request with regions, whose reply has arrived
 *
 * If the invalidation cannot be posted, @req is passed on with its regions,
 * which the end of the connection releases. @req must not wait for that,
 * because the end of the connection may wait for the task of @req.
 *
 * Context: completion handler; @req is pinned until it completes.
 */
void xprt_rdma_invalidate_async(struct xprt_rdma_conn *conn,
				struct xprt_rdma_req *req)
{
	if (likely(!xprt_rdma_inv_post(conn, req)))
		return;
	/* No other handler runs meanwhile, so @req is still in the list. */
	xprt_rdma_inv_take(conn, req);
	conn->ops->invalidated(req);
	xprt_rdma_conn_lost(conn);
}

/* Keep the Queue Pair of @conn. Returns false if @conn is ending or has ended. */
static bool xprt_rdma_inv_get_locked(struct xprt_rdma_conn *conn)
{
	lockdep_assert_held(&conn->r_xprt->conn_lock);
	if (conn->mrs.closing)
		return false;
	conn->mrs.waiters++;
	return true;
}

static void xprt_rdma_inv_put(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma *r_xprt = conn->r_xprt;

	spin_lock(&r_xprt->conn_lock);
	WARN_ON_ONCE(!conn->mrs.waiters);
	WRITE_ONCE(conn->mrs.waiters, conn->mrs.waiters - 1);
	wake_up_all(&r_xprt->inv_wait);
	spin_unlock(&r_xprt->conn_lock);
}

/*
 * Is the memory of @req in use? The encoded call of an RPC that has ended stays
 * as it is, but an overdue call is encoded again: its Send must not be in
 * flight.
 */
static bool xprt_rdma_inv_needed(const struct xprt_rdma_req *req, bool overdue)
{
	return !list_empty_careful(&req->mrs) ||
	       (overdue && xprt_rdma_send_in_flight(req));
}

/*
 * Keep the connection that uses the memory of @req, or that an overdue call was
 * sent on. Returns NULL if there is none, or if it is ending: then it takes
 * care of @req, and there may be another connection by then.
 */
static struct xprt_rdma_conn *
xprt_rdma_inv_conn_get(struct xprt_rdma *r_xprt, const struct xprt_rdma_req *req,
		       bool overdue)
{
	struct xprt_rdma_conn *conn;

	spin_lock(&r_xprt->conn_lock);
	conn = r_xprt->conn;
	if (conn && !xprt_rdma_inv_needed(req, overdue) &&
	    !(overdue && READ_ONCE(req->rqst.rq_connect_cookie) ==
			 READ_ONCE(r_xprt->xprt.connect_cookie)))
		conn = NULL;
	if (conn && !xprt_rdma_inv_get_locked(conn))
		conn = NULL;
	if (conn && !overdue)
		r_xprt->stats.mrs_orphaned += req->nr_mrs;
	spin_unlock(&r_xprt->conn_lock);
	return conn;
}

/*
 * Invalidate the regions of @req. A peer that no longer acknowledges also delays
 * invalidations, because they execute after the Sends posted before them.
 * Returns false after INV_TIMEOUT, or if the adapter fails.
 */
static bool xprt_rdma_inv_wait(struct xprt_rdma_conn *conn,
			       struct xprt_rdma_req *req)
{
	return !xprt_rdma_inv_post(conn, req) &&
	       wait_event_timeout(conn->r_xprt->inv_wait,
				  list_empty_careful(&req->mrs), INV_TIMEOUT);
}

/**
 * xprt_rdma_invalidate_sync - end all use of a request's memory and wait
 * @r_xprt: transport
 * @req: request that ends without a reply, or whose reply is overdue
 * @overdue: sunrpc may encode the call again as soon as this function returns.
 *	With GSS, that frees encrypted pages, and the head contains plain text
 *	for a moment. The request may be pinned, as a reply may still arrive: only
 *	the end of the connection can invalidate its regions.
 *
 * The error state of the Queue Pair immediately ends the peer's access. If even
 * then no completion is reported, the end of the connection releases the
 * regions; sunrpc can end it while the task waits.
 *
 * Context: process; may sleep. The caller does not hold XPRT_LOCKED. @req is not
 * sent again meanwhile and, unless @overdue, not pinned.
 */
void xprt_rdma_invalidate_sync(struct xprt_rdma *r_xprt,
			       struct xprt_rdma_req *req, bool overdue)
{
	struct xprt_rdma_conn *conn = xprt_rdma_inv_conn_get(r_xprt, req, overdue);

	if (conn) {
		if (overdue)
			xprt_rdma_life_blame(&conn->life,
					     RPCRDMA_CAUSE(TIMEOUT, NONE));
		if (overdue || !xprt_rdma_inv_wait(conn, req))
			xprt_rdma_conn_lost(conn);
		xprt_rdma_inv_put(conn);
	}
	/* Pairs with xprt_rdma_mr_unmap(). */
	wait_event(r_xprt->inv_wait, !xprt_rdma_inv_needed(req, overdue));
}

/**
 * xprt_rdma_invalidate_all - stop all data transfers of a lost connection
 * @conn: connection that was lost, and may have ended since
 *
 * The end of the connection may be delayed: sunrpc may have given XPRT_LOCKED
 * to a killed task that waits until its buffers are no longer used. The error
 * state of the Queue Pair ends every use of these buffers.
 *
 * Context: process, including completion handlers and CM events.
 */
void xprt_rdma_invalidate_all(struct xprt_rdma_conn *conn)
{
	bool kept;

	spin_lock(&conn->r_xprt->conn_lock);
	kept = xprt_rdma_inv_get_locked(conn);
	spin_unlock(&conn->r_xprt->conn_lock);
	if (!kept)
		return;
	xprt_rdma_endpoint_error(conn);
	xprt_rdma_inv_put(conn);
}
