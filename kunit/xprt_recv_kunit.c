// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a Receive is posted for each reply and callback that the peer may send
 * (RFC 8166 section 3.3.1). Otherwise, the connection would break under load when
 * a message finds no Receive.
 */
#include "xprt_fakes.h"
#define FAKE_MEMORY_WATCHED
#include "fake_memory.h"

/* The Receive Queue */
static struct queue {
	struct list_head recvs;	/* Receives in the queue, oldest first */
	u32 chains;		/* number of chains posted */
	bool refuses;		/* posting fails */
	bool keeps;		/* replies keep their Receives, to wait for invalidations */
	u32 lost;		/* number of times that the connection was reported as lost */
	u32 replies;		/* number of messages passed on */
	u32 len;		/* bytes of the last message */
	u32 rkey;		/* handle that the last message invalidated; 0: none */
	u32 resized;		/* number of completed changes of the size */
} queue;

static int fake_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
			  const struct ib_recv_wr **bad)
{
	struct xprt_rdma_recv_ctx *recv;

	if (queue.refuses)
		return -ENOMEM;
	queue.chains++;
	for (; wr; wr = wr->next) {
		recv = container_of(wr->wr_cqe, struct xprt_rdma_recv_ctx, cqe);
		fake_dma_posted(wr->sg_list, wr->num_sge, DMA_FROM_DEVICE);
		list_add_tail(&recv->list, &queue.recvs);
	}
	return 0;
}

static void fake_reply(struct xprt_rdma_recv_ctx *recv, u32 len,
		       bool invalidated, u32 rkey)
{
	queue.replies++;
	queue.len = len;
	queue.rkey = invalidated ? rkey : 0;
	if (!queue.keeps)
		list_add(&recv->list, &recv->conn->recvs.free);
}

#define ib_post_recv			fake_post_recv
#define xprt_rdma_properties_resized(conn)	((void)(conn), (void)queue.resized++)
#define xprt_rdma_conn_lost(conn)	((void)(conn), (void)queue.lost++)
#define xprt_rdma_conn_failed(conn, what, wc)	((void)(wc), xprt_rdma_conn_lost(conn))

#include "../core/verbs/buffer.c"
#include "../xprtrdma/verbs/regbuf.c"
#include "../xprtrdma/verbs/recv.c"

#define RECVS_MAX	100u
#define SIZE		512u

/* Created anew for each case */
static struct xprt_rdma_conn *conn;

/* Set the size as before the connection is established. */
static void set_size(u32 size)
{
	conn->recvs.size = size;
	conn->sizes.recv_want = size;
	conn->recvs.min = size;
}

KUNIT_DEFINE_ACTION_WRAPPER(destroy_action, xprt_rdma_recvs_destroy, struct xprt_rdma_conn *);

static int connection(struct kunit *test)
{
	conn = fake_verbs_conn(test);
	memset(&queue, 0, sizeof(queue));
	fake_conn_ops.receive = fake_reply;
	INIT_LIST_HEAD(&queue.recvs);
	fake_memory_watch(test);
	fake_memory_left = -1;
	set_size(SIZE);
	conn->recvs.max = RECVS_MAX;
	conn->credits.granted = 1;
	conn->life.established = true;
	fake_defer(test, destroy_action, conn);
	return 0;
}

/* Complete the oldest Receive. */
static void completes_with(struct ib_wc wc)
{
	struct ib_cq cq = { .cq_context = conn };
	struct xprt_rdma_recv_ctx *recv;

	recv = list_first_entry(&queue.recvs, struct xprt_rdma_recv_ctx, list);
	list_del_init(&recv->list);
	wc.wr_cqe = &recv->cqe;
	recv->cqe.done(&cq, &wc);
}

static void completes(enum ib_wc_status status, u32 rkey)
{
	completes_with((struct ib_wc) {
		.status = status,
		.byte_len = 100,
		.wc_flags = rkey ? IB_WC_WITH_INVALIDATE : 0,
		/* Meaningless without the flag */
		.ex.invalidate_rkey = rkey ?: 0xdead,
	});
}

/* Receives for all messages that can arrive are posted in one chain. */
static void receives_for_all_messages(struct kunit *test)
{
	static const struct { u32 credits, bc_slots, max, want; } cases[] = {
		{ 1, 0, RECVS_MAX, 1 + 8 }, { 32, 0, RECVS_MAX, 32 + 8 },
		{ 1, 16, RECVS_MAX, 1 + 16 + 8 }, { 32, 16, RECVS_MAX, 32 + 16 + 8 },
		/* Limited by conn->recvs.max */
		{ 100, 16, 50, 50 },
	};

	for_each_case(c, cases) {
		connection(test);
		conn->credits.granted = c->credits;
		conn->r_xprt->bc_slots = c->bc_slots;
		conn->recvs.max = c->max;
		KUNIT_EXPECT_EQ(test, xprt_rdma_recvs_post(conn), 0);
		KUNIT_EXPECT_EQ(test, conn->recvs.posted, c->want);
		KUNIT_EXPECT_EQ(test, conn->recvs.count, c->want);
		KUNIT_EXPECT_EQ(test, list_count_nodes(&queue.recvs), c->want);
		KUNIT_EXPECT_EQ(test, queue.chains, 1);
	}
}

/* Messages are passed on, and their Receives are posted again in batches. */
static void posted_again_in_batches(struct kunit *test)
{
	u32 i, full;

	KUNIT_ASSERT_EQ(test, xprt_rdma_recvs_post(conn), 0);
	full = conn->recvs.posted;
	for (i = 1; i < RECV_BATCH; i++) {
		completes(IB_WC_SUCCESS, i == 1 ? 0x77 : 0);
		KUNIT_EXPECT_EQ(test, queue.replies, i);
		KUNIT_EXPECT_EQ(test, queue.rkey, i == 1 ? 0x77 : 0);
		KUNIT_EXPECT_EQ(test, conn->recvs.posted, full - i);
	}
	KUNIT_EXPECT_EQ(test, queue.len, 100);
	KUNIT_EXPECT_EQ(test, queue.chains, 1);
	completes(IB_WC_SUCCESS, 0);
	KUNIT_EXPECT_EQ(test, queue.chains, 2);
	KUNIT_EXPECT_EQ(test, conn->recvs.posted, full);
	KUNIT_EXPECT_EQ(test, conn->recvs.count, full);
	KUNIT_EXPECT_EQ(test, queue.lost, 0);
}

/* An RDMA Write with immediate data counts as an empty message. */
static void write_is_no_message(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, xprt_rdma_recvs_post(conn), 0);
	queue.len = SIZE;
	completes_with((struct ib_wc) {
		.opcode		= IB_WC_RECV_RDMA_WITH_IMM,
		.byte_len	= 2 * SIZE,
		.wc_flags	= IB_WC_WITH_IMM,
	});
	KUNIT_EXPECT_EQ(test, queue.replies, 1);
	KUNIT_EXPECT_EQ(test, queue.len, 0);
}

/*
 * A failed Receive, or a message before the connection is established, ends the
 * connection. Receives that are flushed before then do not, because the CM
 * reports afterwards that the server has rejected the connection.
 */
static void unusable_receive_ends_connection(struct kunit *test)
{
	static const struct { bool established; enum ib_wc_status status; bool lost; } cases[] = {
		{ true, IB_WC_WR_FLUSH_ERR, true },
		{ false, IB_WC_SUCCESS, true },
		{ false, IB_WC_LOC_LEN_ERR, true },
		{ false, IB_WC_WR_FLUSH_ERR, false },
	};
	u32 n;

	for_each_case(c, cases) {
		connection(test);
		conn->life.established = c->established;
		KUNIT_ASSERT_EQ(test, xprt_rdma_recvs_post(conn), 0);
		for (n = 1; n <= RECV_BATCH; n++)
			completes(c->status, 0);
		KUNIT_EXPECT_EQ(test, queue.lost, c->lost ? RECV_BATCH : 0);
		KUNIT_EXPECT_EQ(test, queue.replies, 0);
		KUNIT_EXPECT_EQ(test, queue.chains, 1);
		KUNIT_EXPECT_EQ(test, conn->recvs.posted, conn->recvs.count - RECV_BATCH);
		KUNIT_EXPECT_EQ(test, list_count_nodes(&conn->recvs.free), RECV_BATCH);
	}
}

/* A connection needs one Receive; without any, the attempt fails. */
static void one_receive_is_enough(struct kunit *test)
{
	u32 i;
	int n;

	/* The object, its buffer, the buffer's DMA mapping */
	for (n = 0; n < 3; n++) {
		fake_memory_left = n;
		KUNIT_EXPECT_EQ(test, xprt_rdma_recvs_post(conn), -ENOBUFS);
		KUNIT_EXPECT_EQ(test, conn->recvs.count, 0);
	}
	fake_memory_left = 3;
	KUNIT_EXPECT_EQ(test, xprt_rdma_recvs_post(conn), 0);
	KUNIT_EXPECT_EQ(test, conn->recvs.posted, 1);
	KUNIT_EXPECT_EQ(test, xprt_rdma_recvs_post(conn), 0);
	KUNIT_EXPECT_EQ(test, conn->recvs.posted, 1);
	fake_memory_left = -1;
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, xprt_rdma_recvs_post(conn), 0);
	KUNIT_EXPECT_EQ(test, conn->recvs.posted, 1 + XPRT_RDMA_SPARE_RECVS);
}

/* If Receives cannot be posted, the connection ends and frees them. */
static void post_failure_ends_connection(struct kunit *test)
{
	queue.refuses = true;
	KUNIT_EXPECT_EQ(test, xprt_rdma_recvs_post(conn), -ENOMEM);
	KUNIT_EXPECT_EQ(test, queue.lost, 1);
	KUNIT_EXPECT_EQ(test, conn->recvs.posted, 0);
	xprt_rdma_recvs_destroy(conn);
	fake_expect_balance(test, recvs);
	fake_expect_balance(test, regbufs);
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->recvs.all));
}

/* Allocations start no I/O; in a completion handler, they do not sleep. */
static void waits_for_memory(struct kunit *test)
{
	u32 few;

	/* Act and assert: the connect worker */
	conn->life.established = false;
	fake_memory_gfp = 0;
	KUNIT_ASSERT_EQ(test, xprt_rdma_recvs_post(conn), 0);
	KUNIT_EXPECT_TRUE(test, gfpflags_allow_blocking(fake_memory_gfp));
	KUNIT_EXPECT_FALSE(test, fake_memory_gfp & (__GFP_IO | __GFP_FS));
	KUNIT_EXPECT_TRUE(test, fake_memory_gfp & __GFP_NORETRY);

	/* Act and assert: a completion handler after a larger grant */
	conn->life.established = true;
	conn->credits.granted = 16;
	fake_memory_gfp = 0;
	few = conn->recvs.count;
	completes(IB_WC_SUCCESS, 0);
	KUNIT_EXPECT_GT(test, conn->recvs.count, few);
	KUNIT_EXPECT_EQ(test, conn->recvs.posted, 16 + XPRT_RDMA_SPARE_RECVS);
	KUNIT_EXPECT_FALSE(test, gfpflags_allow_blocking(fake_memory_gfp));
}

/* Destroy the Receive Queue and its Receives. */
static void ends(void)
{
	INIT_LIST_HEAD(&queue.recvs);
	xprt_rdma_recvs_destroy(conn);
}

/* Return the number of Receives in the queue that have @size bytes. */
static u32 posted_of_size(u32 size)
{
	struct xprt_rdma_recv_ctx *recv;
	u32 n = 0;

	list_for_each_entry(recv, &queue.recvs, list)
		n += recv->sge.length == size && recv->buf.size >= size;
	return n;
}

/* Receive @n messages. */
static void complete_many(u32 n)
{
	while (n--)
		completes(IB_WC_SUCCESS, 0);
}

static void expect_nothing_leaks(struct kunit *test)
{
	ends();
	KUNIT_EXPECT_EQ(test, conn->recvs.bytes, 0);
	fake_expect_balance(test, recvs);
	fake_expect_balance(test, regbufs);
}

/*
 * A new size is in effect only after all Receives of the former size were used.
 */
static void size_changes_in_use(struct kunit *test)
{
	static const u32 sizes[] = { 9216, 18432 };
	u32 i, full;

	KUNIT_ASSERT_EQ(test, xprt_rdma_recvs_post(conn), 0);
	full = conn->recvs.posted;
	KUNIT_EXPECT_EQ(test, conn->recvs.bytes, full * SIZE);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		queue.resized = 0;
		conn->sizes.recv_want = sizes[i];
		complete_many(conn->recvs.posted - 1);
		KUNIT_EXPECT_EQ(test, queue.resized, 0);
		KUNIT_EXPECT_EQ(test, conn->recvs.size, sizes[i]);
		KUNIT_EXPECT_EQ(test, conn->recvs.min, i ? sizes[0] : SIZE);
		complete_many(RECV_BATCH);
		KUNIT_EXPECT_EQ(test, queue.resized, 1);
		KUNIT_EXPECT_EQ(test, conn->sizes.recv_want, sizes[i]);
		KUNIT_EXPECT_EQ(test, conn->recvs.min, sizes[i]);
		KUNIT_EXPECT_EQ(test, posted_of_size(sizes[i]),
				conn->recvs.posted);
		complete_many(2 * full);
		KUNIT_EXPECT_EQ(test, queue.resized, 1);
		KUNIT_EXPECT_EQ(test, conn->recvs.bytes,
				conn->recvs.count * sizes[i]);
	}
	expect_nothing_leaks(test);
}

/* Without memory for larger Receives, the size stays as the peer knows it. */
static void growth_given_up_without_memory(struct kunit *test)
{
	int left;
	u32 full;

	for (left = 0; left < 5; left++) {
		ends();
		memset(&queue, 0, sizeof(queue));
		INIT_LIST_HEAD(&queue.recvs);
		set_size(SIZE);
		KUNIT_ASSERT_EQ(test, xprt_rdma_recvs_post(conn), 0);
		full = conn->recvs.posted;
		conn->sizes.recv_want = 18432;
		completes(IB_WC_SUCCESS, 0);
		fake_memory_left = left;
		complete_many(RECV_BATCH);
		KUNIT_EXPECT_EQ(test, conn->sizes.recv_want, SIZE);
		KUNIT_EXPECT_EQ(test, conn->recvs.size, SIZE);
		KUNIT_EXPECT_EQ(test, conn->recvs.min, SIZE);
		complete_many(2 * full);
		fake_memory_left = -1;
		KUNIT_EXPECT_EQ(test, queue.resized, 1);
		KUNIT_EXPECT_EQ(test, queue.lost, 0);
		KUNIT_EXPECT_GE(test, conn->recvs.posted + RECV_BATCH, full);
	}
	expect_nothing_leaks(test);
}

/*
 * After growth, a small Receive is not posted again before it has grown, too.
 */
static void never_smaller_than_known(struct kunit *test)
{
	struct xprt_rdma_recv_ctx *recv;
	u32 full;

	/* Arrange: a reply keeps a small Receive until the size has changed */
	KUNIT_ASSERT_EQ(test, xprt_rdma_recvs_post(conn), 0);
	full = conn->recvs.posted;
	recv = list_first_entry(&queue.recvs, struct xprt_rdma_recv_ctx, list);
	queue.keeps = true;
	completes(IB_WC_SUCCESS, 0);
	queue.keeps = false;
	conn->sizes.recv_want = 18432;
	complete_many(full + RECV_BATCH);
	KUNIT_ASSERT_EQ(test, queue.resized, 1);
	xprt_rdma_recv_put(recv);

	/* Act and assert: no memory */
	fake_memory_left = 0;
	complete_many(2 * full);
	KUNIT_EXPECT_EQ(test, posted_of_size(18432), conn->recvs.posted);
	KUNIT_EXPECT_GT(test, conn->recvs.posted, 0);
	KUNIT_EXPECT_EQ(test, conn->sizes.recv_want, 18432);

	/* Act and assert: memory */
	fake_memory_left = -1;
	complete_many(2 * full);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&conn->recvs.free) +
			conn->recvs.posted, conn->recvs.count);
	KUNIT_EXPECT_GE(test, conn->recvs.posted + RECV_BATCH, full);
	KUNIT_EXPECT_EQ(test, posted_of_size(18432), conn->recvs.posted);
	expect_nothing_leaks(test);
}

static struct kunit_case xprt_recv_cases[] = {
	KUNIT_CASE(receives_for_all_messages),
	KUNIT_CASE(posted_again_in_batches),
	KUNIT_CASE(write_is_no_message),
	KUNIT_CASE(unusable_receive_ends_connection),
	KUNIT_CASE(one_receive_is_enough),
	KUNIT_CASE(post_failure_ends_connection),
	KUNIT_CASE(waits_for_memory),
	KUNIT_CASE(size_changes_in_use),
	KUNIT_CASE(growth_given_up_without_memory),
	KUNIT_CASE(never_smaller_than_known),
	{}
};

SUITE("xprt_rdma_recv", xprt_recv_cases, .init = connection);
