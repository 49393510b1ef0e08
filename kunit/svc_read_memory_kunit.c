// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: calls with Read chunks wait while their connection holds too many
 * pages or memory regions, and each call continues as soon as enough are
 * returned. If this failed, clients could use up the server's memory, or a call
 * would wait forever.
 */
#include "suite.h"
#include "svc_read_fakes.h"

/*
 * Starts the Reads of a call with @segments segments of @length bytes each, on
 * a new connection if @conn is NULL.
 */
static struct read_call *start(struct kunit *test, struct svc_rdma_conn *conn,
			       u32 segments, u32 length)
{
	struct read_call *call = call_create(test, RPCRDMA_NOMSG);
	u32 i;

	if (conn)
		call->conn = conn;
	for (i = 0; i < segments; i++)
		add_chunk(call, 0, call->want, length, 1);
	call->want_len = xdr_align_size(segments * length);
	KUNIT_EXPECT_EQ(test, 0, call_start(test, call, NULL, 0));
	return call;
}

static struct read_call *start_pages(struct kunit *test,
				     struct svc_rdma_conn *conn, u32 pages)
{
	return start(test, conn, 1, pages * PAGE_SIZE);
}

/* Like start(), with one of the device's regions for each segment */
static struct read_call *start_segments(struct kunit *test,
					struct svc_rdma_conn *conn,
					u32 segments)
{
	if (!conn)
		conn = call_create(test, RPCRDMA_NOMSG)->conn;
	conn->rws.regions = true;
	conn->rws.pages = 256;
	return start(test, conn, segments, 64);
}

/* Resumes a call that has waited. */
static int resume(const struct read_call *call)
{
	return svc_rdma_read_resume(call->rqst, call->recv->read);
}

/* Takes the first waiting call, as nfsd does when XPT_DATA is set. */
static struct svc_rdma_read_ctx *next_charged(struct svc_rdma_conn *conn)
{
	struct svc_rdma_read_ctx *read;

	spin_lock_bh(&conn->reads.lock);
	read = svc_rdma_read_next_locked(conn);
	spin_unlock_bh(&conn->reads.lock);
	return read;
}

static bool waits(const struct read_call *call)
{
	return !call->recv->read->charge && !call->recv->read->npages;
}

/* Drops a call, and expects that its last page is freed. */
static void expect_dropped(struct kunit *test, struct read_call *call)
{
	struct svc_rdma_read_ctx *read = call->recv->read;
	struct page *page = read->pages[read->npages - 1];

	get_page(page);
	free_call(call);
	KUNIT_EXPECT_EQ(test, page_count(page), 1);
	put_page(page);
}

/* Calls beyond the limit of pages or regions wait, without pages, in order. */
static void bounded(struct kunit *test)
{
	static const struct {
		struct read_call *(*start)(struct kunit *test,
					   struct svc_rdma_conn *conn, u32 n);
		/* The second call exceeds the limit; the third is behind it. */
		u32 first, second, third;
	} cases[] = {
		{ start_pages, 10, 15, 2 },
		/* A call takes one page, and one more region than segments. */
		{ start_segments, 10, 11, 1 },
		/* A call that exceeds the limit by itself is read alone. */
		{ start_segments, 30, 1, 1 },
	};
	struct read_call *first, *second, *third;
	struct svc_rdma_conn *conn;
	u32 charge, reads;

	for_each_case(c, cases) {
		begin_case(test);
		first = c->start(test, NULL, c->first);
		conn = first->conn;
		KUNIT_EXPECT_FALSE(test, waits(first));
		charge = conn->reads.pages;
		KUNIT_EXPECT_GE(test, charge, first->recv->read->npages);
		reads = fake_rws;
		second = c->start(test, conn, c->second);
		third = c->start(test, conn, c->third);
		KUNIT_EXPECT_EQ(test, fake_count(reads_deferred), 2);
		KUNIT_EXPECT_TRUE(test, waits(second));
		KUNIT_EXPECT_TRUE(test, waits(third));
		KUNIT_EXPECT_EQ(test, queue.posted, 1);
		KUNIT_EXPECT_EQ(test, conn->reads.pages, charge);
		KUNIT_EXPECT_EQ(test, fake_rws, reads);
		KUNIT_EXPECT_PTR_EQ(test, next_charged(conn), NULL);
		KUNIT_EXPECT_EQ(test, queue.enqueued, 0);

		/* Act: nfsd takes the first call, and its pages with it */
		call_expect(test, first);

		/* Assert: the woken thread finds both calls, oldest first */
		KUNIT_EXPECT_EQ(test, conn->reads.pages, 0);
		KUNIT_EXPECT_EQ(test, queue.enqueued, 1);
		KUNIT_EXPECT_TRUE(test, test_bit(XPT_DATA, &conn->xprt.xpt_flags));
		KUNIT_EXPECT_PTR_EQ(test, next_charged(conn), second->recv->read);
		KUNIT_EXPECT_EQ(test, 0, resume(second));
		KUNIT_EXPECT_EQ(test, queue.posted, 2);
		KUNIT_EXPECT_PTR_EQ(test, next_charged(conn), third->recv->read);
		KUNIT_EXPECT_PTR_EQ(test, next_charged(conn), NULL);
		KUNIT_EXPECT_EQ(test, conn->reads.pages,
				second->recv->read->charge +
				third->recv->read->charge);

		/* Dropping a call returns its charge, resumed or not. */
		expect_dropped(test, second);
		free_call(third);
		KUNIT_EXPECT_EQ(test, conn->reads.pages, 0);
		KUNIT_EXPECT_EQ(test, fake_rws, 0);
		KUNIT_EXPECT_EQ(test, queue.enqueued, 1);
	}
}

/*
 * A call is charged for its pages, for Read contexts that take a page or more,
 * and for the most regions that its Reads can need.
 */
static void charged(struct kunit *test)
{
	u32 contexts = 170 * sizeof(struct rpcrdma_rw) / PAGE_SIZE;
	const struct {
		bool regions;
		u32 pages, max, segments, chunks, length, want;
	} cases[] = {
		{ false, 256, 65536, 3, 1, 1 << 20, 256 },
		{ false, 256, 65536, 169, 1, 169, 1 + contexts },
		/* A region costs max / SVC_RDMA_READ_REGIONS pages. */
		{ true, 256, 65536, 1, 1, 65536, 16 + 2 * 128 },
		{ true, 256, 1023, 2, 1, 1 << 20, 256 + 4 },
		{ true, 128, 100, 3, 1, 1 << 20, 256 + 6 },
		{ true, 1, 1024, 1, 0, 1 << 20, 256 + 2 * 257 },
	};
	struct read_call *call = start_pages(test, NULL, 1);
	struct svc_rdma_read_ctx *read = call->recv->read;

	call->recv->hdr.type = RPCRDMA_MSG;
	for_each_case(c, cases) {
		call->conn->rws.regions = c->regions;
		call->conn->rws.pages = c->pages;
		call->recv->hdr.reads.segments = c->segments;
		read->layout.nchunks = c->chunks;
		read->length = c->length;
		KUNIT_EXPECT_EQ(test, svc_rdma_read_cost(read, c->max), c->want);
	}
}

/* Each connection can read one call, however much other connections hold. */
static void bounded_total(struct kunit *test)
{
	struct read_call *first, *second, *other, *more;

	fake_calls_bytes_total = 22 * PAGE_SIZE;
	first = start_pages(test, NULL, 20);
	second = start_pages(test, NULL, 3);
	KUNIT_EXPECT_FALSE(test, waits(second));
	other = start(test, second->conn, 1, 4);
	KUNIT_EXPECT_TRUE(test, waits(other));

	/* Freeing a call returns its pages to the total. */
	free_call(first);
	KUNIT_EXPECT_PTR_EQ(test, next_charged(second->conn),
			    other->recv->read);
	free_call(other);
	free_call(second);
	fake_calls_bytes_total = 2 * PAGE_SIZE;
	first = start_pages(test, NULL, 1);
	more = start_pages(test, first->conn, 1);
	KUNIT_EXPECT_FALSE(test, waits(more));
}

/* A call that gets no region waits at the queue's head, or fails if alone. */
static void waits_for_region(struct kunit *test)
{
	struct read_call *first = start_pages(test, NULL, 4), *second, *third;
	struct svc_rdma_conn *conn = first->conn;

	queue.no_region = true;
	second = start_pages(test, conn, 1);
	KUNIT_EXPECT_TRUE(test, waits(second));
	KUNIT_EXPECT_EQ(test, conn->reads.pages, 4);
	KUNIT_EXPECT_PTR_EQ(test, next_charged(conn), NULL);
	third = start_pages(test, conn, 1);
	KUNIT_EXPECT_TRUE(test, waits(third));

	queue.no_region = false;
	queue.posted = 0;
	queue.enqueued = 0;
	call_expect(test, first);
	KUNIT_EXPECT_EQ(test, queue.enqueued, 1);
	KUNIT_EXPECT_PTR_EQ(test, next_charged(conn), second->recv->read);
	queue.no_region = true;
	KUNIT_EXPECT_EQ(test, -ENOMEM, resume(second));
	queue.no_region = false;
	KUNIT_EXPECT_EQ(test, 0, resume(second));
	KUNIT_EXPECT_EQ(test, queue.posted, 1);
	call_expect(test, second);
	KUNIT_EXPECT_PTR_EQ(test, next_charged(conn), third->recv->read);
	free_call(third);
	KUNIT_EXPECT_EQ(test, conn->reads.pages, 0);
}

/* A call is not stranded if the last other call ends before it waits. */
static void region_returned(struct kunit *test)
{
	struct read_call *first = start_pages(test, NULL, 4), *second;

	queue.no_region = true;
	queue.ends = first->recv->read;
	second = start_pages(test, first->conn, 1);
	KUNIT_EXPECT_TRUE(test, waits(second));
	KUNIT_EXPECT_EQ(test, queue.enqueued, 1);
	KUNIT_EXPECT_TRUE(test, test_bit(XPT_DATA, &first->conn->xprt.xpt_flags));
	KUNIT_EXPECT_PTR_EQ(test, next_charged(first->conn), second->recv->read);
	fill_pages(test, second->rqst);
	KUNIT_EXPECT_EQ(test, -ENOMEM, resume(second));
}

/* A call that is dropped wakes a thread, unless the connection is closing. */
static void bounded_closing(struct kunit *test)
{
	struct read_call *first, *second;
	unsigned long *flags;
	u32 closing;

	for (closing = 0; closing < 2; closing++) {
		first = start_pages(test, NULL, 20);
		second = start_pages(test, first->conn, 20);
		flags = &first->conn->xprt.xpt_flags;
		KUNIT_EXPECT_TRUE(test, waits(second));
		if (closing)
			atomic_set(&first->conn->life.state, SVC_RDMA_CLOSING);
		clear_bit(XPT_DATA, flags);
		queue.enqueued = 0;
		free_call(first);
		KUNIT_EXPECT_EQ(test, queue.enqueued, !closing);
		KUNIT_EXPECT_EQ(test, test_bit(XPT_DATA, flags), !closing);
		KUNIT_EXPECT_EQ(test, first->conn->reads.pages, 0);
	}
}

/* svcrdma reads a call into an earlier call's pages before the thread's own. */
static void pages_reused(struct kunit *test)
{
	struct read_call *first, *second;
	struct svc_rdma_stash *stash;
	u64 state = 4096;
	u32 i;

	first = start_pages(test, NULL, 3);
	KUNIT_EXPECT_NULL(test, first->rqst->rq_pages[2]);
	KUNIT_EXPECT_EQ(test, fake_count(read_pages_reused), 0);
	call_expect(test, first);
	stash = &first->conn->stash;
	KUNIT_EXPECT_EQ(test, stash->count, 3);

	second = call_create(test, RPCRDMA_NOMSG);
	second->conn = first->conn;
	second->want_len = 4 * PAGE_SIZE + 8;
	fill_random(second->want, second->want_len, &state);
	add_chunk(second, 0, second->want, second->want_len, 1);
	KUNIT_EXPECT_EQ(test, 0, call_start(test, second, NULL, 0));
	KUNIT_EXPECT_EQ(test, fake_count(read_pages_reused), 3);
	KUNIT_EXPECT_EQ(test, stash->count, 0);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, !!second->rqst->rq_pages[i], i < 3);
	call_expect(test, second);
	KUNIT_EXPECT_EQ(test, stash->count, 5);
}

static struct kunit_case svc_readmem_cases[] = {
	KUNIT_CASE(bounded),
	KUNIT_CASE(bounded_total),
	KUNIT_CASE(charged),
	KUNIT_CASE(waits_for_region),
	KUNIT_CASE(region_returned),
	KUNIT_CASE(bounded_closing),
	KUNIT_CASE(pages_reused),
	{}
};

SUITE("svc_rdma_readmem", svc_readmem_cases, .init = begin_case, .exit = balance_exit);
