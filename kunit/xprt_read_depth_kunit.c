// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the client has never more RDMA Reads outstanding than the peer serves
 * at a time (RFC 5666 section 6.2). If this failed, the peer would end the
 * connection, and calls would wait behind Reads that the adapter holds back.
 */
#include <linux/sunrpc/xdr.h>

#include "xprt_read_fakes.h"
#include "xprt_read_cases.h"
#include "xprt_read_messages.h"

/* Complete everything, and return the most Reads that were outstanding. */
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

/*
 * RFC 5666 section 6.2: no more Reads are outstanding than the peer serves at a
 * time, whatever that number is, and all of them are made.
 */
static void within_depth(struct kunit *test)
{
	static const u32 depths[] = { 1, 2, 3, 5, 7, OPS - 1, OPS, OPS + 1 };
	static const struct round_case *cases[] = { &many, &few, &many };
	struct message *m[ARRAY_SIZE(cases)];
	struct xprt_rdma_conn *conn;
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		conn = connection(test, 1);
		conn->peer.ord = depths[i];
		for (j = 0; j < ARRAY_SIZE(cases); j++) {
			m[j] = receive(test, conn, cases[j]);
			KUNIT_ASSERT_TRUE(test, fetch(m[j]));
		}
		KUNIT_EXPECT_EQ(test, most_outstanding(conn),
				min(depths[i], OPS));
		KUNIT_EXPECT_EQ(test, owner.completed, ARRAY_SIZE(cases));
		for (j = 0; j < ARRAY_SIZE(cases); j++)
			expect_placed(test, m[j]);
		expect_over(test, conn);
	}
}

/* So is every kind of message, and each byte is in its place. */
static void every_message(struct kunit *test)
{
	const struct round_case *c = test->param_value;
	struct xprt_rdma_conn *conn = connection(test, c->pages);
	struct message *m = receive(test, conn, c);

	conn->peer.ord = 3;
	KUNIT_ASSERT_TRUE(test, fetch(m));
	KUNIT_EXPECT_EQ(test, most_outstanding(conn), min(c->reads, 3));
	KUNIT_EXPECT_EQ(test, hw.reads, c->reads);
	KUNIT_EXPECT_EQ(test, owner.completed, 1);
	expect_placed(test, m);
	expect_over(test, conn);
}

/* The peer's limit is lowered, never raised, and 0 ends all Reads. */
static void limited(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test, 1);
	struct message *m = receive(test, conn, &many);

	/* Arrange: more Reads are outstanding than may be from now on */
	KUNIT_ASSERT_TRUE(test, fetch(m));
	KUNIT_EXPECT_EQ(test, conn->fetches.reads, OPS);

	/* Act and assert */
	xprt_rdma_peer_limit_reads(&conn->peer, 2);
	KUNIT_EXPECT_EQ(test, conn->peer.ord, 2);
	KUNIT_EXPECT_FALSE(test, conn->peer.no_own_reads || conn->peer.no_reads);
	xprt_rdma_peer_limit_reads(&conn->peer, 9);
	KUNIT_EXPECT_EQ(test, conn->peer.ord, 2);
	fake_complete(conn, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, conn->fetches.reads, 2);
	xprt_rdma_peer_limit_reads(&conn->peer, 0);
	KUNIT_EXPECT_TRUE(test, conn->peer.no_own_reads && conn->peer.no_reads);
	fake_complete(conn, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, most_outstanding(conn), 1);
	expect_placed(test, m);
	expect_over(test, conn);
}

static struct kunit_case xprt_read_depth_cases[] = {
	KUNIT_CASE(within_depth),
	KUNIT_CASE_PARAM(every_message, round_case_gen_params),
	KUNIT_CASE(limited),
	{}
};

SUITE("xprt_rdma_read_depth", xprt_read_depth_cases, .exit = read_exit);
