// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the number of control messages in flight, such as errors and
 * properties, is limited (v2 draft section 8.2), and none leaks. Otherwise, a
 * server that provokes errors could exhaust the client's Send Queue or memory.
 */
#include "xprt_fakes.h"
#define FAKE_MEMORY_WATCHED
#include "fake_memory.h"

#define SQ_SIZE		3
#define MSG		"a message"

/* The Send Queue */
static struct queue {
	int avail;		/* free entries */
	struct ib_send_wr sends[XPRT_RDMA_CONTROLS];	/* Work Requests posted */
	struct ib_sge sges[XPRT_RDMA_CONTROLS];	/* gather entries of @sends */
	u32 nsends;		/* number of entries of @sends and @sges */
	bool refuses;		/* posting fails */
	u32 lost;		/* number of times that the connection was reported as lost */
	struct xprt_rdma_conn *conn;	/* connection that owns the queue */
} queue;

static bool fake_reserve(u32 wrs)
{
	if (queue.avail < (int)wrs)
		return false;
	queue.avail -= wrs;
	return true;
}

static int fake_post_send(const struct ib_send_wr *wr)
{
	if (queue.refuses || queue.nsends >= ARRAY_SIZE(queue.sends))
		return -ENOMEM;
	fake_dma_posted(wr->sg_list, wr->num_sge, DMA_TO_DEVICE);
	queue.sges[queue.nsends] = *wr->sg_list;
	queue.sends[queue.nsends++] = *wr;
	return 0;
}

#define ib_post_send(qp, wr, bad)		fake_post_send(wr)
#define xprt_rdma_sq_reserve(sq, wrs)		fake_reserve(wrs)
#define xprt_rdma_sq_release(conn, wrs)		((void)(conn), (void)(queue.avail += (wrs)))
#define xprt_rdma_conn_lost(conn)		((void)(conn), (void)queue.lost++)
#define xprt_rdma_conn_failed(conn, what, wc)	((void)(wc), xprt_rdma_conn_lost(conn))

#include "../core/verbs/buffer.c"
#include "../xprtrdma/verbs/regbuf.c"
#include "../xprtrdma/version/control_msg.c"

static struct xprt_rdma_conn *connection(struct kunit *test, int room)
{
	struct xprt_rdma_conn *conn = fake_verbs_conn(test);

	memset(&queue, 0, sizeof(queue));
	queue.avail = room;
	queue.conn = conn;
	fake_memory_watch(test);
	fake_memory_left = -1;
	return conn;
}

static void completes(u32 i, enum ib_wc_status status)
{
	fake_completes(queue.conn, queue.sends[i].wr_cqe, status);
}

static void expect_nothing_left(struct kunit *test, struct xprt_rdma_conn *conn,
				int room)
{
	KUNIT_EXPECT_EQ(test, conn->controls.used, 0);
	KUNIT_EXPECT_EQ(test, queue.avail, room);
	xprt_rdma_control_msgs_free(conn);
	fake_expect_balance(test, regbufs);
}

static int send_msg(struct xprt_rdma_conn *conn)
{
	return xprt_rdma_control_msg_send(conn, MSG, sizeof(MSG));
}

/* A message is copied, sent once, and freed when its Send completes. */
static void sent_from_a_copy(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test, SQ_SIZE);
	const struct ib_send_wr *wr = &queue.sends[0];
	char msg[] = MSG;

	/* Act: the caller overwrites its buffer after the call. */
	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_control_msg_send(conn, msg, sizeof(msg)));
	memset(msg, 0, sizeof(msg));

	KUNIT_ASSERT_EQ(test, queue.nsends, 1);
	KUNIT_EXPECT_EQ(test, wr->opcode, IB_WR_SEND);
	KUNIT_EXPECT_EQ(test, wr->send_flags, IB_SEND_SIGNALED);
	KUNIT_ASSERT_EQ(test, wr->num_sge, 1);
	KUNIT_EXPECT_EQ(test, queue.sges[0].length, sizeof(msg));
	KUNIT_EXPECT_STREQ(test, MSG,
			   container_of(wr->wr_cqe,
					struct xprt_rdma_control_msg, cqe)
				   ->buf.data);
	completes(0, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, queue.lost, 0);
	expect_nothing_left(test, conn, SQ_SIZE);
}

/*
 * At most XPRT_RDMA_CONTROLS messages are in flight, or as many as the Send
 * Queue can hold.
 */
static void number_in_flight_limited(struct kunit *test)
{
	static const int rooms[] = {0, 1, XPRT_RDMA_CONTROLS - 1,
				    XPRT_RDMA_CONTROLS, XPRT_RDMA_CONTROLS + 5};
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(rooms); i++) {
		struct xprt_rdma_conn *conn = connection(test, rooms[i]);
		u32 most = min(rooms[i], XPRT_RDMA_CONTROLS);

		for (n = 0; n < most; n++)
			KUNIT_EXPECT_EQ(test, 0, send_msg(conn));
		KUNIT_EXPECT_EQ(test, -ENOBUFS, send_msg(conn));
		KUNIT_EXPECT_EQ(test, hweight_long(conn->controls.used), most);
		for (n = 0; n < most; n++)
			completes(n, IB_WC_SUCCESS);
		expect_nothing_left(test, conn, rooms[i]);
	}
}

/* A message is dropped if any allocation or mapping for it fails. */
static void no_memory_drops_message(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test, SQ_SIZE);
	int left, rc = -ENOBUFS;

	for (left = 0; rc; left++) {
		KUNIT_ASSERT_LT(test, left, 10);
		fake_memory_left = left;
		rc = send_msg(conn);
		if (!rc)
			completes(0, IB_WC_SUCCESS);
		else
			KUNIT_EXPECT_EQ(test, rc, -ENOBUFS);
		expect_nothing_left(test, conn, SQ_SIZE);
	}
	fake_memory_left = -1;
	/* Two steps can fail: allocating the buffer, and mapping it. */
	KUNIT_EXPECT_EQ(test, left, 3);
	KUNIT_EXPECT_EQ(test, queue.lost, 0);
}

/*
 * A failure to post or to send ends the connection. A message whose Send never
 * completes is freed with the connection.
 */
static void failures_end_connection(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test, SQ_SIZE);

	queue.refuses = true;
	KUNIT_EXPECT_EQ(test, -ENOTCONN, send_msg(conn));
	KUNIT_EXPECT_EQ(test, queue.lost, 1);
	expect_nothing_left(test, conn, SQ_SIZE);
	queue.refuses = false;
	KUNIT_ASSERT_EQ(test, 0, send_msg(conn));
	completes(0, IB_WC_RNR_RETRY_EXC_ERR);
	KUNIT_EXPECT_EQ(test, queue.lost, 2);
	expect_nothing_left(test, conn, SQ_SIZE);
	KUNIT_ASSERT_EQ(test, 0, send_msg(conn));
	KUNIT_ASSERT_EQ(test, 0, send_msg(conn));
	completes(1, IB_WC_SUCCESS);
	xprt_rdma_control_msgs_free(conn);
	fake_expect_balance(test, regbufs);
}

static struct kunit_case xprt_control_cases[] = {
	KUNIT_CASE(sent_from_a_copy),
	KUNIT_CASE(number_in_flight_limited),
	KUNIT_CASE(no_memory_drops_message),
	KUNIT_CASE(failures_end_connection),
	{}
};

SUITE("xprt_rdma_control", xprt_control_cases);
