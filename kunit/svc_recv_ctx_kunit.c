// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: svcrdma posts a Receive for each credit that it grants (RFC 5666
 * section 3.3, RFC 8166 section 3.3.1), and frees each Receive context once. If
 * this failed, connections would break with RNR errors when clients use their
 * credits, or the server would leak memory.
 */

#include "suite.h"
#include "svc_recv_fakes.h"

static void adapt(u32 calls)
{
	while (calls--)
		svc_rdma_recvs_adapt(conn);
}

/* The administrator's limit, and a connection's first grant */
static const struct grant_case {
	const char *name;
	u32 max, want;
} grant_cases[] = {
	{ "one", 1, 1 },
	{ "less than the first grant", 4, 4 },
	{ "the first grant", SVC_RDMA_GRANT_INITIAL, SVC_RDMA_GRANT_INITIAL },
	{ "many", 16384, SVC_RDMA_GRANT_INITIAL },
};

KUNIT_ARRAY_PARAM_DESC(grant_case, grant_cases, name);

static void first_grant(struct kunit *test)
{
	const struct grant_case *c = test->param_value;

	svc_rdma_credits_init(conn, c->max);

	/* Act and assert: Receives that every version needs, and no more */
	KUNIT_EXPECT_EQ(test, svc_rdma_recvs_add(conn, SVC_RDMA_RECV_FIRST), 0);
	KUNIT_EXPECT_EQ(test, conn->credits.grant, c->want);
	KUNIT_EXPECT_EQ(test, queue.posted, SVC_RDMA_RECV_FIRST);

	/* Act and assert: Receives for the first grant */
	KUNIT_EXPECT_EQ(test, recvs_begin(), 0);
	KUNIT_EXPECT_EQ(test, queue.posted, c->want + EXTRA);
	KUNIT_EXPECT_EQ(test, conn->recvs.total, queue.posted);
	KUNIT_EXPECT_EQ(test, queue.chains, 2);
	KUNIT_EXPECT_EQ(test, queue.faults, 0);
	KUNIT_EXPECT_EQ(test, fake_dma.n, queue.posted);
}

/* If a requester uses all its credits, the grant doubles, up to the limit. */
static void grant_doubles(struct kunit *test)
{
	u32 grant;

	svc_rdma_credits_init(conn, GRANT_MAX - 4);
	begin(test);
	for (grant = SVC_RDMA_GRANT_INITIAL; grant < GRANT_MAX / 2; grant *= 2) {
		adapt(2 * grant - 1);
		KUNIT_EXPECT_EQ(test, conn->credits.grant, grant);
		adapt(1);
		KUNIT_EXPECT_EQ(test, conn->credits.grant, 2 * grant);
		KUNIT_EXPECT_EQ(test, queue.posted, 2 * grant + EXTRA);
		/* RFC 8166 section 3.3.1: Receives are posted first */
		KUNIT_EXPECT_EQ(test, queue.grant, grant);
	}
	adapt(2 * grant);
	KUNIT_EXPECT_EQ(test, conn->credits.grant, conn->credits.max);
	KUNIT_EXPECT_EQ(test, queue.posted, conn->credits.max + EXTRA);
	adapt(4 * GRANT_MAX);
	KUNIT_EXPECT_EQ(test, conn->credits.grant, conn->credits.max);
	KUNIT_EXPECT_EQ(test, queue.posted, conn->credits.max + EXTRA);
}

/* The grant also doubles when awaited RDMA_DONEs leave a single credit. */
static void grant_covers_dones(struct kunit *test)
{
	u32 grant = SVC_RDMA_GRANT_INITIAL;

	begin(test);
	for (; grant < GRANT_MAX; grant *= 2) {
		conn->adverts.awaiting_done = grant - 2;
		adapt(1);
		KUNIT_EXPECT_EQ(test, conn->credits.grant, grant);
		conn->adverts.awaiting_done = grant - 1;
		adapt(1);
		KUNIT_EXPECT_EQ(test, conn->credits.grant, 2 * grant);
		KUNIT_EXPECT_EQ(test, queue.posted, 2 * grant + EXTRA);
	}
	conn->adverts.awaiting_done = GRANT_MAX;
	adapt(1);
	KUNIT_EXPECT_EQ(test, conn->credits.grant, GRANT_MAX);
	conn->adverts.awaiting_done = 0;
}

/* A slow requester's grant stays; only one thread at a time adds Receives. */
static void grant_stays(struct kunit *test)
{
	u32 i;

	begin(test);
	for (i = 0; i < 4 * SVC_RDMA_GRANT_INITIAL; i++) {
		conn->credits.start = jiffies - 2 * HZ;
		adapt(1);
	}
	KUNIT_EXPECT_EQ(test, conn->credits.grant, SVC_RDMA_GRANT_INITIAL);
	conn->credits.growing = true;
	adapt(4 * SVC_RDMA_GRANT_INITIAL);
	KUNIT_EXPECT_EQ(test, conn->credits.grant, SVC_RDMA_GRANT_INITIAL);
	conn->credits.growing = false;
	adapt(1);
	KUNIT_EXPECT_EQ(test, conn->credits.grant, 2 * SVC_RDMA_GRANT_INITIAL);
}

/* The grant stays if Receives cannot be allocated or posted. */
static void no_receives_no_grant(struct kunit *test)
{
	int n;

	begin(test);
	/* A Receive needs a context, a buffer and the buffer's mapping. */
	for (n = 0; n < 3; n++) {
		fake_memory_left = n;
		queue.freed = 0;
		adapt(2 * SVC_RDMA_GRANT_INITIAL);
		KUNIT_EXPECT_EQ(test, conn->credits.grant, SVC_RDMA_GRANT_INITIAL);
		KUNIT_EXPECT_FALSE(test, conn->credits.growing);
		/* The failed attempt frees its earlier allocations. */
		KUNIT_EXPECT_EQ(test, queue.freed, n);
	}
	KUNIT_EXPECT_EQ(test, conn->recvs.total, queue.posted);
	fake_memory_left = -1;
	queue.room = queue.posted;
	adapt(2 * SVC_RDMA_GRANT_INITIAL);
	KUNIT_EXPECT_EQ(test, conn->credits.grant, SVC_RDMA_GRANT_INITIAL);
}

/* Receives are reposted in batches; a closing connection reposts none. */
static void reposted(struct kunit *test)
{
	u32 i;

	for (i = 1; i < SVC_RDMA_RECV_BATCH; i++)
		svc_rdma_recv_release(&conn->xprt, received(test));
	KUNIT_EXPECT_EQ(test, queue.posted, 0);
	KUNIT_EXPECT_EQ(test, conn->recvs.nidle, SVC_RDMA_RECV_BATCH - 1);
	svc_rdma_recv_release(&conn->xprt, NULL);
	KUNIT_EXPECT_EQ(test, conn->recvs.nidle, SVC_RDMA_RECV_BATCH - 1);
	svc_rdma_recv_release(&conn->xprt, received(test));
	KUNIT_EXPECT_EQ(test, queue.posted, SVC_RDMA_RECV_BATCH);
	KUNIT_EXPECT_EQ(test, queue.chains, 1);
	KUNIT_EXPECT_EQ(test, conn->recvs.nidle, 0);

	atomic_set(&conn->life.state, SVC_RDMA_CLOSING);
	for (i = 0; i < 2 * SVC_RDMA_RECV_BATCH; i++)
		svc_rdma_recv_put(conn, received(test));
	KUNIT_EXPECT_EQ(test, queue.chains, 1);
	KUNIT_EXPECT_EQ(test, conn->recvs.nidle, 2 * SVC_RDMA_RECV_BATCH);
}

/* Receives that cannot be reposted are kept, and the connection is closed. */
static void repost_fails(struct kunit *test)
{
	u32 i;

	queue.room = 1;
	for (i = 0; i < SVC_RDMA_RECV_BATCH; i++)
		svc_rdma_recv_put(conn, received(test));
	KUNIT_EXPECT_EQ(test, fake_closed, 1);
	KUNIT_EXPECT_EQ(test, conn->recvs.nidle, SVC_RDMA_RECV_BATCH - 1);
}

/* A context is reset before it is used again. */
static void cleared(struct kunit *test)
{
	struct svc_rdma_recv_ctx *recv = received(test);

	recv->read = (struct svc_rdma_read_ctx *)recv;
	recv->lent = (struct svc_rdma_lent *)recv;
	recv->handle = HANDLE;
	recv->invalidated = true;
	recv->fault.code = 1;
	recv->npayloads = 3;
	svc_rdma_recv_put(conn, recv);
	KUNIT_EXPECT_EQ(test, queue.reads_freed, 1);
	KUNIT_EXPECT_NULL(test, recv->read);
	KUNIT_EXPECT_EQ(test, queue.lendings_ended, 1);
	KUNIT_EXPECT_EQ(test, recv->handle, 0);
	KUNIT_EXPECT_FALSE(test, recv->invalidated);
	KUNIT_EXPECT_EQ(test, recv->fault.code, 0);
	KUNIT_EXPECT_EQ(test, recv->npayloads, 0);
}

/* Messages are queued in the order in which they arrived. */
static void message_arrives(struct kunit *test)
{
	struct svc_rdma_recv_ctx *a = received(test);
	struct svc_rdma_recv_ctx *b = received(test);

	completes(a, IB_WC_SUCCESS);
	completes(b, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, a->len, 100);
	KUNIT_EXPECT_PTR_EQ(test, svc_rdma_recvs_next(conn), a);
	KUNIT_EXPECT_PTR_EQ(test, svc_rdma_recvs_next(conn), b);
	KUNIT_EXPECT_NULL(test, svc_rdma_recvs_next(conn));
	KUNIT_EXPECT_EQ(test, conn->traffic.messages, 2);
}

/* Receives note an invalidated handle, or a Write with immediate data. */
static void other_completions(struct kunit *test)
{
	struct svc_rdma_recv_ctx *recv = received(test);
	struct ib_wc wc = { .wc_flags = IB_WC_WITH_INVALIDATE };

	wc.ex.invalidate_rkey = HANDLE;
	completes_with(recv, &wc);
	KUNIT_EXPECT_TRUE(test, recv->invalidated);
	KUNIT_EXPECT_EQ(test, recv->inv_handle, HANDLE);
	KUNIT_EXPECT_PTR_EQ(test, svc_rdma_recvs_next(conn), recv);

	/* A Write consumes a Receive, but puts no data into its buffer. */
	recv = received(test);
	wc = (struct ib_wc) {
		.opcode		= IB_WC_RECV_RDMA_WITH_IMM,
		.byte_len	= SVC_RDMA_BC_SIZE,
		.wc_flags	= IB_WC_WITH_IMM,
	};
	completes_with(recv, &wc);
	KUNIT_EXPECT_EQ(test, recv->len, 0);
	KUNIT_EXPECT_PTR_EQ(test, svc_rdma_recvs_next(conn), recv);
}

/* A failed or flushed Receive closes the connection; a flush is no error. */
static void receive_fails(struct kunit *test)
{
	completes(received(test), IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, fake_wc_errors, 0);
	completes(received(test), IB_WC_LOC_LEN_ERR);
	KUNIT_EXPECT_EQ(test, fake_wc_errors, 1);
	KUNIT_EXPECT_EQ(test, fake_closed, 2);
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->recvs.done));
	/* The failed Receives are not posted again. */
	KUNIT_EXPECT_EQ(test, conn->recvs.nidle, 0);
}

/* Destroying the Receives frees all contexts, used or not, and their Reads. */
static void all_destroyed(struct kunit *test)
{
	struct svc_rdma_read_ctx *read = fake_zalloc(test, sizeof(*read));

	/* Arrange: a message, a call whose Reads are lost, an idle context */
	KUNIT_ASSERT_EQ(test, svc_rdma_recvs_add(conn, SVC_RDMA_RECV_FIRST), 0);
	completes(received(test), IB_WC_SUCCESS);
	atomic_set(&conn->life.state, SVC_RDMA_CLOSING);
	received(test)->read = read;
	svc_rdma_recv_put(conn, received(test));
	INIT_LIST_HEAD(&queue.recvs);

	kunit_release_action(test, destroy_action, conn);

	KUNIT_EXPECT_EQ(test, queue.reads_freed, 1);
	/* Only contexts are freed; their buffers return to the cache. */
	KUNIT_EXPECT_EQ(test, queue.freed, SVC_RDMA_RECV_FIRST + 3);
}

static struct kunit_case svc_recvctx_cases[] = {
	KUNIT_CASE_PARAM(first_grant, grant_case_gen_params),
	KUNIT_CASE(grant_doubles),
	KUNIT_CASE(grant_covers_dones),
	KUNIT_CASE(grant_stays),
	KUNIT_CASE(no_receives_no_grant),
	KUNIT_CASE(reposted),
	KUNIT_CASE(repost_fails),
	KUNIT_CASE(cleared),
	KUNIT_CASE(message_arrives),
	KUNIT_CASE(other_completions),
	KUNIT_CASE(receive_fails),
	KUNIT_CASE(all_destroyed),
	{}
};

SUITE("svc_rdma_recvctx", svc_recvctx_cases, .init = connection, .exit = balance_exit);
