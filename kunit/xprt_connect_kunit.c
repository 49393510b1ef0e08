// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the states of a client connection, what CM events make of it, and how
 * long reconnecting waits.
 */
#include <linux/module.h>
#include <linux/random.h>
#include <linux/semaphore.h>
#include <rdma/ib_cm.h>

#include "xprt_fakes.h"

#define trace_xprtrdma_state(conn, from, to, error, legal) ((void)(from))

static unsigned int fake_inline_write, fake_inline_read;
static int fake_route_status;
static u32 fake_disconnects, fake_invalidated;
static bool fake_is_ib, fake_remote_inv, fake_offer_v2, fake_offer_answered;
static unsigned int fake_receive_size = 5120;
static u32 fake_remembered, fake_freed;
static void *fake_seen_freed;
/* Not freed here: most of them are the test's own. */
static struct xprt_rdma_conn *fake_freed_conn;
static int fake_offer_status;
static u32 fake_wakes, fake_wakes_at_unlock;
static int fake_wake_status;

/*
 * Steps of making or ending a connection that may allocate, and those of them
 * in which an allocation could start I/O.
 */
static u32 fake_steps, fake_unsafe_steps;
static struct rdma_cm_id fake_id;
static struct ib_device fake_device;

static int fake_step(void)
{
	fake_steps++;
	fake_unsafe_steps += !xprt_rdma_reclaim_safe();
	return 0;
}

static int fake_resolve_addr(void);
static int fake_connect(void);
static int fake_negotiate_send(struct xprt_rdma_conn *conn);
static int fake_endpoint_create(struct xprt_rdma_conn *conn);
static struct rdma_cm_id *fake_create_id(void *context);
static void fake_wakeup(struct xprt_rdma_conn *conn);

/* The connection, and maybe its device, are gone when this returns. */
static void fake_conn_free_deferred(struct xprt_rdma_conn *conn)
{
	fake_step();
	fake_freed++;
	fake_freed_conn = conn;
	fake_seen_freed = conn->r_xprt->conn;
}

#define xprt_rdma_max_inline_write	fake_inline_write
#define xprt_rdma_max_inline_read	fake_inline_read
#define xprt_rdma_remote_invalidation	fake_remote_inv
#undef rdma_create_id
#define rdma_create_id(net, handler, context, ps, type) fake_create_id(context)
#define rdma_resolve_addr(id, src, dst, ms)	((void)(dst), fake_resolve_addr())
#define rdma_set_min_rnr_timer(id, timer)	((void)(id))
#define rdma_connect(id, param)		((void)(param), fake_connect())
#define rdma_disconnect(id)		fake_step()
#define rdma_resolve_route(id, ms)	(fake_step() ?: fake_route_status)
#define rdma_protocol_ib(dev, port)	fake_is_ib
#define rdma_protocol_roce(dev, port)	false
#define xprt_rdma_negotiate_wanted(r_xprt)	fake_offer_v2
#define xprt_rdma_negotiate_send	fake_negotiate_send
#define xprt_rdma_negotiate_wakeup(conn)	fake_wakeup(conn)
#define xprt_rdma_v1_begin(c)		fake_set_version(c, RPCRDMA_VERSION_1)
#define xprt_rdma_fallback_remember(x)	((void)fake_remembered++)
#define xprt_rdma_receive_buffer_size	fake_receive_size
#define xprt_force_disconnect(xprt)	((void)fake_disconnects++)
#define xprt_rdma_port_active(id)	true
#define xprt_rdma_conn_free_deferred	fake_conn_free_deferred
#define xprt_rdma_endpoint_error(c)	((void)(c))
#define xprt_rdma_endpoint_create	fake_endpoint_create
#define xprt_rdma_endpoint_drain(c)	((void)fake_step())
#define xprt_rdma_endpoint_query(c)	(0)
#define xprt_rdma_reads_init(c)		((void)(c))
#define xprt_rdma_endpoint_destroy_qp(c)	((void)fake_step())
#define xprt_rdma_reads_flush(c)	((void)(c))
#define xprt_rdma_sends_flush(c)	((void)(c))
#define xprt_rdma_control_msgs_flush(c)	((void)(c))
#define xprt_rdma_endpoint_destroy(c)	((void)(c))
#define xprt_rdma_invalidate_all(c)		((void)fake_invalidated++)
#define xprt_rdma_invalidations_flush(c)	((void)(c))
#define xprt_rdma_reqs_unmap(r_xprt)	((void)(r_xprt))
#define xprt_rdma_credit_reset(r_xprt)	((void)(r_xprt))
#define xprt_wake_pending_tasks(xprt, rc) \
	((void)(xprt), (void)(fake_wakes++), (void)(fake_wake_status = (rc)))
#define xprt_unlock_connect(xprt, r_xprt) \
	((void)(xprt), (void)(fake_wakes_at_unlock = fake_wakes))
#define xprt_rdma_stall_start(r_xprt)	((void)(r_xprt))
#define xprt_rdma_stall_stop(r_xprt)	((void)(r_xprt))
#define xprt_rdma_probe_start(r_xprt)	((void)(r_xprt))
#define xprt_rdma_probe_stop(r_xprt)	((void)(r_xprt))

#undef pr_fmt
#include "../xprtrdma/message/nfs.c"
#define xprt_rdma_dispatch_ops		fake_conn_ops
#include "../xprtrdma/verbs/conn.c"
#include "../xprtrdma/control/disconnect.c"
#include "../xprtrdma/control/conn_events.c"
#include "../xprtrdma/control/connect.c"

/* An event comes to a worker of the CM's, which does not know of us. */
static void fake_event(enum rdma_cm_event_type type)
{
	struct rdma_cm_event event = { .event = type };
	unsigned int flags = current->flags & PF_MEMALLOC_NOIO;

	current->flags &= ~PF_MEMALLOC_NOIO;
	xprt_rdma_conn_cm_event(&fake_id, &event);
	current->flags |= flags;
}

static struct rdma_cm_id *fake_create_id(void *context)
{
	fake_step();
	fake_id = (struct rdma_cm_id){ .context = context };
	return &fake_id;
}

static int fake_resolve_addr(void)
{
	fake_event(RDMA_CM_EVENT_ADDR_RESOLVED);
	fake_event(RDMA_CM_EVENT_ROUTE_RESOLVED);
	return fake_step();
}

static int fake_endpoint_create(struct xprt_rdma_conn *conn)
{
	conn->device = &fake_device;
	/* only looked at */
	conn->qp = (struct ib_qp *)&fake_id;
	return fake_step();
}

static int fake_connect(void)
{
	fake_event(RDMA_CM_EVENT_ESTABLISHED);
	return fake_step();
}

static int fake_negotiate_send(struct xprt_rdma_conn *conn)
{
	fake_step();
	if (fake_offer_answered)
		xprt_rdma_conn_change_state(conn, XPRT_RDMA_CONNECTED, 0);
	return fake_offer_status;
}

static struct xprt_rdma_conn *connection(struct kunit *test,
					 enum xprt_rdma_state state)
{
	struct xprt_rdma *r_xprt = fake_req(test)->r_xprt;
	struct xprt_rdma_conn *conn = r_xprt->conn;

	fake_disconnects = 0;
	fake_invalidated = 0;
	fake_route_status = 0;
	fake_remembered = 0;
	fake_offer_status = 0;
	fake_is_ib = true;
	init_waitqueue_head(&conn->wait);
	spin_lock_init(&conn->lock);
	conn->id = fake_zalloc(test, sizeof(*conn->id));
	conn->id->context = conn;
	conn->inline_send = 4096;
	conn->inline_recv = 4096;
	conn->state = state;
	r_xprt->xprt.max_reconnect_timeout = 300 * HZ;
	return conn;
}

/* Every pair of states: what may follow what */
static void transitions(struct kunit *test)
{
	static const char * const may[] = {
		/* new, addr, route, resolved, connecting, negotiating,
		 * connected, failed, closing
		 */
		[XPRT_RDMA_NEW]			= "010000011",
		[XPRT_RDMA_RESOLVING_ADDR]	= "001000011",
		[XPRT_RDMA_RESOLVING_ROUTE]	= "000100011",
		[XPRT_RDMA_RESOLVED]		= "000010011",
		[XPRT_RDMA_CONNECTING]		= "000001111",
		[XPRT_RDMA_NEGOTIATING]		= "000000111",
		[XPRT_RDMA_CONNECTED]		= "000000011",
		[XPRT_RDMA_FAILED]		= "000000001",
		[XPRT_RDMA_CLOSING]		= "000000000",
	};
	enum xprt_rdma_state from, to;
	struct xprt_rdma_conn *conn;

	for (from = 0; from < XPRT_RDMA_STATES; from++) {
		for (to = 0; to < XPRT_RDMA_STATES; to++) {
			bool legal = may[from][to] == '1';

			conn = connection(test, from);
			KUNIT_EXPECT_EQ(test,
					xprt_rdma_conn_change_state(conn, to,
								    -EIO),
					legal);
			KUNIT_EXPECT_EQ(test, conn->state, legal ? to : from);
			KUNIT_EXPECT_EQ(test, conn->error, legal ? -EIO : 0);
			KUNIT_EXPECT_EQ(test, conn->established, legal &&
					(to == XPRT_RDMA_NEGOTIATING ||
					 to == XPRT_RDMA_CONNECTED));
		}
	}
}

/* An event, the state it finds, and the state it leaves behind */
static const struct {
	const char *name;
	enum rdma_cm_event_type event;
	int status;
	enum xprt_rdma_state from;
	enum xprt_rdma_state to;
	int error;
	u32 disconnects;
} events[] = {
	{ "address resolved", RDMA_CM_EVENT_ADDR_RESOLVED, 0,
	  XPRT_RDMA_RESOLVING_ADDR, XPRT_RDMA_RESOLVING_ROUTE },
	{ "route resolved", RDMA_CM_EVENT_ROUTE_RESOLVED, 0,
	  XPRT_RDMA_RESOLVING_ROUTE, XPRT_RDMA_RESOLVED },
	{ "established", RDMA_CM_EVENT_ESTABLISHED, 0, XPRT_RDMA_CONNECTING,
	  XPRT_RDMA_CONNECTED },
	{ "no device for the address", RDMA_CM_EVENT_ADDR_ERROR, -ENODEV,
	  XPRT_RDMA_RESOLVING_ADDR, XPRT_RDMA_FAILED, -ENETUNREACH },
	{ "nobody answers ARP", RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT,
	  XPRT_RDMA_RESOLVING_ADDR, XPRT_RDMA_FAILED, -EHOSTUNREACH },
	{ "host unreachable", RDMA_CM_EVENT_ADDR_ERROR, -EHOSTUNREACH,
	  XPRT_RDMA_RESOLVING_ADDR, XPRT_RDMA_FAILED, -EHOSTUNREACH },
	{ "no route", RDMA_CM_EVENT_ROUTE_ERROR, -ETIMEDOUT,
	  XPRT_RDMA_RESOLVING_ROUTE, XPRT_RDMA_FAILED, -ENETUNREACH },
	{ "nobody listens", RDMA_CM_EVENT_REJECTED, IB_CM_REJ_INVALID_SERVICE_ID,
	  XPRT_RDMA_CONNECTING, XPRT_RDMA_FAILED, -ECONNREFUSED },
	{ "the peer remembers another connection", RDMA_CM_EVENT_REJECTED,
	  IB_CM_REJ_STALE_CONN, XPRT_RDMA_CONNECTING, XPRT_RDMA_FAILED,
	  -ENOTCONN },
	{ "no answer", RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT,
	  XPRT_RDMA_CONNECTING, XPRT_RDMA_FAILED, -EHOSTUNREACH },
	{ "connect error", RDMA_CM_EVENT_CONNECT_ERROR, -EINVAL,
	  XPRT_RDMA_CONNECTING, XPRT_RDMA_FAILED, -EHOSTUNREACH },
	{ "disconnected", RDMA_CM_EVENT_DISCONNECTED, 0, XPRT_RDMA_CONNECTED,
	  XPRT_RDMA_FAILED, -ENOTCONN, 1 },
	{ "device goes away while connected", RDMA_CM_EVENT_DEVICE_REMOVAL, 0,
	  XPRT_RDMA_CONNECTED, XPRT_RDMA_FAILED, -ENOTCONN, 1 },
	{ "device goes away while connecting", RDMA_CM_EVENT_DEVICE_REMOVAL,
	  0, XPRT_RDMA_CONNECTING, XPRT_RDMA_FAILED, -ENOTCONN },
	{ "device goes away while negotiating", RDMA_CM_EVENT_DEVICE_REMOVAL,
	  0, XPRT_RDMA_NEGOTIATING, XPRT_RDMA_FAILED, -ENOTCONN },
	{ "address changed while connecting", RDMA_CM_EVENT_ADDR_CHANGE, 0,
	  XPRT_RDMA_CONNECTING, XPRT_RDMA_FAILED, -ENOTCONN },
	{ "disconnected while negotiating", RDMA_CM_EVENT_DISCONNECTED, 0,
	  XPRT_RDMA_NEGOTIATING, XPRT_RDMA_FAILED, -ENOTCONN },
	{ "rejected after all", RDMA_CM_EVENT_REJECTED, IB_CM_REJ_CONSUMER_DEFINED,
	  XPRT_RDMA_CONNECTED, XPRT_RDMA_FAILED, -ECONNREFUSED, 1 },
	{ "unreachable after all", RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT,
	  XPRT_RDMA_CONNECTED, XPRT_RDMA_FAILED, -EHOSTUNREACH, 1 },
	{ "address changed", RDMA_CM_EVENT_ADDR_CHANGE, 0,
	  XPRT_RDMA_CONNECTED, XPRT_RDMA_FAILED, -ENOTCONN, 1 },
	{ "late event after the end", RDMA_CM_EVENT_DISCONNECTED, 0,
	  XPRT_RDMA_CLOSING, XPRT_RDMA_CLOSING },
	{ "established after it had failed", RDMA_CM_EVENT_ESTABLISHED, 0,
	  XPRT_RDMA_FAILED, XPRT_RDMA_FAILED },
	{ "timewait is over", RDMA_CM_EVENT_TIMEWAIT_EXIT, 0,
	  XPRT_RDMA_CLOSING, XPRT_RDMA_CLOSING },
};

KUNIT_ARRAY_PARAM_DESC(event, events, name);

static void cm_events(struct kunit *test)
{
	const typeof(events[0]) *param = test->param_value;
	struct xprt_rdma_conn *conn = connection(test, param->from);
	struct rdma_cm_event event = {
		.event	= param->event,
		.status	= param->status,
	};

	/* Act: 0 leaves the identifier to its owner */
	KUNIT_EXPECT_EQ(test, xprt_rdma_conn_cm_event(conn->id, &event), 0);

	/* Assert */
	KUNIT_EXPECT_EQ(test, conn->state, param->to);
	KUNIT_EXPECT_EQ(test, conn->error, param->error);
	KUNIT_EXPECT_EQ(test, fake_disconnects, param->disconnects);
	KUNIT_EXPECT_EQ(test, conn->device_gone,
			param->event == RDMA_CM_EVENT_DEVICE_REMOVAL);
}

/* A connection that is lost in several ways is given up once. */
static void lost_once(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test, XPRT_RDMA_CONNECTED);

	xprt_rdma_conn_lost(conn);
	xprt_rdma_conn_lost(conn);
	KUNIT_EXPECT_EQ(test, fake_disconnects, 1);
	KUNIT_EXPECT_EQ(test, conn->r_xprt->stats.lost_count, 1);
	KUNIT_EXPECT_EQ(test, fake_invalidated, 1);
}

/* RFC 8797: in each direction the smaller of what both said */
static void thresholds(struct kunit *test)
{
	static const struct {
		u32 ours, sends, receives;
		u32 want_send, want_recv;
	} cases[] = {
		{ 4096, 4096, 4096, 4096, 4096 },
		{ 4096, 1024, 8192, 4096, 1024 },
		{ 65536, 8192, 16384, 16384, 8192 },
		{ 1024, 262144, 262144, 1024, 1024 },
	};
	struct rdma_cm_event event = { .event = RDMA_CM_EVENT_ESTABLISHED };
	u8 buf[RPCRDMA_PRIVATE_SIZE];
	struct xprt_rdma_conn *conn;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rpcrdma_private peer = {
			.send_size	= cases[i].sends,
			.recv_size	= cases[i].receives,
			.remote_inv	= i & 1,
		};

		conn = connection(test, XPRT_RDMA_CONNECTING);
		conn->inline_send = cases[i].ours;
		conn->inline_recv = cases[i].ours;
		rpcrdma_private_encode(&peer, buf);
		event.param.conn.private_data = buf;
		event.param.conn.private_data_len = sizeof(buf);
		xprt_rdma_conn_cm_event(conn->id, &event);
		KUNIT_EXPECT_EQ(test, conn->inline_send, cases[i].want_send);
		KUNIT_EXPECT_EQ(test, conn->inline_recv, cases[i].want_recv);
		KUNIT_EXPECT_EQ(test, conn->peer_remote_inv, !!(i & 1));
	}
}

/* RFC 8166 section 3.3.2: a peer that says nothing can take 1024 bytes */
static void silent_peer(struct kunit *test)
{
	static const u8 noise[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct rdma_cm_event event = { .event = RDMA_CM_EVENT_ESTABLISHED };
	struct xprt_rdma_conn *conn;
	u32 i;

	for (i = 0; i < 2; i++) {
		conn = connection(test, XPRT_RDMA_CONNECTING);
		event.param.conn.private_data = i ? noise : NULL;
		event.param.conn.private_data_len = i ? sizeof(noise) : 0;
		xprt_rdma_conn_cm_event(conn->id, &event);
		KUNIT_EXPECT_EQ(test, conn->inline_send, 1024);
		KUNIT_EXPECT_EQ(test, conn->inline_recv, 1024);
		KUNIT_EXPECT_FALSE(test, conn->peer_remote_inv);
		KUNIT_EXPECT_EQ(test, conn->state, XPRT_RDMA_CONNECTED);
	}
}

/*
 * RFC 5666 section 6.2: a peer that starts no RDMA Reads, or lets none be
 * started, says so. What an iWARP provider reports says nothing.
 */
static void read_depths(struct kunit *test)
{
	struct rdma_cm_event event = { .event = RDMA_CM_EVENT_ESTABLISHED };
	struct xprt_rdma_conn *conn;
	u32 i;

	for (i = 0; i < 8; i++) {
		conn = connection(test, XPRT_RDMA_CONNECTING);
		fake_is_ib = i & 4;
		event.param.conn.responder_resources = i & 1;
		event.param.conn.initiator_depth = i & 2;
		xprt_rdma_conn_cm_event(conn->id, &event);
		KUNIT_EXPECT_EQ(test, conn->no_peer_reads,
				fake_is_ib && !(i & 1));
		KUNIT_EXPECT_EQ(test, conn->no_own_reads,
				fake_is_ib && !(i & 2));
	}
	fake_is_ib = true;
}

/* At once the first time, then doubling, with jitter, up to a limit. */
static void backoff(struct kunit *test)
{
	struct xprt_rdma *r_xprt = connection(test, XPRT_RDMA_NEW)->r_xprt;
	unsigned long want = 0, delay;
	u32 i;

	KUNIT_EXPECT_EQ(test, xprt_rdma_connect_next_delay(r_xprt), 0);
	for (i = 0; i < 12; i++) {
		want = clamp(2 * want, (unsigned long)BACKOFF_MIN, BACKOFF_MAX);
		delay = xprt_rdma_connect_next_delay(r_xprt);
		KUNIT_EXPECT_GE(test, delay, want / 2);
		KUNIT_EXPECT_LE(test, delay, want);
	}
	KUNIT_EXPECT_EQ(test, want, BACKOFF_MAX);

	/* sunrpc may want it shorter */
	r_xprt->xprt.max_reconnect_timeout = HZ;
	KUNIT_EXPECT_LE(test, xprt_rdma_connect_next_delay(r_xprt), HZ);
}

/* What a waiting task is told is what sunrpc knows how to handle. */
static void errors_for_sunrpc(struct kunit *test)
{
	static const struct {
		int from, to;
	} cases[] = {
		{ -ECONNREFUSED, -ECONNREFUSED }, { -EHOSTUNREACH, -EHOSTUNREACH },
		{ -ENETUNREACH, -ENETUNREACH }, { -ENETDOWN, -ENETDOWN },
		{ -ENOTCONN, -ENOTCONN }, { -EAGAIN, -EAGAIN },
		{ -ENOMEM, -ENOBUFS }, { -ENOBUFS, -ENOBUFS },
		{ -EOPNOTSUPP, -ENETUNREACH }, { -ENODEV, -ENETUNREACH },
		{ -EINVAL, -ENETUNREACH }, { -ETIMEDOUT, -ENETUNREACH },
	};
	struct xprt_rdma *r_xprt = connection(test, XPRT_RDMA_NEW)->r_xprt;
	u32 i;

	r_xprt->xprt.address_strings[RPC_DISPLAY_ADDR] = "192.0.2.1";
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ(test,
				xprt_rdma_connect_error(r_xprt, cases[i].from),
				cases[i].to);
}

/*
 * v2 draft section 7.2: which servers are not asked for version 2 for a while.
 * An offer that we could not send is not theirs to answer, and one that they
 * have answered is answered, even if the connection is lost at once. A server
 * that says nothing may be busy: that is not remembered. One that has said that
 * it has version 2 is asked once more.
 */
static void who_is_remembered(struct kunit *test)
{
	static const struct {
		int sent, answered;
		u32 version;
		bool has_v2;
		int want;
		u32 remembered;
		u32 unanswered;
		bool has_v2_after;
	} cases[] = {
		{ -ENOBUFS, 0, 0, false, -ENOBUFS, 0, 0, false },
		{ -ENOTCONN, 0, 0, true, -ENOTCONN, 0, 0, true },
		{ 0, -ENOTCONN, 0, false, -EPROTO, 1, 0, false },
		{ 0, -ENOTCONN, 0, true, -EAGAIN, 0, 0, false },
		{ 0, -EHOSTUNREACH, 0, false, -EPROTO, 0, 1, false },
		{ 0, -EHOSTUNREACH, 0, true, -EAGAIN, 0, 0, false },
		{ 0, -ENOTCONN, RPCRDMA_VERSION_2, true, -ENOTCONN, 0, 0, true },
		{ 0, -EPROTONOSUPPORT, 0, false, -ECONNREFUSED, 0, 0, false },
		{ 0, 0, RPCRDMA_VERSION_2, true, 0, 0, 0, true },
	};
	struct xprt_rdma_conn *conn;
	struct xprt_rdma *r_xprt;
	u64 before;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		conn = connection(test, XPRT_RDMA_NEGOTIATING);
		r_xprt = conn->r_xprt;
		before = fake_count(offers_unanswered);
		kref_init(&r_xprt->xprt.kref);
		r_xprt->xprt.address_strings[RPC_DISPLAY_ADDR] = "192.0.2.1";
		r_xprt->has_v2 = cases[i].has_v2;
		fake_set_version(conn, cases[i].version);
		fake_offer_status = cases[i].sent;
		xprt_rdma_conn_change_state(conn,
					    cases[i].answered ?
						    XPRT_RDMA_FAILED :
						    XPRT_RDMA_CONNECTED,
					    cases[i].answered);
		KUNIT_EXPECT_EQ(test, xprt_rdma_connect_negotiate(conn),
				cases[i].want);
		KUNIT_EXPECT_EQ(test, fake_remembered, cases[i].remembered);
		KUNIT_EXPECT_EQ(test, fake_count(offers_unanswered) - before,
				cases[i].unanswered);
		KUNIT_EXPECT_EQ(test, r_xprt->has_v2, cases[i].has_v2_after);
	}
}

static u32 fake_wakeups;

/* The second one helps. */
static void fake_wakeup(struct xprt_rdma_conn *conn)
{
	if (++fake_wakeups == 2)
		xprt_rdma_conn_change_state(conn, XPRT_RDMA_CONNECTED, 0);
}

/* A server that overlooks the offer until it is nudged has version 2. */
static void offer_overlooked(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test, XPRT_RDMA_NEGOTIATING);

	kref_init(&conn->r_xprt->xprt.kref);
	fake_wakeups = 0;
	KUNIT_EXPECT_EQ(test, xprt_rdma_connect_negotiate(conn), 0);
	KUNIT_EXPECT_EQ(test, fake_wakeups, 2);
	KUNIT_EXPECT_EQ(test, fake_remembered, 0);
}

/*
 * A server that is known to have version 2 has what is left of the time for an
 * attempt, any other one has the same time whenever it was asked.
 */
static void slow_to_answer(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test, XPRT_RDMA_NEGOTIATING);
	unsigned long begin = jiffies;

	/* Arrange */
	kref_init(&conn->r_xprt->xprt.kref);
	fake_wakeups = 2;
	fake_set_version(conn, 0);
	conn->requested = begin - 3 * HZ;

	/* Act and assert: not known */
	KUNIT_EXPECT_GE(test, xprt_rdma_connect_answer_due(conn),
			begin + 5 * HZ);
	KUNIT_EXPECT_LT(test, xprt_rdma_connect_answer_due(conn),
			begin + 10 * HZ);

	/* Act and assert: known, and asked not long ago */
	conn->r_xprt->has_v2 = true;
	KUNIT_EXPECT_EQ(test, xprt_rdma_connect_answer_due(conn),
			begin + 17 * HZ);

	/* Act and assert: known, and asked long ago */
	conn->requested = begin - 20 * HZ + HZ / 10;
	KUNIT_EXPECT_EQ(test, xprt_rdma_connect_negotiate(conn), -EAGAIN);
	KUNIT_EXPECT_LT(test, jiffies, begin + 3 * HZ);
}

/* After an offer without an answer, the next connection makes none. */
static void offered_or_not(struct kunit *test)
{
	struct xprt_rdma *r_xprt = connection(test, XPRT_RDMA_NEW)->r_xprt;
	u32 wanted, offer;

	for (wanted = 0; wanted < 2; wanted++) {
		for (offer = 0; offer < 2; offer++) {
			struct xprt_rdma_conn *conn;

			fake_offer_v2 = wanted;
			conn = xprt_rdma_connect_new(r_xprt, offer);
			KUNIT_ASSERT_NOT_NULL(test, conn);
			KUNIT_EXPECT_EQ(test, conn->offer_v2, wanted && offer);
			KUNIT_EXPECT_PTR_EQ(test, r_xprt->conn, conn);
			kfree(conn);
		}
	}
	r_xprt->conn = NULL;
	fake_offer_v2 = false;
}

/*
 * On RoCE the CM sends a message again after 4.6 s: an attempt has to outlive
 * the loss of two, and what they are answered with.
 */
static void outlives_lost_messages(struct kunit *test)
{
	KUNIT_EXPECT_GT(test, CONNECT_TIMEOUT,
			2 * msecs_to_jiffies(2 * 256 + 4096) + 4 * HZ);
}

/* What is asked of sunrpc for one attempt does not end the next. */
static void attempts_have_cookies(struct kunit *test)
{
	struct xprt_rdma *r_xprt = connection(test, XPRT_RDMA_NEW)->r_xprt;
	unsigned int cookie = r_xprt->xprt.connect_cookie;

	r_xprt->conn = NULL;
	KUNIT_EXPECT_EQ(test, xprt_rdma_connect_failed(r_xprt, -ECONNREFUSED),
			-ECONNREFUSED);
	KUNIT_EXPECT_NE(test, r_xprt->xprt.connect_cookie, cookie);
}

/* Who looks at the transport's connection never sees one that is being freed. */
static void unset_before_freed(struct kunit *test)
{
	struct xprt_rdma *r_xprt =
		connection(test, XPRT_RDMA_CONNECTED)->r_xprt;

	fake_freed = 0;
	xprt_rdma_disconnect(r_xprt);
	KUNIT_EXPECT_EQ(test, fake_freed, 1);
	KUNIT_EXPECT_NULL(test, fake_seen_freed);
	KUNIT_EXPECT_NULL(test, r_xprt->conn);
}

/*
 * RFC 8166 section 3.3: a call is not sent twice on a connection. Who waits for
 * it is woken while nobody can have sent anything.
 */
static void woken_in_time(struct kunit *test)
{
	struct xprt_rdma *r_xprt = connection(test, XPRT_RDMA_NEW)->r_xprt;

	/* Arrange: nobody uses the transport any more */
	r_xprt->conn = NULL;
	r_xprt->connect_due = jiffies;
	fake_wakes = 0;
	fake_wakes_at_unlock = 0;

	/* Act */
	xprt_rdma_connect_work(&r_xprt->connect_work.work);

	/* Assert */
	KUNIT_EXPECT_EQ(test, fake_wakes, 1);
	KUNIT_EXPECT_EQ(test, fake_wakes_at_unlock, 1);
	KUNIT_EXPECT_EQ(test, fake_wake_status, -ENOTCONN);
}

/*
 * I/O waits for the connection, and memory reclaim for I/O: whatever others
 * allocate for a connection, from its first step to its end, starts no I/O.
 */
static void starts_no_io(struct kunit *test)
{
	struct xprt_rdma *r_xprt = connection(test, XPRT_RDMA_NEW)->r_xprt;

	/* Arrange */
	kref_init(&r_xprt->xprt.kref);
	r_xprt->conn = NULL;
	r_xprt->connect_due = jiffies;
	r_xprt->xprt.address_strings[RPC_DISPLAY_ADDR] = "192.0.2.1";
	fake_steps = 0;
	fake_unsafe_steps = 0;
	fake_offer_v2 = true;
	fake_offer_answered = true;
	KUNIT_ASSERT_FALSE(test, xprt_rdma_reclaim_safe());

	/* Act and assert: made */
	xprt_rdma_connect_work(&r_xprt->connect_work.work);
	KUNIT_EXPECT_TRUE(test, xprt_connected(&r_xprt->xprt));
	KUNIT_EXPECT_EQ(test, fake_steps, 6);
	KUNIT_EXPECT_EQ(test, fake_unsafe_steps, 0);
	KUNIT_EXPECT_FALSE(test, xprt_rdma_reclaim_safe());

	/* Act and assert: ended */
	xprt_rdma_disconnect(r_xprt);
	kfree(fake_freed_conn);
	KUNIT_EXPECT_NULL(test, r_xprt->conn);
	KUNIT_EXPECT_EQ(test, fake_steps, 10);
	KUNIT_EXPECT_EQ(test, fake_unsafe_steps, 0);
	KUNIT_EXPECT_FALSE(test, xprt_rdma_reclaim_safe());
	fake_offer_v2 = false;
	fake_offer_answered = false;
}

static struct kunit_case xprt_connect_cases[] = {
	KUNIT_CASE(transitions),
	KUNIT_CASE_PARAM(cm_events, event_gen_params),
	KUNIT_CASE(lost_once),
	KUNIT_CASE(thresholds),
	KUNIT_CASE(silent_peer),
	KUNIT_CASE(read_depths),
	KUNIT_CASE(backoff),
	KUNIT_CASE(errors_for_sunrpc),
	KUNIT_CASE(attempts_have_cookies),
	KUNIT_CASE(unset_before_freed),
	KUNIT_CASE(woken_in_time),
	KUNIT_CASE(who_is_remembered),
	KUNIT_CASE(starts_no_io),
	KUNIT_CASE(offer_overlooked),
	KUNIT_CASE(slow_to_answer),
	KUNIT_CASE(offered_or_not),
	KUNIT_CASE(outlives_lost_messages),
	{}
};

static struct kunit_suite xprt_connect_suite = {
	.name = "xprt_rdma_connect",
	.test_cases = xprt_connect_cases,
};

kunit_test_suite(xprt_connect_suite);

MODULE_DESCRIPTION("KUnit suite of xprtrdma's connections");
MODULE_LICENSE("GPL");
