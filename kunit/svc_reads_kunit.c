// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: svcrdma never has more RDMA Reads outstanding than the requester's
 * adapter serves concurrently (RFC 5666 section 6.2). It posts every Read of a
 * call once and in order, and no Send waits behind Reads that are held back. If
 * this failed, connections would break, or a call would never be served.
 */
#include <linux/random.h>

#include "suite.h"
#include "svc_fakes.h"

/* Limits of the fake adapter and of each call */
#define MAX_POSTED	1024u
#define MAX_READS	80u
#define MAX_CALLS	6u
#define DEPTH		400u

/* The local adapter, and the counts of the requester's adapter */
static struct adapter {
	/* Work Requests posted and not completed, oldest first */
	const struct ib_send_wr *posted[MAX_POSTED];
	u32 nposted;	/* number of entries of @posted */
	u32 outstanding;	/* RDMA Reads in @posted */
	u32 most;	/* highest value of @outstanding */
	u32 total;	/* RDMA Reads posted since the test began */
	u32 chains;	/* chains posted */
	u32 failed;	/* Reads reported as failed */
} hw;

#define svc_rdma_conn_unthrottle(conn)	((void)(conn))
#define svc_rdma_rw_failed(conn, wc, dir) \
	((void)(wc), (void)(hw.failed += (dir) == DMA_FROM_DEVICE), \
	 atomic_set(&(conn)->life.state, SVC_RDMA_CLOSING))

#include "fake_balance.h"
#include "../svcrdma/verbs/sq.c"
#include "../svcrdma/verbs/reads.c"

/* The connection in the running case */
static struct svc_rdma_conn *conn;

/* A call with Read chunks */
struct call {
	struct svc_rdma_reads reads;	/* the call's Reads */
	struct ib_rdma_wr wrs[3 * MAX_READS];	/* Work Requests of @reads */
	u32 n;	/* number of Reads */
	u32 served;	/* index of the last posted Read, plus 1 */
	u32 disorder;	/* Reads that were not posted in order */
	u32 done;	/* calls of call_done() */
	bool early;	/* call_done() ran before all Reads were posted */
};

static struct call *calls[MAX_CALLS];

/* Return: true for a call's Read, false for a Read that confirms a round */
static bool is_read(const struct ib_send_wr *wr)
{
	return wr->opcode == IB_WR_RDMA_READ_WITH_INV ||
	       (wr->opcode == IB_WR_RDMA_READ && wr->num_sge != 1);
}

/* A Work Request's rkey holds the indexes of its call and its Read. */
static void served(const struct ib_send_wr *wr)
{
	const struct ib_rdma_wr *rdma = rdma_wr(wr);
	struct call *call = calls[rdma->rkey >> 16];
	u32 i = rdma->rkey & 0xffff;

	call->disorder += i != call->served;
	call->served = i + 1;
}

static int fake_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
			  const struct ib_send_wr **bad)
{
	if (hw.nposted + MAX_READS > MAX_POSTED)
		return -ENOMEM;
	hw.chains++;
	for (; wr; wr = wr->next) {
		hw.posted[hw.nposted++] = wr;
		if (!is_read(wr))
			continue;
		served(wr);
		hw.total++;
		hw.most = max(hw.most, ++hw.outstanding);
	}
	return 0;
}

/* Completes a round. Return: its signaled Work Request, or NULL if idle */
static const struct ib_send_wr *complete_round(enum ib_wc_status status)
{
	const struct ib_send_wr *wr;
	u32 i = 0;

	if (!hw.nposted)
		return NULL;
	do {
		wr = hw.posted[i++];
		hw.outstanding -= is_read(wr);
	} while (!(wr->send_flags & IB_SEND_SIGNALED));
	hw.nposted -= i;
	memmove(hw.posted, hw.posted + i, hw.nposted * sizeof(hw.posted[0]));
	fake_completes(conn, wr->wr_cqe, status);
	return wr;
}

static void complete_rest(void)
{
	while (complete_round(IB_WC_SUCCESS))
		;
}

static void call_done(struct svc_rdma_reads *reads)
{
	struct call *call = container_of(reads, struct call, reads);

	call->done++;
	call->early |= call->served != call->n;
	/* The owner can free the Reads from now on. */
	memset(reads, FAKE_CANARY, sizeof(*reads));
}

static void connection(struct kunit *test, u32 ord)
{
	conn = fake_conn(test);
	memset(&hw, 0, sizeof(hw));
	conn->qp = fake_zalloc(test, sizeof(*conn->qp));
	conn->qp->device = conn->dev;
	conn->dev->ops.post_send = fake_post_send;
	fake_sq(conn, DEPTH);
	memset(&conn->read_queue, 0, sizeof(conn->read_queue));
	svc_rdma_reads_init(conn);
	conn->caps.ord = ord;
	svc_rdma_reads_limit(conn, conn->caps.ord);
}

/* Starts call @index: @n Reads, each the last of @factor Work Requests. */
static void call_start(struct kunit *test, u32 index, u32 n, u32 factor)
{
	static struct ib_sge sges[] = { { 0x1000, 100, 7 }, { 0x3000, 50, 7 } };
	struct call *call = fake_zalloc(test, sizeof(*call));
	u32 i, end = n * factor;

	calls[index] = call;
	call->n = n;
	for (i = 0; i < end; i++) {
		struct ib_rdma_wr *wr = &call->wrs[i];

		wr->wr.opcode = factor > 1 ? IB_WR_REG_MR : IB_WR_RDMA_READ;
		if (i % factor == factor - 1 && factor > 1)
			wr->wr.opcode = IB_WR_RDMA_READ_WITH_INV;
		if (i % factor == factor - 1) {
			wr->wr.sg_list = sges;
			wr->wr.num_sge = ARRAY_SIZE(sges);
			wr->remote_addr = i * 1000;
		}
		wr->rkey = index << 16 | i / factor;
		wr->wr.next = i + 1 < end ? &call->wrs[i + 1].wr : NULL;
	}
	/* Signal the last Work Request as rdma_rw_ctx_wrs() does. */
	call->wrs[end - 1].wr.send_flags = IB_SEND_SIGNALED;
	svc_rdma_reads_start(conn, &call->reads, &call->wrs[0].wr, call_done);
}

/* Expects that no Read is outstanding or waits. */
static void expect_idle(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, hw.nposted, 0);
	KUNIT_EXPECT_EQ(test, conn->read_queue.out, 0);
	KUNIT_EXPECT_EQ(test, conn->sq.avail, DEPTH);
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->read_queue.waiting));
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->sq.waiters));
	KUNIT_EXPECT_EQ(test, fake_closed, 0);
	KUNIT_EXPECT_EQ(test, hw.failed, 0);
}

static void expect_served(struct kunit *test, u32 ncalls)
{
	u32 i;

	for (i = 0; i < ncalls; i++) {
		KUNIT_EXPECT_EQ(test, calls[i]->done, 1);
		KUNIT_EXPECT_EQ(test, calls[i]->served, calls[i]->n);
		KUNIT_EXPECT_EQ(test, calls[i]->disorder, 0);
		KUNIT_EXPECT_FALSE(test, calls[i]->early);
	}
}

/* The number of Reads that the requester serves concurrently */
static const struct depth_case {
	const char *name;
	u32 ord;	/* limit on outstanding Reads */
	u32 factor;	/* Work Requests per Read */
} depth_cases[] = {
	{ "one", 1, 1 },
	{ "one, registered", 1, 2 },
	{ "two", 2, 1 },
	{ "three, registered", 3, 3 },
	{ "sixteen, registered", 16, 2 },
	{ "most", 255, 1 },
	{ "most, registered and invalidated", 255, 3 },
};

KUNIT_ARRAY_PARAM_DESC(depth_case, depth_cases, name);

/* RFC 5666 section 6.2: the requester's limit on Reads is never exceeded. */
static void within_depth(struct kunit *test)
{
	const struct depth_case *c = test->param_value;
	/* A round is half the depth, so an odd depth leaves one Read unused. */
	u32 least = min(c->ord > 1 ? c->ord & ~1u : 1u, 3u);
	u32 i, round, sum;

	for (round = 0; round < 20; round++) {
		connection(test, c->ord);
		for (i = 0, sum = 0; i < MAX_CALLS; i++) {
			call_start(test, i, 1 + get_random_u32_below(MAX_READS),
				   c->factor);
			sum += calls[i]->n;
			if (round & 1)
				complete_round(IB_WC_SUCCESS);
		}
		while (complete_round(IB_WC_SUCCESS))
			KUNIT_ASSERT_GE(test, conn->read_queue.out, hw.outstanding);
		KUNIT_EXPECT_LE(test, hw.most, c->ord);
		KUNIT_EXPECT_GE(test, hw.most, least);
		KUNIT_EXPECT_EQ(test, hw.total, sum);
		expect_served(test, MAX_CALLS);
		expect_idle(test);
	}
}

/* Two rounds are outstanding while Reads are left; each is signaled once. */
static void one_behind_another(struct kunit *test)
{
	u32 left;

	connection(test, 16);
	call_start(test, 0, 52, 1);
	KUNIT_EXPECT_EQ(test, hw.outstanding, 16);
	KUNIT_EXPECT_EQ(test, hw.chains, 2);
	for (left = 52 - 8; left; left -= min(left, 8)) {
		complete_round(IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, hw.outstanding, min(left, 16));
		KUNIT_EXPECT_EQ(test, calls[0]->done, 0);
	}
	complete_round(IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, hw.chains, 7);
	expect_served(test, 1);
	expect_idle(test);

	/* A call that fits into a round is posted as one chain. */
	call_start(test, 0, 8, 1);
	KUNIT_EXPECT_EQ(test, hw.chains, 8);
}

static void oldest_first(struct kunit *test)
{
	u32 i;

	connection(test, 2);
	for (i = 0; i < 3; i++)
		call_start(test, i, 5, 1);
	for (i = 0; complete_round(IB_WC_SUCCESS); i++) {
		KUNIT_EXPECT_EQ(test, calls[0]->done, i >= 4);
		KUNIT_EXPECT_EQ(test, calls[1]->done, i >= 9);
	}
	KUNIT_EXPECT_EQ(test, i, 15);
	expect_served(test, 3);
	expect_idle(test);
}

/* A closing connection posts no Reads. */
static void closing(struct kunit *test)
{
	connection(test, 2);
	/* Arrange: one call is outstanding, one waits */
	call_start(test, 0, 6, 1);
	call_start(test, 1, 6, 1);

	fake_sq_close(conn);
	call_start(test, 2, 1, 1);
	complete_round(IB_WC_SUCCESS);
	complete_round(IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, hw.nposted, 0);
	KUNIT_EXPECT_EQ(test, hw.total, 2);
	KUNIT_EXPECT_EQ(test, calls[0]->done, 0);
	KUNIT_EXPECT_EQ(test, calls[1]->done, 0);
}

/* A failed Read does not complete its call, even if siw reports it twice. */
static void failed(struct kunit *test)
{
	const struct ib_send_wr *wr;

	connection(test, 4);
	call_start(test, 0, 6, 1);
	wr = complete_round(IB_WC_REM_ACCESS_ERR);
	KUNIT_EXPECT_EQ(test, hw.failed, 1);
	fake_completes(conn, wr->wr_cqe, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, conn->read_queue.out, 4);
	complete_round(IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, hw.total, 4);
	KUNIT_EXPECT_EQ(test, calls[0]->done, 0);
	KUNIT_EXPECT_EQ(test, conn->read_queue.out, 2);
	KUNIT_EXPECT_LE(test, conn->sq.avail, DEPTH);

	/* A failed round also fails the call if no Read is left to post. */
	connection(test, 4);
	call_start(test, 0, 4, 1);
	complete_round(IB_WC_WR_FLUSH_ERR);
	complete_round(IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, calls[0]->done, 0);
}

/* Expects that a round repeats the last byte of call 0's Work Request @n. */
static void expect_confirms(struct kunit *test, u32 n)
{
	const struct ib_send_wr *wr;
	u32 i = 0;

	do {
		KUNIT_ASSERT_LT(test, i, hw.nposted);
		wr = hw.posted[i++];
	} while (!(wr->send_flags & IB_SEND_SIGNALED));
	KUNIT_EXPECT_EQ(test, wr->opcode, IB_WR_RDMA_READ);
	KUNIT_ASSERT_EQ(test, wr->num_sge, 1);
	KUNIT_EXPECT_EQ(test, wr->sg_list->addr, 0x3031);
	KUNIT_EXPECT_EQ(test, wr->sg_list->length, 1);
	KUNIT_EXPECT_EQ(test, wr->sg_list->lkey, 7);
	KUNIT_EXPECT_EQ(test, rdma_wr(wr)->remote_addr, n * 1000 + 149);
	KUNIT_EXPECT_EQ(test, rdma_wr(wr)->rkey, calls[0]->wrs[n].rkey);
}

/* On soft-RoCE, each round ends with a signaled Read of its last byte. */
static void confirmed(struct kunit *test)
{
	u32 i, flushed;

	for (flushed = 1; flushed < 4; flushed++) {
		connection(test, 4);
		conn->dev->ops.driver_id = RDMA_DRIVER_RXE;
		call_start(test, 0, 5, 3);
		/* Reads that are held back take no Send Queue entries. */
		KUNIT_EXPECT_EQ(test, conn->sq.avail, DEPTH - 2 * (2 * 3 + 1));
		KUNIT_EXPECT_TRUE(test, list_empty(&conn->sq.waiters));
		for (i = 1; i <= flushed; i++) {
			expect_confirms(test, min(6 * i - 1, 14));
			complete_round(i < flushed ? IB_WC_SUCCESS : IB_WC_WR_FLUSH_ERR);
			KUNIT_EXPECT_EQ(test, calls[0]->done, 0);
		}
		KUNIT_EXPECT_EQ(test, hw.failed, 1);
		complete_rest();
		KUNIT_EXPECT_EQ(test, calls[0]->done, 0);
	}

	/* Without a failure, the call is served. */
	connection(test, 4);
	conn->dev->ops.driver_id = RDMA_DRIVER_RXE;
	call_start(test, 0, 5, 3);
	complete_rest();
	expect_served(test, 1);
	expect_idle(test);
}

/* maxrdmaread lowers the limit, and 0 refuses further calls with Read chunks. */
static void limited(struct kunit *test)
{
	connection(test, 16);
	/* Arrange: more Reads are outstanding than the new limit allows */
	call_start(test, 0, 40, 1);
	KUNIT_EXPECT_EQ(test, hw.outstanding, 16);

	svc_rdma_reads_limit(conn, 3);
	KUNIT_EXPECT_EQ(test, conn->read_queue.ord, 3);
	KUNIT_EXPECT_FALSE(test, conn->read_queue.denied);
	svc_rdma_reads_limit(conn, 0xffffffff);
	KUNIT_EXPECT_EQ(test, conn->read_queue.ord, 3);
	complete_round(IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, hw.outstanding, 8);
	complete_round(IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, hw.outstanding, 2);
	svc_rdma_reads_limit(conn, 0);
	KUNIT_EXPECT_EQ(test, conn->read_queue.ord, 1);
	KUNIT_EXPECT_TRUE(test, conn->read_queue.denied);

	/* Assert: all Reads of an accepted call are made */
	while (complete_round(IB_WC_SUCCESS))
		KUNIT_EXPECT_LE(test, hw.outstanding, 1);
	expect_served(test, 1);
	expect_idle(test);
}

/* A round is never larger than the Send Queue. */
static void small_queue(struct kunit *test)
{
	connection(test, 255);
	conn->dev->ops.driver_id = RDMA_DRIVER_RXE;
	fake_sq(conn, 10);
	svc_rdma_reads_limit(conn, conn->caps.ord);
	call_start(test, 0, MAX_READS, 3);
	KUNIT_EXPECT_EQ(test, hw.outstanding, 3);
	complete_rest();
	expect_served(test, 1);
	KUNIT_EXPECT_EQ(test, conn->sq.avail, 10);

	/* One entry less reduces the round by one Read. */
	fake_sq(conn, 9);
	svc_rdma_reads_limit(conn, conn->caps.ord);
	KUNIT_EXPECT_EQ(test, conn->read_queue.round, 2);
}

static struct kunit_case svc_reads_cases[] = {
	KUNIT_CASE_PARAM(within_depth, depth_case_gen_params),
	KUNIT_CASE(one_behind_another),
	KUNIT_CASE(oldest_first),
	KUNIT_CASE(closing),
	KUNIT_CASE(failed),
	KUNIT_CASE(confirmed),
	KUNIT_CASE(limited),
	KUNIT_CASE(small_queue),
	{}
};

SUITE("svc_rdma_reads", svc_reads_cases, .exit = balance_exit);
