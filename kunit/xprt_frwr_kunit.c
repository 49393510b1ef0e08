// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the peer has access to exactly the memory of a call's chunks. Its access
 * ends before the call completes, even if the adapter fails (RFC 8166 sections
 * 3.4 and 8.1). Otherwise, the server could write to memory that has another
 * owner by then.
 */
#include <linux/kthread.h>

#include "xprt_fakes.h"
#include "fake_mr.h"

/* Reaction of the adapter to a chain of Work Requests */
enum answer {
	COMPLETES,	/* completes immediately, with success */
	FLUSHES,	/* flushes immediately: the Queue Pair is in the error state */
	STAYS_SILENT,	/* completes only when the Queue Pair is in the error state */
	REFUSES,	/* posting fails */
	LIES,		/* posting fails, but the whole chain is posted */
	IS_DEAD,	/* never completes */
};

/* A fake adapter, and the calls to it */
static struct adapter {
	struct xprt_rdma_conn *conn;
	enum answer answer;		/* reaction to Work Requests */
	u32 no_dma;			/* DMA mapping fails */
	u32 short_by;	/* number of scatterlist entries that a region does not cover */
	const struct ib_send_wr *first;	/* first Work Request of the chain posted last */
	u32 posted;			/* number of chains posted */
	u32 errors;			/* times that the Queue Pair was put in the error state */
	u32 lost;			/* times that the connection was reported as lost */
	u32 completed;			/* number of calls to conn->ops->invalidated() */
	u32 refilled;			/* @completed when Receives were posted last */
	int sq;				/* number of Send Queue entries in use */
	u32 max_seg;			/* bytes; longest scatterlist entry; 0: no limit */
	/* bytes; longest entry for a bounce buffer; 0: no bounce buffers */
	u32 bounce;
	/* times that the thread that ends the connection was woken */
	u32 wakes;
} hw;

static int fake_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int n,
			  unsigned int *offset, unsigned int page_size)
{
	struct scatterlist *entry;
	int i;

	ibmr->iova = sg_phys(sg);
	ibmr->length = 0;
	for_each_sg(sg, entry, n, i)
		ibmr->length += entry->length;
	return n - hw.short_by;
}

static void chain_complete(enum ib_wc_status status)
{
	const struct ib_send_wr *wr = hw.first, *next;

	for (hw.first = NULL; wr; wr = next) {
		next = wr->next;
		if (status || wr->send_flags & IB_SEND_SIGNALED)
			fake_completes(hw.conn, wr->wr_cqe, status);
	}
}

static int fake_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
			  const struct ib_send_wr **bad)
{
	if (hw.answer == REFUSES)
		return -EINVAL;
	hw.posted++;
	hw.first = wr;
	if (hw.answer <= FLUSHES)
		chain_complete(hw.answer == FLUSHES ? IB_WC_WR_FLUSH_ERR :
						      IB_WC_SUCCESS);
	return hw.answer == LIES ? -EINVAL : 0;
}

static int fake_endpoint_error(struct xprt_rdma_conn *conn)
{
	hw.errors++;
	if (hw.answer != IS_DEAD)
		chain_complete(IB_WC_WR_FLUSH_ERR);
	return 0;
}

/* Invalidate everything when the connection is first lost, like conn.c. */
static void fake_conn_lost(struct xprt_rdma_conn *conn)
{
	if (!hw.lost++)
		xprt_rdma_invalidate_all(conn);
}

static void fake_completed(struct xprt_rdma_req *req)
{
	hw.completed++;
}

#undef wake_up_all
#define wake_up_all(wait) \
	((void)hw.wakes++, (void)__wake_up(wait, TASK_NORMAL, 0, NULL))
#define ib_map_mr_sg			fake_map_mr_sg
#define xprt_rdma_device_has(device, what, has, least) \
	((void)(device), (has) >= (least) ? 0 : -EOPNOTSUPP)
#undef ib_dma_map_sg
#define ib_dma_map_sg(device, sg, n, dir) \
	(hw.no_dma ? 0 : fake_dma_map_sg(sg, n, dir))
#define ib_dma_max_seg_size(device)	((void)(device), hw.max_seg ?: UINT_MAX)
#define ib_uses_virt_dma(device)	((void)(device), !hw.bounce)
#define dma_max_mapping_size(device)	((void)(device), (size_t)hw.bounce)
#define ib_post_send			fake_post_send
#define xprt_rdma_endpoint_error	fake_endpoint_error
#define xprt_rdma_conn_lost		fake_conn_lost
#define xprt_rdma_conn_failed(conn, what, wc)	((void)(wc), fake_conn_lost(conn))
#define xprt_rdma_recvs_post(conn)	((void)(conn), (void)(hw.refilled = hw.completed))
#define xprt_rdma_sq_release(conn, n)	((void)(hw.sq -= (n)))

#include "../xprtrdma/verbs/mr.c"
#include "../xprtrdma/verbs/frwr.c"

#define DEPTH		16u
#define HANDLES		3u

/* The request under test; init creates a new one for each case. */
static struct xprt_rdma_req *req;

static int request(struct kunit *test)
{
	struct xprt_rdma_conn *conn = fake_mr_conn(test, DEPTH);

	req = fake_zalloc(test, sizeof(*req));
	memset(&hw, 0, sizeof(hw));
	fake_conn_ops.invalidated = fake_completed;
	hw.conn = conn;
	conn->mrs.discard.data = page_address(fake_pages(test, 1)[0]);
	conn->mrs.discard.addr = 0xabcd000;
	INIT_LIST_HEAD(&req->mrs);
	INIT_LIST_HEAD(&req->invalidation);
	req->r_xprt = conn->r_xprt;
	fake_mrs_destroy_later(test, conn);
	return 0;
}

static int map_kvec(struct xprt_rdma_req *req, void *base, size_t len)
{
	return xprt_rdma_map_kvec(hw.conn, req, base, len, DMA_TO_DEVICE);
}

static int map_pages(struct xprt_rdma_req *req, const struct xdr_buf *xdr)
{
	return xprt_rdma_map_pages(hw.conn, req, xdr, DMA_TO_DEVICE);
}

static int discard(struct xprt_rdma_req *req, u32 len)
{
	return xprt_rdma_map_discard(hw.conn, req, len);
}

/* Give the request @n registered regions, as if its Send had been posted. */
static void registered(struct kunit *test, u32 n)
{
	struct page **pages = fake_pages(test, 1);

	while (n--)
		KUNIT_ASSERT_EQ(test, 0, map_kvec(req, page_address(pages[0]), 100));
	hw.sq = 2 * req->nr_mrs;
}

/*
 * The client refuses devices without fast registration or with too small
 * regions.
 */
static void device_queried(struct kunit *test)
{
	static const struct { u64 caps; u32 depth; int rc; u32 want; } cases[] = {
		{ 0, 512, -EOPNOTSUPP, 0 },
		{ IB_DEVICE_MEM_MGT_EXTENSIONS, 15, -EOPNOTSUPP, 0 },
		{ IB_DEVICE_MEM_MGT_EXTENSIONS, 16, 0, 16 },
		{ IB_DEVICE_MEM_MGT_EXTENSIONS, 257, 0, 257 },
		{ IB_DEVICE_MEM_MGT_EXTENSIONS, ~0u, 0, 257 },
	};
	struct xprt_rdma_conn *conn = fake_verbs_conn(test);

	for_each_case(c, cases) {
		conn->mrs.depth = 0;
		conn->device->attrs.device_cap_flags = c->caps;
		conn->device->attrs.max_fast_reg_page_list_len = c->depth;
		KUNIT_EXPECT_EQ(test, xprt_rdma_frwr_query(conn), c->rc);
		KUNIT_EXPECT_EQ(test, conn->mrs.depth, c->want);
	}
}

#define CHUNK_PAGES	50u
#define FOLIO_ORDER	5u

/* The scatterlists of the regions cover exactly the page list, in order. */
static void expect_covered(struct kunit *test, struct xprt_rdma_req *req,
			   const struct xdr_buf *xdr)
{
	u32 at = xdr->page_base, i, end;
	struct xprt_rdma_mr *mr;
	struct page *page;

	list_for_each_entry(mr, &req->mrs, list) {
		for (i = 0; i < mr->nents; i++) {
			KUNIT_EXPECT_EQ(test, mr->sg[i].offset,
					offset_in_page(at));
			page = sg_page(&mr->sg[i]);
			for (end = at + mr->sg[i].length; at < end; page++) {
				KUNIT_EXPECT_PTR_EQ(test, page,
						    xdr->pages[at >> PAGE_SHIFT]);
				at = min_t(u32, end, PAGE_ALIGN(at + 1));
			}
		}
	}
	KUNIT_EXPECT_EQ(test, at, xdr->page_base + xdr->page_len);
}

/*
 * Mapping a page list creates one segment per region, with the offset and
 * length of the pages covered (RFC 8166 section 3.4.4).
 */
static void pages_mapped(struct kunit *test)
{
	static const struct { u32 base, len, nsegs, lengths[3]; } cases[] = {
		/* Across a page end; full region; a byte more; unaligned */
		{ 4095, 2, 1, { 2 } }, { 0, 65536, 1, { 65536 } },
		{ 0, 65537, 2, { 65536, 1 } }, { 1, 65536, 2, { 65535, 1 } },
		{ 100, 140000, 3, { 65436, 65536, 9028 } },
		/* Starting in the third page */
		{ 8192 + 4, 70000, 2, { 65532, 4468 } },
	};
	struct xdr_buf xdr = { .pages = fake_pages(test, CHUNK_PAGES) };
	struct xprt_rdma_mr *mr;
	u32 i, pages;

	for_each_case(c, cases) {
		xdr.page_base = c->base;
		xdr.page_len = c->len;
		KUNIT_ASSERT_EQ(test, 0, map_pages(req, &xdr));

		KUNIT_ASSERT_EQ(test, req->nr_mrs, c->nsegs);
		expect_covered(test, req, &xdr);
		i = 0;
		list_for_each_entry(mr, &req->mrs, list) {
			KUNIT_EXPECT_EQ(test, mr->seg.length, c->lengths[i]);
			KUNIT_EXPECT_EQ(test, mr->seg.offset, i ? 0 : offset_in_page(c->base));
			i++;
			pages = DIV_ROUND_UP(mr->seg.offset + mr->seg.length, PAGE_SIZE);
			KUNIT_EXPECT_EQ(test, mr->depth,
					pages <= SMALL_DEPTH ? SMALL_DEPTH : DEPTH);
		}
		KUNIT_EXPECT_EQ(test, hw.posted, 0);
		xprt_rdma_map_undo(hw.conn, req);
		KUNIT_EXPECT_EQ(test, hw.conn->mrs.busy, 0);
		KUNIT_EXPECT_EQ(test, req->nr_mrs, 0);
		KUNIT_EXPECT_TRUE(test, list_empty(&req->mrs));
	}
}

static void free_folio_action(void *page)
{
	__free_pages(page, FOLIO_ORDER);
}

/*
 * Contiguous pages are merged into one scatterlist entry, up to the device's
 * limits. Merging does not make a region cover more pages.
 */
static void contiguous_pages_merged(struct kunit *test)
{
	static const struct {
		u32 base, len, max, swapped;
		u32 nents[2];
		u32 bounce;
	} cases[] = {
		{ 0, 16 * 4096, UINT_MAX, 0, { 1 } },
		{ 5 * 4096 + 8, 4096, UINT_MAX, 0, { 1 } },
		{ 0, 20 * 4096, UINT_MAX, 0, { 1, 1 } },
		{ 7, 16 * 4096, UINT_MAX, 0, { 1, 1 } },
		{ 0, 16 * 4096, 8 * 4096, 0, { 2 } },
		{ 1, 16 * 4096 - 1, 8 * 4096, 0, { 2 } },
		{ 0, 16 * 4096, 4096, 0, { 16 } },
		{ 0, 16 * 4096, UINT_MAX, 0, { 2 }, 8 * 4096 },
		{ 0, 16 * 4096, 4096, 0, { 16 }, 8 * 4096 },
		/* Page order 0 to 2, 4, 3, 5 and up */
		{ 0, 16 * 4096, UINT_MAX, 3, { 4 } },
		{ 0, 4 * 4096, UINT_MAX, 3, { 2 } },
	};
	struct page *pages[1 << FOLIO_ORDER], *folio;
	struct xdr_buf xdr = { .pages = pages };
	struct xprt_rdma_mr *mr;
	u32 j;

	folio = alloc_pages(GFP_KERNEL | __GFP_COMP, FOLIO_ORDER);
	KUNIT_ASSERT_NOT_NULL(test, folio);
	fake_defer(test, free_folio_action, folio);
	for_each_case(c, cases) {
		for (j = 0; j < ARRAY_SIZE(pages); j++)
			pages[j] = folio + j;
		if (c->swapped)
			swap(pages[c->swapped], pages[c->swapped + 1]);
		xdr.page_base = c->base;
		xdr.page_len = c->len;
		/* The lower of max_seg and bounce limits an entry. */
		request(test);
		hw.max_seg = c->max;
		hw.bounce = c->bounce;
		KUNIT_ASSERT_EQ(test, 0, map_pages(req, &xdr));
		KUNIT_EXPECT_EQ(test, req->nr_mrs, 1 + !!c->nents[1]);
		expect_covered(test, req, &xdr);
		j = 0;
		list_for_each_entry(mr, &req->mrs, list)
			KUNIT_EXPECT_EQ(test, mr->nents, c->nents[j++]);
		xprt_rdma_map_undo(hw.conn, req);
	}
}

/*
 * A handle allows only the access that its chunk needs, and is used only once.
 */
static void least_access(struct kunit *test)
{
	static const struct {
		enum dma_data_direction dir;
		int access;
	} uses[] = {
		{ DMA_TO_DEVICE, IB_ACCESS_REMOTE_READ },
		{ DMA_FROM_DEVICE, IB_ACCESS_REMOTE_WRITE | IB_ACCESS_LOCAL_WRITE },
	};
	void *base = page_address(fake_pages(test, 1)[0]);
	struct xprt_rdma_mr *mr;
	u32 i, handle = 0;

	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		KUNIT_ASSERT_EQ(test, 0, xprt_rdma_map_kvec(hw.conn, req,
							    base + 8, 100,
							    uses[i].dir));
		mr = list_first_entry(&req->mrs, struct xprt_rdma_mr, list);
		KUNIT_EXPECT_EQ(test, mr->reg_wr.access, uses[i].access);
		KUNIT_EXPECT_EQ(test, mr->dir, uses[i].dir);
		KUNIT_EXPECT_EQ(test, mr->reg_wr.key, mr->seg.handle);
		KUNIT_EXPECT_NE(test, mr->seg.handle, handle);
		KUNIT_EXPECT_EQ(test, mr->seg.offset, 8);
		handle = mr->seg.handle;
		xprt_rdma_map_undo(hw.conn, req);
	}
	KUNIT_EXPECT_EQ(test, hw.conn->mrs.count, 1);
}

/*
 * A kvec is refused if it is longer than a region, or outside the linear
 * mapping. An empty kvec needs no region.
 */
static void unmappable_kvec_refused(struct kunit *test)
{
	void *base = page_address(fake_pages(test, 1)[0]);

	KUNIT_EXPECT_EQ(test, map_kvec(req, base, 0), 0);
	KUNIT_EXPECT_EQ(test, req->nr_mrs, 0);
	KUNIT_EXPECT_EQ(test, map_kvec(req, base, DEPTH * PAGE_SIZE + 1), -EIO);
	KUNIT_EXPECT_EQ(test, map_kvec(req, (void *)~0xffful, 10), -EIO);
	KUNIT_EXPECT_EQ(test, hw.conn->mrs.count, 0);
	KUNIT_EXPECT_EQ(test, map_kvec(req, base, DEPTH * PAGE_SIZE), 0);
	xprt_rdma_map_undo(hw.conn, req);
}

/*
 * Mapping fails if the header has no room for another segment, or no region can
 * be allocated. Undoing the mapping releases all regions.
 */
static void segments_limited(struct kunit *test)
{
	static const struct { u32 have; int left, rc; } cases[] = {
		{ XPRT_RDMA_MAX_SEGS, -1, -EIO }, { 2, 0, -ENOBUFS },
	};
	struct xdr_buf xdr = { .pages = fake_pages(test, 1), .page_len = 1 };
	void *base = page_address(xdr.pages[0]);

	for_each_case(c, cases) {
		request(test);
		registered(test, c->have);
		fake_memory_left = c->left;
		KUNIT_EXPECT_EQ(test, map_kvec(req, base, 1), c->rc);
		KUNIT_EXPECT_EQ(test, map_pages(req, &xdr), c->rc);
		KUNIT_EXPECT_EQ(test, hw.conn->mrs.busy, c->have);
		xprt_rdma_map_undo(hw.conn, req);
		KUNIT_EXPECT_EQ(test, hw.conn->mrs.busy, 0);
	}
	fake_memory_left = -1;
}

/* If mapping fails halfway, undoing it unmaps the pages already mapped. */
static void failed_mapping_undone(struct kunit *test)
{
	struct xdr_buf xdr = { .pages = fake_pages(test, 3), .page_len = 9000 };

	/* Act and assert: DMA mapping fails. */
	hw.max_seg = PAGE_SIZE;
	hw.no_dma = 1;
	KUNIT_EXPECT_EQ(test, map_pages(req, &xdr), -ENOBUFS);
	xprt_rdma_map_undo(hw.conn, req);

	/* Act and assert: the region covers too few pages. */
	hw.no_dma = 0;
	hw.short_by = 1;
	KUNIT_EXPECT_EQ(test, map_pages(req, &xdr), -EIO);
	xprt_rdma_map_undo(hw.conn, req);
	KUNIT_EXPECT_EQ(test, fake_dma.n, 0);
	KUNIT_EXPECT_EQ(test, hw.conn->mrs.busy, 0);
}

/* One page, mapped once, receives discarded data of any length. */
static void discard_page_takes_any_length(struct kunit *test)
{
	static const u32 lens[] = { 4, PAGE_SIZE, PAGE_SIZE + 1,
				    DEPTH * PAGE_SIZE };
	struct xprt_rdma_conn *conn = hw.conn;
	struct xprt_rdma_mr *mr;
	u32 i, j;

	/* Act and assert: no region can be allocated. */
	fake_memory_left = 0;
	KUNIT_EXPECT_EQ(test, discard(req, 4), -ENOBUFS);
	fake_memory_left = -1;

	/* Act and assert: any length; discarding needs no DMA mapping. */
	hw.no_dma = 1;
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		KUNIT_ASSERT_EQ(test, discard(req, lens[i]), 0);
		mr = list_first_entry(&req->mrs, struct xprt_rdma_mr, list);
		KUNIT_EXPECT_EQ(test, mr->seg.length, lens[i]);
		KUNIT_EXPECT_EQ(test, mr->dir, DMA_FROM_DEVICE);
		KUNIT_EXPECT_EQ(test, mr->nents, 0);
		for (j = 0; j < DIV_ROUND_UP(lens[i], PAGE_SIZE); j++)
			KUNIT_EXPECT_EQ(test, sg_dma_address(&mr->sg[j]),
					conn->mrs.discard.addr);
		xprt_rdma_map_undo(conn, req);
		KUNIT_EXPECT_EQ(test, conn->mrs.busy, 0);
	}

	/* Act and assert: the region covers too few pages. */
	hw.short_by = 1;
	KUNIT_EXPECT_EQ(test, discard(req, 4), -EIO);
	xprt_rdma_map_undo(conn, req);
	KUNIT_EXPECT_EQ(test, conn->mrs.busy, 0);
}

/*
 * The peer may invalidate a handle of the request, once, but no other handle.
 */
static void peer_invalidates_only_the_requests(struct kunit *test)
{
	struct xprt_rdma_mr *second, *mr;
	u32 handle;

	registered(test, HANDLES);
	second = list_first_entry(&req->mrs, struct xprt_rdma_mr, list);
	second = list_next_entry(second, list);
	handle = second->seg.handle;

	/* Act and assert: the handle is not the request's. */
	KUNIT_EXPECT_FALSE(test, xprt_rdma_invalidated_remotely(hw.conn, req,
								~handle));
	KUNIT_EXPECT_EQ(test, hw.conn->mrs.busy, HANDLES);

	KUNIT_EXPECT_TRUE(test,
			  xprt_rdma_invalidated_remotely(hw.conn, req, handle));
	KUNIT_EXPECT_EQ(test, hw.conn->mrs.busy, HANDLES - 1);
	KUNIT_EXPECT_EQ(test, hw.sq, 2 * HANDLES - 1);
	list_for_each_entry(mr, &req->mrs, list)
		KUNIT_EXPECT_NE(test, mr->seg.handle, handle);
	KUNIT_EXPECT_EQ(test, req->r_xprt->stats.mrs_recycled, 0);

	/* Act and assert: the same handle again */
	KUNIT_EXPECT_FALSE(test, xprt_rdma_invalidated_remotely(hw.conn, req,
								handle));
	xprt_rdma_map_undo(hw.conn, req);
}

static void expect_unused(struct kunit *test, struct xprt_rdma_req *req,
			  u32 recycled)
{
	KUNIT_EXPECT_TRUE(test, list_empty(&req->mrs));
	KUNIT_EXPECT_EQ(test, hw.conn->mrs.busy, 0);
	KUNIT_EXPECT_EQ(test, hw.sq, HANDLES);
	KUNIT_EXPECT_EQ(test, hw.conn->r_xprt->stats.mrs_recycled, recycled);
	KUNIT_EXPECT_EQ(test, hw.conn->mrs.waiters, 0);
}

/* Invalidate the regions of @req because its reply has arrived. */
static void answer_async(struct xprt_rdma_req *req)
{
	static struct xprt_rdma_recv_ctx reply;

	req->recv = &reply;
	xprt_rdma_invalidate_async(hw.conn, req);
}

/*
 * When a reply arrives, one chain invalidates all handles of its call; only the
 * last Work Request is signaled. The reply is passed on afterwards.
 */
static void invalidated_after_reply(struct kunit *test)
{
	const struct ib_send_wr *wr;
	struct xprt_rdma_mr *mr;

	registered(test, HANDLES);
	hw.answer = STAYS_SILENT;
	answer_async(req);

	/* Assert: the reply is not passed on before the chain completes. */
	KUNIT_EXPECT_EQ(test, hw.completed, 0);
	wr = hw.first;
	list_for_each_entry(mr, &req->mrs, list) {
		KUNIT_ASSERT_NOT_NULL(test, wr);
		KUNIT_EXPECT_EQ(test, wr->opcode, IB_WR_LOCAL_INV);
		KUNIT_EXPECT_EQ(test, wr->ex.invalidate_rkey, mr->seg.handle);
		KUNIT_EXPECT_EQ(test, wr->send_flags, wr->next ? 0 : IB_SEND_SIGNALED);
		wr = wr->next;
	}
	KUNIT_EXPECT_NULL(test, wr);

	chain_complete(IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, hw.completed, 1);
	KUNIT_EXPECT_EQ(test, hw.refilled, 1);
	KUNIT_EXPECT_EQ(test, hw.lost, 0);
	expect_unused(test, req, 0);
}

/*
 * If the adapter fails, the error state of the Queue Pair invalidates the
 * regions. If posting fails, the call is passed on with its regions still in
 * use; they are freed with the connection.
 */
static void invalidated_by_error_state(struct kunit *test)
{
	static const struct { enum answer answer; u32 lost, completed; bool left; } cases[] = {
		{ FLUSHES, HANDLES, 1, false }, { IS_DEAD, 0, 0, false },
		{ REFUSES, 1, 1, true }, { LIES, 1 + HANDLES, 1, true },
	};

	for_each_case(c, cases) {
		request(test);
		registered(test, HANDLES);
		hw.answer = c->answer;
		answer_async(req);
		KUNIT_EXPECT_EQ(test, hw.lost, c->lost);
		KUNIT_EXPECT_EQ(test, hw.errors, c->lost > 0);
		KUNIT_EXPECT_EQ(test, hw.completed, c->completed);
		KUNIT_EXPECT_EQ(test, list_empty(&hw.conn->mrs.invalidations), c->completed);
		xprt_rdma_invalidations_flush(hw.conn);
		chain_complete(IB_WC_WR_FLUSH_ERR);
		KUNIT_EXPECT_EQ(test, hw.completed, 1);
		KUNIT_EXPECT_EQ(test, hw.conn->mrs.busy, c->left ? HANDLES : 0);
		if (!c->left)
			expect_unused(test, req, HANDLES);
	}
}

/*
 * A task that ends without a reply waits until the peer has lost access. It does
 * not wait for its Send, whose memory stays as it is.
 */
static void invalidated_without_reply(struct kunit *test)
{
	static const enum answer answers[] = { COMPLETES, FLUSHES, STAYS_SILENT, LIES };
	u32 recycled;

	for_each_case(c, answers) {
		request(test);
		registered(test, HANDLES);
		hw.answer = *c;
		recycled = *c == COMPLETES ? 0 : HANDLES;
		refcount_set(&req->ref.refcount, 2);
		xprt_rdma_invalidate_sync(req->r_xprt, req, false);
		KUNIT_EXPECT_EQ(test, hw.lost > 0, recycled > 0);
		KUNIT_EXPECT_EQ(test, hw.completed, 0);
		KUNIT_EXPECT_GT(test, hw.wakes, 0);
		KUNIT_EXPECT_EQ(test, req->r_xprt->stats.mrs_orphaned, HANDLES);
		KUNIT_EXPECT_EQ(test, req->r_xprt->stats.local_inv_needed, HANDLES);
		expect_unused(test, req, recycled);
		KUNIT_EXPECT_TRUE(test, list_empty(&hw.conn->mrs.invalidations));
	}
}

static int end_connection(void *data)
{
	struct xprt_rdma *r_xprt = data;

	while (!hw.conn->mrs.closing && !READ_ONCE(hw.lost)) {
		if (kthread_should_stop())
			return 0;
		schedule_timeout_uninterruptible(1);
	}
	schedule_timeout_uninterruptible(2);
	WARN_ON(READ_ONCE(hw.conn->mrs.waiters));
	xprt_rdma_invalidations_flush(hw.conn);
	xprt_rdma_mrs_destroy(hw.conn);
	refcount_set(&req->ref.refcount, 1);
	wake_up_all(&r_xprt->inv_wait);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/*
 * A task waits for the end of the connection if the end has begun, or if its
 * own invalidation fails or is never reported.
 */
static void invalidated_by_the_end(struct kunit *test)
{
	static const enum answer answers[] = { COMPLETES, REFUSES, IS_DEAD };
	struct task_struct *task;

	for_each_case(c, answers) {
		request(test);
		registered(test, HANDLES);
		hw.answer = *c;
		hw.conn->mrs.closing = *c == COMPLETES;
		task = kthread_run(end_connection, req->r_xprt, "end_connection");
		KUNIT_ASSERT_FALSE(test, IS_ERR(task));
		xprt_rdma_invalidate_sync(req->r_xprt, req, false);
		KUNIT_EXPECT_TRUE(test, list_empty(&req->mrs));
		KUNIT_EXPECT_TRUE(test, list_empty(&hw.conn->mrs.invalidations));
		KUNIT_EXPECT_EQ(test, hw.posted, *c == IS_DEAD);
		KUNIT_EXPECT_EQ(test, hw.lost, *c != COMPLETES);
		KUNIT_EXPECT_EQ(test, hw.conn->mrs.waiters, 0);
		/* After the end, nothing is left to invalidate. */
		hw.posted = 0;
		hw.conn->mrs.closing = false;
		xprt_rdma_invalidate_sync(req->r_xprt, req, false);
		KUNIT_EXPECT_EQ(test, hw.posted, 0);
		kthread_stop(task);
	}
}

/*
 * Before an overdue call is encoded again, its connection ends, unless it has
 * ended or is ending, and nothing is in use: neither regions nor the memory that
 * its Send gathers. No invalidations are posted.
 */
static void overdue_call_awaits_the_end(struct kunit *test)
{
	static const struct {
		u32 handles, refs;
		bool current_cookie, closing, ended, lost;
	} cases[] = {
		{ HANDLES, 1, .lost = true },
		{ HANDLES, 1, .closing = true },
		{ 0, 2, .lost = true },
		{ 0, 2, .closing = true },
		{ 0, 1, .current_cookie = true, .lost = true },
		{ 0, 1, .current_cookie = true, .ended = true },
		{ 0, 1 },
	};
	struct task_struct *task;
	struct xprt_rdma *r_xprt;

	for_each_case(c, cases) {
		request(test);
		registered(test, c->handles);
		r_xprt = req->r_xprt;
		refcount_set(&req->ref.refcount, c->refs);
		r_xprt->xprt.connect_cookie = c->current_cookie ? 0 : 1;
		hw.conn->mrs.closing = c->closing;
		if (c->ended)
			r_xprt->conn = NULL;
		task = kthread_run(end_connection, r_xprt, "end_connection");
		KUNIT_ASSERT_FALSE(test, IS_ERR(task));
		xprt_rdma_invalidate_sync(r_xprt, req, true);
		KUNIT_EXPECT_TRUE(test, list_empty(&req->mrs));
		KUNIT_EXPECT_FALSE(test, xprt_rdma_send_in_flight(req));
		KUNIT_EXPECT_EQ(test, hw.posted, 0);
		KUNIT_EXPECT_EQ(test, hw.lost, c->lost);
		KUNIT_EXPECT_EQ(test, hw.errors, c->lost);
		KUNIT_EXPECT_EQ(test, rpcrdma_cause_reason(hw.conn->life.cause),
				c->lost ? RPCRDMA_NL_LOST_TIMEOUT : 0);
		KUNIT_EXPECT_EQ(test, r_xprt->stats.mrs_orphaned, 0);
		KUNIT_EXPECT_EQ(test, hw.conn->mrs.waiters, 0);
		kthread_stop(task);
	}
}

/*
 * The error state invalidates the regions of a lost connection immediately,
 * unless the end of the connection has begun, which invalidates them.
 */
static void invalidated_when_lost(struct kunit *test)
{
	struct xprt_rdma *r_xprt = req->r_xprt;
	struct xprt_rdma_conn *conn = hw.conn, *next = fake_conn(test, r_xprt);

	registered(test, 1);
	xprt_rdma_invalidate_all(conn);
	KUNIT_EXPECT_EQ(test, hw.errors, 1);
	KUNIT_EXPECT_EQ(test, conn->mrs.waiters, 0);

	/* Act and assert: the old connection is ending, the next one exists. */
	conn->mrs.closing = true;
	r_xprt->conn = next;
	xprt_rdma_invalidate_all(conn);
	KUNIT_EXPECT_EQ(test, hw.errors, 1);
	KUNIT_EXPECT_EQ(test, conn->mrs.waiters, 0);
	KUNIT_EXPECT_EQ(test, next->mrs.waiters, 0);
	r_xprt->conn = conn;
}

static struct kunit_case xprt_frwr_cases[] = {
	KUNIT_CASE(device_queried),
	KUNIT_CASE(pages_mapped),
	KUNIT_CASE(contiguous_pages_merged),
	KUNIT_CASE(least_access),
	KUNIT_CASE(unmappable_kvec_refused),
	KUNIT_CASE(segments_limited),
	KUNIT_CASE(failed_mapping_undone),
	KUNIT_CASE(discard_page_takes_any_length),
	KUNIT_CASE(peer_invalidates_only_the_requests),
	KUNIT_CASE(invalidated_after_reply),
	KUNIT_CASE(invalidated_by_error_state),
	KUNIT_CASE(invalidated_without_reply),
	KUNIT_CASE(invalidated_by_the_end),
	KUNIT_CASE(overdue_call_awaits_the_end),
	KUNIT_CASE(invalidated_when_lost),
	{}
};

SUITE("xprt_rdma_frwr", xprt_frwr_cases, .init = request);
