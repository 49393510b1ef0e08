// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a connection's Receives change their size while messages arrive. The
 * number of Receives does not drop, no Receive is smaller than the announced
 * size, and every context is freed once. If this failed, a connection that
 * tunes itself would break, or leak memory.
 */

#include "suite.h"
#include "svc_headers.h"

/* Function to call while a context is created, or NULL */
static void (*meanwhile)(void);

static int fake_node(void)
{
	void (*act)(void) = meanwhile;

	meanwhile = NULL;
	if (act)
		act();
	return NUMA_NO_NODE;
}

#define ibdev_to_node(dev)	((void)(dev), fake_node())

#include "svc_recv_fakes.h"

#define BASE	5120u
#define LARGE	18432u
#define MIDDLE	9216u

/* Return: contexts that do not have the wanted size */
static u32 unfit_now(void)
{
	struct svc_rdma_recv_ctx *recv;
	u32 n = 0;

	list_for_each_entry(recv, &conn->recvs.all, all)
		n += recv->sge.length != conn->recvs.size;
	return n;
}

/* Creates a version 2 connection with its first grant's Receives. */
static void begin_with(struct kunit *test, u32 size)
{
	connection(test);
	queue.size = 0;
	conn->recvs.size = size;
	KUNIT_ASSERT_EQ(test, svc_rdma_recvs_add(conn, SVC_RDMA_RECV_FIRST), 0);
	KUNIT_ASSERT_EQ(test, recvs_begin(), 0);
}

static int established(struct kunit *test)
{
	begin_with(test, BASE);
	KUNIT_ASSERT_EQ(test, conn->recvs.floor, BASE);
	return 0;
}

/* A message arrives in the oldest Receive. */
static struct svc_rdma_recv_ctx *arrives(struct kunit *test)
{
	struct svc_rdma_recv_ctx *recv;

	recv = list_first_entry_or_null(&queue.recvs, struct svc_rdma_recv_ctx,
					list);
	KUNIT_ASSERT_NOT_NULL(test, recv);
	list_del_init(&recv->list);
	queue.posted--;
	completes(recv, IB_WC_SUCCESS);
	list_del_init(&recv->list);
	return recv;
}

/* @n messages arrive, and the server puts back their Receives. */
static void served(struct kunit *test, u32 n)
{
	while (n--)
		svc_rdma_recv_put(conn, arrives(test));
}

static u32 alive(void)
{
	return fake_count(recvctxs_now);
}

/* Return: posted Receives of @size bytes */
static u32 posted_of(u32 size)
{
	struct svc_rdma_recv_ctx *recv;
	u32 n = 0;

	list_for_each_entry(recv, &queue.recvs, list)
		n += recv->sge.length == size;
	return n;
}

static const struct size_case {
	const char *name;
	u32 from, to;
} size_cases[] = {
	{ "grows", BASE, LARGE },
	{ "shrinks", LARGE, BASE },
	{ "shrinks within a page", BASE, 1024 },
};

KUNIT_ARRAY_PARAM_DESC(size_case, size_cases, name);

/* Each message exchanges one Receive; the last exchange is reported. */
static void exchanged(struct kunit *test)
{
	const struct size_case *c = test->param_value;
	u32 i, total;

	kunit_release_action(test, destroy_action, conn);
	begin_with(test, c->from);
	conn->recvs.floor = min(c->from, c->to);
	total = conn->recvs.total;

	/* Act and assert: nothing is posted before messages arrive */
	svc_rdma_recvs_resize(conn, c->to);
	KUNIT_EXPECT_EQ(test, queue.posted, total);
	KUNIT_EXPECT_EQ(test, posted_of(c->from), total);
	KUNIT_EXPECT_TRUE(test, unfit_now());
	KUNIT_EXPECT_EQ(test, unfit_now(), total);

	for (i = 1; i <= total; i++) {
		KUNIT_EXPECT_EQ(test, queue.resized, 0);
		served(test, 1);
		/* The new Receive is posted, or idle until a batch is full. */
		KUNIT_EXPECT_EQ(test, queue.posted + conn->recvs.nidle, total);
		KUNIT_EXPECT_EQ(test, unfit_now(), total - i);
		KUNIT_EXPECT_EQ(test, posted_of(c->from), total - i);
	}
	KUNIT_EXPECT_EQ(test, queue.resized, 1);
	KUNIT_EXPECT_FALSE(test, unfit_now());
	KUNIT_EXPECT_EQ(test, conn->recvs.total, total);
	KUNIT_EXPECT_EQ(test, fake_dma.n, total);
	KUNIT_EXPECT_EQ(test, queue.faults, 0);

	/* Later messages exchange nothing. */
	served(test, total);
	KUNIT_EXPECT_EQ(test, queue.resized, 1);
	KUNIT_EXPECT_EQ(test, posted_of(c->to) + conn->recvs.nidle, total);
}

/* Without memory, growing stops, and later messages restore the old size. */
static void no_memory(struct kunit *test)
{
	u32 total = conn->recvs.total, before = alive();

	svc_rdma_recvs_resize(conn, LARGE);
	served(test, 1);
	KUNIT_EXPECT_EQ(test, svc_rdma_recvs_resized(conn, LARGE), -EAGAIN);
	fake_memory_left = 1;
	served(test, 1);
	fake_memory_left = -1;
	/* The allocation fails early instead of retrying reclaim. */
	KUNIT_EXPECT_TRUE(test, fake_memory_gfp & __GFP_NORETRY);
	KUNIT_EXPECT_EQ(test, svc_rdma_recvs_resized(conn, LARGE), -ENOMEM);
	KUNIT_EXPECT_EQ(test, queue.resized, 1);
	KUNIT_EXPECT_EQ(test, conn->recvs.size, BASE);
	KUNIT_EXPECT_EQ(test, unfit_now(), 1);
	served(test, total);
	KUNIT_EXPECT_EQ(test, unfit_now(), 0);
	KUNIT_EXPECT_EQ(test, posted_of(BASE) + conn->recvs.nidle, total);
	KUNIT_EXPECT_EQ(test, alive(), before);

	/* The next attempt succeeds. */
	svc_rdma_recvs_resize(conn, LARGE);
	served(test, total);
	KUNIT_EXPECT_EQ(test, svc_rdma_recvs_resized(conn, LARGE), 0);
}

/* A Receive that is too large stays until a smaller one can be allocated. */
static void no_memory_to_shrink(struct kunit *test)
{
	u32 total = conn->recvs.total;

	conn->recvs.floor = 1024;
	svc_rdma_recvs_resize(conn, 1024);
	fake_memory_left = 0;
	served(test, total);
	fake_memory_left = -1;
	KUNIT_EXPECT_EQ(test, svc_rdma_recvs_resized(conn, 1024), -EAGAIN);
	KUNIT_EXPECT_EQ(test, conn->recvs.size, 1024);
	served(test, total);
	KUNIT_EXPECT_EQ(test, svc_rdma_recvs_resized(conn, 1024), 0);
	KUNIT_EXPECT_EQ(test, queue.resized, 1);
}

static void grows(void)
{
	svc_rdma_recvs_resize(conn, LARGE);
}

/*
 * If the size changes while the grant grows, a context with the old size is not
 * added, and all new Receives have the new size.
 */
static void grant_grows(struct kunit *test)
{
	u32 i, unfit = conn->recvs.total, before = alive();

	meanwhile = grows;
	for (i = 0; i < 2 * SVC_RDMA_GRANT_INITIAL; i++)
		svc_rdma_recvs_adapt(conn);
	KUNIT_EXPECT_EQ(test, conn->credits.grant, 2 * SVC_RDMA_GRANT_INITIAL);
	KUNIT_EXPECT_EQ(test, posted_of(LARGE), SVC_RDMA_GRANT_INITIAL);
	KUNIT_EXPECT_EQ(test, conn->recvs.total, unfit + SVC_RDMA_GRANT_INITIAL);
	KUNIT_EXPECT_EQ(test, alive(), before + SVC_RDMA_GRANT_INITIAL);
	KUNIT_EXPECT_EQ(test, unfit_now(), unfit);
	served(test, unfit);
	KUNIT_EXPECT_EQ(test, queue.resized, 1);
	KUNIT_EXPECT_EQ(test, posted_of(BASE), 0);
}

static void grows_again(void)
{
	grows();
	if (!svc_rdma_recvs_resized(conn, LARGE))
		svc_rdma_recvs_set_floor(conn, LARGE);
}

/* A new context does not replace a Receive whose size is right again. */
static void exchanged_too_late(struct kunit *test)
{
	struct svc_rdma_recv_ctx *recv;
	u32 before;

	/* Arrange: all Receives are LARGE when the size is reset to BASE */
	kunit_release_action(test, destroy_action, conn);
	begin_with(test, LARGE);
	conn->recvs.floor = BASE;
	recv = arrives(test);
	conn->recvs.size = BASE;
	before = alive();

	/* Act: meanwhile, the size is LARGE again, and is announced */
	meanwhile = grows_again;
	svc_rdma_recv_put(conn, recv);

	KUNIT_EXPECT_EQ(test, conn->recvs.floor, LARGE);
	KUNIT_EXPECT_EQ(test, unfit_now(), 0);
	KUNIT_EXPECT_EQ(test, alive(), before);
	served(test, 2 * conn->recvs.total);
	KUNIT_EXPECT_EQ(test, queue.faults, 0);
}

/* A closing connection exchanges no Receive and reports no resize. */
static void nothing_started_at_the_end(struct kunit *test)
{
	u32 total = conn->recvs.total;

	svc_rdma_recvs_resize(conn, LARGE);
	served(test, total - 1);
	atomic_set(&conn->life.state, SVC_RDMA_CLOSING);
	served(test, 1);
	KUNIT_EXPECT_TRUE(test, unfit_now());
	KUNIT_EXPECT_EQ(test, queue.resized, 0);
}

/* Repeated size changes exchange all Receives and leak no context. */
static void many_changes(struct kunit *test)
{
	static const u32 sizes[] = { LARGE, BASE, MIDDLE, LARGE, MIDDLE, BASE };
	u32 round, total = conn->recvs.total, before = alive();

	for (round = 0; round < 20 * ARRAY_SIZE(sizes); round++) {
		u32 size = sizes[round % ARRAY_SIZE(sizes)];

		svc_rdma_recvs_set_floor(conn, min(size, conn->recvs.size));
		svc_rdma_recvs_resize(conn, size);
		/* Up to a batch of Receives is idle, and is posted first. */
		served(test, total + SVC_RDMA_RECV_BATCH + round % 7);
		KUNIT_ASSERT_FALSE(test, unfit_now());
		svc_rdma_recvs_set_floor(conn, size);
		KUNIT_EXPECT_EQ(test, conn->recvs.floor, size);
		KUNIT_EXPECT_EQ(test, posted_of(size) + conn->recvs.nidle,
				total);
	}
	KUNIT_EXPECT_EQ(test, queue.resized, round);
	KUNIT_EXPECT_EQ(test, alive(), before);
	KUNIT_EXPECT_EQ(test, queue.faults, 0);
}

static struct kunit_case svc_recv_size_cases[] = {
	KUNIT_CASE_PARAM(exchanged, size_case_gen_params),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(no_memory_to_shrink),
	KUNIT_CASE(grant_grows),
	KUNIT_CASE(exchanged_too_late),
	KUNIT_CASE(nothing_started_at_the_end),
	KUNIT_CASE(many_changes),
	{}
};

SUITE("svc_rdma_recv_size", svc_recv_size_cases, .init = established, .exit = balance_exit);
