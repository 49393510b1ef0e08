// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the client's part in the exchange of properties (Transport
 * Characteristics draft section 4). The client announces larger Receives only
 * after it has posted them, and respects the server's size. If this failed, a
 * message would not fit into its Receive, and the connection would end.
 * core_exchange_kunit.c tests the exchange itself.
 */
#include <linux/jiffies.h>

#include "xprt_fakes.h"
#include "fake_exchange.h"

#define BASE		5120u
#define LARGE		18432u
#define XID		0x0a0b0c0du
#define MAX_SENT	40u

/* Calls to other files, and the time */
static struct world {
	u32 sent[MAX_SENT];	/* types of the messages that were sent */
	u32 nsent;		/* number of messages that were sent */
	u32 refused;		/* code of the last error that was sent */
	u32 lost;		/* number of times that the connection was reported as lost */
	unsigned long now;	/* jiffies */
} world;

static int fake_send(struct xprt_rdma_conn *conn, const void *msg, u32 len)
{
	struct rpcrdma_hdr hdr;

	if (world.nsent == MAX_SENT || rpcrdma_decode_v2(&hdr, msg, len) ||
	    hdr.credits != 33)
		return -EBADMSG;
	world.sent[world.nsent++] = hdr.type;
	return 0;
}

static bool fake_read_replies = true;
/* Constant */
bool xprt_rdma_remote_invalidation = true;

#define jiffies					world.now
#define xprtiod_workqueue			NULL
#define xprt_rdma_control_msg_send		fake_send
#define xprt_rdma_error_send(conn, xid, code, value) \
	((void)(conn), (void)(xid), (void)(world.refused = (code)))
#define xprt_rdma_conn_lost(conn)	((void)(conn), (void)world.lost++)
#define xprt_rdma_pulled_offer(conn)		((void)(conn), fake_read_replies)

#include "../xprtrdma/version/props.c"
#include "../xprtrdma/ext/properties.c"

KUNIT_DEFINE_ACTION_WRAPPER(stop_action, xprt_rdma_properties_stop, struct xprt_rdma_conn *);

/* Created anew for each case */
static struct xprt_rdma_conn *conn;

/* Create a version 2 connection whose peer supports all message types. */
static int connection(struct kunit *test)
{
	struct rpcrdma_props peer;

	conn = fake_r_xprt(test)->conn;
	memset(&world, 0, sizeof(world));
	memset(&exchange_work, 0, sizeof(exchange_work));
	world.now = jiffies_64;
	xprt_rdma_tuning = true;
	fake_set_version(conn, RPCRDMA_VERSION_2);
	conn->offer.mode = XPRT_RDMA_NEGOTIATE_PROBE;
	conn->credits.max = 33;
	conn->recvs.size = BASE;
	conn->recvs.min = BASE;
	conn->recvs.max = 10;
	xprt_rdma_sizes_init(&conn->sizes, 4096, BASE, BASE);
	xprt_rdma_properties_begin(conn);
	xprt_rdma_props_init(conn);
	rpcrdma_props_default(&peer);
	peer.recv_size = BASE;
	peer.htypes = RPCRDMA2_CHANGE_HTYPES;
	xprt_rdma_props_set_peer(conn, &peer);
	fake_defer(test, stop_action, conn);
	return 0;
}

/* Run the work item. */
static void runs(void)
{
	exchange_work.delay = RPCRDMA_EXCHANGE_NEVER;
	rpcrdma_exchange_work(&conn->properties.x.work.work);
}

/* Receive a message with @count words after the prefix. */
static bool arrives(u32 type, u32 xid, const u32 *body, u32 count)
{
	static __be32 msg[16];
	struct xprt_rdma_recv_ctx recv = { .conn = conn };

	msg[0] = cpu_to_be32(xid);
	msg[1] = cpu_to_be32(2);
	msg[3] = cpu_to_be32(type);
	msg[4] = cpu_to_be32(type == RPCRDMA2_RESPROP ||
			     type == RPCRDMA2_ERROR ? RPCRDMA2_F_RESPONSE : 0);
	fake_message(msg + 5, body, count);
	recv.error = rpcrdma_decode_v2(&recv.hdr, msg, 4 * (5 + count));
	return xprt_rdma_properties_receive(&recv);
}

#define ARRIVES(type, xid, ...) ({					\
	const u32 words_[] = { __VA_ARGS__ };				\
									\
	arrives(type, xid, words_, ARRAY_SIZE(words_));			\
})

static void asks_for(u32 size)
{
	ARRIVES(RPCRDMA2_REQPROP, XID, 1, RPCRDMA2_PROP_RBSIZ, 4, size);
}

static void updates(u32 property, u32 value)
{
	ARRIVES(RPCRDMA2_UPDPROP, XID, property, 4, value, 0);
}

/*
 * Receives grow on request. The new size is in effect after its announcement.
 */
static void grows(struct kunit *test)
{
	asks_for(LARGE);
	KUNIT_EXPECT_EQ(test, exchange_work.kicks, 1);
	runs();
	KUNIT_EXPECT_EQ(test, conn->sizes.recv_want, LARGE);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv, BASE);
	KUNIT_EXPECT_EQ(test, world.nsent, 1);
	KUNIT_EXPECT_EQ(test, exchange_work.delay, RPCRDMA_EXCHANGE_NEVER);

	conn->recvs.min = LARGE;
	xprt_rdma_properties_resized(conn);
	KUNIT_EXPECT_EQ(test, exchange_work.kicks, 2);
	runs();
	KUNIT_ASSERT_EQ(test, world.nsent, 2);
	KUNIT_EXPECT_EQ(test, world.sent[1], RPCRDMA2_UPDPROP);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv, LARGE);
	KUNIT_EXPECT_FALSE(test, conn->properties.x.growing);

	/* The budget is charged while the connection exists. */
	KUNIT_EXPECT_GT(test, xprt_rdma_budget.charged.counter, 0);
	xprt_rdma_properties_stop(conn);
	KUNIT_EXPECT_EQ(test, xprt_rdma_budget.charged.counter, 0);
}

/* Without memory, the former size stays, but a later request is tried. */
static void growth_fails(struct kunit *test)
{
	asks_for(LARGE);
	runs();
	conn->sizes.recv_want = BASE;
	xprt_rdma_properties_resized(conn);
	runs();
	KUNIT_EXPECT_EQ(test, world.sent[1], RPCRDMA2_UPDPROP);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv, BASE);
	asks_for(LARGE);
	runs();
	KUNIT_EXPECT_EQ(test, conn->sizes.recv_want, LARGE);
}

/* After errors have lowered the reply limit, no change raises it again. */
static void limited_plan_stays(struct kunit *test)
{
	exchange_ops.plan(&conn->properties.x, LARGE);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv, LARGE);
	conn->sizes.inline_recv = 2000;
	exchange_ops.plan(&conn->properties.x, BASE);
	exchange_ops.plan(&conn->properties.x, LARGE);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv, 2000);
}

/* Section 4.4: updates of the properties that a client uses take effect. */
static void updates_applied(struct kunit *test)
{
	static const struct { u32 property, value, send, remote_inv; } cases[] = {
		{ RPCRDMA2_PROP_RBSIZ, 9216, 9216, 1 },
		{ RPCRDMA2_PROP_RBSIZ, 0, RPCRDMA2_RECV_MIN, 1 },
		{ RPCRDMA2_PROP_RBSIZ, 512, 512, 1 },
		{ RPCRDMA2_PROP_RBSIZ, U32_MAX, XPRT_RDMA_INLINE_MAX, 1 },
		{ RPCRDMA2_PROP_REMOTE_INV, 0, BASE, 0 },
		{ RPCRDMA2_PROP_REMOTE_INV, 1, BASE, 1 },
		{ RPCRDMA2_PROP_BRS, 1, BASE, 1 },
	};

	for_each_case(c, cases) {
		connection(test);
		updates(c->property, c->value);
		KUNIT_EXPECT_EQ(test, conn->sizes.inline_send, c->send);
		KUNIT_EXPECT_EQ(test, conn->peer.remote_inv, c->remote_inv);
	}
}

/*
 * A malformed request is refused. Too many requests end the connection. An error
 * ends the changes.
 */
static void failures(struct kunit *test)
{
	u32 i;

	ARRIVES(RPCRDMA2_REQPROP, XID, 1, 1, 3, 9);
	KUNIT_EXPECT_EQ(test, world.refused, RPCRDMA2_ERR_BAD_XDR);
	for (i = 0; i < RPCRDMA_EXCHANGE_ANSWERS; i++)
		ARRIVES(RPCRDMA2_REQPROP, XID, 0);
	KUNIT_EXPECT_EQ(test, world.lost, 0);
	ARRIVES(RPCRDMA2_REQPROP, XID, 0);
	KUNIT_EXPECT_EQ(test, world.lost, 1);
	KUNIT_EXPECT_EQ(test, conn->life.cause, RPCRDMA_CAUSE(PROTOCOL, PROPERTIES));

	connection(test);
	exchange_ops.plan(&conn->properties.x, LARGE);
	conn->properties.x.wanted = LARGE;
	KUNIT_EXPECT_FALSE(test, ARRIVES(RPCRDMA2_ERROR, XID, 3));
	KUNIT_EXPECT_TRUE(test, ARRIVES(RPCRDMA2_ERROR, 0, 3));
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv, BASE);
}

/* After several long calls, the client asks the server for larger Receives. */
static void long_calls(struct kunit *test)
{
	u32 i;

	for (i = 0; i < RPCRDMA_TUNING_LONGS; i++)
		xprt_rdma_properties_long_call(conn, 9000);
	KUNIT_EXPECT_EQ(test, exchange_work.kicks, 1);
	runs();
	KUNIT_EXPECT_EQ(test, world.nsent, 1);
	KUNIT_EXPECT_EQ(test, world.sent[0], RPCRDMA2_REQPROP);
}

/*
 * Section 4: changes are announced unless the tunable is off or version 2 cannot
 * be used. NOCHANGE lists all properties that do not change.
 */
static void announced_together(struct kunit *test)
{
	struct rpcrdma_props own;
	bool on;
	u32 i;

	for (i = 0; i < 8; i++) {
		conn->properties.on = false;
		xprt_rdma_sizes_init(&conn->sizes, 4096, BASE, BASE);
		xprt_rdma_tuning = i & 1;
		fake_read_replies = i & 2;
		conn->offer.mode = i & 4 ? XPRT_RDMA_NEGOTIATE_OFF :
					   XPRT_RDMA_NEGOTIATE_HINT;
		on = (i & 5) == 1;
		xprt_rdma_properties_begin(conn);
		xprt_rdma_props_init(conn);
		own = conn->properties.own;
		KUNIT_EXPECT_EQ(test, own.recv_size, BASE);
		KUNIT_EXPECT_EQ(test, own.htypes,
				(on ? RPCRDMA2_CHANGE_HTYPES : 0) |
				(i & 2 ? BIT(RPCRDMA2_DONE) : 0));
		KUNIT_EXPECT_EQ(test, own.read_replies, !!(i & 2));
		KUNIT_EXPECT_EQ(test, own.nochange, RPCRDMA_PROPS_ALL &
				~(on ? RPCRDMA_PROPS_RBSIZ : 0));
		/* The longest message that may ever be sent inline */
		KUNIT_EXPECT_EQ(test, conn->sizes.send_most, on ? LARGE : BASE);
	}
	fake_read_replies = true;
}

static struct kunit_case xprt_properties_cases[] = {
	KUNIT_CASE(grows),
	KUNIT_CASE(growth_fails),
	KUNIT_CASE(limited_plan_stays),
	KUNIT_CASE(updates_applied),
	KUNIT_CASE(failures),
	KUNIT_CASE(long_calls),
	KUNIT_CASE(announced_together),
	{}
};

SUITE("xprt_rdma_properties", xprt_properties_cases, .init = connection);
