/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page lists, and the regions and scatter lists that they become. Included by the suite
 * of frwr.c, which has regions of 16 pages.
 */
#ifndef _XPRT_RDMA_XPRT_FRWR_CASES_H
#define _XPRT_RDMA_XPRT_FRWR_CASES_H

#define CHUNK_PAGES	50u
#define FOLIO_ORDER	5u

/* Page lists, and their segments with regions of 16 pages */
static const struct page_case {
	const char *name;
	u32 base, len;
	u32 nsegs;
	u32 lengths[4];
} page_cases[] = {
	{ "one byte", 0, 1, 1, { 1 } },
	{ "last byte of a page", 4095, 1, 1, { 1 } },
	{ "across a page's end", 4095, 2, 1, { 2 } },
	{ "one page", 0, 4096, 1, { 4096 } },
	{ "second page", 4096, 4096, 1, { 4096 } },
	{ "a whole region", 0, 65536, 1, { 65536 } },
	{ "one byte more", 0, 65537, 2, { 65536, 1 } },
	{ "shifted by one byte", 1, 65536, 2, { 65535, 1 } },
	{ "three regions", 100, 140000, 3, { 65436, 65536, 9028 } },
	{ "base in the third page", 8192 + 4, 70000, 2, { 65532, 4468 } },
};

KUNIT_ARRAY_PARAM_DESC(page_case, page_cases, name);

/*
 * The regions' scatter lists cover the page list, in order, and no more. Pages may
 * happen to be contiguous.
 */
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

/* RFC 8166 section 3.4.4: a segment for each region, which covers its pages */
static void pages_mapped(struct kunit *test)
{
	const struct page_case *c = test->param_value;
	struct xprt_rdma_req *req = request(test);
	struct xdr_buf xdr = {
		.pages = fake_pages(test, CHUNK_PAGES),
		.page_base = c->base,
		.page_len = c->len,
	};
	struct xprt_rdma_mr *mr;
	u32 i = 0, pages;

	/* Act */
	KUNIT_ASSERT_EQ(test, 0, map_pages(req, &xdr));

	/* Assert */
	KUNIT_ASSERT_EQ(test, req->nr_mrs, c->nsegs);
	expect_covered(test, req, &xdr);
	list_for_each_entry(mr, &req->mrs, list) {
		KUNIT_EXPECT_EQ(test, mr->seg.length, c->lengths[i]);
		KUNIT_EXPECT_EQ(test, mr->seg.offset,
				i ? 0 : offset_in_page(c->base));
		pages = DIV_ROUND_UP(mr->seg.offset + mr->seg.length,
				     PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, mr->class,
				pages <= SMALL_DEPTH ? XPRT_RDMA_MR_SMALL :
						       XPRT_RDMA_MR_LARGE);
		KUNIT_EXPECT_EQ(test, mr->position, POSITION);
		i++;
	}
	KUNIT_EXPECT_EQ(test, hw.posted, 0);
	xprt_rdma_map_undo(hw.conn, req);
	KUNIT_EXPECT_EQ(test, hw.conn->mrs.busy, 0);
	KUNIT_EXPECT_EQ(test, req->nr_mrs, 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&req->mrs));
}

static void free_folio_action(void *page)
{
	__free_pages(page, FOLIO_ORDER);
}

/*
 * Contiguous pages are one entry of the scatter list, as far as the device allows,
 * and a region covers no more pages than without that.
 */
static void contiguous_pages_merged(struct kunit *test)
{
	static const struct {
		u32 base, len, max, swapped;
		u32 nents[2];
		u32 bounce;
	} cases[] = {
		{ 0, 16 * 4096, UINT_MAX, 0, { 1 } },
		{ 100, 3 * 4096, UINT_MAX, 0, { 1 } },
		{ 5 * 4096 + 8, 4096, UINT_MAX, 0, { 1 } },
		{ 0, 20 * 4096, UINT_MAX, 0, { 1, 1 } },
		{ 7, 16 * 4096, UINT_MAX, 0, { 1, 1 } },
		{ 0, 16 * 4096, 8 * 4096, 0, { 2 } },
		{ 1, 16 * 4096 - 1, 8 * 4096, 0, { 2 } },
		{ 0, 16 * 4096, 4096, 0, { 16 } },
		{ 0, 16 * 4096, UINT_MAX, 0, { 2 }, 8 * 4096 },
		{ 0, 16 * 4096, 4096, 0, { 16 }, 8 * 4096 },
		/* 0 to 2, 4, 3, 5 and on */
		{ 0, 16 * 4096, UINT_MAX, 3, { 4 } },
		{ 0, 4 * 4096, UINT_MAX, 3, { 2 } },
	};
	struct page *pages[1 << FOLIO_ORDER], *folio;
	struct xdr_buf xdr = { .pages = pages };
	struct xprt_rdma_req *req;
	struct xprt_rdma_mr *mr;
	u32 i, j;

	folio = alloc_pages(GFP_KERNEL | __GFP_COMP, FOLIO_ORDER);
	KUNIT_ASSERT_NOT_NULL(test, folio);
	fake_defer(test, free_folio_action, folio);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (j = 0; j < ARRAY_SIZE(pages); j++)
			pages[j] = folio + j;
		if (cases[i].swapped)
			swap(pages[cases[i].swapped],
			     pages[cases[i].swapped + 1]);
		xdr.page_base = cases[i].base;
		xdr.page_len = cases[i].len;
		/* Whichever of the two limits is lower */
		req = request(test);
		hw.max_seg = cases[i].max;
		hw.bounce = cases[i].bounce;
		KUNIT_ASSERT_EQ(test, 0, map_pages(req, &xdr));
		KUNIT_EXPECT_EQ(test, req->nr_mrs, 1 + !!cases[i].nents[1]);
		expect_covered(test, req, &xdr);
		j = 0;
		list_for_each_entry(mr, &req->mrs, list)
			KUNIT_EXPECT_EQ(test, mr->nents, cases[i].nents[j++]);
		xprt_rdma_map_undo(hw.conn, req);
	}
}

#endif /* _XPRT_RDMA_XPRT_FRWR_CASES_H */
