// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: an unsignaled Send is released when a later signaled Work Request
 * completes, and not before. No message has to wait for an unsignaled Send. If
 * this failed, the adapter would send memory that another reply uses, the Send
 * Queue would overflow, or a connection would hang.
 */
#include "svc_send_fakes.h"

/* Send a message whose chain has @wrs Work Requests. */
static struct svc_rdma_send_ctx *sends(struct kunit *test, u32 wrs)
{
	struct svc_rdma_send_ctx *send = svc_rdma_send_get(conn);

	KUNIT_ASSERT_NOT_NULL(test, send);
	send->wrs = wrs;
	KUNIT_EXPECT_EQ(test, svc_rdma_send_post(send, 100), 0);
	return send;
}

/* Complete a Work Request. A signaled one also retires those before it. */
static void complete_one(const struct ib_send_wr *wr, enum ib_wc_status status)
{
	if (!wr || (wr->send_flags != IB_SEND_SIGNALED && !status))
		return;
	if (wr->send_flags == IB_SEND_SIGNALED)
		outside.first = outside.done;
	fake_completes(conn, wr->wr_cqe, status);
}

/* Execute all Work Requests in the queue. */
static void execute(enum ib_wc_status status)
{
	while (outside.done < outside.end)
		complete_one(outside.wrs[outside.done++], status);
}

/* Send a message that gathers @npages pages, like a READ without chunks. */
static void sends_pages(struct kunit *test, u32 npages)
{
	struct svc_rdma_send_ctx *send = svc_rdma_send_get(conn);
	struct page *pages[SVC_RDMA_UNSIGNALED_PAGES + 1];
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, send);
	for (i = 0; i < npages; i++) {
		pages[i] = alloc_page(GFP_KERNEL | __GFP_NOFAIL);
		send->sges[1 + i].length = 4;
		send->sges[1 + i].addr = ib_dma_map_page(conn->dev, pages[i], 0,
							 4, DMA_TO_DEVICE);
	}
	send->wr.num_sge += npages;
	KUNIT_ASSERT_EQ(test, svc_rdma_send_hold_pages(send, pages, npages), 0);
	KUNIT_EXPECT_EQ(test, svc_rdma_send_post(send, 100), 0);
}

/* After eight unsignaled small messages, a signaled one releases them. */
static void one_of_eight(struct kunit *test)
{
	u32 i, round, few;

	/* The pages of unsignaled Sends alone never throttle the connection. */
	KUNIT_EXPECT_LT(test, SVC_RDMA_UNSIGNALED * SVC_RDMA_UNSIGNALED_PAGES,
			SVC_RDMA_REPLY_PAGES_LEAST);
	for (round = 1; round <= 3; round++) {
		few = round < 3 ? 0 : SVC_RDMA_UNSIGNALED_PAGES;
		for (i = 0; i < SVC_RDMA_UNSIGNALED; i++) {
			sends_pages(test, few ? 1 + i % few : 0);
			execute(IB_WC_SUCCESS);
		}
		KUNIT_EXPECT_EQ(test, outside.signaled, round - 1);
		KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.busy), SVC_RDMA_UNSIGNALED);
		KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.pages), few ? 13 : 0);
		/* Unsignaled Sends do not use up Send Queue entries. */
		KUNIT_EXPECT_EQ(test, conn->sq.avail, DEPTH);
		sends_pages(test, !!few);
		KUNIT_EXPECT_EQ(test, conn->sq.avail, DEPTH - 1 - SVC_RDMA_UNSIGNALED);
		KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.nunsignaled), 0);
		execute(IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, outside.signaled, round);
		KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.busy), 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.pages), 0);
		KUNIT_EXPECT_EQ(test, conn->sq.avail, DEPTH);
	}
	KUNIT_EXPECT_EQ(test, fake_count(sendctxs_now), SVC_RDMA_UNSIGNALED + 1);
	KUNIT_EXPECT_EQ(test, fake_closed, 0);
}

/* A Send with many pages, a large buffer or a chain is signaled. */
static void large_signaled(struct kunit *test)
{
	struct svc_rdma_send_ctx *send;

	/* The longest chain that takes over unsignaled Sends */
	sends(test, 1);
	send = sends(test, DEPTH - SVC_RDMA_UNSIGNALED);
	KUNIT_EXPECT_EQ(test, send->before.count, 1);
	execute(IB_WC_SUCCESS);
	outside.signaled = 0;

	sends(test, 2);
	KUNIT_EXPECT_EQ(test, outside.signaled, 1);

	sends_pages(test, SVC_RDMA_UNSIGNALED_PAGES + 1);
	KUNIT_EXPECT_EQ(test, outside.signaled, 2);

	send = svc_rdma_send_get(conn);
	KUNIT_ASSERT_EQ(test, svc_rdma_send_grow(send, 0, 20000), 0);
	KUNIT_EXPECT_EQ(test, svc_rdma_send_post(send, 100), 0);
	KUNIT_EXPECT_EQ(test, outside.signaled, 3);
	execute(IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.busy), 0);
}

/* While a Send waits, later messages wait behind it and are signaled. */
static void in_order(struct kunit *test)
{
	struct svc_rdma_send_ctx *a, *b, *c;

	sends(test, 1);
	a = sends(test, DEPTH - 1);
	b = sends(test, 2);
	c = sends(test, 1);
	KUNIT_EXPECT_PTR_EQ(test, outside.wrs[outside.end - 1], &a->wr);
	execute(IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, outside.signaled, 3);
	KUNIT_EXPECT_PTR_EQ(test, outside.wrs[outside.end - 2], &b->wr);
	KUNIT_EXPECT_PTR_EQ(test, outside.wrs[outside.end - 1], &c->wr);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.busy), 0);
	KUNIT_EXPECT_TRUE(test, svc_rdma_sq_is_quiet(conn));
}

/* A random sequence of messages neither overflows the Send Queue nor leaks. */
static void any_sequence(struct kunit *test)
{
	u32 depth, i, seed;

	for (depth = 1; depth <= DEPTH; depth++) {
		fake_sq(conn, depth);
		for (i = 0, seed = depth; i < 200; i++) {
			seed = seed * 1103515245 + 12345;
			sends(test, seed >> 16 & 3 ? 1 : 1 + (seed >> 20) % (3 * depth));
			if (seed >> 18 & 1)
				execute(IB_WC_SUCCESS);
		}
		sends(test, 3 * depth);
		execute(IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, conn->sq.avail, depth);
		KUNIT_EXPECT_LE(test, atomic_read(&conn->sends.busy), SVC_RDMA_UNSIGNALED);
		KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.busy),
				atomic_read(&conn->sends.nunsignaled));
		KUNIT_EXPECT_EQ(test, outside.overflows, 0);
		kunit_release_action(test, destroy_action, conn);
		connection(test);
	}
}

/*
 * A chain longer than the Send Queue, as for a READ into many short segments,
 * is posted in parts. Each part waits for entries, and its last Write is
 * signaled.
 */
static void in_parts(struct kunit *test)
{
	static const struct {
		u32 wrs, parts;
	} cases[] = {
		{ DEPTH, 1 }, { DEPTH + 1, 2 }, { 2 * DEPTH, 2 }, { 3 * DEPTH + 1, 4 },
	};
	struct svc_rdma_send_ctx *send;
	u32 part;

	for_each_case(c, cases) {
		outside.writes = 0;
		outside.signaled = 0;
		send = sends(test, c->wrs);
		for (part = 1; part < c->parts; part++) {
			KUNIT_EXPECT_EQ(test, outside.signaled, part);
			KUNIT_EXPECT_EQ(test, outside.end - outside.first, DEPTH);
			KUNIT_EXPECT_PTR_NE(test, outside.last, &send->wr);
			KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.busy), 1);
			outside.done = outside.end - 1;
			complete_one(outside.wrs[outside.done++], IB_WC_SUCCESS);
		}
		KUNIT_EXPECT_EQ(test, outside.signaled, c->parts);
		KUNIT_EXPECT_PTR_EQ(test, outside.last, &send->wr);
		execute(IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, outside.writes, c->wrs - 1);
		KUNIT_EXPECT_EQ(test, conn->sq.avail, DEPTH);
		KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.busy), 0);
	}
}

/* After a part has failed, the context is kept until the connection ends. */
static void part_failed(struct kunit *test)
{
	sends(test, DEPTH + 1);
	execute(IB_WC_REM_ACCESS_ERR);
	KUNIT_EXPECT_EQ(test, outside.writes_failed, 1);
	KUNIT_EXPECT_EQ(test, outside.posted, 1);
	KUNIT_EXPECT_EQ(test, conn->sq.avail, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.busy), 1);
}

/*
 * If the Queue Pair fails, every Send reports it. A signaled Send releases the
 * unsignaled ones before it.
 */
static void flushed(struct kunit *test)
{
	u32 i, signaled;

	for (signaled = 0; signaled < 2; signaled++) {
		for (i = 0; i < 3; i++)
			sends(test, 1);
		if (signaled)
			sends(test, 2);
		execute(signaled ? IB_WC_WR_FLUSH_ERR : IB_WC_RETRY_EXC_ERR);
		KUNIT_EXPECT_EQ(test, fake_closed, 3 + signaled);
		KUNIT_EXPECT_EQ(test, fake_wc_errors, signaled ? 0 : 3);
		KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.busy), signaled ? 0 : 3);
		KUNIT_EXPECT_EQ(test, conn->sq.avail, DEPTH);
		svc_rdma_sends_destroy(conn);
		KUNIT_EXPECT_EQ(test, fake_count(sendctxs_now), 0);
		kunit_release_action(test, destroy_action, conn);
		connection(test);
	}
}

/* No Send leaks if the connection closes while a signaled Send is queued. */
static void closed_while_queued(struct kunit *test)
{
	struct svc_rdma_send_ctx *send;

	sends(test, DEPTH - 1);
	sends(test, 1);
	send = sends(test, 2);
	KUNIT_EXPECT_EQ(test, send->before.count, 1);
	fake_sq_close(conn);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.busy), 3);

	/* After the queue has closed, no Send is posted unsignaled. */
	send = svc_rdma_send_get(conn);
	KUNIT_EXPECT_EQ(test, svc_rdma_send_post(send, 100), -ENOTCONN);
	svc_rdma_sends_destroy(conn);
	KUNIT_EXPECT_EQ(test, fake_count(sendctxs_now), 0);
}

/* The periodic check takes over the unsignaled Sends that are left. */
static void taken_over(struct kunit *test)
{
	struct svc_rdma_unsignaled list;

	sends(test, 1);
	sends(test, 1);
	svc_rdma_unsignaled_take(conn, &list);
	KUNIT_EXPECT_EQ(test, list.count, 2);
	svc_rdma_unsignaled_covered(conn, &list);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.nunsignaled), 0);
	svc_rdma_unsignaled_done(&list);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.busy), 0);
	KUNIT_EXPECT_EQ(test, list.count, 0);

	/* A Send that could not be posted is kept until the connection ends. */
	outside.post_status = -EINVAL;
	KUNIT_EXPECT_EQ(test, svc_rdma_send_post(svc_rdma_send_get(conn), 100), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, fake_closed, 1);
	KUNIT_EXPECT_TRUE(test, llist_empty(&conn->sends.unsignaled));
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sends.busy), 1);
}

/*
 * A reply gets its credits when it is posted, because more RDMA_DONEs can be
 * due than when it was built. The credits of a callback are not replaced.
 */
static void credits_of_now(struct kunit *test)
{
	struct svc_rdma_send_ctx *send = svc_rdma_send_get(conn);

	KUNIT_ASSERT_NOT_NULL(test, send);
	conn->credits.grant = 8;
	conn->adverts.awaiting_done = 3;
	memset(send->buf, 0xff, 100);
	KUNIT_EXPECT_EQ(test, svc_rdma_send_answer(send, 100), 0);
	KUNIT_EXPECT_EQ(test, outside.posted, 1);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(send->buf + 8), 5);
	memset(send->buf + 8, 0xff, 4);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(send->buf, 0xff, 100));
	send = sends(test, 1);
	KUNIT_EXPECT_NE(test, get_unaligned_be32(send->buf + 8), 5);
	conn->adverts.awaiting_done = 0;
}

static struct kunit_case svc_unsignaled_cases[] = {
	KUNIT_CASE(credits_of_now),
	KUNIT_CASE(one_of_eight),
	KUNIT_CASE(large_signaled),
	KUNIT_CASE(in_order),
	KUNIT_CASE(any_sequence),
	KUNIT_CASE(in_parts),
	KUNIT_CASE(part_failed),
	KUNIT_CASE(flushed),
	KUNIT_CASE(closed_while_queued),
	KUNIT_CASE(taken_over),
	{}
};

SUITE("svc_rdma_unsignaled", svc_unsignaled_cases, .init = connection, .exit = balance_exit);
