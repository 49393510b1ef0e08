// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: an nfsd thread gets back each of its pages that nfsd has replaced or
 * the reply does not need, unless the page has other references. No page leaks
 * or has two owners. If this failed, replies would change while they are sent,
 * or the server would run out of memory.
 */

#include "suite.h"
#include "svc_fakes.h"
#include "fake_memory.h"

/* Pages held for the Send; return value of svc_rdma_send_hold_pages() */
static struct page *held[FAKE_PAGES];
static u32 nheld;
static int fake_hold_result;

static int fake_hold_pages(struct page **pages, u32 npages)
{
	if (fake_hold_result)
		return fake_hold_result;
	memcpy(held + nheld, pages, npages * sizeof(*pages));
	memset(pages, 0, npages * sizeof(*pages));
	nheld += npages;
	return 0;
}

#define svc_rdma_send_hold_pages(send, pages, n) \
	((void)(send), fake_hold_pages(pages, n))

/* The stash of @fake_conn_stash; number of pages requested from it */
static const void *fake_conn_stash;
static struct page *stash[4];
static u32 nstash, asked;

static u32 fake_stash_take(const void *conn, struct page **pages, u32 npages)
{
	u32 n = min(npages, nstash);

	if (conn != fake_conn_stash)
		return 0;
	asked += npages;
	nstash -= n;
	memcpy(pages, stash + nstash, n * sizeof(*pages));
	return n;
}

#define svc_rdma_stash_take	fake_stash_take

#include "../svcrdma/message/reply_pages.c"

#define PAGES	100u

/* An nfsd thread, its call and the reply */
struct thread {
	struct svc_rqst *rqst;	/* the thread */
	struct svc_rdma_recv_ctx *recv;	/* Receive context of the call */
	struct svc_rdma_send_ctx *send;	/* Send context of the reply */
	struct page *own[PAGES];	/* initial pages of the thread */
	struct page *cache;	/* page cache page */
	struct address_space mapping;	/* file of @cache */
	struct list_head write;	/* stands for RDMA Writes */
};

/* Thread of the current case; each case begins with a new one */
static struct thread *t;

static void end(void *data)
{
	struct thread *t = data;
	u32 i;

	if (t->recv->lent)
		svc_rdma_reply_end_lending(t->recv);
	for (i = 0; i < PAGES; i++)
		if (t->rqst->rq_pages[i])
			put_page(t->rqst->rq_pages[i]);
	while (nheld)
		put_page(held[--nheld]);
	while (folio_batch_count(&t->rqst->rq_fbatch))
		folio_put(t->rqst->rq_fbatch.folios[--t->rqst->rq_fbatch.nr]);
	/* Only the reference of the test to the page cache page is left. */
	WARN_ON(page_count(t->cache) != 1);
	t->cache->mapping = NULL;
	put_page(t->cache);
}

/* Create a thread. The call is in its first page, the reply from the second. */
static int thread(struct kunit *test)
{
	u32 i;

	t = fake_zalloc(test, sizeof(*t));
	fake_counters_clear();
	fake_memory_left = -1;
	fake_hold_result = 0;
	nheld = 0;
	t->rqst = fake_rqst(test);
	t->recv = fake_zalloc(test, sizeof(*t->recv));
	t->send = fake_zalloc(test, sizeof(*t->send));
	t->send->wr.num_sge = 1;
	t->send->conn = (void *)t->send;
	fake_conn_stash = t->send->conn;
	nstash = 0;
	asked = 0;
	INIT_LIST_HEAD(&t->send->rws);
	folio_batch_init(&t->rqst->rq_fbatch);
	t->cache = alloc_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->cache);
	t->cache->mapping = &t->mapping;
	for (i = 0; i < PAGES; i++) {
		t->own[i] = alloc_page(GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, t->own[i]);
		t->rqst->rq_pages[i] = t->own[i];
	}
	fake_defer(test, end, t);
	t->rqst->rq_respages = t->rqst->rq_pages + 1;
	t->rqst->rq_next_page = t->rqst->rq_respages + 1;
	t->rqst->rq_page_end = t->rqst->rq_pages + PAGES;
	t->rqst->rq_res.head[0].iov_base =
		page_address(t->rqst->rq_respages[0]);
	return 0;
}

/* Replace the next page with a page cache page, as nfsd does for READ. */
static void replace(void)
{
	struct svc_rqst *rqstp = t->rqst;

	if (!folio_batch_add(&rqstp->rq_fbatch,
			     page_folio(*rqstp->rq_next_page))) {
		while (folio_batch_count(&rqstp->rq_fbatch))
			folio_put(rqstp->rq_fbatch.folios[--rqstp->rq_fbatch.nr]);
	}
	get_page(t->cache);
	*rqstp->rq_next_page++ = t->cache;
}

static int take(void)
{
	return svc_rdma_reply_take_pages(t->send, t->recv, t->rqst);
}

/* The thread has each of its pages exactly once, and sunrpc frees none. */
static void expect_all(struct kunit *test)
{
	u32 i, j, found;

	for (i = 0; i < PAGES; i++) {
		for (j = 0, found = 0; j < PAGES; j++)
			found += t->rqst->rq_pages[j] == t->own[i];
		KUNIT_EXPECT_EQ_MSG(test, found, 1, "page %u", i);
		KUNIT_EXPECT_EQ(test, page_count(t->own[i]), 1);
	}
	KUNIT_EXPECT_PTR_EQ(test, t->rqst->rq_next_page, t->rqst->rq_respages);
	KUNIT_EXPECT_EQ(test, folio_batch_count(&t->rqst->rq_fbatch), 0);
}

/* The first @n entries of the reply are empty, so sunrpc will fill them. */
static void expect_empty(struct kunit *test, u32 n)
{
	struct page **pages = t->rqst->rq_respages;
	u32 i;

	KUNIT_EXPECT_EQ(test, t->rqst->rq_next_page - pages,
			rpcrdma_rqst_empty(n));
	for (i = 0; i < PAGES - 1; i++)
		KUNIT_EXPECT_EQ(test, !pages[i], i < n);
}

static void short_reply(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, take(), 0);
	expect_all(test);
	KUNIT_EXPECT_EQ(test, nheld, 0);
}

/* The thread gets replaced pages back; the Send holds page cache pages. */
static void replaced(struct kunit *test)
{
	u32 i;

	for (i = 0; i < rpcrdma_replaced_max(t->rqst) - 1; i++)
		replace();
	list_add(&t->write, &t->send->rws);
	KUNIT_EXPECT_EQ(test, take(), 0);
	expect_all(test);
	KUNIT_EXPECT_EQ(test, nheld, rpcrdma_replaced_max(t->rqst) - 1);
	KUNIT_EXPECT_PTR_EQ(test, held[0], t->cache);
	KUNIT_EXPECT_EQ(test, fake_count(reply_pages_kept),
			rpcrdma_replaced_max(t->rqst) - 1);
	/* No page is left for the stash. */
	KUNIT_EXPECT_FALSE(test, t->send->own_pages);
	KUNIT_EXPECT_EQ(test, asked, 0);
}

/* A page that a socket still references is left for sunrpc to free. */
static void referenced(struct kunit *test)
{
	get_page(t->own[2]);
	replace();
	list_add(&t->write, &t->send->rws);
	KUNIT_EXPECT_EQ(test, take(), 0);
	expect_empty(test, 1);
	KUNIT_EXPECT_PTR_EQ(test, t->rqst->rq_pages[2], t->own[1]);
	KUNIT_EXPECT_EQ(test, folio_batch_count(&t->rqst->rq_fbatch), 1);
	kunit_release_action(test, end, t);
	KUNIT_EXPECT_EQ(test, page_count(t->own[2]), 1);
	put_page(t->own[2]);
}

/* If the whole reply was copied, the thread keeps only its own pages. */
static void copied(struct kunit *test)
{
	t->rqst->rq_next_page++;
	replace();
	t->rqst->rq_next_page++;
	KUNIT_EXPECT_EQ(test, page_count(t->cache), 2);
	KUNIT_EXPECT_EQ(test, take(), 0);
	KUNIT_EXPECT_EQ(test, page_count(t->cache), 1);
	expect_all(test);
	KUNIT_EXPECT_EQ(test, asked, 0);
	KUNIT_EXPECT_PTR_EQ(test, t->rqst->rq_pages[2], t->own[2]);
	KUNIT_EXPECT_PTR_EQ(test, t->rqst->rq_pages[4], t->own[4]);
	KUNIT_EXPECT_EQ(test, nheld, 0);
}

/* The entry at rq_page_end is left empty, even if nfsd has used it. */
static void behind_the_last(struct kunit *test)
{
	u32 copied;

	for (copied = 0; copied < 2; copied++) {
		thread(test);
		t->rqst->rq_page_end = t->rqst->rq_pages + 3;
		replace();
		replace();
		if (!copied)
			list_add(&t->write, &t->send->rws);
		KUNIT_EXPECT_EQ(test, take(), 0);
		KUNIT_EXPECT_EQ(test, nheld, copied ? 0 : 2);
		KUNIT_EXPECT_NOT_NULL(test, t->rqst->rq_pages[2]);
		KUNIT_EXPECT_PTR_NE(test, t->rqst->rq_pages[2], t->cache);
		KUNIT_EXPECT_NULL(test, t->rqst->rq_pages[3]);
		kunit_release_action(test, end, t);
	}
	/* A page without other references is not left there either. */
	thread(test);
	t->rqst->rq_page_end = t->rqst->rq_pages + 3;
	t->rqst->rq_next_page += 2;
	KUNIT_EXPECT_EQ(test, take(), 0);
	KUNIT_EXPECT_PTR_EQ(test, t->rqst->rq_pages[2], t->own[2]);
	KUNIT_EXPECT_NULL(test, t->rqst->rq_pages[3]);
}

/* The Send holds the thread's own pages, and the stash replaces them. */
static void own_held(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 2; i++)
		stash[nstash++] = alloc_page(GFP_KERNEL | __GFP_NOFAIL);
	replace();
	t->rqst->rq_next_page += 3;
	t->send->wr.num_sge = 5;
	KUNIT_EXPECT_EQ(test, take(), 0);
	KUNIT_EXPECT_EQ(test, nheld, 4);
	KUNIT_EXPECT_TRUE(test, t->send->own_pages);
	KUNIT_EXPECT_EQ(test, asked, 3);
	KUNIT_EXPECT_EQ(test, fake_count(reply_pages_kept), 3);
	KUNIT_EXPECT_PTR_EQ(test, held[1], t->own[3]);
	expect_empty(test, 1);
	KUNIT_EXPECT_PTR_EQ(test, t->rqst->rq_pages[2], t->own[1]);
	KUNIT_EXPECT_PTR_EQ(test, t->rqst->rq_pages[3], stash[0]);
	KUNIT_EXPECT_PTR_EQ(test, t->rqst->rq_pages[4], stash[1]);
	KUNIT_EXPECT_PTR_EQ(test, t->rqst->rq_pages[5], t->own[2]);
}

/* The stash gets no request for the entry at rq_page_end, which stays empty. */
static void own_to_the_last(struct kunit *test)
{
	t->rqst->rq_page_end = t->rqst->rq_pages + 3;
	t->rqst->rq_next_page += 2;
	t->send->wr.num_sge = 2;
	KUNIT_EXPECT_EQ(test, take(), 0);
	KUNIT_EXPECT_EQ(test, asked, 1);
}

/* Lent pages return to the thread even if sunrpc has already put them. */
static void lent(struct kunit *test)
{
	u32 i;

	t->recv->hdr.writes.bytes = (rpcrdma_replaced_max(t->rqst) - 1) * PAGE_SIZE - 1;
	svc_rdma_reply_lend_pages(t->rqst, t->recv);
	KUNIT_EXPECT_NULL(test, t->recv->lent);

	t->recv->hdr.writes.bytes = 80 * PAGE_SIZE;
	svc_rdma_reply_lend_pages(t->rqst, t->recv);
	KUNIT_ASSERT_NOT_NULL(test, t->recv->lent);
	for (i = 0; i < PAGES; i++)
		KUNIT_EXPECT_EQ(test, page_count(t->own[i]),
				i >= 2 && i <= 82 ? 2 : 1);
	for (i = 0; i < 70; i++)
		replace();
	list_add(&t->write, &t->send->rws);
	KUNIT_EXPECT_EQ(test, take(), 0);
	svc_rdma_reply_end_lending(t->recv);
	KUNIT_EXPECT_NULL(test, t->recv->lent);
	expect_all(test);
	KUNIT_EXPECT_EQ(test, nheld, 70);
}

/* A call lends no more pages than the thread has, and none without memory. */
static void lent_bounded(struct kunit *test)
{
	t->recv->hdr.writes.bytes = ~0ull >> 12;
	fake_memory_left = 0;
	svc_rdma_reply_lend_pages(t->rqst, t->recv);
	KUNIT_EXPECT_NULL(test, t->recv->lent);
	fake_memory_left = -1;
	svc_rdma_reply_lend_pages(t->rqst, t->recv);
	KUNIT_ASSERT_NOT_NULL(test, t->recv->lent);
	KUNIT_EXPECT_EQ(test, t->recv->lent->npages, PAGES - 2);
	/* The thread keeps all pages if the call is dropped. */
	svc_rdma_reply_end_lending(t->recv);
	t->rqst->rq_next_page = t->rqst->rq_respages;
	expect_all(test);
}

/* If memory is short, the thread and sunrpc keep all pages. */
static void no_memory(struct kunit *test)
{
	replace();
	list_add(&t->write, &t->send->rws);
	fake_hold_result = -ENOMEM;
	KUNIT_EXPECT_EQ(test, take(), -ENOMEM);
	KUNIT_EXPECT_PTR_EQ(test, t->rqst->rq_pages[2], t->cache);
	KUNIT_EXPECT_EQ(test, t->rqst->rq_next_page - t->rqst->rq_respages, 2);
	KUNIT_EXPECT_EQ(test, folio_batch_count(&t->rqst->rq_fbatch), 1);
}

static struct kunit_case svc_reply_pages_cases[] = {
	KUNIT_CASE(short_reply),
	KUNIT_CASE(replaced),
	KUNIT_CASE(referenced),
	KUNIT_CASE(copied),
	KUNIT_CASE(behind_the_last),
	KUNIT_CASE(own_held),
	KUNIT_CASE(own_to_the_last),
	KUNIT_CASE(lent),
	KUNIT_CASE(lent_bounded),
	KUNIT_CASE(no_memory),
	{}
};

SUITE("svc_rdma_reply_pages", svc_reply_pages_cases, .init = thread);
