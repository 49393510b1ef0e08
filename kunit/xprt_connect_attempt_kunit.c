// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: each attempt to connect ends, even if a step fails or is never
 * answered. Tasks that wait for the connection are woken once, with a status
 * that sunrpc can handle, and a failed attempt leaves nothing behind.
 * Otherwise, I/O to a mount would hang forever, or each attempt would leak a
 * Queue Pair.
 */
#include "xprt_connect_fakes.h"

#define CM(event)	RDMA_CM_EVENT_##event

/* An attempt to connect, and its expected outcome */
static const struct attempt_case {
	const char *name;		/* what is special about the attempt */
	const char *made;		/* steps taken to connect */
	const char *ended;		/* steps taken to undo @made; NULL: the attempt succeeds */
	int told;			/* status with which waiting tasks are woken */
	unsigned long takes;		/* duration of the attempt, in jiffies */
	struct fake_attempt happens;	/* what the CM, the device and the server do */
} attempts[] = {
	{ "version 1", MAKE WATCH, NULL, -EAGAIN },
	{ "version 2", MAKE " offer" WATCH, NULL, -EAGAIN, 0, { .offer = true } },
	{ "no identifier", "id", BEGIN_END END, -ENETUNREACH, 0,
	  { .fails = "id", .error = -EPERM } },
	{ "no address to be resolved", "id addr", BEGIN_END END, -ENETUNREACH, 0,
	  { .fails = "addr", .error = -ENODEV } },
	{ "address resolution does not end", "id addr", BEGIN_END END, -EHOSTUNREACH,
	  66 * HZ / 10, { .silent = "addr" } },
	{ "no route", "id addr route", BEGIN_END END, -ENETUNREACH, 0,
	  { .fails = "route", .error = -EINVAL } },
	{ "the port is down", "id addr route", BEGIN_END END, -ENETDOWN, 0,
	  { .port_down = true } },
	{ "no Queue Pair", "id addr route endpoint", BEGIN_END END, -ENOBUFS, 0,
	  { .fails = "endpoint", .error = -ENOMEM } },
	{ "the device goes before the connect request", MAKE, UNDO, -ENOTCONN, 0,
	  { .lost_early = true } },
	{ "no connect request", MAKE, UNDO, -ENETUNREACH, 0,
	  { .fails = "connect", .error = -EINVAL } },
	{ "rejected", MAKE, UNDO, -ECONNREFUSED, 7,
	  { .silent = "connect", .after = 7, .event = CM(REJECTED),
	    .status = IB_CM_REJ_INVALID_SERVICE_ID } },
	{ "reset by an iWARP server that accepts the next connection", MAKE " " MAKE WATCH, NULL,
	  -EAGAIN, 7,
	  { .iwarp = true, .silent = "connect", .times = 1, .after = 7, .event = CM(REJECTED),
	    .status = -ECONNRESET } },
	{ "reset by an iWARP server twice", MAKE " " MAKE, UNDO " " UNDO, -ECONNREFUSED, 14,
	  { .iwarp = true, .silent = "connect", .times = 2, .after = 7, .event = CM(REJECTED),
	    .status = -ECONNRESET } },
	{ "rejected by an iWARP server", MAKE, UNDO, -ECONNREFUSED, 7,
	  { .iwarp = true, .silent = "connect", .after = 7, .event = CM(REJECTED),
	    .status = -ECONNREFUSED } },
	{ "the server does not answer", MAKE, UNDO, -EHOSTUNREACH, 15 * HZ,
	  { .silent = "connect" } },
	{ "the server answers late", MAKE WATCH, NULL, -EAGAIN, 14 * HZ,
	  { .silent = "connect", .event = CM(ESTABLISHED), .after = 14 * HZ } },
	{ "the connect request is lost", MAKE " " MAKE WATCH, NULL, -EAGAIN, 2 * HZ,
	  { .silent = "connect", .times = 1, .lost = 2 * HZ } },
	{ "the connect request may be lost, and the server is slow", MAKE " " MAKE WATCH, NULL,
	  -EAGAIN, 12 * HZ,
	  { .silent = "connect", .event = CM(ESTABLISHED), .after = 12 * HZ, .lost = 2 * HZ } },
	{ "each connect request is lost", MAKE " " MAKE " " MAKE " " MAKE,
	  UNDO " " UNDO " " UNDO " " UNDO, -EAGAIN, 16 * HZ,
	  { .silent = "connect", .lost = 4 * HZ, .lost_again = true } },
	{ "the connect request of an iWARP client is repeated by TCP", MAKE, UNDO, -EHOSTUNREACH,
	  15 * HZ, { .iwarp = true, .silent = "connect", .lost = 2 * HZ } },
	{ "nobody wants the connection any more", MAKE, UNDO, -ENOTCONN, 3 * POLL_INTERVAL,
	  { .silent = "connect", .leaves = HZ / 2 } },
	/* v2 draft section 7.2 */
	{ "no offer", MAKE " offer", UNDO, -ENOBUFS, 0,
	  { .offer = true, .fails = "offer", .error = -ENOBUFS } },
	{ "the offer is not answered", MAKE " offer " MAKE WATCH, NULL, -EAGAIN, 5 * HZ,
	  { .offer = true, .silent = "offer" } },
	{ "the connection is lost on the offer", MAKE " offer " MAKE WATCH, NULL, -EAGAIN, 9,
	  { .offer = true, .silent = "offer", .event = CM(DISCONNECTED), .after = 9 } },
	{ "the offer is not answered by a server that has version 2", MAKE " offer", UNDO,
	  -EAGAIN, 20 * HZ, { .offer = true, .hint = RPCRDMA_HINT_V2, .silent = "offer" } },
	{ "the device goes, and the offer was not answered", MAKE " offer", UNDO, -ENOTCONN, 9,
	  { .offer = true, .silent = "offer", .after = 9, .event = CM(DEVICE_REMOVAL) } },
	{ "nobody waits for the answer to the offer any more", MAKE " offer", UNDO, -ENOTCONN,
	  3 * POLL_INTERVAL, { .offer = true, .silent = "offer", .leaves = HZ / 2 } },
	/* RFC 5666 section 6.1 */
	{ "limits are exchanged", MAKE " conf" WATCH, NULL, -EAGAIN, 0, { .configure = true } },
	{ "the offer is refused, and limits are exchanged", MAKE " offer conf" WATCH, NULL,
	  -EAGAIN, 0, { .configure = true, .offer = true } },
	{ "CONF_RDMA cannot be sent", MAKE " conf", UNDO, -ENOBUFS, 0,
	  { .configure = true, .fails = "conf", .error = -ENOBUFS } },
	{ "CONF_RDMA is not answered", MAKE " conf " MAKE WATCH, NULL, -EAGAIN, 5 * HZ,
	  { .configure = true, .silent = "conf" } },
	{ "the device goes, and CONF_RDMA was not answered", MAKE " conf", UNDO, -ENOTCONN, 9,
	  { .configure = true, .silent = "conf", .after = 9, .event = CM(DEVICE_REMOVAL) } },
};

KUNIT_ARRAY_PARAM_DESC(attempt_case, attempts, name);

static void attempt_completes_or_undone(struct kunit *test)
{
	const struct attempt_case *c = test->param_value;
	bool v2 = c->happens.offer || c->happens.hint;
	struct rpc_xprt *xprt = &r_xprt->xprt;

	world.happens = c->happens;

	attempt();

	/* Assert: waiting tasks are woken once. */
	KUNIT_EXPECT_STREQ(test, world.made, c->made);
	KUNIT_EXPECT_EQ(test, world.wakes, 1);
	KUNIT_EXPECT_EQ(test, world.told, c->told);
	KUNIT_EXPECT_EQ(test, world.unlocks, 1);
	KUNIT_EXPECT_EQ(test, world.wakes_at_unlock, 1);
	KUNIT_EXPECT_EQ(test, world.waited, c->takes);
	KUNIT_EXPECT_FALSE(test, test_bit(XPRT_CONNECTING, &xprt->state));
	KUNIT_EXPECT_EQ(test, world.disconnects, 0);
	KUNIT_EXPECT_EQ(test, world.reaching, 0);
	/* Each connect request has a version hint, even without an offer. */
	if (strstr(c->made, "connect"))
		KUNIT_EXPECT_EQ(test, world.priv.hint, v2 ? RPCRDMA_HINT_V2 : RPCRDMA_HINT_NONE);
	KUNIT_EXPECT_EQ(test, xprt_connected(xprt), !c->ended);
	KUNIT_EXPECT_EQ(test, xprt->stat.connect_count, !c->ended);
	/* mountstats shows the time from sunrpc's request to the connection. */
	KUNIT_EXPECT_EQ(test, xprt->stat.connect_time, c->ended ? 0 : RESOLVE_TIME + c->takes);
	/* An attempt increments the cookie once, even if it fails. */
	KUNIT_EXPECT_EQ(test, xprt->connect_cookie, 1);
	if (!c->ended) {
		KUNIT_ASSERT_NOT_NULL(test, r_xprt->conn);
		KUNIT_EXPECT_EQ(test, r_xprt->conn->life.state, XPRT_RDMA_CONNECTED);
		/* Receives are large enough for either version. */
		KUNIT_EXPECT_EQ(test, r_xprt->conn->recvs.size, v2 ? 5120 : 4096);
		xprt_rdma_disconnect(r_xprt);
	} else {
		KUNIT_EXPECT_STREQ(test, world.ended, c->ended);
	}
	KUNIT_EXPECT_NULL(test, r_xprt->conn);
	/* r_xprt->conn was cleared before the connection was freed. */
	KUNIT_EXPECT_NULL(test, world.seen_at_free);
	/* No allocation may start I/O: I/O waits for this connection. */
	KUNIT_EXPECT_EQ(test, world.may_start_io, 0);
	KUNIT_EXPECT_FALSE(test, xprt_rdma_reclaim_safe());
}

/* Make an attempt that succeeds. */
static void connects(struct kunit *test)
{
	attempt();
	KUNIT_ASSERT_NOT_NULL(test, r_xprt->conn);
}

/*
 * If the server does not answer CONF_RDMA, only the next connection leaves it
 * out. Later connections exchange limits again.
 */
static void unanswered_conf_left_out_once(struct kunit *test)
{
	/* Act and assert: no answer; the next connection sends no CONF_RDMA. */
	world.happens = (struct fake_attempt){ .configure = true, .silent = "conf" };
	attempt();
	KUNIT_EXPECT_EQ(test, world.probes, 5 * HZ / POLL_INTERVAL);
	KUNIT_ASSERT_NOT_NULL(test, r_xprt->conn);
	KUNIT_EXPECT_EQ(test, r_xprt->conn->conf.call_size, 0);

	/* Act and assert: the connection after that sends CONF_RDMA again. */
	world.made[0] = '\0';
	world.happens.silent = NULL;
	attempt();
	KUNIT_EXPECT_STREQ(test, world.made, MAKE " conf" WATCH);
	KUNIT_ASSERT_NOT_NULL(test, r_xprt->conn);
	xprt_rdma_disconnect(r_xprt);
}

/*
 * The connect request has the client's inline thresholds (RFC 8797), RDMA Read
 * depths (RFC 5666 section 6.2), timeouts and traffic class.
 */
static void request_has_our_limits(struct kunit *test)
{
	/* Arrange: sizes that are not multiples of 1 KiB. */
	world.happens.offer = true;
	fake_inline_write = 4100;
	fake_inline_read = 8200;
	fake_service_type = 104;

	attempt();

	KUNIT_EXPECT_PTR_EQ(test, world.dst, (const void *)&r_xprt->xprt.addr);
	KUNIT_EXPECT_EQ(test, world.addr_ms, 500);
	KUNIT_EXPECT_EQ(test, world.route_ms, 5000);
	KUNIT_EXPECT_EQ(test, world.priv.send_size, 4096);
	KUNIT_EXPECT_EQ(test, world.priv.recv_size, 8192);
	KUNIT_EXPECT_TRUE(test, world.priv.remote_inv);
	KUNIT_EXPECT_EQ(test, world.param.responder_resources, 16);
	KUNIT_EXPECT_EQ(test, world.param.initiator_depth, 255);
	/* Retry forever (7) without a Receive, but not without a peer. */
	KUNIT_EXPECT_EQ(test, world.param.rnr_retry_count, 7);
	KUNIT_EXPECT_LT(test, world.param.retry_count, 7);
	KUNIT_EXPECT_TRUE(test, world.rnr);
	KUNIT_EXPECT_EQ(test, world.ack_timeout, 20);
	KUNIT_EXPECT_EQ(test, world.tos, 104);
	KUNIT_EXPECT_EQ(test, r_xprt->conn->peer.traffic_class, 104);
	KUNIT_EXPECT_EQ(test, r_xprt->conn->peer.path.mtu, 2048);
	KUNIT_EXPECT_EQ(test, r_xprt->conn->recvs.size, 8192);
	xprt_rdma_disconnect(r_xprt);
}

/*
 * A connection inherits no regions, XID, serial or probe from the previous one.
 */
static void connection_starts_afresh(struct kunit *test)
{
	struct xprt_rdma_conn *conn;
	__be32 xid;
	u32 serial;

	attempt();
	conn = r_xprt->conn;
	KUNIT_ASSERT_NOT_NULL(test, conn);
	serial = conn->life.serial;
	xid = conn->offer.xid;
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->mrs.free_small));
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->mrs.free_large));
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->rws.all));

	/*
	 * A new attempt ends the old connection, and forgets a probe whose
	 * completion was never reported.
	 */
	r_xprt->probe.posted = true;
	attempt();
	KUNIT_EXPECT_FALSE(test, r_xprt->probe.posted);
	KUNIT_EXPECT_PTR_EQ(test, world.conn, conn);
	KUNIT_EXPECT_STREQ(test, world.ended, UNDO);
	KUNIT_ASSERT_NOT_NULL(test, r_xprt->conn);
	KUNIT_EXPECT_NE(test, r_xprt->conn->life.serial, serial);
	KUNIT_EXPECT_TRUE(test, r_xprt->conn->offer.xid != xid);
	xprt_rdma_disconnect(r_xprt);
}

/*
 * An attempt that lacks memory wakes its tasks with -ENOBUFS. Loading the
 * module fails if the workqueue cannot be allocated.
 */
static void no_memory_reported(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, world.queues, 1);
	fake_memory_left = 0;
	attempt();
	KUNIT_EXPECT_EQ(test, world.told, -ENOBUFS);
	KUNIT_EXPECT_STREQ(test, world.made, "");
	xprt_rdma_connect_exit();
	KUNIT_EXPECT_EQ(test, world.queues, 0);
	KUNIT_EXPECT_TRUE(test, world.rest);
	KUNIT_EXPECT_EQ(test, xprt_rdma_connect_init(), -ENOMEM);
}

/*
 * Disconnecting blocks new invalidations, and first waits until no task waits
 * for an invalidation. It does not ask sunrpc to close the connection again.
 */
static void invalidations_end_first(struct kunit *test)
{
	connects(test);
	r_xprt->conn->mrs.waiters = 1;
	world.inv_waiters_leave = world.waited + POLL_INTERVAL + 1;

	xprt_rdma_disconnect(r_xprt);

	KUNIT_EXPECT_TRUE(test, world.closing);
	KUNIT_EXPECT_EQ(test, world.disconnects, 0);
	KUNIT_EXPECT_STREQ(test, world.ended, UNDO);
	KUNIT_EXPECT_EQ(test, world.waited, 2 * POLL_INTERVAL);
	KUNIT_EXPECT_TRUE(test, world.woken);

	/* Act and assert: there is no connection to end. */
	world.ended[0] = '\0';
	xprt_rdma_disconnect(r_xprt);
	KUNIT_EXPECT_STREQ(test, world.ended, "");
}

/* While the port is down, disconnecting sends no CM message. */
static void no_cm_message_with_port_down(struct kunit *test)
{
	attempt();
	world.happens.port_down = true;
	xprt_rdma_disconnect(r_xprt);
	KUNIT_EXPECT_STREQ(test, world.ended, BEGIN_END END_QP END);
}

/*
 * The end of a connection is noted once, with its first cause. Closing by this
 * host is not a loss.
 */
static void end_explained(struct kunit *test)
{
	static const struct {
		u32 causes[2];
		bool failed;
		u32 want;
		int status; /* not 0: the port is down, and this is the status noted */
	} cases[] = {
		{ { 0, 0 }, false, RPCRDMA_NL_LOST_CLOSED },
		{ { RPCRDMA_NL_LOST_TIMEOUT, 0 }, false, RPCRDMA_NL_LOST_TIMEOUT },
		{ { 0, 0 }, true, RPCRDMA_NL_LOST_OTHER },
		{ { 0, 0 }, true, RPCRDMA_NL_LOST_OTHER, -ENETDOWN },
		{ { RPCRDMA_NL_LOST_WORK, RPCRDMA_NL_LOST_PEER }, true, RPCRDMA_NL_LOST_WORK },
	};
	u32 j;

	for_each_case(c, cases) {
		transport(test);
		connects(test);
		if (c->failed)
			xprt_rdma_conn_lost(r_xprt->conn);
		for (j = 0; j < 2 && c->causes[j]; j++)
			xprt_rdma_life_blame(&r_xprt->conn->life,
					     rpcrdma_cause(c->causes[j], 0, 0));
		world.happens.port_down = c->status;
		xprt_rdma_disconnect(r_xprt);
		KUNIT_EXPECT_EQ(test, rpcrdma_cause_reason(world.cause), c->want);
		KUNIT_EXPECT_EQ(test, rpcrdma_cause_status(world.cause), c->status);
		KUNIT_EXPECT_EQ(test, world.noted, 1);
	}
}

/* A failed Work Request explains the end of a connection; a flushed one does not. */
static void failure_explained(struct kunit *test)
{
	static const struct { enum ib_wc_status status; u32 want; } cases[] = {
		{ IB_WC_RETRY_EXC_ERR, RPCRDMA_NL_LOST_VANISHED },
		{ IB_WC_REM_ACCESS_ERR, RPCRDMA_NL_LOST_WORK },
		{ IB_WC_WR_FLUSH_ERR, RPCRDMA_NL_LOST_NONE },
		/* A message that arrived too early */
		{ IB_WC_SUCCESS, RPCRDMA_NL_LOST_NONE },
	};
	struct ib_wc wc = {};
	u32 cause;

	for_each_case(c, cases) {
		transport(test);
		connects(test);
		wc.status = c->status;
		xprt_rdma_conn_failed(r_xprt->conn, "send", &wc);
		cause = r_xprt->conn->life.cause;
		KUNIT_EXPECT_EQ(test, rpcrdma_cause_reason(cause), c->want);
		KUNIT_EXPECT_EQ(test, rpcrdma_cause_status(cause),
				rpcrdma_cause_reason(cause) ? wc.status : 0);
		KUNIT_EXPECT_EQ(test, r_xprt->conn->life.state, XPRT_RDMA_FAILED);
		xprt_rdma_disconnect(r_xprt);
	}
}

static struct kunit_case xprt_connect_attempt_cases[] = {
	KUNIT_CASE_PARAM(attempt_completes_or_undone, attempt_case_gen_params),
	KUNIT_CASE(unanswered_conf_left_out_once),
	KUNIT_CASE(request_has_our_limits),
	KUNIT_CASE(connection_starts_afresh),
	KUNIT_CASE(no_memory_reported),
	KUNIT_CASE(invalidations_end_first),
	KUNIT_CASE(no_cm_message_with_port_down),
	KUNIT_CASE(end_explained),
	KUNIT_CASE(failure_explained),
	{}
};

SUITE("xprt_rdma_connect_attempt", xprt_connect_attempt_cases, .init = transport);
