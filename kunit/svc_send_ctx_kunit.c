// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a Send context holds the pages and the buffer of a reply until the
 * Send has completed, and releases them exactly once, whatever the result. If
 * this failed, the adapter would send memory that has been reused, or the
 * server would run out of pages.
 */
#include "suite.h"
#include "svc_send_fakes.h"

#define MANY_PAGES	33u
#define WRS		5u

static struct svc_rdma_send_ctx *context(struct kunit *test)
{
	struct svc_rdma_send_ctx *send = svc_rdma_send_get(conn);

	KUNIT_ASSERT_NOT_NULL(test, send);
	return send;
}

/*
 * Return a context that has RDMA Writes and holds @npages pages. The test keeps
 * another reference to each page.
 */
static struct svc_rdma_send_ctx *loaded(struct kunit *test, struct page **pages,
					u32 npages)
{
	struct svc_rdma_send_ctx *send = context(test);
	struct page *held[MANY_PAGES];
	u32 i;

	for (i = 0; i < npages; i++) {
		pages[i] = fake_page(test);
		get_page(pages[i]);
		held[i] = pages[i];
	}
	/* A few pages are stored in the context itself. */
	fake_memory_left = npages > SVC_RDMA_FEW_PAGES;
	KUNIT_ASSERT_EQ(test, 0, svc_rdma_send_hold_pages(send, held, npages));
	fake_memory_left = -1;
	for (i = 0; i < npages; i++)
		KUNIT_EXPECT_NULL(test, held[i]);
	send->wrs = WRS;
	return send;
}

static void completes(struct svc_rdma_send_ctx *send, enum ib_wc_status status)
{
	outside.first = outside.end;
	fake_completes(conn, &send->cqe, status);
}

static void expect_released(struct kunit *test, struct page **pages, u32 npages)
{
	u32 i;

	for (i = 0; i < npages; i++)
		KUNIT_EXPECT_EQ(test, page_count(pages[i]), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.busy), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.pages), 0);
	KUNIT_EXPECT_EQ(test, conn->sq.avail, conn->sq.depth);
}

/* A Send that could not be posted is released only with the connection. */
static void expect_held_until_close(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.busy), 1);
	svc_rdma_sends_destroy(conn);
	conn->sq.avail = conn->sq.depth;
}

/* Use @n contexts at the same time, then put all back. */
static void used(struct kunit *test, u32 n)
{
	struct svc_rdma_send_ctx *sends[SVC_RDMA_SENDS_IDLE / SVC_RDMA_SENDS_LEAST + 3];
	u32 i;

	for (i = 0; i < n; i++)
		sends[i] = context(test);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.busy), n);
	for (i = 0; i < n; i++)
		svc_rdma_send_put(sends[i]);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.busy), 0);
}

/* Concurrent calls reuse contexts; an idle connection keeps only a few. */
static void few_kept(struct kunit *test)
{
	u32 few = SVC_RDMA_SENDS_IDLE / SVC_RDMA_SENDS_LEAST, round;

	for (round = 0; round < 2; round++) {
		used(test, few + 3);
		KUNIT_EXPECT_EQ(test, conn->sends.nidle, few + 3);
	}
	KUNIT_EXPECT_EQ(test, fake_count(sendctxs_now), few + 3);
	KUNIT_EXPECT_EQ(test, outside.unthrottled, 2 * (few + 3));

	for (round = 0; round < 2; round++) {
		svc_rdma_sends_trim(conn);
		KUNIT_EXPECT_EQ(test, conn->sends.nidle, few);
		KUNIT_EXPECT_EQ(test, fake_count(sendctxs_now), few);
	}
	svc_rdma_sends_destroy(conn);
	KUNIT_EXPECT_EQ(test, conn->sends.nidle, 0);

	/* With larger buffers, fewer contexts are kept. */
	conn->peer.longest = SVC_RDMA_SENDS_IDLE / 2;
	used(test, 4);
	svc_rdma_sends_trim(conn);
	KUNIT_EXPECT_EQ(test, conn->sends.nidle, 2);
}

/* When the requester can receive more, new contexts have larger buffers. */
static void larger_messages(struct kunit *test)
{
	struct svc_rdma_send_ctx *send = context(test);

	KUNIT_EXPECT_EQ(test, send->size, SIZE);
	svc_rdma_send_put(send);
	conn->peer.longest = RPCRDMA_BUF_SIZE;
	send = context(test);
	KUNIT_EXPECT_EQ(test, fake_count(sendctxs_now), 1);
	KUNIT_EXPECT_EQ(test, send->size, RPCRDMA_BUF_SIZE);
	KUNIT_EXPECT_EQ(test, send->limit, RPCRDMA_BUF_SIZE);
	svc_rdma_send_put(send);

	/* Act and assert: a smaller limit does not shrink the buffer */
	conn->peer.longest = SIZE;
	send = context(test);
	KUNIT_EXPECT_EQ(test, send->size, RPCRDMA_BUF_SIZE);
	KUNIT_EXPECT_EQ(test, send->limit, SIZE);
	svc_rdma_send_put(send);
}

/* The buffer size is bounded even if the requester allows larger messages. */
static void enormous_messages(struct kunit *test)
{
	struct svc_rdma_send_ctx *send;
	u8 message[100];

	conn->peer.longest = SVC_RDMA_SEND_MAX;
	fake_version.send_buf = SVC_RDMA_SEND_BUF;
	send = context(test);
	KUNIT_EXPECT_EQ(test, send->size, SVC_RDMA_SEND_BUF);
	KUNIT_EXPECT_EQ(test, send->limit, SVC_RDMA_SEND_MAX);
	KUNIT_EXPECT_EQ(test, svc_rdma_send_room(send), SVC_RDMA_SEND_BUF);

	/* Act and assert: the buffer grows for a long message that is copied */
	get_random_bytes(message, sizeof(message));
	memcpy(send->buf, message, sizeof(message));
	fake_memory_left = 0;
	KUNIT_EXPECT_EQ(test, svc_rdma_send_grow(send, 100, 20000), -ENOMEM);
	KUNIT_EXPECT_EQ(test, send->size, SVC_RDMA_SEND_BUF);
	fake_memory_left = -1;
	KUNIT_EXPECT_EQ(test, svc_rdma_send_grow(send, 100, 20000), 0);
	KUNIT_EXPECT_EQ(test, send->size, 20000);
	KUNIT_EXPECT_EQ(test, send->sges[0].addr, FAKE_DMA(send->buf));
	KUNIT_EXPECT_EQ(test, fake_dma.n, 1);
	KUNIT_EXPECT_EQ(test, memcmp(send->buf, message, sizeof(message)), 0);
	svc_rdma_send_put(send);
}

/* If memory is short, nothing leaks, and no context is counted as busy. */
static void no_memory(struct kunit *test)
{
	struct svc_rdma_send_ctx *send = NULL;
	int n;

	/* Each allocation fails once. The slab cache warns of leaks. */
	conn->peer.longest = RPCRDMA_BUF_SIZE;
	for (n = 0; n < 8 && !send; n++) {
		outside.freed = 0;
		fake_memory_left = n;
		send = svc_rdma_send_get(conn);
		KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.busy), !!send);
		/* A context that was allocated has been freed. */
		KUNIT_EXPECT_EQ(test, outside.freed, n && !send);
	}
	fake_memory_left = -1;
	/* Context, buffer and mapping each failed once. */
	KUNIT_EXPECT_EQ(test, n, 4);
	KUNIT_ASSERT_NOT_NULL(test, send);
	svc_rdma_send_put(send);
}

/* A reused context keeps nothing of the previous message. */
static void reset(struct kunit *test)
{
	struct svc_rdma_send_ctx *send = context(test);
	struct page *page = fake_page(test);
	struct list_head write;
	u32 i;

	list_add(&write, &send->rws);
	/* The last entry is part of the buffer, and is unmapped with it. */
	send->wr.num_sge = 5;
	for (i = 1; i < 4; i++) {
		send->sges[i].addr = ib_dma_map_page(conn->dev, page, i, 8 * i,
						     DMA_TO_DEVICE);
		send->sges[i].length = 8 * i;
	}
	send->sges[4].addr = send->sges[0].addr + send->size - 1;
	send->wr.opcode = IB_WR_SEND_WITH_INV;
	send->wr.next = &fake_writes[0];
	send->wrs = 9;
	send->advert = (void *)&write;
	svc_rdma_send_reset(send);
	KUNIT_EXPECT_NULL(test, send->advert);
	KUNIT_EXPECT_EQ(test, outside.cancelled, 1);
	KUNIT_EXPECT_EQ(test, send->wr.num_sge, 1);
	KUNIT_EXPECT_EQ(test, send->wr.opcode, IB_WR_SEND);
	KUNIT_EXPECT_PTR_EQ(test, send->wr.next, NULL);
	KUNIT_EXPECT_EQ(test, send->wrs, 1);
	KUNIT_EXPECT_EQ(test, fake_dma.n, 1);
	KUNIT_EXPECT_EQ(test, outside.released, 1);
	svc_rdma_send_put(send);
}

/* A reply's pages, whether its Send waits, and the result of the Send */
static const struct send_case {
	const char *name;
	u32 npages;
	bool advertised;
	bool queued;	/* the Send Queue is full at first */
	bool queue_closed;
	int post_status;
	enum ib_wc_status status;
} send_cases[] = {
	{ "no pages", 0 },
	{ "few pages", SVC_RDMA_FEW_PAGES },
	{ "more pages", SVC_RDMA_FEW_PAGES + 1 },
	{ "many pages", MANY_PAGES, .advertised = true },
	{ "flushed", 2, .status = IB_WC_WR_FLUSH_ERR },
	{ "failed", 2, .advertised = true, .status = IB_WC_REM_ACCESS_ERR },
	{ "closed", 2, .advertised = true, .queue_closed = true },
	{ "not posted", 2, .post_status = -EINVAL },
	{ "advertised, not posted", 2, .advertised = true, .post_status = -EINVAL },
	{ "many pages not posted", MANY_PAGES, .post_status = -EINVAL },
	{ "queued", 2, .queued = true },
	{ "queued, advertised", 2, .advertised = true, .queued = true },
	{ "queued, not posted", 2, .queued = true, .post_status = -EINVAL },
	{ "queued, closed", 2, .queued = true, .queue_closed = true },
	{ "queued, advertised, closed", 2, .advertised = true, .queued = true,
	  .queue_closed = true },
};

KUNIT_ARRAY_PARAM_DESC(send_case, send_cases, name);

/* The Send is last in its chain and covers the whole message. */
static void expect_posted(struct kunit *test, struct svc_rdma_send_ctx *send,
			  u32 len)
{
	KUNIT_EXPECT_PTR_EQ(test, outside.last, &send->wr);
	KUNIT_EXPECT_PTR_EQ(test, send->wr.wr_cqe, &send->cqe);
	KUNIT_EXPECT_PTR_EQ(test, send->wr.sg_list, &send->sges[0]);
	KUNIT_EXPECT_EQ(test, send->wr.send_flags, IB_SEND_SIGNALED);
	KUNIT_EXPECT_EQ(test, send->sges[0].addr, FAKE_DMA(send->buf));
	KUNIT_EXPECT_EQ(test, send->sges[0].length, len);
	KUNIT_EXPECT_EQ(test, send->sges[0].lkey, 0x77);
	KUNIT_EXPECT_EQ(test, outside.synced, len);
}

/* A waiting Send holds its pages until a completion, in softirq, resumes it. */
static void waits(struct kunit *test, const struct svc_rdma_send_ctx *send)
{
	const struct send_case *c = test->param_value;

	KUNIT_ASSERT_PTR_EQ(test, conn->sq.waiters.next, &send->wait.list);
	KUNIT_EXPECT_EQ(test, send->wait.entries, WRS);
	KUNIT_EXPECT_EQ(test, outside.posted, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.busy), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.pages), c->npages);
	local_bh_disable();
	if (c->queue_closed)
		fake_sq_close(conn);
	svc_rdma_sq_give(conn, DEPTH);
	/* Cancelling an advert may sleep, so it is left to a worker. */
	KUNIT_EXPECT_EQ(test, outside.cancelled, 0);
	local_bh_enable();
}

/* A Send is posted, immediately or later, or released with the connection. */
static void sent_or_not(struct kunit *test)
{
	const struct send_case *c = test->param_value;
	bool ok = !c->queue_closed && !c->post_status;
	struct page *pages[MANY_PAGES];
	struct svc_rdma_send_ctx *send;

	send = loaded(test, pages, c->npages);
	if (c->advertised)
		send->advert = (void *)pages;
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.pages), c->npages);
	if (c->queued)
		conn->sq.avail = 0;
	else if (c->queue_closed)
		fake_sq_close(conn);
	outside.post_status = c->post_status;

	KUNIT_EXPECT_EQ(test, svc_rdma_send_post(send, 100),
			ok || c->queued ? 0 : -ENOTCONN);
	if (c->queued)
		waits(test, send);
	KUNIT_EXPECT_EQ(test, outside.posted, ok);
	if (c->npages)
		KUNIT_EXPECT_EQ(test, page_count(pages[0]), 2);
	if (ok) {
		KUNIT_EXPECT_EQ(test, conn->sq.avail, DEPTH - WRS);
		expect_posted(test, send, 100);
		completes(send, c->status);
	} else {
		expect_held_until_close(test);
	}

	expect_released(test, pages, c->npages);
	KUNIT_EXPECT_EQ(test, fake_closed, c->post_status || c->status);
	/* Freed: the array of page pointers, a destroyed context and buffer */
	KUNIT_EXPECT_EQ(test, outside.freed, (c->npages > SVC_RDMA_FEW_PAGES) +
			(ok ? 0 : 2));
	/* An advert is cancelled only if the requester did not receive it. */
	KUNIT_EXPECT_EQ(test, outside.advertised, ok && c->advertised);
	KUNIT_EXPECT_EQ(test, outside.cancelled, c->queue_closed && c->advertised);
	KUNIT_EXPECT_EQ(test, fake_wc_errors,
			c->status == IB_WC_REM_ACCESS_ERR);
}

/* Only the thread's own pages go to the stash. @own_pages is per Send. */
static void own_pages_stashed(struct kunit *test)
{
	struct page *pages[MANY_PAGES];
	struct svc_rdma_send_ctx *send;
	u32 own;

	for (own = 0; own < 3; own++) {
		outside.stashed = 0;
		send = loaded(test, pages, own ? MANY_PAGES : 3);
		send->own_pages = own & 1;
		KUNIT_ASSERT_EQ(test, 0, svc_rdma_send_post(send, 100));
		completes(send, IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, outside.stashed, own & 1 ? MANY_PAGES : 0);
		expect_released(test, pages, own ? MANY_PAGES : 3);
	}
}

/* If svc_rdma_send_hold_pages() fails, the caller still owns the pages. */
static void pages_not_taken(struct kunit *test)
{
	struct svc_rdma_send_ctx *send = context(test);
	struct page *pages[MANY_PAGES];
	u32 i;

	for (i = 0; i < MANY_PAGES; i++)
		pages[i] = fake_page(test);
	fake_memory_left = 0;
	KUNIT_EXPECT_EQ(test, svc_rdma_send_hold_pages(send, pages, MANY_PAGES),
			-ENOMEM);
	fake_memory_left = -1;
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.pages), 0);
	svc_rdma_send_put(send);
	for (i = 0; i < MANY_PAGES; i++) {
		KUNIT_ASSERT_NOT_NULL(test, pages[i]);
		KUNIT_EXPECT_EQ(test, page_count(pages[i]), 1);
	}
}

static struct kunit_case svc_sendctx_cases[] = {
	KUNIT_CASE(few_kept),
	KUNIT_CASE(larger_messages),
	KUNIT_CASE(enormous_messages),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(reset),
	KUNIT_CASE_PARAM(sent_or_not, send_case_gen_params),
	KUNIT_CASE(own_pages_stashed),
	KUNIT_CASE(pages_not_taken),
	{}
};

SUITE("svc_rdma_sendctx", svc_sendctx_cases, .init = connection, .exit = balance_exit);
