// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: attempts to connect, step by step: what is asked of whom, how long each
 * step may take, what the tasks that wait are told, and what is undone.
 */
#include <linux/module.h>

#include "xprt_connect_fakes.h"

#define MAKE		"id addr route endpoint connect"
#define WATCH		" stall probe"
#define BEGIN_END	"stall probe"
#define END		" qp reads sends controls destroy unmap credits free"
#define END_QP		" drain flush flush"

/* A transport that has no connection, and may have one at once */
static struct xprt_rdma *transport(struct kunit *test)
{
	struct xprt_rdma *r_xprt = fake_r_xprt(test);

	kfree(world.conn);
	memset(&world, 0, sizeof(world));
	world.now = INITIAL_JIFFIES;
	fake_memory_left = -1;
	fake_device.attrs.max_qp_rd_atom = 16;
	fake_device.attrs.max_qp_init_rd_atom = 300;
	r_xprt->conn = NULL;
	r_xprt->xprt.address_strings[RPC_DISPLAY_ADDR] = "192.0.2.1";
	r_xprt->xprt.max_reconnect_timeout = 300 * HZ;
	kref_init(&r_xprt->xprt.kref);
	r_xprt->connect_due = world.now;
	fake_transport = r_xprt;
	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_connect_init());
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, conn_release,
							   NULL));
	return r_xprt;
}

static void attempt(struct xprt_rdma *r_xprt)
{
	set_bit(XPRT_CONNECTING, &r_xprt->xprt.state);
	xprt_rdma_connect_work(&r_xprt->connect_work.work);
}

/**
 * struct attempt_case - an attempt, and what comes of it
 * @name: what is special about it
 * @offer: version 2 is offered
 * @fails: the step that fails
 * @error: what it returns
 * @silent: the step that is not answered
 * @event: what comes instead
 * @after: jiffies; so much later; 0: nothing comes
 * @status: of that event
 * @leaves: jiffies after which nobody wants the transport any more
 * @port_down: the port is not active
 * @lost_early: the device goes before the connect request
 * @made: steps that are asked for
 * @ended: steps of the end of what was made; NULL: connected
 * @told: what the tasks that wait are told
 * @takes: jiffies
 * @remembered: the server is remembered as one without version 2
 */
struct attempt_case {
	const char *name;
	bool offer;
	const char *fails;
	int error;
	const char *silent;
	enum rdma_cm_event_type event;
	unsigned long after;
	int status;
	unsigned long leaves;
	bool port_down;
	bool lost_early;
	const char *made;
	const char *ended;
	int told;
	unsigned long takes;
	bool remembered;
};

static const struct attempt_case attempts[] = {
	{ .name = "version 1", .made = MAKE WATCH, .told = -EAGAIN },
	{ .name = "version 2", .offer = true, .made = MAKE " offer" WATCH,
	  .told = -EAGAIN },
	{ .name = "no identifier", .fails = "id", .error = -EPERM, .made = "id",
	  .ended = BEGIN_END END, .told = -ENETUNREACH },
	{ .name = "no memory for an identifier", .fails = "id",
	  .error = -ENOMEM, .made = "id", .ended = BEGIN_END END,
	  .told = -ENOBUFS },
	{ .name = "no address to be resolved", .fails = "addr",
	  .error = -ENODEV, .made = "id addr", .ended = BEGIN_END END,
	  .told = -ENETUNREACH },
	{ .name = "address not resolved", .silent = "addr",
	  .event = RDMA_CM_EVENT_ADDR_ERROR, .status = -ETIMEDOUT, .after = HZ,
	  .made = "id addr", .ended = BEGIN_END END, .told = -EHOSTUNREACH,
	  .takes = HZ },
	{ .name = "address not resolved, no memory", .silent = "addr",
	  .event = RDMA_CM_EVENT_ADDR_ERROR, .status = -ENOMEM, .after = 3,
	  .made = "id addr", .ended = BEGIN_END END, .told = -ENOBUFS,
	  .takes = 3 },
	{ .name = "address resolution does not end", .silent = "addr",
	  .made = "id addr", .ended = BEGIN_END END, .told = -EHOSTUNREACH,
	  .takes = 5 * HZ },
	{ .name = "nobody wants the address any more", .silent = "addr",
	  .leaves = HZ / 2, .made = "id addr", .ended = BEGIN_END END,
	  .told = -ENOTCONN, .takes = 3 * POLL_INTERVAL },
	{ .name = "no route", .fails = "route", .error = -EINVAL,
	  .made = "id addr route", .ended = BEGIN_END END,
	  .told = -ENETUNREACH },
	{ .name = "no memory for a route", .fails = "route", .error = -ENOMEM,
	  .made = "id addr route", .ended = BEGIN_END END, .told = -ENOBUFS },
	{ .name = "the route comes late", .silent = "route",
	  .event = RDMA_CM_EVENT_ROUTE_RESOLVED, .after = HZ + 3,
	  .made = MAKE WATCH, .told = -EAGAIN, .takes = HZ + 3 },
	{ .name = "the port is down", .port_down = true,
	  .made = "id addr route", .ended = BEGIN_END END, .told = -ENETDOWN },
	{ .name = "no Queue Pair", .fails = "endpoint", .error = -ENOMEM,
	  .made = "id addr route endpoint", .ended = BEGIN_END END,
	  .told = -ENOBUFS },
	{ .name = "a device that is too small", .fails = "endpoint",
	  .error = -EOPNOTSUPP, .made = "id addr route endpoint",
	  .ended = BEGIN_END END, .told = -ENETUNREACH },
	{ .name = "the device goes before the connect request",
	  .lost_early = true, .made = "id addr route endpoint",
	  .ended = BEGIN_END " disconnect" END_QP END, .told = -ENOTCONN },
	{ .name = "no connect request", .fails = "connect", .error = -EINVAL,
	  .made = MAKE, .ended = BEGIN_END " disconnect" END_QP END,
	  .told = -ENETUNREACH },
	{ .name = "rejected", .silent = "connect", .after = 7,
	  .event = RDMA_CM_EVENT_REJECTED, .made = MAKE,
	  .status = IB_CM_REJ_INVALID_SERVICE_ID,
	  .ended = BEGIN_END " disconnect" END_QP END, .told = -ECONNREFUSED,
	  .takes = 7 },
	{ .name = "the server does not answer", .silent = "connect",
	  .made = MAKE, .ended = BEGIN_END " disconnect" END_QP END,
	  .told = -EHOSTUNREACH, .takes = 15 * HZ },
	{ .name = "the server answers late", .silent = "connect",
	  .event = RDMA_CM_EVENT_ESTABLISHED, .after = 14 * HZ,
	  .made = MAKE WATCH, .told = -EAGAIN, .takes = 14 * HZ },
	{ .name = "nobody wants the connection any more", .silent = "connect",
	  .leaves = HZ / 2, .made = MAKE,
	  .ended = BEGIN_END " disconnect" END_QP END, .told = -ENOTCONN,
	  .takes = 3 * POLL_INTERVAL },
	/* v2 draft section 7.2 */
	{ .name = "no offer", .offer = true, .fails = "offer",
	  .error = -ENOBUFS, .made = MAKE " offer",
	  .ended = BEGIN_END " disconnect" END_QP END, .told = -ENOBUFS },
	{ .name = "the offer is not answered", .offer = true,
	  .silent = "offer", .made = MAKE " offer " MAKE WATCH,
	  .told = -EAGAIN, .takes = 5 * HZ },
	{ .name = "the connection is lost on the offer", .offer = true,
	  .silent = "offer", .event = RDMA_CM_EVENT_DISCONNECTED, .after = 9,
	  .made = MAKE " offer " MAKE WATCH, .told = -EAGAIN, .takes = 9,
	  .remembered = true },
	{ .name = "the device goes, and the offer was not answered",
	  .offer = true, .silent = "offer", .after = 9,
	  .event = RDMA_CM_EVENT_DEVICE_REMOVAL, .made = MAKE " offer",
	  .ended = BEGIN_END " disconnect" END_QP END, .told = -ENOTCONN,
	  .takes = 9 },
	{ .name = "nobody waits for the answer to the offer any more",
	  .offer = true, .silent = "offer", .leaves = HZ / 2,
	  .made = MAKE " offer", .ended = BEGIN_END " disconnect" END_QP END,
	  .told = -ENOTCONN, .takes = 3 * POLL_INTERVAL },
	{ .name = "unreachable, and the offer was not answered",
	  .offer = true, .silent = "offer", .after = 9,
	  .event = RDMA_CM_EVENT_UNREACHABLE, .status = -ETIMEDOUT,
	  .made = MAKE " offer " MAKE WATCH, .told = -EAGAIN, .takes = 9 },
};

KUNIT_ARRAY_PARAM_DESC(attempt_case, attempts, name);

static void one_attempt(struct kunit *test)
{
	const struct attempt_case *c = test->param_value;
	struct xprt_rdma *r_xprt = transport(test);
	struct rpc_xprt *xprt = &r_xprt->xprt;

	/* Arrange */
	world.offer = c->offer;
	world.fails = c->fails;
	world.error = c->error;
	world.silent = c->silent;
	world.event = c->event;
	world.after = c->after;
	world.status = c->status;
	world.leaves = c->leaves;
	world.port_down = c->port_down;
	world.lost_early = c->lost_early;

	/* Act */
	attempt(r_xprt);

	/* Assert: the waiting tasks hear of it once */
	KUNIT_EXPECT_STREQ(test, world.made, c->made);
	KUNIT_EXPECT_EQ(test, world.wakes, 1);
	KUNIT_EXPECT_EQ(test, world.told, c->told);
	KUNIT_EXPECT_EQ(test, world.unlocks, 1);
	KUNIT_EXPECT_EQ(test, world.waited, c->takes);
	KUNIT_EXPECT_FALSE(test, test_bit(XPRT_CONNECTING, &xprt->state));
	KUNIT_EXPECT_EQ(test, world.remembered, c->remembered);
	KUNIT_EXPECT_EQ(test, world.disconnects, 0);
	KUNIT_EXPECT_EQ(test, xprt_connected(xprt), !c->ended);
	if (!c->ended) {
		KUNIT_ASSERT_NOT_NULL(test, r_xprt->conn);
		KUNIT_EXPECT_EQ(test, r_xprt->conn->state, XPRT_RDMA_CONNECTED);
		KUNIT_EXPECT_EQ(test, xprt->stat.connect_count, 1);
		xprt_rdma_disconnect(r_xprt);
		return;
	}
	KUNIT_EXPECT_STREQ(test, world.ended, c->ended);
	KUNIT_EXPECT_NULL(test, r_xprt->conn);
	KUNIT_EXPECT_EQ(test, xprt->stat.connect_count, 0);
}

/* A server that overlooks the offer is made to look, until there is an end. */
static void woken(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);

	/* Act and assert: it says nothing */
	world.offer = true;
	world.silent = "offer";
	attempt(r_xprt);
	KUNIT_EXPECT_EQ(test, world.wakeups, 5 * HZ / POLL_INTERVAL);
	xprt_rdma_disconnect(r_xprt);

	/* Act and assert: there is nobody to be made to look */
	r_xprt = transport(test);
	world.offer = true;
	world.silent = "offer";
	world.event = RDMA_CM_EVENT_UNREACHABLE;
	world.after = 1;
	attempt(r_xprt);
	KUNIT_EXPECT_EQ(test, world.wakeups, 0);
	xprt_rdma_disconnect(r_xprt);
}

/* RFC 8797, RFC 5666 section 6.2: what the connect request says of us */
static void connect_request(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);

	/* Arrange: no size that the private data could tell */
	fake_inline_write = 4100;
	fake_inline_read = 8200;

	/* Act */
	attempt(r_xprt);

	/* Assert */
	KUNIT_EXPECT_PTR_EQ(test, world.dst, (const void *)&r_xprt->xprt.addr);
	KUNIT_EXPECT_GT(test, world.resolve_ms, 0);
	KUNIT_EXPECT_EQ(test, world.priv.send_size, 4096);
	KUNIT_EXPECT_EQ(test, world.priv.recv_size, 8192);
	KUNIT_EXPECT_TRUE(test, world.priv.remote_inv);
	KUNIT_EXPECT_EQ(test, world.param.responder_resources, 16);
	KUNIT_EXPECT_EQ(test, world.param.initiator_depth, 255);
	/* A missing Receive is waited for, a missing peer is not: 7 is endless. */
	KUNIT_EXPECT_EQ(test, world.param.rnr_retry_count, 7);
	KUNIT_EXPECT_LT(test, world.param.retry_count, 7);
	KUNIT_EXPECT_TRUE(test, world.rnr);
	KUNIT_EXPECT_EQ(test, r_xprt->conn->recv_size, 8192);
	xprt_rdma_disconnect(r_xprt);
	fake_inline_write = 4096;
	fake_inline_read = 8192;
}

/* Receives are large enough for either version, if one is offered. */
static void receive_sizes(struct kunit *test)
{
	static const struct {
		u32 v1, v2;
		bool offer;
		u32 want;
	} cases[] = {
		{ 4096, 5120, false, 4096 }, { 4096, 5120, true, 5120 },
		{ 8192, 5120, true, 8192 },
	};
	struct xprt_rdma *r_xprt;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		r_xprt = transport(test);
		fake_inline_read = cases[i].v1;
		fake_receive_size = cases[i].v2;
		world.offer = cases[i].offer;
		attempt(r_xprt);
		KUNIT_ASSERT_NOT_NULL(test, r_xprt->conn);
		KUNIT_EXPECT_EQ(test, r_xprt->conn->recv_size, cases[i].want);
		xprt_rdma_disconnect(r_xprt);
	}
	fake_inline_read = 8192;
	fake_receive_size = 5120;
}

/* A connection has nothing of the one before. */
static void connections_differ(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);
	struct xprt_rdma_conn *conn;
	__be32 xid;
	u32 i, serial;

	attempt(r_xprt);
	conn = r_xprt->conn;
	KUNIT_ASSERT_NOT_NULL(test, conn);
	serial = conn->serial;
	xid = conn->negotiate_xid;
	for (i = 0; i < XPRT_RDMA_MR_CLASSES; i++)
		KUNIT_EXPECT_TRUE(test, list_empty(&conn->mrs_free[i]));
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->rws.all));

	/* A new attempt ends it. */
	attempt(r_xprt);
	KUNIT_EXPECT_PTR_EQ(test, world.conn, conn);
	KUNIT_EXPECT_STREQ(test, world.ended,
			   BEGIN_END " disconnect" END_QP END);
	KUNIT_ASSERT_NOT_NULL(test, r_xprt->conn);
	KUNIT_EXPECT_NE(test, r_xprt->conn->serial, serial);
	KUNIT_EXPECT_TRUE(test, r_xprt->conn->negotiate_xid != xid);
	xprt_rdma_disconnect(r_xprt);
}

/* Who waits with the cookie of a connection, or attempt, waits for that one. */
static void cookies_differ(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);
	unsigned int cookies[4];
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(cookies); i++) {
		cookies[i] = r_xprt->xprt.connect_cookie;
		world.fails = i & 1 ? "connect" : NULL;
		world.error = -ECONNREFUSED;
		attempt(r_xprt);
		for (j = 0; j <= i; j++)
			KUNIT_EXPECT_NE(test, r_xprt->xprt.connect_cookie,
					cookies[j]);
	}
	xprt_rdma_disconnect(r_xprt);
}

/* What mountstats shows of the time that connecting took */
static void time_counted(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);

	world.silent = "connect";
	world.event = RDMA_CM_EVENT_ESTABLISHED;
	world.after = 30;
	r_xprt->xprt.stat.connect_start = (long)world.now - 5;
	r_xprt->xprt.stat.connect_time = 100;
	attempt(r_xprt);
	KUNIT_EXPECT_EQ(test, r_xprt->xprt.stat.connect_time, 135);
	xprt_rdma_disconnect(r_xprt);
}

/* Only so many resolve addresses at the same time; no place is lost. */
static void resolutions_bounded(struct kunit *test)
{
	struct xprt_rdma *r_xprt;
	unsigned long before;
	u32 i;

	for (i = 0; i < 2 * RESOLVE_MAX; i++) {
		r_xprt = transport(test);
		world.fails = i & 1 ? "addr" : NULL;
		world.error = -ENODEV;
		attempt(r_xprt);
		KUNIT_EXPECT_EQ(test, world.told,
				i & 1 ? -ENETUNREACH : -EAGAIN);
		xprt_rdma_disconnect(r_xprt);
	}
	for (i = 0; i < RESOLVE_MAX; i++)
		KUNIT_EXPECT_EQ(test, 0, down_trylock(&resolve_slots));
	r_xprt = transport(test);
	before = world.now;
	attempt(r_xprt);
	KUNIT_EXPECT_STREQ(test, world.made, "id");
	KUNIT_EXPECT_EQ(test, world.told, -EAGAIN);
	KUNIT_EXPECT_FALSE(test, xprt_connected(&r_xprt->xprt));
	KUNIT_EXPECT_GE(test, world.now - before, HZ);
	for (i = 0; i < RESOLVE_MAX; i++)
		up(&resolve_slots);
}

static void no_memory(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);

	fake_memory_left = 0;
	attempt(r_xprt);
	KUNIT_EXPECT_EQ(test, world.told, -ENOBUFS);
	KUNIT_EXPECT_STREQ(test, world.made, "");
	KUNIT_EXPECT_FALSE(test, xprt_connected(&r_xprt->xprt));
	fake_memory_left = -1;
}

/* What all transports share comes and goes with the module. */
static void module_wide(struct kunit *test)
{
	transport(test);
	KUNIT_EXPECT_EQ(test, world.queues, 1);
	xprt_rdma_connect_exit();
	KUNIT_EXPECT_EQ(test, world.queues, 0);
	fake_memory_left = 0;
	KUNIT_EXPECT_EQ(test, xprt_rdma_connect_init(), -ENOMEM);
	fake_memory_left = -1;
}

/*
 * No fence begins once a connection is ending, those that have begun end before
 * it is gone, and sunrpc is not asked to close what is being closed.
 */
static void invalidations_end(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);

	/* Arrange */
	attempt(r_xprt);
	KUNIT_ASSERT_NOT_NULL(test, r_xprt->conn);
	r_xprt->conn->inv_waiters = 1;
	world.inv_waiters_leave = world.waited + POLL_INTERVAL + 1;

	/* Act */
	xprt_rdma_disconnect(r_xprt);

	/* Assert: what was not reported is fenced as often as it takes */
	KUNIT_EXPECT_TRUE(test, world.closing);
	KUNIT_EXPECT_EQ(test, world.disconnects, 0);
	KUNIT_EXPECT_STREQ(test, world.ended,
			   BEGIN_END " disconnect" END_QP " flush" END);
	KUNIT_EXPECT_EQ(test, world.waited, 2 * POLL_INTERVAL);
	KUNIT_EXPECT_TRUE(test, world.woken);

	/* There is none any more. */
	world.ended[0] = '\0';
	xprt_rdma_disconnect(r_xprt);
	KUNIT_EXPECT_STREQ(test, world.ended, "");
}

/* With the port down, no CM message is sent. */
static void port_goes_down(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);

	attempt(r_xprt);
	world.port_down = true;
	xprt_rdma_disconnect(r_xprt);
	KUNIT_EXPECT_TRUE(test, world.closing);
	KUNIT_EXPECT_STREQ(test, world.ended, BEGIN_END " error" END_QP END);
}

/* A server that has chosen version 1, and answers nothing, is remembered. */
static void fallback_useless(struct kunit *test)
{
	struct xprt_rdma *r_xprt;
	u32 i;

	for (i = 0; i < 4; i++) {
		r_xprt = transport(test);
		attempt(r_xprt);
		KUNIT_ASSERT_NOT_NULL(test, r_xprt->conn);
		r_xprt->conn->fell_back = i & 1;
		r_xprt->conn->answered = i & 2;
		xprt_rdma_disconnect(r_xprt);
		KUNIT_EXPECT_EQ(test, world.remembered, i == 1);
	}
}

/* An attempt begins when it is due, not before, and not later than that. */
static void due(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);
	struct rpc_task task = { };
	unsigned long begin = world.now;
	u32 i, queued;

	/* Arrange: no multiple of the interval at which it looks */
	r_xprt->backoff = 9 * HZ / 10;
	world.highest = true;
	xprt_rdma_op_connect(&r_xprt->xprt, &task);
	KUNIT_EXPECT_EQ(test, world.queued, 1);
	KUNIT_EXPECT_EQ(test, world.delay, 0);
	KUNIT_EXPECT_FALSE(test, task.tk_flags & RPC_TASK_SOFTCONN);

	/* Act */
	for (i = 0; i < 100 && !world.wakes; i++) {
		queued = world.queued;
		attempt(r_xprt);
		if (world.wakes)
			break;
		KUNIT_EXPECT_EQ(test, world.queued, queued + 1);
		KUNIT_EXPECT_LE(test, world.delay, POLL_INTERVAL);
		KUNIT_EXPECT_GT(test, world.delay, 0);
		world.now += world.delay;
	}

	/* Assert */
	KUNIT_EXPECT_EQ(test, world.now - begin, 9 * HZ / 10);
	KUNIT_EXPECT_STREQ(test, world.made, MAKE WATCH);
	xprt_rdma_disconnect(r_xprt);

	/* Nobody wants it: who destroys the transport does not wait for that. */
	r_xprt = transport(test);
	r_xprt->connect_due = world.now + HZ;
	refcount_set(&r_xprt->xprt.kref.refcount, 0);
	attempt(r_xprt);
	KUNIT_EXPECT_EQ(test, world.queued, 0);
	KUNIT_EXPECT_STREQ(test, world.made, "");
	KUNIT_EXPECT_EQ(test, world.told, -ENOTCONN);
}

/* A call that is worth one attempt is told when that fails. */
static void one_attempt_only(struct kunit *test)
{
	const struct rpc_procinfo proc = {
		.p_statidx = NFSPROC4_CLNT_DESTROY_SESSION,
	};
	struct rpc_clnt clnt = { .cl_prog = NFS_PROGRAM,
				 .cl_vers = NFS4_VERSION };
	struct rpc_task task = { .tk_client = &clnt,
				 .tk_msg.rpc_proc = &proc };
	struct xprt_rdma *r_xprt = transport(test);

	xprt_rdma_op_connect(&r_xprt->xprt, &task);
	KUNIT_EXPECT_TRUE(test, task.tk_flags & RPC_TASK_SOFTCONN);
}

/* At once; then half a second, doubled up to ten, half of it at random. */
static void delays(struct kunit *test)
{
	static const unsigned long want[] = {
		0, HZ / 2, HZ, 2 * HZ, 4 * HZ, 8 * HZ, 10 * HZ, 10 * HZ,
	};
	struct xprt_rdma *r_xprt = transport(test);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		world.highest = true;
		KUNIT_EXPECT_EQ(test, xprt_rdma_connect_next_delay(r_xprt),
				want[i]);
	}
	r_xprt->backoff = 0;
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		world.highest = false;
		KUNIT_EXPECT_EQ(test, xprt_rdma_connect_next_delay(r_xprt),
				want[i] / 2);
	}
}

/* Reads of the name are for people: each state has one of its own. */
static void states_named(struct kunit *test)
{
	u32 i, j;

	for (i = 0; i < XPRT_RDMA_STATES; i++) {
		KUNIT_ASSERT_NOT_NULL(test, xprt_rdma_state_name(i));
		KUNIT_EXPECT_GT(test, strlen(xprt_rdma_state_name(i)), 0);
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_STRNEQ(test, xprt_rdma_state_name(i),
					    xprt_rdma_state_name(j));
	}
}

static struct kunit_case xprt_connect_attempt_cases[] = {
	KUNIT_CASE_PARAM(one_attempt, attempt_case_gen_params),
	KUNIT_CASE(woken),
	KUNIT_CASE(connect_request),
	KUNIT_CASE(receive_sizes),
	KUNIT_CASE(connections_differ),
	KUNIT_CASE(cookies_differ),
	KUNIT_CASE(time_counted),
	KUNIT_CASE(resolutions_bounded),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(invalidations_end),
	KUNIT_CASE(port_goes_down),
	KUNIT_CASE(fallback_useless),
	KUNIT_CASE(module_wide),
	KUNIT_CASE(due),
	KUNIT_CASE(one_attempt_only),
	KUNIT_CASE(delays),
	KUNIT_CASE(states_named),
	{}
};

static struct kunit_suite xprt_connect_attempt_suite = {
	.name = "xprt_rdma_connect_attempt",
	.test_cases = xprt_connect_attempt_cases,
};

kunit_test_suite(xprt_connect_attempt_suite);

MODULE_DESCRIPTION("KUnit suite of xprtrdma's attempts to connect");
MODULE_LICENSE("GPL");
