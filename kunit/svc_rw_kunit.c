// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: each RDMA Read and Write of svcrdma covers exactly the intended
 * memory, within the limits of the device. Reads and Writes are posted in
 * order, and a failure of any is detected. If this failed, the server would
 * read or write the wrong memory, or use incomplete data, or connections over
 * soft-RoCE would fail repeatedly on a link that loses packets.
 */
#include <linux/sizes.h>
#include <linux/slab.h>

#include <rdma/mr_pool.h>
#include <rdma/rdma_cm.h>
#include <rdma/rw.h>

#include "suite.h"
#include "svc_fakes.h"
#include "fake_memory.h"
#include "fake_balance.h"

/* Number of calls to svc_rdma_rw_lost() */
static u32 lost;
static time64_t fake_seconds;

#include "fake_rw.h"
#define ktime_get_seconds()		fake_seconds
#include "../svcrdma/verbs/rw_length.c"
#define svc_rdma_rw_lost(conn)		((void)(conn), (void)lost++)
#include "../svcrdma/verbs/rw.c"
#undef svc_rdma_rw_lost

#define PAGES		20u
#define ADJOINING_ORDER	6
#define HANDLE		0x8166u
#define OFFSET		0x123456789ull

/* Connection and memory of the current case; each case begins with new ones */
static struct svc_rdma_conn *conn;
static u8 *base;	/* local memory for add() */
/* Reads and Writes of the case; remote segment, of ten bytes by default */
static struct list_head rws;
static struct rpcrdma_segment seg;

static int connection(struct kunit *test)
{
	memset(&hw, 0, sizeof(hw));
	hw.factor = 1;
	lost = 0;
	fake_seconds = 1000;
	svc_rdma_rw_short_until = 0;
	fake_memory_left = -1;
	conn = fake_conn(test);
	conn->qp = fake_zalloc(test, sizeof(*conn->qp));
	conn->qp->device = conn->dev;
	conn->rws.qp = conn->qp;
	base = page_address(fake_page(test));
	INIT_LIST_HEAD(&rws);
	seg.handle = HANDLE;
	seg.length = 10;
	seg.offset = OFFSET;
	return 0;
}

static int add_pages(struct page **pages, u32 offset,
		     enum dma_data_direction dir)
{
	struct rpcrdma_rw_memory mem = {
		.pages	= pages + (offset >> PAGE_SHIFT),
		.offset	= offset_in_page(offset),
	};

	return svc_rdma_rw_add(conn, &rws, &seg, &mem, dir);
}

/* Add a Read or Write of the bytes at @base. */
static int add(enum dma_data_direction dir)
{
	struct rpcrdma_rw_memory mem = { .base = base };

	return svc_rdma_rw_add(conn, &rws, &seg, &mem, dir);
}

static const struct ib_rdma_wr *wr_of(const struct rpcrdma_rw *rw)
{
	return &rw->ctx.single.wr;
}

/* End a case: no Read or Write is left, and no lock is held. */
static void released(struct kunit *test)
{
	svc_rdma_rw_release(conn, &rws);
	KUNIT_EXPECT_EQ(test, fake_count(rwctxs_now), 0);
	balance_exit(test);
}

static void free_adjoining(void *page)
{
	__free_pages(page, ADJOINING_ORDER);
}

/* Return the first of many adjoining pages. */
static struct page *adjoining(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL, ADJOINING_ORDER);

	KUNIT_ASSERT_NOT_NULL(test, page);
	fake_defer(test, free_adjoining, page);
	return page;
}

/* Reads and Writes that merge or do not merge pages */
static const struct merge_case {
	const char *name;
	enum dma_data_direction dir;
	bool merge;
	u32 nents;
} merge_cases[] = {
	{ "Read", DMA_FROM_DEVICE, true, 5 },
	{ "Read, not merged", DMA_FROM_DEVICE, false, PAGES },
	{ "Write", DMA_TO_DEVICE, true, 5 },
	{ "Write, not merged", DMA_TO_DEVICE, false, PAGES },
};

KUNIT_ARRAY_PARAM_DESC(merge_case, merge_cases, name);

/* Order of the pages in memory: five ranges, of which one is backwards */
static const u8 merge_pages[PAGES] = {
	0, 1, 2, 3, 4, 5, 6, 7, 20, 21, 22, 23, 24, 25, 15, 14, 30, 31, 32, 33,
};

/* Adjoining pages share a scatterlist entry; all bytes stay in order. */
static void pages_merged(struct kunit *test)
{
	const struct merge_case *c = test->param_value;
	struct page *pages[PAGES], *first = adjoining(test);
	struct scatterlist *sg;
	struct rpcrdma_rw *rw;
	u32 i, j, at = 100;

	seg.length = PAGES * PAGE_SIZE - 150;
	conn->rws.merge = c->merge;
	for (i = 0; i < PAGES; i++)
		pages[i] = first + merge_pages[i];

	KUNIT_ASSERT_EQ(test, 1, add_pages(pages, at, c->dir));

	rw = list_first_entry(&rws, struct rpcrdma_rw, list);
	KUNIT_EXPECT_EQ(test, rw->nents, c->nents);
	for_each_sg(rw->sgt.sgl, sg, rw->nents, i)
		for (j = 0; j < sg->length; j++, at++)
			if (sg_virt(sg) + j != page_address(pages[at / PAGE_SIZE]) +
					       offset_in_page(at))
				break;
	KUNIT_EXPECT_EQ(test, at, 100 + seg.length);
	KUNIT_EXPECT_EQ(test, wr_of(rw)->rkey, HANDLE);
	KUNIT_EXPECT_EQ(test, wr_of(rw)->remote_addr, OFFSET);
	KUNIT_EXPECT_EQ(test, wr_of(rw)->wr.opcode,
			c->dir == DMA_FROM_DEVICE ? IB_WR_RDMA_READ : IB_WR_RDMA_WRITE);
}

/* Ranges of pages, and the number of Reads if regions are small */
static const struct split_case {
	const char *name;
	u32 offset, length, region, reads;
} split_cases[] = {
	{ "one region", 0, PAGES * PAGE_SIZE, PAGES, 1 },
	{ "a page more", 0, PAGES * PAGE_SIZE, PAGES - 1, 2 },
	{ "a byte more", 4095, 4 * PAGE_SIZE + 2, 5, 2 },
	{ "a byte less", 4095, 4 * PAGE_SIZE + 1, 5, 1 },
	{ "pages", 100, 3 * PAGE_SIZE, 1, 4 },
};

KUNIT_ARRAY_PARAM_DESC(split_case, split_cases, name);

/* No Read needs more pages than a region has; the Reads cover all bytes. */
static void split_by_pages(struct kunit *test)
{
	const struct split_case *c = test->param_value;
	struct page *pages[PAGES], *first = adjoining(test);
	u32 i, at = c->offset, reads = 0;
	struct scatterlist *sg;
	struct rpcrdma_rw *rw;

	seg.length = c->length;
	conn->rws.merge = true;
	conn->rws.pages = c->region;
	hw.map_pages = c->region;
	for (i = 0; i < PAGES; i++)
		pages[i] = first + i;

	KUNIT_ASSERT_EQ(test, c->reads, add_pages(pages, c->offset,
						  DMA_FROM_DEVICE));

	list_for_each_entry(rw, &rws, list) {
		reads++;
		KUNIT_EXPECT_EQ(test, wr_of(rw)->remote_addr - OFFSET, at - c->offset);
		for_each_sg(rw->sgt.sgl, sg, rw->nents, i) {
			KUNIT_EXPECT_LE(test, sg->length, RPCRDMA_RW_ENTRY);
			KUNIT_EXPECT_EQ(test, page_to_phys(sg_page(sg)) +
					sg->offset, page_to_phys(first) + at);
			at += sg->length;
		}
	}
	KUNIT_EXPECT_EQ(test, reads, c->reads);
	KUNIT_EXPECT_EQ(test, at, c->offset + c->length);
}

/* A kvec is split into Writes by the same limit. */
static void kvec_split(struct kunit *test)
{
	struct rpcrdma_rw *rw;
	u32 at = 0;

	seg.length = 3 * PAGE_SIZE;
	base = (u8 *)page_address(adjoining(test)) + 1;
	conn->rws.pages = 2;
	hw.map_pages = 2;
	KUNIT_ASSERT_EQ(test, 2, add(DMA_TO_DEVICE));
	list_for_each_entry(rw, &rws, list) {
		KUNIT_EXPECT_PTR_EQ(test, sg_virt(rw->sgt.sgl), base + at);
		at += rw->sgt.sgl->length;
	}
	KUNIT_EXPECT_EQ(test, at, seg.length);
}

/*
 * A region is created for a Read that finds none free, and for a Read or Write
 * whose region another thread has taken.
 */
static void regions_created(struct kunit *test)
{
	static const struct {
		enum dma_data_direction dir;
		bool regions, free;
		u32 taken, want;
	} cases[] = {
		{ DMA_FROM_DEVICE, true, false, 0, 1 },
		{ DMA_FROM_DEVICE, true, false, 2, 3 },
		{ DMA_FROM_DEVICE, true, true, 0, 0 },
		{ DMA_FROM_DEVICE, true, true, 1, 1 },
		{ DMA_FROM_DEVICE, false, false, 0, 0 },
		{ DMA_TO_DEVICE, true, false, 0, 0 },
		{ DMA_TO_DEVICE, true, false, 1, 1 },
	};
	struct list_head mr;

	for_each_case(c, cases) {
		connection(test);
		conn->rws.regions = c->regions;
		conn->rws.pages = 77;
		INIT_LIST_HEAD(&conn->qp->rdma_mrs);
		if (c->free)
			list_add(&mr, &conn->qp->rdma_mrs);
		hw.taken = c->taken;
		KUNIT_EXPECT_EQ(test, 1, add(c->dir));
		KUNIT_EXPECT_EQ_MSG(test, hw.regions, c->want, "case %td", c - cases);
		if (hw.regions)
			KUNIT_EXPECT_EQ(test, hw.region_pages, 77);
		svc_rdma_rw_release(conn, &rws);
	}

	/*
	 * Act and assert: no region can be created. The Read is tried anyway:
	 * ConnectX registers only Reads of many entries, and newer kernels need
	 * no region if none is free.
	 */
	conn->rws.regions = true;
	hw.no_region = true;
	KUNIT_EXPECT_EQ(test, 1, add(DMA_FROM_DEVICE));
	hw.taken = 1;
	KUNIT_EXPECT_EQ(test, -ENOMEM, add(DMA_FROM_DEVICE));
	KUNIT_EXPECT_TRUE(test, list_is_singular(&rws));
}

/*
 * Reads and Writes are counted separately. rpcrdma_rw_end() unmaps those that
 * are left. Their owners free them before or after that.
 */
static void counted(struct kunit *test)
{
	struct rpcrdma_rw *rw;
	LIST_HEAD(more);

	base += 5;
	KUNIT_EXPECT_EQ(test, 1, add(DMA_TO_DEVICE));
	rw = list_first_entry(&rws, struct rpcrdma_rw, list);
	KUNIT_EXPECT_PTR_EQ(test, sg_virt(rw->sgt.sgl), base);
	KUNIT_EXPECT_EQ(test, rw->sgt.sgl->length, 10);
	KUNIT_EXPECT_EQ(test, rw->nents, 1);
	KUNIT_EXPECT_EQ(test, 1, add(DMA_FROM_DEVICE));
	KUNIT_EXPECT_EQ(test, 1, add(DMA_FROM_DEVICE));
	KUNIT_EXPECT_EQ(test, fake_count(reads_posted), 2);
	KUNIT_EXPECT_EQ(test, fake_count(writes_posted), 1);
	list_move(rws.prev, &more);
	svc_rdma_rw_release(conn, &more);
	KUNIT_EXPECT_EQ(test, hw.unmapped, 1);
	rpcrdma_rw_end(&conn->rws);
	KUNIT_EXPECT_EQ(test, hw.unmapped, 3);
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->rws.all));
	svc_rdma_rw_release(conn, &rws);
	KUNIT_EXPECT_EQ(test, hw.unmapped, 3);
}

/* Completion status of a Work Request in a chain, and its effects */
static const struct fail_case {
	const char *name;
	enum dma_data_direction dir;
	enum ib_wc_status status;
	u32 reads, writes, closed;
} fail_cases[] = {
	{ "Read", DMA_FROM_DEVICE, IB_WC_REM_ACCESS_ERR, 1, 0, 1 },
	{ "Write", DMA_TO_DEVICE, IB_WC_REM_ACCESS_ERR, 0, 1, 1 },
	/* A flush is reported by the last Work Request of the chain. */
	{ "Read flushed", DMA_FROM_DEVICE, IB_WC_WR_FLUSH_ERR, 0, 0, 0 },
	{ "Write flushed", DMA_TO_DEVICE, IB_WC_WR_FLUSH_ERR, 0, 0, 0 },
	/* No known device reports an unsignaled success, but one could. */
	{ "Read done", DMA_FROM_DEVICE, IB_WC_SUCCESS, 0, 0, 0 },
};

KUNIT_ARRAY_PARAM_DESC(fail_case, fail_cases, name);

/* A failed Read or Write is reported at any position in the chain. */
static void failure_reported(struct kunit *test)
{
	const struct fail_case *c = test->param_value;
	struct ib_send_wr end = { }, *wr;
	struct rpcrdma_rw *rw;
	u32 i, n = 3;

	/* Arrange: a chain that ends with a Send, or with a Read */
	KUNIT_EXPECT_PTR_EQ(test, svc_rdma_rw_chain(conn, &rws, &end), &end);
	for (i = 0; i < n; i++)
		KUNIT_ASSERT_EQ(test, 1, add(c->dir));
	wr = svc_rdma_rw_chain(conn, &rws, c->dir == DMA_TO_DEVICE ? &end : NULL);

	/* Act: complete all Reads or Writes, in the order of the list */
	list_for_each_entry(rw, &rws, list) {
		KUNIT_ASSERT_PTR_EQ(test, wr, &wr_of(rw)->wr);
		KUNIT_ASSERT_NOT_NULL(test, wr->wr_cqe);
		fake_completes(conn, wr->wr_cqe, c->status);
		wr = wr->next;
	}

	KUNIT_EXPECT_PTR_EQ(test, wr, c->dir == DMA_TO_DEVICE ? &end : NULL);
	KUNIT_EXPECT_NULL(test, end.wr_cqe);
	KUNIT_EXPECT_EQ(test, fake_count(reads_failed), n * c->reads);
	KUNIT_EXPECT_EQ(test, fake_count(writes_failed), n * c->writes);
	KUNIT_EXPECT_EQ(test, fake_closed, n * c->closed);
	if (c->closed)
		KUNIT_EXPECT_EQ(test, rpcrdma_cause_detail(fake_cause),
				c->reads ? RPCRDMA_NL_DETAIL_READ :
					   RPCRDMA_NL_DETAIL_WRITE);
	KUNIT_EXPECT_EQ(test, lost, n * c->closed);
	KUNIT_EXPECT_EQ(test, fake_wc_errors, n * c->closed);
}

/* Work Request and completion status determine the reported cause. */
static void causes(struct kunit *test)
{
	static const struct {
		enum rpcrdma_nl_detail detail;
		enum ib_wc_status status;
		enum rpcrdma_nl_lost reason;
		enum rpcrdma_nl_detail shown;
	} cases[] = {
		{ RPCRDMA_NL_DETAIL_READ, IB_WC_REM_ACCESS_ERR,
		  RPCRDMA_NL_LOST_WORK, RPCRDMA_NL_DETAIL_READ },
		{ RPCRDMA_NL_DETAIL_SEND, IB_WC_RETRY_EXC_ERR,
		  RPCRDMA_NL_LOST_VANISHED, RPCRDMA_NL_DETAIL_SEND },
		{ RPCRDMA_NL_DETAIL_RECEIVE, IB_WC_LOC_LEN_ERR,
		  RPCRDMA_NL_LOST_PROTOCOL, RPCRDMA_NL_DETAIL_OVERLONG },
		{ RPCRDMA_NL_DETAIL_SEND, IB_WC_LOC_LEN_ERR,
		  RPCRDMA_NL_LOST_WORK, RPCRDMA_NL_DETAIL_SEND },
	};

	for_each_case(c, cases)
		KUNIT_EXPECT_EQ(test, svc_rdma_wc_cause(c->detail, c->status),
				rpcrdma_cause(c->reason, c->shown, c->status));
	KUNIT_EXPECT_EQ(test, RPCRDMA_CAUSE_UNKNOWN,
			svc_rdma_wc_cause(RPCRDMA_NL_DETAIL_SEND,
					  IB_WC_WR_FLUSH_ERR));
}

/* A flushed chain of Reads counts as lost: soft-RoCE may have lost a Read. */
static void flushed(struct kunit *test)
{
	struct ib_wc wc = { .status = IB_WC_WR_FLUSH_ERR };

	svc_rdma_rw_failed(conn, &wc, DMA_FROM_DEVICE);
	KUNIT_EXPECT_EQ(test, lost, 1);
	KUNIT_EXPECT_EQ(test, fake_closed, 1);
	KUNIT_EXPECT_EQ(test, fake_cause, RPCRDMA_CAUSE_UNKNOWN);
	KUNIT_EXPECT_EQ(test, fake_count(reads_failed), 0);
}

/* If preparing a Read fails, the list is unchanged. -EIO: swiotlb is full. */
static void not_prepared(struct kunit *test)
{
	static const struct {
		int status, memory, ret;
	} cases[] = {
		{ -EINVAL, -1, -EINVAL }, { -EIO, -1, -ENOMEM },
		{ 0, 0, -ENOMEM }, { 0, 1, -ENOMEM },
	};
	struct page *page = virt_to_page(base);

	KUNIT_ASSERT_EQ(test, 1, add(DMA_TO_DEVICE));
	for_each_case(c, cases) {
		hw.status = c->status;
		fake_memory_left = c->memory;
		KUNIT_EXPECT_EQ(test, c->ret, add(DMA_FROM_DEVICE));
		fake_memory_left = c->memory;
		KUNIT_EXPECT_EQ(test, c->ret, add_pages(&page, 0, DMA_TO_DEVICE));
		KUNIT_EXPECT_TRUE(test, list_is_singular(&rws));
	}
	svc_rdma_rw_release(conn, &rws);
	KUNIT_EXPECT_EQ(test, hw.unmapped, 1);
}

static struct svc_rdma_conn *with_device(struct kunit *test, enum rdma_driver_id driver, u32 sges)
{
	struct svc_rdma_conn *conn = fake_conn(test);

	conn->dev->ops.driver_id = driver;
	conn->qp = fake_zalloc(test, sizeof(*conn->qp));
	conn->qp->max_read_sge = sges;
	conn->qp->max_write_sge = sges;
	return conn;
}

static void expect_sges(struct kunit *test, struct svc_rdma_conn *conn,
			u32 want)
{
	u32 few = conn->qp->max_read_sge;

	svc_rdma_limit_rw(conn);
	KUNIT_EXPECT_EQ(test, conn->qp->max_read_sge, want);
	KUNIT_EXPECT_EQ(test, conn->qp->max_write_sge, want);
	/* If the number of entries is reduced, each entry covers one page. */
	if (few > 16)
		KUNIT_EXPECT_EQ(test, conn->rws.merge, want == 16);
}

/* After a failure on soft-RoCE, its Reads and Writes are short for 10 min. */
static void short_after_failure(struct kunit *test)
{
	/* A failure on another device has no effect. */
	svc_rdma_rw_lost(with_device(test, RDMA_DRIVER_SIW, 32));
	expect_sges(test, with_device(test, RDMA_DRIVER_RXE, 32), 16);
	svc_rdma_rw_lost(with_device(test, RDMA_DRIVER_RXE, 32));
	expect_sges(test, with_device(test, RDMA_DRIVER_RXE, 32), 5);
	expect_sges(test, with_device(test, RDMA_DRIVER_RXE, 3), 3);
	expect_sges(test, with_device(test, RDMA_DRIVER_SIW, 32), 16);
	fake_seconds += 599;
	expect_sges(test, with_device(test, RDMA_DRIVER_RXE, 32), 5);
	fake_seconds++;
	expect_sges(test, with_device(test, RDMA_DRIVER_RXE, 32), 16);
}

/* rdma_rw decides whether Reads need regions, whatever the device is. */
static void regions_asked_for(struct kunit *test)
{
	static const struct {
		u32 factor, list_len;
		bool regions;
		u32 pages;
	} cases[] = {
		{ 1, 16, false, 256 },
		{ 3, 256, true, 256 },
		{ 3, 128, true, 128 },
		{ 3, 0, true, 1 },
	};
	struct svc_rdma_conn *conn;

	for_each_case(c, cases) {
		conn = with_device(test, RDMA_DRIVER_RXE, 16);
		hw.factor = c->factor;
		conn->dev->attrs.max_fast_reg_page_list_len = c->list_len;
		svc_rdma_limit_rw(conn);
		KUNIT_EXPECT_EQ(test, conn->rws.regions, c->regions);
		KUNIT_EXPECT_EQ(test, conn->rws.pages, c->pages);
	}
}

static struct kunit_case svc_rw_cases[] = {
	KUNIT_CASE_PARAM(pages_merged, merge_case_gen_params),
	KUNIT_CASE_PARAM(split_by_pages, split_case_gen_params),
	KUNIT_CASE(kvec_split),
	KUNIT_CASE(regions_created),
	KUNIT_CASE(counted),
	KUNIT_CASE_PARAM(failure_reported, fail_case_gen_params),
	KUNIT_CASE(causes),
	KUNIT_CASE(flushed),
	KUNIT_CASE(not_prepared),
	KUNIT_CASE(short_after_failure),
	KUNIT_CASE(regions_asked_for),
	{}
};

SUITE("svc_rdma_rw", svc_rw_cases, .init = connection, .exit = released);
