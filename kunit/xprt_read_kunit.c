// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a message in Read chunks is read completely, each byte to its place,
 * before its owner gets it. RDMA_DONE then tells the peer to release its memory
 * (RFC 5666 section 3.8; reliable-reply draft sections 4.1.2 to 4.1.4). The
 * client posts no more concurrent Reads than the peer accepts (RFC 5666 section
 * 6.2). If this failed, users would read data that never arrived, the server
 * would run out of memory, or the peer would end the connection.
 */
#include "xprt_read_fakes.h"

/*
 * Section 4.1.2: the DONE is sent after all Reads have completed. The message is
 * then complete, even if the peer never receives the DONE.
 */
static void done_follows_reads(struct kunit *test)
{
	const struct round_case *c = test->param_value;
	u32 i, reads = 0, sends = 0;
	u32 rounds = !!c->reads + c->more + !c->silent;
	struct message *m;

	limit_reads(c->pages ?: 4);
	m = receive(test, c);
	KUNIT_ASSERT_TRUE(test, fetch(m));
	for (i = 0; i < rounds; i++) {
		KUNIT_EXPECT_EQ(test, owner.completed, reads == c->reads);
		KUNIT_EXPECT_EQ(test, owner.recv_puts, owner.completed);
		reads = hw.reads;
		KUNIT_EXPECT_EQ(test, sends, 0);
		sends = hw.sends;
		KUNIT_EXPECT_EQ(test, conn->fetches.dones, sends);
		KUNIT_ASSERT_TRUE(test, fake_complete(conn, IB_WC_SUCCESS));
	}

	KUNIT_EXPECT_EQ(test, hw.posts, rounds);
	KUNIT_EXPECT_EQ(test, hw.reads, c->reads);
	KUNIT_EXPECT_EQ(test, hw.sends, !c->silent);
	KUNIT_EXPECT_EQ(test, hw.order, 0);
	KUNIT_EXPECT_EQ(test, owner.completed, 1);
	KUNIT_EXPECT_EQ(test, owner.status, 0);
	KUNIT_EXPECT_EQ(test, owner.recv_puts, 1);
	KUNIT_EXPECT_EQ(test, owner.refilled, !!rounds);
	KUNIT_EXPECT_EQ(test, owner.lost, 0);
	expect_placed(test, m);
	expect_over(test);
}

/* Start a message that uses all Send Queue entries, and one that waits. */
static void start_two(struct kunit *test)
{
	struct message *m = receive(test, &many);
	struct message *next = receive(test, &few);

	KUNIT_ASSERT_TRUE(test, fetch(m));
	KUNIT_ASSERT_TRUE(test, fetch(next));
	KUNIT_EXPECT_EQ(test, owner.completed, 0);
	KUNIT_EXPECT_NE(test, hw.mapped, hw.unmapped);
}

/* Check that two messages failed with the connection. */
static void expect_two_lost(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, owner.completed, 2);
	KUNIT_EXPECT_EQ(test, owner.failures, 2);
	KUNIT_EXPECT_EQ(test, owner.status, -ENOTCONN);
	KUNIT_EXPECT_EQ(test, owner.recv_puts, 2);
}

/* Messages wait for Send Queue entries in FIFO order. */
static void fifo_order(struct kunit *test)
{
	const struct round_case *cases[] = { &many, &few, &few, &few };
	struct message *m[ARRAY_SIZE(cases)];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		m[i] = receive(test, cases[i]);
		m[i]->recv.hdr.xid = cpu_to_be32(i);
	}

	/* Act: the first message uses all entries */
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_ASSERT_TRUE(test, fetch(m[i]));
	decline(m[0]);

	KUNIT_EXPECT_EQ(test, hw.posts, 1);
	KUNIT_EXPECT_EQ(test, conn->fetches.reads, OPS);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&conn->fetches.waiting), 4);
	while (fake_complete(conn, IB_WC_SUCCESS))
		;
	KUNIT_EXPECT_EQ(test, owner.completed, ARRAY_SIZE(cases));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_EQ(test, owner.order[i], i);
		expect_placed(test, m[i]);
	}
	KUNIT_EXPECT_EQ(test, hw.sends, ARRAY_SIZE(cases) + 1);
	KUNIT_EXPECT_EQ(test, hw.order, 0);
	KUNIT_EXPECT_EQ(test, owner.lost, 0);
	expect_over(test);
}

/* A failed Read in any chain ends the connection and all waiting Reads. */
static void failed_read_ends_connection(struct kunit *test)
{
	u32 round, i;

	for (round = 0; round < 2; round++) {
		connection(test);
		start_two(test);
		for (i = 0; i < round; i++)
			fake_complete(conn, IB_WC_SUCCESS);
		conn->life.state = XPRT_RDMA_FAILED;
		while (fake_complete(conn, IB_WC_REM_ACCESS_ERR))
			;
		expect_two_lost(test);
		KUNIT_EXPECT_EQ(test, owner.refilled, 0);
		KUNIT_EXPECT_GT(test, owner.lost, 0);
		KUNIT_EXPECT_GT(test, owner.failed, 0);
		expect_over(test);
	}
}

/* Three Reads, and one of a few bytes */
static const struct round_case odd = {
	.chunks = { { 0, HEAD + 2 * PAGE_SIZE + 3 } }, .pages = 1,
};

#define ODD_READS	4u

/* Only on soft-RoCE, another Read confirms each Read. */
static void confirmed(struct kunit *test)
{
	struct message *m;
	u32 round;

	for (round = 0; round < 2; round++) {
		connection(test);
		if (round) {
			conn->device->ops.driver_id = RDMA_DRIVER_RXE;
			xprt_rdma_pulled_query(conn);
		}
		conn->peer.ord = 1;
		m = receive(test, &odd);
		KUNIT_ASSERT_TRUE(test, fetch(m));
		while (fake_complete(conn, IB_WC_SUCCESS))
			;
		KUNIT_EXPECT_EQ(test, hw.order, 0);
		KUNIT_EXPECT_EQ(test, owner.completed, 1);
		KUNIT_EXPECT_EQ(test, owner.status, 0);
		KUNIT_EXPECT_EQ(test, hw.confirms, round ? ODD_READS : 0);
		expect_placed(test, m);
		expect_over(test);
	}
}

/*
 * A message whose chain cannot be posted fails before the connection ends,
 * because that may wait for the call's task. If part of the chain was posted, its
 * Reads may still run: the message fails when a later Work Request completes.
 */
static void unposted_given_up(struct kunit *test)
{
	static const struct {
		bool in_part, ends;
		int stuck;
		enum ib_wc_status status;
	} cases[] = {
		{ },
		{ true, true, 0, IB_WC_WR_FLUSH_ERR },
		{ true, true, 0, IB_WC_SUCCESS },
		/* Nothing more can be posted: the message fails with the Queue Pair */
		{ true, false },
		{ true, true, -EIO },
	};
	static const struct round_case all = {
		.chunks = { { 0, HEAD + (OPS - 1) * PAGE_SIZE } }, .pages = 1,
	};
	bool reported;

	for_each_case(c, cases) {
		connection(test);
		reported = c->ends && !c->stuck;

		/*
		 * Arrange: the only chain of the first message uses all entries
		 */
		hw.refuses = true;
		hw.in_part = c->in_part;
		hw.ends = c->ends;
		owner.stuck = c->stuck;

		KUNIT_ASSERT_TRUE(test, fetch(receive(test, &all)));
		KUNIT_ASSERT_TRUE(test, fetch(receive(test, &few)));
		KUNIT_EXPECT_EQ(test, owner.lost, c->in_part ? 1 : 2);
		KUNIT_EXPECT_EQ(test, owner.errors, c->in_part);
		KUNIT_EXPECT_EQ(test, owner.completed, c->in_part ? 0 : 2);
		KUNIT_EXPECT_EQ(test, hw.mapped != hw.unmapped, c->in_part);

		/* Act and assert: the Work Request after the Reads completes */
		conn->life.state = XPRT_RDMA_FAILED;
		KUNIT_EXPECT_EQ(test, fake_complete(conn, c->status), reported);
		KUNIT_EXPECT_EQ(test, owner.completed, c->in_part && !reported ? 0 : 2);
		KUNIT_EXPECT_EQ(test, hw.order, 0);

		/* Act and assert: the Queue Pair is destroyed */
		xprt_rdma_pulled_flush(conn);
		expect_two_lost(test);
		expect_over(test);
	}
}

/* Reads that siw does not report when it closes a connection end with it. */
static void unreported_end_with_connection(struct kunit *test)
{
	start_two(test);

	/* Act and assert: before the Queue Pair is destroyed */
	rpcrdma_rw_end(&conn->rws);
	KUNIT_EXPECT_EQ(test, hw.mapped, hw.unmapped);
	KUNIT_EXPECT_EQ(test, owner.completed, 0);

	/* Act and assert: afterwards */
	hw.nchains = 0;
	xprt_rdma_pulled_flush(conn);
	expect_two_lost(test);
	expect_over(test);

	/* Arrange, act and assert: an unreported RDMA_DONE */
	conn->life.state = XPRT_RDMA_CONNECTED;
	decline(receive(test, &few));
	KUNIT_ASSERT_EQ(test, conn->fetches.dones, 1);
	hw.nchains = 0;
	xprt_rdma_pulled_flush(conn);
	expect_over(test);
}

/* siw can report a Read twice; the second completion is ignored. */
static void second_completion_ignored(struct kunit *test)
{
	struct message *m = receive(test, &few);
	const struct ib_send_wr *wr;
	struct ib_cqe *cqe;

	KUNIT_ASSERT_TRUE(test, fetch(m));
	for (wr = hw.chains[0]; wr->next; wr = wr->next)
		;
	cqe = wr->wr_cqe;
	hw.nchains = 0;

	fake_completes(conn, cqe, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, owner.completed, 1);
	fake_completes(conn, cqe, IB_WC_WR_FLUSH_ERR);

	KUNIT_EXPECT_EQ(test, owner.completed, 1);
	KUNIT_EXPECT_EQ(test, owner.recv_puts, 1);
	KUNIT_EXPECT_EQ(test, owner.lost, 1);
	expect_over(test);
}

/* Messages that wait when the connection ends, or arrive later, fail. */
static void waiting_end_with_connection(struct kunit *test)
{
	struct message *late = receive(test, &few);

	start_two(test);
	conn->life.state = XPRT_RDMA_CLOSING;

	/* Act and assert: nothing more is posted */
	fake_complete(conn, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, hw.posts, 1);
	KUNIT_EXPECT_EQ(test, owner.completed, 2);
	KUNIT_ASSERT_TRUE(test, fetch(late));
	KUNIT_EXPECT_EQ(test, owner.completed, 3);
	KUNIT_EXPECT_EQ(test, owner.status, -ENOTCONN);
	decline(late);
	KUNIT_EXPECT_EQ(test, owner.recv_puts, 3);
	KUNIT_EXPECT_EQ(test, hw.posts, 1);
	expect_over(test);
}

/*
 * If any allocation fails, nothing leaks, and a started fetch completes once.
 */
static void no_memory_leaks_nothing(struct kunit *test)
{
	static const struct round_case c = {
		.chunks = { { 0, HEAD + 12 * PAGE_SIZE } }, .pages = 10,
	};
	struct message *m;
	bool started;
	int left = 0;
	u32 failed = 0;

	do {
		connection(test);
		limit_reads(c.pages);
		m = receive(test, &c);
		fake_memory_left = left++;
		started = fetch(m);
		while (fake_complete(conn, IB_WC_SUCCESS))
			;
		fake_memory_left = -1;
		KUNIT_EXPECT_EQ(test, owner.completed, started);
		KUNIT_EXPECT_EQ(test, owner.recv_puts, started);
		if (owner.status) {
			KUNIT_EXPECT_EQ(test, owner.status, -ENOMEM);
			KUNIT_EXPECT_EQ(test, owner.lost, 1);
		}
		expect_over(test);
		failed += !started || owner.lost;
	} while ((!started || owner.lost) && left < 100);

	/* The fetch; three per Read; the DONE and its mapping */
	KUNIT_EXPECT_EQ(test, failed, 3 + 3 * 3);
	expect_placed(test, m);
}

/*
 * Section 4.1.3: unwanted Read chunks are declined with a DONE. Too many
 * declined messages end the connection.
 */
static void declined(struct kunit *test)
{
	struct message *m = receive(test, &few);
	u32 i;

	/* Act and assert: nothing is read, and the Receive is not kept */
	decline(m);
	KUNIT_EXPECT_EQ(test, hw.reads, 0);
	KUNIT_EXPECT_EQ(test, hw.sends, 1);
	KUNIT_EXPECT_EQ(test, hw.order, 0);
	KUNIT_EXPECT_EQ(test, conn->fetches.declines, 1);
	KUNIT_EXPECT_TRUE(test, fake_complete(conn, IB_WC_SUCCESS));
	KUNIT_EXPECT_EQ(test, owner.recv_puts, 0);
	KUNIT_EXPECT_EQ(test, owner.completed, 0);
	KUNIT_EXPECT_EQ(test, owner.lost, 0);
	expect_over(test);

	/* Act and assert: the peer does not receive the DONEs */
	conn->fetches.reads = OPS;
	for (i = 0; i < XPRT_RDMA_DECLINES; i++)
		decline(m);
	KUNIT_EXPECT_EQ(test, owner.lost, 0);
	KUNIT_EXPECT_EQ(test, conn->fetches.declines, XPRT_RDMA_DECLINES);
	decline(m);
	KUNIT_EXPECT_EQ(test, owner.lost, 1);
	KUNIT_EXPECT_EQ(test, conn->fetches.declines, XPRT_RDMA_DECLINES);
	xprt_rdma_pulled_flush(conn);
	conn->fetches.reads = 0;
	expect_over(test);

	/* Act and assert: no memory for the DONE */
	for (i = 0; i < 3; i++) {
		owner.lost = 0;
		fake_memory_left = i;
		decline(m);
		fake_memory_left = -1;
		KUNIT_EXPECT_EQ(test, owner.lost, 1);
		expect_over(test);
	}
}

/* A reply, and the DONE for it */
struct notify_case {
	const char *name;
	u32 version;		/* version of the connection */
	bool allowed;		/* parameter remote_invalidation */
	bool peer;		/* the peer supports remote invalidation */
	u32 inv_handle;		/* handle that the reply names; version 2 only */
	u32 want;		/* handle that the DONE invalidates; 0: none */
};

/* Handles of the reply's Read chunks */
#define FIRST	1u
#define SECOND	2u

static const struct notify_case notify_cases[] = {
	{ "v1", 1, true, false, 0, 0 },
	{ "v1, both sides invalidate", 1, true, true, 0, FIRST },
	{ "v1, only the peer does", 1, false, true, 0, 0 },
	{ "v2, none named", 2, true, true, 0, 0 },
	{ "v2, the first", 2, true, true, FIRST, FIRST },
	{ "v2, the second", 2, true, true, SECOND, SECOND },
	{ "v2, another one", 2, true, true, 0x3333, 0 },
	{ "v2, we do not", 2, false, true, FIRST, 0 },
	{ "v2, the peer has withdrawn it", 2, true, false, FIRST, 0 },
};

KUNIT_ARRAY_PARAM_DESC(notify_case, notify_cases, name);

/*
 * Sections 4.1.2 and 4.1.4; RFC 5666 section 3.8: the DONE has the reply's XID,
 * uses a credit, and invalidates a handle if both sides allow it.
 */
static void notified(struct kunit *test)
{
	const struct notify_case *c = test->param_value;
	const struct round_case reply = {
		.chunks = { { 0, 40 }, { 8, 8 } },
		.version = c->version, .inv_handle = c->inv_handle,
	};
	struct message *m = receive(test, &reply);
	const struct ib_send_wr *wr;
	const __be32 *msg;

	fake_set_version(conn, c->version);
	conn->peer.remote_inv = c->peer;
	fake_remote_inv = c->allowed;

	decline(m);

	KUNIT_ASSERT_EQ(test, hw.nchains, 1);
	wr = hw.chains[0];
	KUNIT_EXPECT_EQ(test, wr->opcode, c->want ? IB_WR_SEND_WITH_INV : IB_WR_SEND);
	KUNIT_EXPECT_EQ(test, wr->ex.invalidate_rkey, c->want);
	KUNIT_ASSERT_EQ(test, wr->num_sge, 1);
	KUNIT_ASSERT_EQ(test, wr->sg_list->length, c->version == RPCRDMA_VERSION_2 ? 20 : 16);
	msg = (const __be32 *)(uintptr_t)wr->sg_list->addr;
	KUNIT_EXPECT_EQ(test, be32_to_cpu(msg[0]), XID);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(msg[1]), c->version);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(msg[2]), CREDITS);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(msg[3]), RPCRDMA_DONE);
	if (c->version == RPCRDMA_VERSION_2)
		KUNIT_EXPECT_EQ(test, be32_to_cpu(msg[4]), 0);

	/* Assert: the DONE uses a credit until its Send completes */
	KUNIT_EXPECT_EQ(test, conn->fetches.dones, 1);
	KUNIT_EXPECT_EQ(test, owner.credits, 1);
	fake_complete(conn, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, owner.credits, 2);
	KUNIT_EXPECT_EQ(test, owner.watches, 2);
	KUNIT_EXPECT_EQ(test, owner.most_dones, 1);
	expect_over(test);
}

/* The device's regions or scatter entries limit the pages of a Read. */
static void pages_per_read(struct kunit *test)
{
	static const struct {
		u32 region, factor, iwarp, max_sges, max_sge_rd, want;
		enum rdma_driver_id driver;
	} cases[] = {
		/* iWARP: only regions limit the pages */
		{ 1024, 3, true, 5, 1, 256 }, { 30, 3, true, 5, 1, 30 },
		/* InfiniBand */
		{ 30, 1, false, 20, 30, 20 }, { 30, 1, false, 5, 30, 5 },
		{ 256, 1, false, 20, 3, 3 }, { 256, 1, false, 20, 1, 1 },
		{ 1024, 1, false, 1024, 1024, 256 },
		/* With or without registration */
		{ 256, 3, false, 5, 30, 5 }, { 4, 3, false, 5, 30, 4 },
		{ 256, 1, false, 20, 30, 5, RDMA_DRIVER_RXE },
		{ 256, 1, false, 3, 30, 3, RDMA_DRIVER_RXE },
	};
	bool rxe;

	for_each_case(c, cases) {
		connection(test);
		rxe = c->driver == RDMA_DRIVER_RXE;
		conn->sq.max_sges = c->max_sges;
		conn->device->attrs.max_fast_reg_page_list_len = c->region;
		hw.factor = c->factor;
		hw.iwarp = c->iwarp;
		conn->device->attrs.max_sge_rd = c->max_sge_rd;
		conn->device->ops.driver_id = c->driver;
		conn->rws.merge = rxe;
		xprt_rdma_pulled_query(conn);
		KUNIT_EXPECT_EQ(test, conn->rws.merge, !rxe);
		KUNIT_EXPECT_EQ(test, conn->rws.pages, c->want);
		/* On soft-RoCE, another Read can confirm each Read. */
		KUNIT_EXPECT_EQ(test, conn->fetches.wrs, OPS * (c->factor + rxe));
	}
}

/* Complete everything, and return the highest number of outstanding Reads. */
static u32 most_outstanding(struct xprt_rdma_conn *conn)
{
	const struct ib_send_wr *wr;
	u32 i, now, most = 0;

	do {
		for (now = 0, i = 0; i < hw.nchains; i++)
			for (wr = hw.chains[i]; wr; wr = wr->next)
				now += wr->opcode == IB_WR_RDMA_READ;
		most = max(most, now);
	} while (fake_complete(conn, IB_WC_SUCCESS));
	return most;
}

/* RFC 5666 section 6.2: outstanding Reads stay within the peer's limit. */
static void within_depth(struct kunit *test)
{
	static const u32 depths[] = { 1, 2, 3, 5, 7, OPS - 1, OPS, OPS + 1 };
	static const struct round_case *cases[] = { &many, &few, &many };
	struct message *m[ARRAY_SIZE(cases)];
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		connection(test);
		conn->peer.ord = depths[i];
		for (j = 0; j < ARRAY_SIZE(cases); j++) {
			m[j] = receive(test, cases[j]);
			KUNIT_ASSERT_TRUE(test, fetch(m[j]));
		}
		KUNIT_EXPECT_EQ(test, most_outstanding(conn), min(depths[i], OPS));
		KUNIT_EXPECT_EQ(test, owner.completed, ARRAY_SIZE(cases));
		for (j = 0; j < ARRAY_SIZE(cases); j++)
			expect_placed(test, m[j]);
		expect_over(test);
	}
}

static struct kunit_case xprt_read_cases[] = {
	KUNIT_CASE(pages_per_read),
	KUNIT_CASE_PARAM(done_follows_reads, round_case_gen_params),
	KUNIT_CASE(fifo_order),
	KUNIT_CASE(failed_read_ends_connection),
	KUNIT_CASE(confirmed),
	KUNIT_CASE(unposted_given_up),
	KUNIT_CASE(unreported_end_with_connection),
	KUNIT_CASE(second_completion_ignored),
	KUNIT_CASE(waiting_end_with_connection),
	KUNIT_CASE(no_memory_leaks_nothing),
	KUNIT_CASE(declined),
	KUNIT_CASE_PARAM(notified, notify_case_gen_params),
	KUNIT_CASE(within_depth),
	{}
};

SUITE("xprt_rdma_read", xprt_read_cases, .init = connection);
