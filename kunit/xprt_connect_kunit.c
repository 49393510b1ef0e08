// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a connection never returns to an earlier state, regardless of which CM
 * events arrive and when, and stays within the limits of both sides. Otherwise,
 * a late or unexpected event would revive a connection that is being destroyed,
 * or the server would get messages that it cannot receive.
 */
#include "xprt_connect_fakes.h"

static struct xprt_rdma_conn *conn;

/* A connection in the given state, with a CM identifier */
static void connection(struct kunit *test, enum xprt_rdma_state state)
{
	transport(test);
	conn = fake_conn(test, r_xprt);
	r_xprt->conn = conn;
	world.happens.silent = "route";
	fake_id = (struct rdma_cm_id){ .context = conn };
	conn->id = &fake_id;
	conn->sizes.inline_send = 4096;
	conn->sizes.inline_recv = 4096;
	conn->life.state = state;
}

static void no_state_twice(struct kunit *test)
{
	enum xprt_rdma_state from, to;

	for (from = 0; from <= XPRT_RDMA_CLOSING; from++) {
		for (to = 0; to <= XPRT_RDMA_CLOSING; to++) {
			bool legal = to > from;

			connection(test, from);
			conn->life.since = -1;
			set_bit(XPRT_CLOSE_WAIT, &conn->r_xprt->xprt.state);
			xprt_rdma_conn_change_state(conn, to, -EIO);
			KUNIT_EXPECT_EQ(test, conn->life.state, legal ? to : from);
			KUNIT_EXPECT_EQ(test, conn->life.error, legal ? -EIO : 0);
			KUNIT_EXPECT_EQ(test, conn->life.since != -1, legal &&
					to == XPRT_RDMA_CONNECTED);
			/* Connecting clears a stale close request. */
			KUNIT_EXPECT_EQ(test, test_bit(XPRT_CLOSE_WAIT,
						       &conn->r_xprt->xprt.state),
					!legal || to != XPRT_RDMA_CONNECTED);
			KUNIT_EXPECT_EQ(test, conn->life.established, legal &&
					(to == XPRT_RDMA_NEGOTIATING ||
					 to == XPRT_RDMA_CONFIGURING ||
					 to == XPRT_RDMA_CONNECTED));
		}
	}
}

/* A CM event, and the resulting state of the connection */
struct event_case {
	const char *name;		/* what has happened */
	enum rdma_cm_event_type event;	/* CM event */
	int status;			/* status of the event */
	enum xprt_rdma_state from;	/* state of the connection before the event */
	enum xprt_rdma_state to;	/* state of the connection after the event */
	int error;			/* error recorded in the connection */
	u32 disconnects;		/* number of calls to xprt_force_disconnect() */
};

#define CM(event)	RDMA_CM_EVENT_##event
#define RESOLVING	XPRT_RDMA_RESOLVING
#define RESOLVED	XPRT_RDMA_RESOLVED
#define NEGOTIATING	XPRT_RDMA_NEGOTIATING
#define CONNECTED	XPRT_RDMA_CONNECTED
#define FAILED		XPRT_RDMA_FAILED
#define CLOSING		XPRT_RDMA_CLOSING

static const struct event_case events[] = {
	{ "address resolved", CM(ADDR_RESOLVED), 0, RESOLVING, RESOLVING },
	{ "route resolved", CM(ROUTE_RESOLVED), 0, RESOLVING, RESOLVED },
	{ "established", CM(ESTABLISHED), 0, RESOLVED, CONNECTED },
	{ "no device for the address", CM(ADDR_ERROR), -ENODEV, RESOLVING, FAILED, -ENODEV },
	{ "nobody answers ARP", CM(ADDR_ERROR), -ETIMEDOUT, RESOLVING, FAILED, -EHOSTUNREACH },
	{ "no memory for a route", CM(ROUTE_ERROR), -ENOMEM, RESOLVING, FAILED, -ENOMEM },
	{ "nobody listens", CM(REJECTED), IB_CM_REJ_INVALID_SERVICE_ID, RESOLVED, FAILED,
	  -ECONNREFUSED },
	{ "the peer remembers another connection", CM(REJECTED), IB_CM_REJ_STALE_CONN, RESOLVED,
	  FAILED, -ENOTCONN },
	{ "disconnected", CM(DISCONNECTED), 0, CONNECTED, FAILED, -ENOTCONN, 1 },
	{ "device goes away while connected", CM(DEVICE_REMOVAL), 0, CONNECTED, FAILED, -ENOTCONN,
	  1 },
	{ "device goes away while negotiating", CM(DEVICE_REMOVAL), 0, NEGOTIATING, FAILED,
	  -ENOTCONN },
	{ "rejected after all", CM(REJECTED), IB_CM_REJ_CONSUMER_DEFINED, CONNECTED, FAILED,
	  -ENOTCONN, 1 },
	{ "unreachable after all", CM(UNREACHABLE), -ETIMEDOUT, CONNECTED, FAILED,
	  -EHOSTUNREACH, 1 },
	{ "address changed", CM(ADDR_CHANGE), 0, CONNECTED, FAILED, -ENOTCONN, 1 },
	{ "established after it had failed", CM(ESTABLISHED), 0, FAILED, FAILED },
	{ "timewait is over", CM(TIMEWAIT_EXIT), 0, CLOSING, CLOSING },
};

KUNIT_ARRAY_PARAM_DESC(event, events, name);

static void cm_events_change_state(struct kunit *test)
{
	const struct event_case *param = test->param_value;
	struct rdma_cm_event event = {
		.event	= param->event,
		.status	= param->status,
	};

	connection(test, param->from);
	conn->life.established = param->from == NEGOTIATING ||
			    param->from == CONNECTED;

	/* Act: 0 tells the CM not to destroy the identifier. */
	KUNIT_EXPECT_EQ(test, xprt_rdma_conn_cm_event(conn->id, &event), 0);

	KUNIT_EXPECT_EQ(test, conn->life.state, param->to);
	KUNIT_EXPECT_EQ(test, conn->life.error, param->error);
	KUNIT_EXPECT_EQ(test, world.disconnects, param->disconnects);
	KUNIT_EXPECT_EQ(test, world.invalidations, param->disconnects);
	KUNIT_EXPECT_EQ(test, conn->life.device_gone,
			param->event == RDMA_CM_EVENT_DEVICE_REMOVAL);
}

/*
 * Each direction uses the smaller of both sides' thresholds (RFC 8797), and
 * 1024 bytes at most if the server sends no private data (RFC 8166 section
 * 3.3.2).
 */
static void smaller_threshold_used(struct kunit *test)
{
	static const u8 noise[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	static const struct {
		u32 ours;
		u32 sends, receives;	/* 0: no RPC-over-RDMA private data */
		u32 want_send, want_recv;
		u32 noise;		/* bytes of other private data */
	} cases[] = {
		{ 4096, 4096, 4096, 4096, 4096 }, { 4096, 1024, 8192, 4096, 1024 },
		{ 65536, 8192, 16384, 16384, 8192 },
		{ 1024, 262144, 262144, 1024, 1024 },
		{ 4096, 0, 0, 1024, 1024, 0 },
		{ 4096, 0, 0, 1024, 1024, sizeof(noise) },
	};
	struct rdma_cm_event event = { .event = RDMA_CM_EVENT_ESTABLISHED };
	u8 buf[RPCRDMA_PRIVATE_MAX];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rpcrdma_private peer = {
			.send_size	= cases[i].sends,
			.recv_size	= cases[i].receives,
			.remote_inv	= i & 1,
		};
		bool private = cases[i].sends;

		connection(test, RESOLVED);
		conn->sizes.inline_send = cases[i].ours;
		conn->sizes.inline_recv = cases[i].ours;
		event.param.conn.private_data = private ? buf : noise;
		event.param.conn.private_data_len =
			private ? rpcrdma_private_encode(&peer, buf) : cases[i].noise;
		xprt_rdma_conn_cm_event(conn->id, &event);
		KUNIT_EXPECT_EQ(test, conn->sizes.inline_send, cases[i].want_send);
		KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv, cases[i].want_recv);
		KUNIT_EXPECT_EQ(test, conn->peer.remote_inv, private && i & 1);
		KUNIT_EXPECT_EQ(test, conn->peer.private, private);
		KUNIT_EXPECT_EQ(test, conn->life.state, CONNECTED);
	}
}

/* Read depths that the CM reports, and the resulting limits */
static const struct depth_case {
	const char *name;	/* what is special about the depths */
	bool iwarp;		/* the port is an iWARP port */
	bool swapped;		/* the driver reports an iWARP peer's depths as on InfiniBand */
	u8 initiator;		/* initiator_depth of the event */
	u8 responder;		/* responder_resources of the event */
	u32 ord;		/* limit of the client's Reads; it asked for 16 */
	u32 ird;		/* limit of the server's Reads; the client offered 12 */
	bool no_own;		/* the client may not issue Reads */
	bool no_peers;		/* the server cannot issue Reads */
} depth_cases[] = {
	{ "odd", false, false, 3, 5, 3, 5, false, false },
	{ "as asked for", false, false, 16, 12, 16, 12, false, false },
	{ "more than asked for", false, false, 17, 255, 16, 12, false, false },
	{ "not to be read", false, false, 0, 4, 1, 4, true, false },
	{ "cannot read", false, false, 4, 0, 4, 0, false, true },
	{ "iWARP", true, false, 3, 5, 5, 3, false, false },
	{ "iWARP, as on InfiniBand", true, true, 3, 5, 3, 5, false, false },
	{ "iWARP, more", true, false, 255, 17, 16, 12, false, false },
	{ "iWARP, not to be read", true, false, 4, 0, 1, 4, true, false },
	{ "iWARP, cannot read", true, false, 0, 4, 4, 0, false, false },
	{ "iWARP, unknown", true, false, 0, 0, 16, 12, false, false },
};

KUNIT_ARRAY_PARAM_DESC(depth_case, depth_cases, name);

/*
 * RFC 5666 section 6.2: the client adopts the depths that the CM reports. A
 * depth of 0 rules out Reads in that direction.
 */
static void depths_taken(struct kunit *test)
{
	struct rdma_cm_event event = { .event = RDMA_CM_EVENT_ESTABLISHED };
	const struct depth_case *c = test->param_value;

	connection(test, RESOLVED);
	world.happens.iwarp = c->iwarp;
	conn->id->device = fake_zalloc(test, sizeof(*conn->id->device));
	conn->id->device->ops.driver_id = c->swapped ? RDMA_DRIVER_CXGB4 :
						       RDMA_DRIVER_SIW;
	conn->peer.ord = 16;
	conn->peer.ird = 12;
	event.param.conn.initiator_depth = c->initiator;
	event.param.conn.responder_resources = c->responder;

	xprt_rdma_conn_cm_event(conn->id, &event);

	KUNIT_EXPECT_EQ(test, conn->peer.ord, c->ord);
	KUNIT_EXPECT_EQ(test, conn->peer.ird, c->ird);
	KUNIT_EXPECT_EQ(test, conn->peer.no_own_reads, c->no_own);
	KUNIT_EXPECT_EQ(test, conn->peer.no_reads, c->no_peers);
}

/*
 * v2 draft section 7.2: if an offer of version 2 is not answered or ends the
 * connection, -EPROTO makes the next connection use version 1.
 */
static void offer_in_vain(struct kunit *test)
{
	static const struct { int answered; u32 version; int want; u32 unanswered; } cases[] = {
		{ -ENOTCONN, 0, -EPROTO, 0 },
		{ -EHOSTUNREACH, 0, -EPROTO, 1 },
		{ -ENOTCONN, RPCRDMA_VERSION_2, -ENOTCONN, 0 },
		{ -EPROTONOSUPPORT, 0, -ECONNREFUSED, 0 },
	};
	u64 before;

	for_each_case(c, cases) {
		connection(test, NEGOTIATING);
		before = fake_count(offers_unanswered);
		fake_set_version(conn, c->version);
		world.happens.silent = "offer";
		xprt_rdma_conn_change_state(conn, FAILED, c->answered);
		KUNIT_EXPECT_EQ(test, xprt_rdma_connect_negotiate(conn), c->want);
		KUNIT_EXPECT_EQ(test, fake_count(offers_unanswered) - before, c->unanswered);
	}
}

/*
 * A failed attempt reports its error to a soft-connect task. With netfatal, it
 * reports -ENETUNREACH also to other tasks. Otherwise, it reports -EAGAIN, for
 * an immediate retry, or -ENOBUFS if memory is short.
 */
static void error_as_wanted(struct kunit *test)
{
	static const struct { int error, want; } cases[] = {
		{ -ECONNREFUSED, -ECONNREFUSED }, { -ECONNRESET, -ECONNREFUSED },
		{ -EHOSTUNREACH, -EHOSTUNREACH }, { -ENETUNREACH, -ENETUNREACH },
		{ -ENETDOWN, -ENETDOWN }, { -ENOTCONN, -ENOTCONN }, { -EAGAIN, -EAGAIN },
		{ -ENOMEM, -ENOBUFS }, { -ENOBUFS, -ENOBUFS }, { -EOPNOTSUPP, -ENETUNREACH },
		{ -ENODEV, -ENETUNREACH }, { -EINVAL, -ENETUNREACH },
	};

	transport(test);
	for_each_case(c, cases) {
		r_xprt->softconn = true;
		KUNIT_EXPECT_EQ(test, c->want, xprt_rdma_connect_failed(r_xprt, c->error));
		r_xprt->softconn = false;
		KUNIT_EXPECT_EQ(test, c->want == -ENOBUFS ? -ENOBUFS : -EAGAIN,
				xprt_rdma_connect_failed(r_xprt, c->error));
	}
	r_xprt->netfatal = true;
	KUNIT_EXPECT_EQ(test, -ENETUNREACH, xprt_rdma_connect_failed(r_xprt, -ENODEV));
	KUNIT_EXPECT_EQ(test, -EAGAIN, xprt_rdma_connect_failed(r_xprt, -ENETDOWN));
}

static struct kunit_case xprt_connect_cases[] = {
	KUNIT_CASE(no_state_twice),
	KUNIT_CASE_PARAM(cm_events_change_state, event_gen_params),
	KUNIT_CASE(smaller_threshold_used),
	KUNIT_CASE_PARAM(depths_taken, depth_case_gen_params),
	KUNIT_CASE(error_as_wanted),
	KUNIT_CASE(offer_in_vain),
	{}
};

SUITE("xprt_rdma_connect", xprt_connect_cases);
