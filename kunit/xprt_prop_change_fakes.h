/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Surroundings for version/prop_change.c: a connection, messages that arrive,
 * and what is sent and when. Included by the suites that contain that file.
 */
#ifndef _XPRT_RDMA_XPRT_PROP_CHANGE_FAKES_H
#define _XPRT_RDMA_XPRT_PROP_CHANGE_FAKES_H

#include <linux/jiffies.h>

#include "xprt_fakes.h"

#define BASE		5120u
#define LARGE		18432u
#define XID		0x0a0b0c0du
#define MAX_SENT	40
#define ALL_HTYPES	(BIT(RPCRDMA2_REQPROP) | BIT(RPCRDMA2_RESPROP) | \
			 BIT(RPCRDMA2_UPDPROP))

/**
 * struct world - what surrounds the changes
 * @sent: headers of the messages that were sent
 * @plan: the connection's inline_recv when each of them was sent
 * @words: these messages
 * @nsent: number of them
 * @rc: return value of sending
 * @refused: error code of the last error that was sent
 * @lost: number of times that the connection was reported as lost
 * @delay: jiffies; delay of the work item that was queued last
 * @kicks: number of times that it was queued at once
 * @answered: all calls are answered
 * @last: calls up to this one were asked about
 * @may_grow: the policy allows growing
 * @now: jiffies
 */
static struct world {
	struct rpcrdma_hdr sent[MAX_SENT];
	u32 plan[MAX_SENT];
	__be32 words[MAX_SENT][64];
	u32 nsent;
	int rc;
	u32 refused;
	u32 lost;
	unsigned long delay;
	u32 kicks;
	bool answered;
	u32 last;
	bool may_grow;
	unsigned long now;
} world;

static int fake_send(struct xprt_rdma_conn *conn, const void *msg, u32 len)
{
	u32 n = world.nsent;

	if (world.rc || n == MAX_SENT || len > sizeof(world.words[0]))
		return world.rc ?: -E2BIG;
	memcpy(world.words[n], msg, len);
	if (rpcrdma_decode_prefix(&world.sent[n], world.words[n], len) ||
	    rpcrdma_v2_decode(&world.sent[n]))
		return -EBADMSG;
	world.plan[n] = conn->sizes.inline_recv;
	world.nsent++;
	return 0;
}

static bool fake_calls_answered(struct xprt_rdma *r_xprt, u32 last)
{
	world.last = last;
	return world.answered;
}

static bool fake_may_grow(struct xprt_rdma_conn *conn, u32 size)
{
	return world.may_grow;
}

static unsigned int fake_read_replies = XPRT_RDMA_READ_REPLIES_SHORT;
static bool fake_tuning = true, fake_remote_inv = true;

#undef mod_delayed_work
#undef queue_delayed_work
#define mod_delayed_work(wq, work, delay) \
	((void)(wq), (void)(work), (void)(delay), (void)world.kicks++)
#define queue_delayed_work(wq, work, after) \
	((void)(wq), (void)(work), (void)(world.delay = (after)))
#define disable_delayed_work_sync(work)		((void)(work))
#define jiffies					world.now
#define xprtiod_workqueue			NULL
#define xprt_rdma_control_msg_send		fake_send
#define xprt_rdma_error_send(conn, xid, fault) \
	((void)(conn), (void)(xid), (void)(world.refused = (fault)->code))
#define xprt_rdma_conn_lost(conn)	((void)(conn), (void)world.lost++)
#define xprt_rdma_calls_answered		fake_calls_answered
#define xprt_rdma_read_replies			fake_read_replies
#define xprt_rdma_tuning			fake_tuning
#define xprt_rdma_remote_invalidation		fake_remote_inv

#include "../xprtrdma/version/props.c"
#include "../xprtrdma/version/prop_change.c"

/* A connection of version 2 whose peer understands all messages */
static struct xprt_rdma_conn *connection(struct kunit *test)
{
	struct xprt_rdma_conn *conn = fake_r_xprt(test)->conn;
	struct rpcrdma_props peer;

	memset(&world, 0, sizeof(world));
	world.may_grow = true;
	world.now = INITIAL_JIFFIES;
	fake_tuning = true;
	fake_conn_ops.may_grow = fake_may_grow;
	fake_set_version(conn, RPCRDMA_VERSION_2);
	conn->recvs.size = BASE;
	conn->sizes.recv_want = BASE;
	conn->recvs.min = BASE;
	conn->sizes.inline_recv = BASE;
	xprt_rdma_props_init(conn);
	rpcrdma_props_default(&peer);
	peer.recv_size = BASE;
	peer.htypes = ALL_HTYPES;
	xprt_rdma_props_set_peer(conn, &peer);
	conn->change.on = xprt_rdma_props_can_change(conn);
	return conn;
}

/* The work item runs, as often as it is due at once. */
static void runs(struct xprt_rdma_conn *conn)
{
	world.delay = NEVER;
	xprt_rdma_prop_change_work(&conn->change.work.work);
}

/* A message of @count words behind the prefix arrives. */
static void arrives(struct xprt_rdma_conn *conn, u32 type, u32 xid,
		    const u32 *body, u32 count)
{
	static __be32 msg[128];
	struct xprt_rdma_recv_ctx recv = { .conn = conn };
	u32 i;

	msg[0] = cpu_to_be32(xid);
	msg[1] = cpu_to_be32(2);
	msg[2] = cpu_to_be32(9);
	msg[3] = cpu_to_be32(type);
	msg[4] = cpu_to_be32(type == RPCRDMA2_RESPROP ? RPCRDMA2_F_RESPONSE :
							0);
	for (i = 0; i < count; i++)
		msg[5 + i] = cpu_to_be32(body[i]);
	recv.error = rpcrdma_decode_prefix(&recv.hdr, msg, 4 * (5 + count)) ?:
		     rpcrdma_v2_decode(&recv.hdr);
	xprt_rdma_prop_change_receive(&recv);
}

#define ARRIVES(conn, type, xid, ...) do {				\
	const u32 words_[] = { __VA_ARGS__ };				\
									\
	arrives(conn, type, xid, words_, ARRAY_SIZE(words_));		\
} while (0)

static void asks_for(struct xprt_rdma_conn *conn, u32 size)
{
	ARRIVES(conn, RPCRDMA2_REQPROP, XID, 1, RPCRDMA2_PROP_RBSIZ, 4, size);
}

static __maybe_unused void updates(struct xprt_rdma_conn *conn, u32 size, bool pendclr)
{
	ARRIVES(conn, RPCRDMA2_UPDPROP, XID, RPCRDMA2_PROP_RBSIZ, 4, size,
		pendclr);
}

/* Our last request is answered; if it is empty, so is the answer. */
static __maybe_unused void answers(struct xprt_rdma_conn *conn)
{
	ARRIVES(conn, RPCRDMA2_RESPROP, be32_to_cpu(conn->change.xid), 0, 0, 0);
}

static u32 last_type(void)
{
	return world.nsent ? world.sent[world.nsent - 1].type : 0;
}

/* Receive Buffer Size in message @n; 0 if it has no property */
static u32 size_in(u32 n)
{
	struct rpcrdma_props props = {};
	struct rpcrdma_cursor cur;
	struct rpcrdma_prop prop;

	rpcrdma_props_begin(&world.sent[n], &cur);
	if (rpcrdma_props_next(&cur, &prop))
		rpcrdma_prop_decode(&props, &prop);
	return props.recv_size;
}

/* The first 32 bits of what the last answer says */
static void expect_answer(struct kunit *test, u32 done, u32 rejected,
			  u32 pending)
{
	struct rpcrdma_resprop resp;

	KUNIT_ASSERT_GT(test, world.nsent, 0);
	KUNIT_ASSERT_EQ(test, last_type(), RPCRDMA2_RESPROP);
	KUNIT_EXPECT_EQ(test, world.sent[world.nsent - 1].flags,
			RPCRDMA2_F_RESPONSE);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(world.sent[world.nsent - 1].xid),
			XID);
	rpcrdma_resprop_get(&resp, &world.sent[world.nsent - 1]);
	KUNIT_EXPECT_EQ(test, rpcrdma_subset_word(&resp.done, 0), done);
	KUNIT_EXPECT_EQ(test, rpcrdma_subset_word(&resp.rejected, 0), rejected);
	KUNIT_EXPECT_EQ(test, rpcrdma_subset_word(&resp.pending, 0), pending);
}

/* Our Receives have @size bytes, and the peer knows. */
static __maybe_unused void resized_to(struct xprt_rdma_conn *conn, u32 size)
{
	conn->sizes.recv_want = size;
	conn->recvs.min = size;
	conn->sizes.inline_recv = size;
	conn->change.told = size;
}

#endif /* _XPRT_RDMA_XPRT_PROP_CHANGE_FAKES_H */
