// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a page is reused for RDMA Reads only if it has no other references.
 * The number of pages that connections keep is bounded. Unneeded pages are
 * freed, and the shrinker can free any page that is kept. If this failed, a
 * client's data would be overwritten before it is on disk, or the server would
 * run out of memory.
 */
#include <linux/shrinker.h>
#include <linux/sizes.h>

#include "svc_fakes.h"
#include "fake_memory.h"
#include "fake_balance.h"

unsigned int svc_rdma_read_pages_kept;
static struct shrinker fake_shrinker;
static int fake_registered;

#undef shrinker_alloc
#define shrinker_alloc(flags, ...) (fake_memory_out() ? NULL : &fake_shrinker)
#define shrinker_register(s)		((void)(s), (void)fake_registered++)
#define shrinker_free(s)		((void)(s), (void)fake_registered--)

#include "../svcrdma/message/stash.c"

#define N	8u

KUNIT_DEFINE_ACTION_WRAPPER(end, svc_rdma_stash_destroy, struct svc_rdma_conn *);

static struct svc_rdma_conn *conn;

static struct svc_rdma_conn *another(struct kunit *test)
{
	struct svc_rdma_conn *conn = fake_conn(test);

	svc_rdma_read_pages_kept = 64 * PAGE_SIZE;
	fake_memory_left = -1;
	svc_rdma_stash_begin(conn);
	fake_defer(test, end, conn);
	return conn;
}

static int connection(struct kunit *test)
{
	conn = another(test);
	return 0;
}

/* Allocate @n pages with one reference each, like those of an nfsd thread. */
static void get_pages(struct page **pages, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		pages[i] = alloc_page(GFP_KERNEL | __GFP_NOFAIL);
}

static void fill(struct svc_rdma_conn *conn, u32 n)
{
	struct page *page;

	while (n--) {
		get_pages(&page, 1);
		svc_rdma_stash_put(conn, &page, 1);
	}
}

static void put_pages(struct page **pages, u32 n)
{
	while (n--)
		put_page(pages[n]);
}

static u32 total(void)
{
	return atomic_long_read(&svc_rdma_stash_total);
}

/* A page that must not be reused is released instead of kept. */
static void not_kept(struct kunit *test)
{
	struct address_space mapping = { };
	struct page *page, *tail;

	/* The page has another reference, as while it is written to disk. */
	page = fake_page(test);
	get_page(page);
	svc_rdma_stash_put(conn, &page, 1);
	KUNIT_EXPECT_EQ(test, conn->stash.count, 0);
	page = fake_page(test);
	KUNIT_EXPECT_EQ(test, page_count(page), 1);

	/* The page belongs to a file. */
	page->mapping = &mapping;
	KUNIT_EXPECT_FALSE(test, svc_rdma_page_unused(page));
	page->mapping = NULL;
	SetPageLRU(page);
	KUNIT_EXPECT_FALSE(test, svc_rdma_page_unused(page));
	ClearPageLRU(page);

	/* The page is reserved, like the zero page. */
	SetPageReserved(page);
	KUNIT_EXPECT_FALSE(test, svc_rdma_page_unused(page));
	ClearPageReserved(page);

	/* The page is from the emergency reserve. */
	set_page_pfmemalloc(page);
	KUNIT_EXPECT_FALSE(test, svc_rdma_page_unused(page));
	clear_page_pfmemalloc(page);
	KUNIT_EXPECT_TRUE(test, svc_rdma_page_unused(page));

	/* The page is part of a compound page. */
	tail = alloc_pages(GFP_KERNEL | __GFP_COMP, 1);
	KUNIT_ASSERT_NOT_NULL(test, tail);
	KUNIT_EXPECT_FALSE(test, svc_rdma_page_unused(tail));
	KUNIT_EXPECT_FALSE(test, svc_rdma_page_unused(tail + 1));
	__free_pages(tail, 1);
}

/*
 * The stash releases pages that have other references and keeps the rest. Pages
 * taken from the stash have one reference each and still count in the total.
 */
static void reused(struct kunit *test)
{
	struct page *pages[N], *mine[N / 2], *again[N];
	u32 i;

	KUNIT_EXPECT_EQ(test, svc_rdma_stash_take(conn, again, N), 0);
	get_pages(pages, N);
	for (i = 0; i < N / 2; i++) {
		mine[i] = pages[2 * i];
		get_page(mine[i]);
	}
	svc_rdma_stash_put(conn, pages, N);
	KUNIT_EXPECT_EQ(test, conn->stash.count, N / 2);
	for (i = 0; i < N / 2; i++)
		KUNIT_EXPECT_EQ(test, page_count(mine[i]), 1);
	KUNIT_EXPECT_EQ(test, svc_rdma_stash_take(conn, again, 1), 1);
	KUNIT_EXPECT_EQ(test, svc_rdma_stash_take(conn, again + 1, N), N / 2 - 1);
	KUNIT_EXPECT_EQ(test, svc_rdma_stash_take(conn, again, 1), 0);
	for (i = 0; i < N / 2; i++) {
		KUNIT_EXPECT_PTR_NE(test, again[i], mine[i]);
		KUNIT_EXPECT_EQ(test, page_count(again[i]), 1);
	}
	KUNIT_EXPECT_EQ(test, total(), N / 2);
	svc_rdma_stash_put(conn, again, N / 2);
	KUNIT_EXPECT_EQ(test, conn->stash.count, N / 2);
	KUNIT_EXPECT_EQ(test, total(), N / 2);
	put_pages(mine, N / 2);
}

/* Kept pages are bounded per connection and in total; 0 disables the stash. */
static void bounded(struct kunit *test)
{
	struct svc_rdma_conn *other = another(test);

	/* A connection keeps the pages of 16 calls of 1 MiB. */
	KUNIT_EXPECT_GE(test, SVC_RDMA_STASH_PAGES * PAGE_SIZE, 16 * SZ_1M);
	svc_rdma_read_pages_kept = 2 * SVC_RDMA_STASH_PAGES * PAGE_SIZE;
	fill(conn, SVC_RDMA_STASH_PAGES + 1);
	KUNIT_EXPECT_EQ(test, conn->stash.count, SVC_RDMA_STASH_PAGES);
	KUNIT_EXPECT_EQ(test, total(), SVC_RDMA_STASH_PAGES);

	svc_rdma_read_pages_kept = (SVC_RDMA_STASH_PAGES + 3) * PAGE_SIZE;
	fill(other, 5);
	KUNIT_EXPECT_EQ(test, other->stash.count, 3);
	KUNIT_EXPECT_EQ(test, total(), SVC_RDMA_STASH_PAGES + 3);

	/* When a connection ends, others can keep as many pages instead. */
	kunit_release_action(test, end, conn);
	KUNIT_EXPECT_EQ(test, total(), 3);
	fill(other, 2);
	KUNIT_EXPECT_EQ(test, other->stash.count, 5);

	svc_rdma_read_pages_kept = 0;
	fill(other, 1);
	KUNIT_EXPECT_EQ(test, other->stash.count, 5);
	kunit_release_action(test, end, other);
	KUNIT_EXPECT_EQ(test, total(), 0);
}

/* The stash frees only the pages that were not needed since the last check. */
static void trimmed(struct kunit *test)
{
	struct page *pages[N];

	svc_rdma_stash_trim(conn);
	fill(conn, N);
	svc_rdma_stash_trim(conn);
	KUNIT_EXPECT_EQ(test, conn->stash.count, N);

	KUNIT_ASSERT_EQ(test, svc_rdma_stash_take(conn, pages, 3), 3);
	svc_rdma_stash_put(conn, pages, 3);
	svc_rdma_stash_trim(conn);
	KUNIT_EXPECT_EQ(test, conn->stash.count, 3);
	KUNIT_EXPECT_EQ(test, fake_count(read_pages_returned), N - 3);
	KUNIT_EXPECT_EQ(test, total(), 3);

	svc_rdma_stash_trim(conn);
	KUNIT_EXPECT_EQ(test, conn->stash.count, 0);
	KUNIT_EXPECT_EQ(test, total(), 0);
}

static unsigned long scan(unsigned long pages)
{
	struct shrink_control sc = { .nr_to_scan = pages };

	return fake_shrinker.scan_objects(&fake_shrinker, &sc);
}

/* The shrinker gets the requested pages, from each connection in turn. */
static void shrunk(struct kunit *test)
{
	struct svc_rdma_conn *a = conn, *b = another(test);
	struct page *pages[N];

	fake_memory_left = 0;
	KUNIT_EXPECT_EQ(test, -ENOMEM, svc_rdma_stashes_init());
	KUNIT_EXPECT_EQ(test, fake_registered, 0);
	fake_memory_left = -1;
	KUNIT_ASSERT_EQ(test, 0, svc_rdma_stashes_init());
	KUNIT_EXPECT_EQ(test, fake_registered, 1);
	KUNIT_EXPECT_EQ(test, scan(5), SHRINK_STOP);
	fill(a, N);
	fill(b, N);
	KUNIT_EXPECT_EQ(test, fake_shrinker.count_objects(&fake_shrinker, NULL), 2 * N);
	KUNIT_EXPECT_EQ(test, scan(5), 5);
	KUNIT_EXPECT_EQ(test, scan(5), 5);
	KUNIT_EXPECT_EQ(test, a->stash.count, N - 5);
	KUNIT_EXPECT_EQ(test, b->stash.count, N - 5);
	KUNIT_EXPECT_EQ(test, scan(100), 2 * (N - 5));
	KUNIT_EXPECT_EQ(test, total(), 0);

	/* Pages in use by a Read cannot be freed, but can be kept later. */
	fill(a, N);
	KUNIT_ASSERT_EQ(test, svc_rdma_stash_take(a, pages, N), N);
	KUNIT_EXPECT_EQ(test, scan(100), SHRINK_STOP);
	KUNIT_EXPECT_EQ(test, total(), 0);
	svc_rdma_stash_put(a, pages, N);
	KUNIT_EXPECT_EQ(test, total(), N);
	kunit_release_action(test, end, a);
	kunit_release_action(test, end, b);
	svc_rdma_stashes_exit();
	KUNIT_EXPECT_EQ(test, fake_registered, 0);
}

static struct kunit_case svc_stash_cases[] = {
	KUNIT_CASE(reused),
	KUNIT_CASE(not_kept),
	KUNIT_CASE(bounded),
	KUNIT_CASE(trimmed),
	KUNIT_CASE(shrunk),
	{}
};

SUITE("svc_rdma_stash", svc_stash_cases, .init = connection, .exit = balance_exit);
