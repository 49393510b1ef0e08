// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: each byte of a message is sent once and stays in memory until the Send
 * completes, and the Send Queue never overflows. Otherwise, the server would get
 * wrong data, or the connection would break under load.
 *
 * A call is sent once per connection, or again in another form if the server
 * refused it. Replies match the call only after it is posted. Otherwise, credits
 * would be lost, or a reply would change lists that the sender is building. A
 * call that cannot be sent fails alone, because the sending task also sends the
 * calls of other tasks.
 */
#include "xprt_send_fakes.h"

/* Gather the message as the adapter would. */
static u32 gathered(struct xprt_rdma_req *req, u8 *msg)
{
	u32 i, len = 0;

	for (i = 0; i < req->send_wr.num_sge; i++) {
		memcpy(msg + len, (void *)(uintptr_t)req->sges[i].addr,
		       req->sges[i].length);
		len += req->sges[i].length;
	}
	return len;
}

/*
 * Build the expected message: the header, and the call unless it is in a
 * Position-Zero Read chunk. RFC 5666 section 3.9: zeros precede padded data.
 */
static u32 expected(struct xprt_rdma_req *req, u8 *msg, bool pages, u32 skip)
{
	struct xdr_buf *snd = &req->rqst.rq_snd_buf;
	u32 len = HDRLEN;

	memset(msg, 0, MAX_MSG);
	if (req->rtype == XPRT_RDMA_CALL_LONG)
		return len;
	memcpy(msg + len, snd->head[0].iov_base, snd->head[0].iov_len);
	len = max(len + (u32)snd->head[0].iov_len, req->data_at);
	if (pages) {
		_copy_from_pages(msg + len, snd->pages, snd->page_base,
				 snd->page_len);
		len += snd->page_len;
	}
	memcpy(msg + len, snd->tail[0].iov_base + skip,
	       snd->tail[0].iov_len - skip);
	return len + snd->tail[0].iov_len - skip;
}

/* A call, and how it is sent */
struct send_case {
	const char *name;
	enum xprt_rdma_rtype rtype;	/* how to send it; chosen by marshaling */
	u32 head;			/* bytes before its page list */
	u32 base;			/* offset in the first page */
	u32 pages;			/* bytes in its page list */
	u32 tail;			/* bytes after its page list */
	bool foreign;			/* the tail is not in the request's buffer */
	u32 sges;			/* number of gather entries */
	u32 skip;			/* bytes of roundup in the tail that are not sent */
	u32 refs;			/* number of pages that the Send refers to */
	u32 data_at;			/* bytes before padded data; 0: not padded */
};

#define PADDED(bytes)	.data_at = 512, .head = 200, .pages = (bytes)

static const struct send_case send_cases[] = {
	{ "small", XPRT_RDMA_CALL_INLINE, 100, 0, 0, 0, .sges = 1 },
	{ "small, with pages and tail", XPRT_RDMA_CALL_INLINE, 100, 4090, 300, 8, .sges = 1 },
	{ "as much as is copied", XPRT_RDMA_CALL_INLINE, 1000, 0, 0, 24, .sges = 1 },
	{ "one byte more", XPRT_RDMA_CALL_INLINE, 1000, 0, 0, 25, .sges = 3 },
	{ "pages", XPRT_RDMA_CALL_INLINE, 160, 100, 8192, 0, .sges = 5, .refs = 3 },
	{ "second page on", XPRT_RDMA_CALL_INLINE, 160, 4096, 4096, 16, .sges = 4, .refs = 1 },
	{ "tail elsewhere", XPRT_RDMA_CALL_INLINE, 160, 0, 4096, 16,
	  .foreign = true, .sges = 4, .refs = 1 },
	/* RFC 8166 section 3.4.5.2: data in a Read chunk is not inline. */
	{ "Read chunk", XPRT_RDMA_CALL_DDP, 160, 0, 4096, 16, .sges = 1 },
	{ "Read chunk, roundup", XPRT_RDMA_CALL_DDP, 160, 0, 4093, 3 + 16, .sges = 1, .skip = 3 },
	{ "Read chunk, long head", XPRT_RDMA_CALL_DDP, 1500, 0, 4095, 1, .sges = 2, .skip = 1 },
	{ "Position-Zero Read chunk", XPRT_RDMA_CALL_LONG, 100, 0, 0, 0, .sges = 1 },
#ifdef RPCRDMA_EXT_MSGP
	{ "padded", PADDED(600), .sges = 2, .refs = 1 },
	{ "padded, in two pages", PADDED(4096), .base = 100, .sges = 3, .refs = 2 },
	{ "no padding needed", XPRT_RDMA_CALL_INLINE, 512 - HDRLEN, 0, 2048, 0, .data_at = 512,
	  .sges = 2, .refs = 1 },
	{ "data as far behind as possible", XPRT_RDMA_CALL_INLINE, 200, 0, 2048, 0,
	  .data_at = XPRT_RDMA_HDR_SIZE + XPRT_RDMA_PULLUP, .sges = 2, .refs = 1 },
#endif
};

KUNIT_ARRAY_PARAM_DESC(send_case, send_cases, name);

/* Check that all memory to be gathered is mapped and synchronized. */
static void expect_readable(struct kunit *test, const struct xprt_rdma_req *req)
{
	const struct xprt_rdma_regbuf *rb;
	u32 i, n = 0;
	u64 addr;

	for (i = 0; i < req->send_wr.num_sge; i++) {
		addr = req->sges[i].addr;
		KUNIT_EXPECT_EQ(test, req->sges[i].lkey, LKEY);
		if (addr - req->snd.addr < req->snd.size && req->snd.device)
			rb = &req->snd;
		else if (addr - req->hdr.addr < req->hdr.size)
			rb = &req->hdr;
		else
			continue;
		for (n = 0; n < outside.syncs; n++)
			if (outside.synced[n].addr <= addr &&
			    outside.synced[n].addr + outside.synced[n].size >=
			    addr + req->sges[i].length)
				break;
		KUNIT_EXPECT_LT_MSG(test, n, outside.syncs,
				    "entry %u of %u bytes", i, (u32)rb->size);
	}
}

/* Each byte is sent once, in order, and kept until the Send completes. */
static void message_complete(struct kunit *test)
{
	const struct send_case *c = test->param_value;
	struct xprt_rdma_req *req;
	u8 *got = fake_zalloc(test, MAX_MSG),
	   *want = fake_zalloc(test, MAX_MSG);
	u64 padded = fake_count(calls_padded);
	struct page **page;
	u32 i, len;

	/* Arrange: the buffer holds an earlier message */
	req = request(test, c->head, c->pages, c->tail);
	memset(req->hdr.data + HDRLEN, 0x5a, req->hdr.size - HDRLEN);
	req->rtype = c->rtype;
	req->data_at = c->data_at;
	req->rqst.rq_snd_buf.page_base = c->base;
	if (c->foreign)
		req->rqst.rq_snd_buf.tail[0].iov_base = fake_zalloc(test, 64);
	KUNIT_EXPECT_TRUE(test, xprt_rdma_send_fits(conn, req, c->rtype ==
						    XPRT_RDMA_CALL_INLINE));

	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_send_prepare(conn, req, HDRLEN));

	KUNIT_EXPECT_EQ(test, req->send_wr.num_sge, c->sges);
	len = expected(req, want, c->rtype == XPRT_RDMA_CALL_INLINE, c->skip);
	KUNIT_EXPECT_EQ(test, gathered(req, got), len);
	KUNIT_EXPECT_EQ(test, 0, memcmp(got, want, len));
	page = req->rqst.rq_snd_buf.pages + (c->base >> PAGE_SHIFT);
	for (i = 0; i < c->refs; i++)
		KUNIT_EXPECT_EQ(test, page_count(page[i]), 2);
	expect_readable(test, req);
	KUNIT_EXPECT_EQ(test, req->send_wr.opcode, IB_WR_SEND);
	KUNIT_EXPECT_EQ(test, conn->r_xprt->stats.pullup_copy_count,
			c->sges == 1 ? len - HDRLEN : c->foreign ? c->tail : 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq.avail), SQ_SIZE - 1);
	KUNIT_EXPECT_EQ(test, fake_count(calls_padded) - padded, !!c->data_at);

	/* Act and assert: the Send completes */
	KUNIT_EXPECT_EQ(test, 0, xprt_rdma_send_post(conn, req));
	xprt_rdma_sends_flush(conn);
	KUNIT_EXPECT_EQ(test, page_count(req->rqst.rq_snd_buf.pages[0]), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq.avail), SQ_SIZE);
	KUNIT_EXPECT_EQ(test, req->mapped, 0);
	/* Only the buffers stay mapped. */
	KUNIT_EXPECT_EQ(test, fake_dma.n, 1 + !!req->snd.device);
}

#ifdef RPCRDMA_EXT_MSGP
/* Data is padded only if its pages can be gathered. */
static void padded_if_gatherable(struct kunit *test)
{
	const struct xprt_rdma_chunk_plan plan = {
		.ddp = true, .hdr = HDRLEN, .room = MAX_MSG,
	};
	struct xprt_rdma_req *req = request(test, 200, 800, 0);
	struct page **pages = req->rqst.rq_snd_buf.pages, *page = pages[0];

	conn->peer.align = 1024;
	xprt_rdma_inline_write_padding = 1024;
	KUNIT_EXPECT_EQ(test, xprt_rdma_msgp_data_at(conn, req, &plan), 1024);

	/* More pages than entries */
	conn->sq.max_sges = 3;
	KUNIT_EXPECT_EQ(test, xprt_rdma_msgp_data_at(conn, req, &plan), 0);

	/* A reference does not keep slab memory allocated. */
	conn->sq.max_sges = XPRT_RDMA_MAX_SGES;
	pages[0] = virt_to_page(fake_zalloc(test, PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, xprt_rdma_msgp_data_at(conn, req, &plan), 0);
	pages[0] = page;
	xprt_rdma_inline_write_padding = 0;
}
#endif

/* A message that can be neither copied nor gathered does not fit. */
static void ungatherable_does_not_fit(struct kunit *test)
{
	struct xprt_rdma_req *req = request(test, 200, 8192, 0);
	struct xdr_buf *snd = &req->rqst.rq_snd_buf;
	struct page *page = snd->pages[1];
	void *slab = fake_zalloc(test, PAGE_SIZE);

	KUNIT_EXPECT_TRUE(test, xprt_rdma_send_fits(conn, req, true));
	conn->sq.max_sges = 4;
	KUNIT_EXPECT_FALSE(test, xprt_rdma_send_fits(conn, req, true));
	KUNIT_EXPECT_TRUE(test, xprt_rdma_send_fits(conn, req, false));
	conn->sq.max_sges = 5;
	KUNIT_EXPECT_TRUE(test, xprt_rdma_send_fits(conn, req, true));

	/* A reference does not keep slab memory allocated. */
	snd->pages[1] = virt_to_page(slab);
	KUNIT_EXPECT_FALSE(test, xprt_rdma_send_fits(conn, req, true));

	/* Slab memory can be copied. */
	swap(snd->pages[0], snd->pages[1]);
	snd->page_len = XPRT_RDMA_PULLUP - 200;
	KUNIT_EXPECT_TRUE(test, xprt_rdma_send_fits(conn, req, true));
	snd->page_len++;
	KUNIT_EXPECT_FALSE(test, xprt_rdma_send_fits(conn, req, true));
	snd->page_len = 8192;
	swap(snd->pages[0], snd->pages[1]);
	snd->pages[1] = page;

	/* A long tail outside of the buffer */
	snd->tail[0].iov_base = slab;
	snd->tail[0].iov_len = XPRT_RDMA_PULLUP;
	KUNIT_EXPECT_TRUE(test, xprt_rdma_send_fits(conn, req, true));
	snd->tail[0].iov_len = XPRT_RDMA_PULLUP + 1;
	KUNIT_EXPECT_FALSE(test, xprt_rdma_send_fits(conn, req, true));

	/* A tail that ends with the buffer, and one that exceeds it */
	snd->tail[0].iov_base = req->snd.data + SND_SIZE - snd->tail[0].iov_len;
	KUNIT_EXPECT_TRUE(test, xprt_rdma_send_fits(conn, req, true));
	snd->tail[0].iov_len++;
	KUNIT_EXPECT_FALSE(test, xprt_rdma_send_fits(conn, req, true));
	snd->tail[0].iov_len = 0;
	snd->head[0].iov_base = slab;
	KUNIT_EXPECT_FALSE(test, xprt_rdma_send_fits(conn, req, true));
}

/* If preparing fails, no Send Queue entries or pages are held. */
static void failure_holds_nothing(struct kunit *test)
{
	struct xprt_rdma_req *req = request(test, 200, 8192, 0);
	struct xdr_buf *snd = &req->rqst.rq_snd_buf;
	u32 i;
	int n;

	/* Mappings of the header, the call buffer and two pages */
	KUNIT_ASSERT_TRUE(test, xprt_rdma_send_fits(conn, req, true));
	for (n = 0; n < 4; n++) {
		xprt_rdma_regbuf_unmap(&req->hdr);
		xprt_rdma_regbuf_unmap(&req->snd);
		fake_memory_left = n;
		KUNIT_EXPECT_EQ(test, xprt_rdma_send_prepare(conn, req, HDRLEN),
				-ENOBUFS);
		KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq.avail), SQ_SIZE);
		for (i = 0; i < PAGES; i++)
			KUNIT_EXPECT_EQ(test, page_count(snd->pages[i]), 1);
	}
	fake_memory_left = -1;
	KUNIT_EXPECT_TRUE(test, xprt_rdma_sq_reserve(&conn->sq, SQ_SIZE));
	KUNIT_EXPECT_EQ(test, xprt_rdma_send_prepare(conn, req, HDRLEN),
			-EAGAIN);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq.avail), 0);
	xprt_rdma_sq_release(conn, SQ_SIZE);
}

/* All entries can be reserved, but no more. Waiting tasks are woken. */
static void queue_never_overflows(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, xprt_rdma_sq_reserve(&conn->sq, SQ_SIZE - 1));
	KUNIT_EXPECT_FALSE(test, xprt_rdma_sq_reserve(&conn->sq, 2));
	KUNIT_EXPECT_TRUE(test, xprt_rdma_sq_reserve(&conn->sq, 1));
	KUNIT_EXPECT_EQ(test, xprt_rdma_sq_wait(conn, SQ_SIZE - 1), -EAGAIN);
	KUNIT_EXPECT_EQ(test, outside.waits, 1);
	KUNIT_EXPECT_EQ(test, conn->r_xprt->stats.empty_sendctx_q, 1);
	KUNIT_EXPECT_EQ(test, outside.write_space, 0);
	xprt_rdma_sq_release(conn, SQ_SIZE - 1);
	KUNIT_EXPECT_EQ(test, outside.write_space, 1);

	/* Enough entries were released before the task slept. */
	KUNIT_EXPECT_EQ(test, xprt_rdma_sq_wait(conn, SQ_SIZE - 1), -EAGAIN);
	KUNIT_EXPECT_EQ(test, outside.write_space, 2);

	/* With too few entries, a woken task would only fail again. */
	KUNIT_EXPECT_EQ(test, xprt_rdma_sq_wait(conn, SQ_SIZE), -EAGAIN);
	KUNIT_EXPECT_EQ(test, outside.write_space, 2);
	xprt_rdma_sq_release(conn, 1);
}

static bool signaled(const struct xprt_rdma_req *req)
{
	return req->send_wr.send_flags & IB_SEND_SIGNALED;
}

/*
 * Send a message with @pages bytes of pages; @cb is the callback that it
 * answers, or NULL.
 */
static bool send_signaled(struct kunit *test, u32 pages, struct xprt_rdma_callback *cb)
{
	struct xprt_rdma_req *req = request(test, 100, pages, 0);

	req->cb = cb;
	KUNIT_EXPECT_EQ(test, 0, post(req));
	return signaled(req);
}

/*
 * One in several Sends is signaled. So are Sends that hold pages or leave no room
 * for the longest chain, and replies to callbacks, which have few requests.
 */
static void few_sends_signaled(struct kunit *test)
{
	u32 i, used = SQ_SIZE - XPRT_RDMA_CHAIN_WRS - 1;
	struct xprt_rdma_callback cb = {};

	for (i = 0; i <= XPRT_RDMA_SEND_BATCH; i++)
		KUNIT_EXPECT_EQ(test, send_signaled(test, 0, NULL), i == XPRT_RDMA_SEND_BATCH);
	KUNIT_EXPECT_TRUE(test, send_signaled(test, 4096, NULL));
	KUNIT_EXPECT_FALSE(test, send_signaled(test, 0, NULL));
	KUNIT_EXPECT_TRUE(test, send_signaled(test, 0, &cb));
	xprt_rdma_sends_flush(conn);

	KUNIT_EXPECT_TRUE(test, xprt_rdma_sq_reserve(&conn->sq, used));
	KUNIT_EXPECT_FALSE(test, send_signaled(test, 0, NULL));
	KUNIT_EXPECT_TRUE(test, send_signaled(test, 0, NULL));
	xprt_rdma_sq_release(conn, used);
}

/* A completion releases its Send and all earlier Sends, each once. */
static void completion_ends_earlier_sends(struct kunit *test)
{
	struct xprt_rdma_req *reqs[4];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(reqs); i++) {
		reqs[i] = request(test, 100, 0, 0);
		KUNIT_ASSERT_EQ(test, 0, post(reqs[i]));
		KUNIT_EXPECT_EQ(test, kref_read(&reqs[i]->ref), 2);
	}
	fake_completes(conn, &reqs[1]->send_cqe, IB_WC_SUCCESS);
	KUNIT_EXPECT_FALSE(test, xprt_rdma_send_in_flight(reqs[0]));
	KUNIT_EXPECT_FALSE(test, xprt_rdma_send_in_flight(reqs[1]));
	KUNIT_EXPECT_TRUE(test, xprt_rdma_send_in_flight(reqs[2]));
	KUNIT_EXPECT_TRUE(test, xprt_rdma_send_in_flight(reqs[3]));
	KUNIT_EXPECT_EQ(test, outside.puts, 2);
	KUNIT_EXPECT_EQ(test, outside.lost, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq.avail), SQ_SIZE - 2);

	/* Act and assert: a late completion, whose request is in use again */
	reqs[0]->send_nr = reqs[3]->send_nr + 1;
	fake_completes(conn, &reqs[0]->send_cqe, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, outside.lost, 1);
	KUNIT_EXPECT_EQ(test, outside.puts, 2);
	KUNIT_EXPECT_EQ(test, sends_in_flight(), 2);
	xprt_rdma_sends_flush(conn);
	KUNIT_EXPECT_EQ(test, outside.puts, 4);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq.avail), SQ_SIZE);
}

/*
 * The ring of Sends has room for a full Send Queue and releases each Send once.
 */
static void ring_never_overflows(struct kunit *test)
{
	struct xprt_rdma_req *reqs[SQ_SIZE];
	u32 i, round;

	for (i = 0; i < SQ_SIZE; i++)
		reqs[i] = request(test, 100, 0, 0);
	for (round = 1; round <= 5; round++) {
		for (i = 0; i < SQ_SIZE; i++)
			KUNIT_ASSERT_EQ(test, 0, post(reqs[i]));
		KUNIT_EXPECT_EQ(test, sends_in_flight(), SQ_SIZE);
		KUNIT_EXPECT_FALSE(test, xprt_rdma_sq_reserve(&conn->sq, 1));

		KUNIT_EXPECT_TRUE(test, signaled(reqs[SQ_SIZE - 1]));
		fake_completes(conn, &reqs[SQ_SIZE - 1]->send_cqe, IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, outside.puts, round * SQ_SIZE);
		KUNIT_EXPECT_EQ(test, sends_in_flight(), 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq.avail), SQ_SIZE);
	}
	KUNIT_EXPECT_EQ(test, outside.lost, 0);
}

static int add_write(struct xprt_rdma_req *req, const struct rpcrdma_segment *seg)
{
	return xprt_rdma_send_add_write(req->r_xprt->conn, req, req->snd.data, seg);
}

/*
 * Writes are posted in order, between registrations and the Send. The Send is
 * signaled because Writes hold entries and memory.
 */
static void written_before_send(struct kunit *test)
{
	const struct rpcrdma_segment segs[] = {
		{ .handle = 5, .length = 100, .offset = 0x1000 },
		{ .handle = 6, .length = 50, .offset = 0x2000 },
	};
	struct xprt_rdma_req *req = request(test, 100, 0, 0);
	struct xprt_rdma_mr *mrs = fake_zalloc(test, 2 * sizeof(*mrs));
	const struct ib_send_wr *wr;
	u32 i;

	/* Arrange: without memory for a Write, nothing leaks */
	req->cb = fake_zalloc(test, sizeof(*req->cb));
	fake_memory_left = 1;
	KUNIT_EXPECT_EQ(test, -ENOMEM, add_write(req, &segs[0]));
	fake_memory_left = -1;
	KUNIT_EXPECT_EQ(test, outside.writes, 0);
	for (i = 0; i < ARRAY_SIZE(segs); i++)
		KUNIT_ASSERT_EQ(test, 0, add_write(req, &segs[i]));
	for (i = 0; i < 2; i++)
		list_add_tail(&mrs[i].list, &req->mrs);
	req->nr_mrs = 2;

	KUNIT_ASSERT_EQ(test, 0, post(req));

	KUNIT_EXPECT_PTR_EQ(test, outside.chain, &mrs[0].reg_wr.wr);
	KUNIT_EXPECT_PTR_EQ(test, outside.chain->next, &mrs[1].reg_wr.wr);
	wr = outside.chain->next->next;
	for (i = 0; i < ARRAY_SIZE(segs); i++, wr = wr->next) {
		KUNIT_ASSERT_EQ(test, wr->opcode, IB_WR_RDMA_WRITE);
		KUNIT_EXPECT_EQ(test, rdma_wr(wr)->rkey, segs[i].handle);
		KUNIT_EXPECT_EQ(test, rdma_wr(wr)->remote_addr, segs[i].offset);
	}
	KUNIT_EXPECT_PTR_EQ(test, wr, &req->send_wr);
	KUNIT_EXPECT_TRUE(test, signaled(req));
	/* Two registrations, two invalidations, two Writes and the Send */
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq.avail), SQ_SIZE - 7);
	KUNIT_EXPECT_EQ(test, outside.writes, 2);
	fake_completes(conn, &req->send_cqe, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, outside.writes, 0);
	KUNIT_EXPECT_EQ(test, req->write_wrs, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq.avail), SQ_SIZE - 2);

	/* The Writes of an unsent message are dropped. */
	KUNIT_ASSERT_EQ(test, 0, add_write(req, &segs[0]));
	xprt_rdma_send_drop_writes(conn, req);
	KUNIT_EXPECT_EQ(test, outside.writes, 0);
	KUNIT_EXPECT_EQ(test, req->write_wrs, 0);
}

/*
 * A Send that cannot be posted ends the connection, which releases the Send,
 * because its Writes may have been posted.
 */
static void post_failure_ends_connection(struct kunit *test)
{
	struct xprt_rdma_req *req = request(test, 100, 4096, 0);

	outside.refuses = true;
	KUNIT_EXPECT_EQ(test, post(req), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, outside.lost, 1);
	KUNIT_EXPECT_EQ(test, outside.puts, 0);
	KUNIT_EXPECT_TRUE(test, xprt_rdma_send_in_flight(req));
	xprt_rdma_sends_flush(conn);
	KUNIT_EXPECT_FALSE(test, xprt_rdma_send_in_flight(req));
	KUNIT_EXPECT_EQ(test, outside.puts, 1);
	KUNIT_EXPECT_EQ(test, sends_in_flight(), 0);
	KUNIT_EXPECT_EQ(test, page_count(req->rqst.rq_snd_buf.pages[0]), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq.avail), SQ_SIZE);
}

/*
 * Each Send is released once, even if one is flushed while posting another
 * fails.
 */
static void flushed_while_posting_fails(struct kunit *test)
{
	struct xprt_rdma_req *req = request(test, 100, 0, 0);

	KUNIT_ASSERT_EQ(test, post(req), 0);
	outside.refuses = true;
	outside.flushed = req;
	KUNIT_EXPECT_EQ(test, post(req), -ENOTCONN);
	xprt_rdma_sends_flush(conn);
	KUNIT_EXPECT_EQ(test, kref_read(&req->ref), 1);
	KUNIT_EXPECT_EQ(test, outside.puts, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq.avail), SQ_SIZE);

	/* A later Send is also released. */
	outside.refuses = false;
	outside.flushed = NULL;
	KUNIT_EXPECT_EQ(test, post(req), 0);
	xprt_rdma_sends_flush(conn);
	KUNIT_EXPECT_EQ(test, kref_read(&req->ref), 1);
	KUNIT_EXPECT_EQ(test, sends_in_flight(), 0);
}

static int decode_nothing(struct rpc_rqst *rqst, struct xdr_stream *xdr,
			  void *data)
{
	return 0;
}

static const struct rpc_procinfo procedure = { .p_decode = decode_nothing };

/* Create a call that was not sent on this connection yet. */
static struct xprt_rdma_req *call(struct kunit *test)
{
	struct xprt_rdma_req *req = request(test, 100, 0, 0);
	struct rpc_xprt *xprt = &conn->r_xprt->xprt;

	xprt_set_connected(xprt);
	xprt->connect_cookie = 5;
	req->rqst.rq_connect_cookie = 4;
	req->rqst.rq_xprt = xprt;
	req->rqst.rq_task = fake_zalloc(test, sizeof(*req->rqst.rq_task));
	req->rqst.rq_task->tk_msg.rpc_proc = &procedure;
	return req;
}

/*
 * Replies match calls only after these are posted, and never match callbacks.
 */
static void matched_when_posted(struct kunit *test)
{
	struct xprt_rdma_callback cb = {};
	struct xprt_rdma_req *req = call(test);

	outside.watched = req;
	outside.refuses = true;
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), -ENOTCONN);
	KUNIT_EXPECT_FALSE(test, req->unanswered);
	outside.refuses = false;
	xprt_rdma_sends_flush(req->r_xprt->conn);
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), 0);
	KUNIT_EXPECT_FALSE(test, outside.matched_early);
	KUNIT_EXPECT_TRUE(test, outside.matched);
	KUNIT_EXPECT_TRUE(test, outside.locked);
	KUNIT_EXPECT_TRUE(test, req->unanswered);
	KUNIT_EXPECT_EQ(test, outside.posted, 1);
	KUNIT_EXPECT_EQ(test, outside.lost, 1);
	KUNIT_EXPECT_EQ(test, req->rqst.rq_xmit_bytes_sent, 100);
	KUNIT_EXPECT_NE(test, ktime_to_ns(req->rqst.rq_xtime), 0);

	req = request(test, 100, 0, 0);
	req->cb = &cb;
	KUNIT_EXPECT_EQ(test, post(req), 0);
	KUNIT_EXPECT_FALSE(test, req->unanswered);
}

/*
 * An unsent call ends the connection only if it would be sent twice, or has no
 * reply that would return its credit. If a call can never be sent, only that call
 * fails; the sending task continues.
 */
static void unsent_call_returns_error(struct kunit *test)
{
	static const struct { int marshal, rc; } cases[] = {
		{ -ENOBUFS, -ENOBUFS }, { -EAGAIN, -EAGAIN }, { -EIO, 0 }, { -EMSGSIZE, 0 },
	};
	struct xprt_rdma_req *req = call(test);
	struct xprt_rdma *r_xprt = req->r_xprt;
	struct rpc_procinfo no_reply = { };

	xprt_clear_connected(&r_xprt->xprt);
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), -ENOTCONN);
	xprt_set_connected(&r_xprt->xprt);
	r_xprt->conn = NULL;
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), -ENOTCONN);
	r_xprt->conn = conn;
	outside.no_credit = true;
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), -EBADSLT);
	outside.no_credit = false;
	for_each_case(c, cases) {
		outside.failed = NULL;
		outside.marshal = c->marshal;
		KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), c->rc);
		KUNIT_EXPECT_PTR_EQ(test, outside.failed, c->rc ? NULL :
				    (const struct rpc_task *)req->rqst.rq_task);
		KUNIT_EXPECT_EQ(test, outside.bytes, c->rc ? 0 : 4);
		KUNIT_EXPECT_FALSE(test, req->unanswered);
	}
	KUNIT_EXPECT_EQ(test, outside.lost, 0);

	/* RFC 8166 section 3.3: no call is sent twice on a connection */
	outside.marshal = 0;
	req->rqst.rq_connect_cookie = 5;
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, outside.lost, 1);
	req->rqst.rq_connect_cookie = 4;
	kref_get(&req->ref);
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, outside.lost, 2);
	KUNIT_EXPECT_EQ(test, outside.posted, 0);

	req = call(test);
	req->rqst.rq_task->tk_msg.rpc_proc = &no_reply;
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), 0);
	KUNIT_EXPECT_EQ(test, outside.lost, 3);
}

/* v2 draft section 6: a refused call can be sent again in another form. */
static void refused_call_sent_again(struct kunit *test)
{
	struct xprt_rdma_req *req = call(test), *other = request(test, 100, 0, 0);
	struct page *page = req->rqst.rq_snd_buf.pages[0];

	/*
	 * Act and assert: the first Send is not signaled; the second one has
	 * pages
	 */
	KUNIT_ASSERT_EQ(test, xprt_rdma_call_send(req), 0);
	KUNIT_ASSERT_EQ(test, post(other), 0);
	req->limits.no_reads = true;
	req->rqst.rq_snd_buf.page_len = 4096;
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), 0);
	KUNIT_EXPECT_EQ(test, outside.posted, 3);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq.avail), SQ_SIZE - 3);

	/*
	 * Act and assert: when the first Send completes, the second keeps its
	 * pages
	 */
	fake_completes(conn, &other->send_cqe, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq.avail), SQ_SIZE - 1);
	KUNIT_EXPECT_EQ(test, kref_read(&req->ref), 2);
	KUNIT_EXPECT_EQ(test, page_count(page), 2);

	/* Act and assert: the call waits for its signaled Send */
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), -ENOBUFS);
	fake_completes(conn, &req->send_cqe, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, page_count(page), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq.avail), SQ_SIZE);
	KUNIT_EXPECT_EQ(test, xprt_rdma_call_send(req), 0);
	KUNIT_EXPECT_EQ(test, outside.lost, 0);
}

static struct kunit_case xprt_send_cases[] = {
	KUNIT_CASE_PARAM(message_complete, send_case_gen_params),
#ifdef RPCRDMA_EXT_MSGP
	KUNIT_CASE(padded_if_gatherable),
#endif
	KUNIT_CASE(ungatherable_does_not_fit),
	KUNIT_CASE(failure_holds_nothing),
	KUNIT_CASE(queue_never_overflows),
	KUNIT_CASE(few_sends_signaled),
	KUNIT_CASE(completion_ends_earlier_sends),
	KUNIT_CASE(ring_never_overflows),
	KUNIT_CASE(written_before_send),
	KUNIT_CASE(post_failure_ends_connection),
	KUNIT_CASE(flushed_while_posting_fails),
	KUNIT_CASE(matched_when_posted),
	KUNIT_CASE(unsent_call_returns_error),
	KUNIT_CASE(refused_call_sent_again),
	{}
};

SUITE("xprt_rdma_send", xprt_send_cases, .init = connection, .exit = balance_exit);
