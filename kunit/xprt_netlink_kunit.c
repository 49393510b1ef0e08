// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a dump shows a transport only in its network namespace, and each
 * attribute has the number and value that programs rely on. For any order of
 * XIDs, the dump finds the oldest call without a reply, and shows what that call
 * waits for. If this failed, operators would see wrong numbers or transports of
 * other containers, or look for a fault in the wrong place.
 */
#include "xprt_fakes.h"
#include "netlink_message.h"
#include "fake_balance.h"

#include "../xprtrdma/control/oldest.c"

/* Fixed, because a time shortly after boot could be 0, which means never. */
#define ktime_get_seconds()		1000

#include "../xprtrdma/control/netlink.c"

/* Created anew for each case */
static struct xprt_rdma *r_xprt;
/* Attributes of the last dump */
static struct nlattr *attrs[RPCRDMA_NL_ATTRS];

static int transport(struct kunit *test)
{
	struct sockaddr_in *sin;

	r_xprt = fake_verbs_conn(test)->r_xprt;
	sin = (struct sockaddr_in *)&r_xprt->xprt.addr;
	r_xprt->xprt.xprt_net = FAKE_NET;
	r_xprt->shown.number = 3;
	sin->sin_family = AF_INET;
	sin->sin_addr.s_addr = htonl(0xc0000201);
	sin->sin_port = htons(20049);
	r_xprt->conn->device->dev.init_name = "rxe0";
	r_xprt->conn->life.state = XPRT_RDMA_CONNECTED;
	r_xprt->conn->life.since = ktime_get_seconds() - 3;
	return 0;
}

/* Add a call whose task began @age seconds ago to sunrpc's receive queue. */
static struct xprt_rdma_req *call(struct kunit *test, u32 xid, u32 age)
{
	struct rb_node **p = &r_xprt->xprt.recv_queue.rb_node, *parent = NULL;
	struct xprt_rdma_req *req = fake_req(test);

	req->r_xprt = r_xprt;
	req->rqst.rq_xid = cpu_to_be32(xid);
	req->rqst.rq_task->tk_start = ktime_sub(ktime_get(), ms_to_ktime(1000 * age));
	while (*p) {
		parent = *p;
		p = xid < be32_to_cpu(rb_entry(parent, struct rpc_rqst, rq_recv)->rq_xid) ?
			    &parent->rb_left : &parent->rb_right;
	}
	rb_link_node(&req->rqst.rq_recv, parent, p);
	rb_insert_color(&req->rqst.rq_recv, &r_xprt->xprt.recv_queue);
	return req;
}

static void dumped(struct kunit *test)
{
	fake_put(test, xprt_rdma_netlink_put, &r_xprt->shown, attrs);
}

/* A dump shows the peer and the connection's limits. */
static void connection_shown(struct kunit *test)
{
	struct xprt_rdma_conn *conn = r_xprt->conn;

	conn->credits.max = 101;
	conn->credits.granted = 102;
	r_xprt->xprt.cong = 103 << RPC_CWNDSHIFT;
	conn->sizes.inline_send = 104;
	conn->sizes.inline_recv = 105;
	conn->peer.ord = 106;
	conn->peer.ird = 107;
	conn->sq.size = 108;
	atomic_set(&conn->sq.avail, -3);
	conn->recvs.bytes = 109;
	conn->mrs.count = 106;
	conn->mrs.busy = 107;
	conn->mrs.depth = 109;
	conn->peer.traffic_class = 110;
	conn->peer.path = (struct rpcrdma_path){ 1, 2, 3, 4 };

	dumped(test);

	expect_number(test, attrs, RPCRDMA_NL_SIDE, RPCRDMA_NL_SIDE_CLIENT);
	expect_number(test, attrs, RPCRDMA_NL_ID, 3);
	expect_number(test, attrs, RPCRDMA_NL_STATE, RPCRDMA_NL_STATE_CONNECTED);
	KUNIT_EXPECT_EQ(test, 0, nla_strcmp(attrs[RPCRDMA_NL_DEVICE], "rxe0"));
	expect_numbers(test, attrs, RPCRDMA_NL_CREDITS_MAX, RPCRDMA_NL_INLINE_RECV, 101);
	expect_numbers(test, attrs, RPCRDMA_NL_READS_MAX, RPCRDMA_NL_SQ_SIZE, 106);
	expect_number(test, attrs, RPCRDMA_NL_SQ_FREE, -3);
	expect_number(test, attrs, RPCRDMA_NL_TRAFFIC_CLASS, 110);
	expect_number(test, attrs, RPCRDMA_NL_AGE, 3);
	expect_numbers(test, attrs, RPCRDMA_NL_REG_COUNT, RPCRDMA_NL_REG_PAGES, 106);
	expect_numbers(test, attrs, RPCRDMA_NL_PATH_MTU, RPCRDMA_NL_PATH_RNR_RETRIES, 1);
	expect_number(test, attrs, RPCRDMA_NL_MEM_RECEIVES, 109);
	KUNIT_ASSERT_EQ(test, nla_len(attrs[RPCRDMA_NL_PEER]), sizeof(struct sockaddr_in));
	KUNIT_EXPECT_EQ(test, 0, nla_memcmp(attrs[RPCRDMA_NL_PEER], &r_xprt->xprt.addr,
					    sizeof(struct sockaddr_in)));
	/* Version 1 has no properties. */
	KUNIT_EXPECT_NULL(test, attrs[RPCRDMA_NL_OWN_PROPS]);
}

/* A link-local address is shown with its interface. */
static void scope_shown(struct kunit *test)
{
	struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)&r_xprt->xprt.addr;

	*sin6 = (struct sockaddr_in6){
		.sin6_family = AF_INET6,
		.sin6_addr.s6_addr = { 0xfe, 0x80 },
		.sin6_scope_id = 5,
	};
	dumped(test);
	KUNIT_ASSERT_EQ(test, nla_len(attrs[RPCRDMA_NL_PEER]), sizeof(*sin6));
	KUNIT_EXPECT_EQ(test, 0, nla_memcmp(attrs[RPCRDMA_NL_PEER], sin6, sizeof(*sin6)));
}

/* With version 2, a dump shows the properties that each side announced. */
static void properties_shown(struct kunit *test)
{
	struct nlattr *nest[RPCRDMA_NL_PROPS];

	fake_set_version(r_xprt->conn, RPCRDMA_VERSION_2);
	r_xprt->conn->properties.own.recv_size = 5120;
	r_xprt->conn->properties.own.htypes = 8;
	r_xprt->conn->peer.props = (struct rpcrdma_props){
		.recv_size	= 9216,
		.reverse	= 2,
		.remote_inv	= true,
		.read_replies	= true,
		.htypes		= 0x38,
	};
	dumped(test);
	expect_number(test, attrs, RPCRDMA_NL_RPCRDMA_VERSION, 2);
	fake_nest(test, attrs[RPCRDMA_NL_OWN_PROPS], nest, RPCRDMA_NL_PROPS);
	expect_number(test, nest, RPCRDMA_NL_PROP_RECV_SIZE, 5120);
	expect_number(test, nest, RPCRDMA_NL_PROP_HTYPES, 8);
	fake_nest(test, attrs[RPCRDMA_NL_PEER_PROPS], nest, RPCRDMA_NL_PROPS);
	expect_number(test, nest, RPCRDMA_NL_PROP_RECV_SIZE, 9216);
	expect_number(test, nest, RPCRDMA_NL_PROP_REVERSE, 2);
	expect_number(test, nest, RPCRDMA_NL_PROP_REMOTE_INV, 1);
	expect_number(test, nest, RPCRDMA_NL_PROP_READ_REPLIES, 1);
	expect_number(test, nest, RPCRDMA_NL_PROP_HTYPES, 0x38);
}

/* A dump shows each counter. Only servers count the bytes of calls. */
static void counters_shown(struct kunit *test)
{
	r_xprt->xprt.stat.sends = 1001;
	r_xprt->stats = (struct xprt_rdma_stats){
		.read_call_count	= 1002,
		.nomsg_call_count	= 1003,
		.write_call_count	= 1004,
		.reply_call_count	= 1005,
		.read_reply_count	= 1006,
		.total_rdma_reply	= 1007,
		.failed_marshal_count	= 1008,
	};
	dumped(test);
	expect_numbers(test, attrs, RPCRDMA_NL_COUNT_CALLS, RPCRDMA_NL_COUNT_READ_REPLIES, 1001);
	KUNIT_EXPECT_NULL(test, attrs[RPCRDMA_NL_COUNT_CALL_BYTES]);
	expect_numbers(test, attrs, RPCRDMA_NL_COUNT_REPLY_BYTES, RPCRDMA_NL_COUNT_ERRORS, 1007);
}

/* Without a connection, a dump still shows why the last one ended. */
static void history_shown(struct kunit *test)
{
	r_xprt->conn = NULL;
	r_xprt->xprt.stat.connect_count = 4;
	r_xprt->stats.lost_count = 3;
	r_xprt->history.failures = 2;
	r_xprt->history.error = -ECONNREFUSED;
	dumped(test);
	expect_number(test, attrs, RPCRDMA_NL_STATE, RPCRDMA_NL_STATE_NONE);
	expect_number(test, attrs, RPCRDMA_NL_HISTORY_CONNECTS, 4);
	expect_number(test, attrs, RPCRDMA_NL_HISTORY_FAILURES, 2);
	expect_number(test, attrs, RPCRDMA_NL_HISTORY_LOST, 3);
	expect_number(test, attrs, RPCRDMA_NL_HISTORY_ERROR, -ECONNREFUSED);
	expect_number(test, attrs, RPCRDMA_NL_HISTORY_REASON, RPCRDMA_NL_LOST_NONE);
	KUNIT_EXPECT_NULL(test, attrs[RPCRDMA_NL_HISTORY_SINCE]);
	KUNIT_EXPECT_NULL(test, attrs[RPCRDMA_NL_HISTORY_DOWN]);
	expect_number(test, attrs, RPCRDMA_NL_HISTORY_TRIES, 0);

	r_xprt->history.reason = RPCRDMA_NL_LOST_PEER;
	r_xprt->history.ended = ktime_get_seconds() - 9;
	dumped(test);
	expect_number(test, attrs, RPCRDMA_NL_HISTORY_REASON, RPCRDMA_NL_LOST_PEER);
	expect_number(test, attrs, RPCRDMA_NL_HISTORY_SINCE, 9);
}

/* A transport is shown as down only while it connects or a call waits. */
static void down_if_wanted(struct kunit *test)
{
	enum { NOT_WANTED, CONNECTING, CALL_WAITS };
	u32 i;

	r_xprt->conn = NULL;
	r_xprt->history.down = ktime_get_seconds() - 8;
	r_xprt->history.tries = 6;
	for (i = NOT_WANTED; i <= CALL_WAITS; i++) {
		assign_bit(XPRT_CONNECTING, &r_xprt->xprt.state, i == CONNECTING);
		if (i == CALL_WAITS)
			call(test, 1, 1);
		dumped(test);
		if (i)
			expect_number(test, attrs, RPCRDMA_NL_HISTORY_DOWN, 8);
		else
			KUNIT_EXPECT_NULL(test, attrs[RPCRDMA_NL_HISTORY_DOWN]);
		expect_number(test, attrs, RPCRDMA_NL_HISTORY_TRIES, i ? 6 : 0);
	}
}

/* A dump shows the oldest call's age and what the call waits for. */
static void oldest_found(struct kunit *test)
{
	u64 age;
	u32 i;

	xprt_set_connected(&r_xprt->xprt);
	dumped(test);
	KUNIT_EXPECT_NULL(test, attrs[RPCRDMA_NL_CALL_AGE]);
	KUNIT_EXPECT_NULL(test, attrs[RPCRDMA_NL_CALL_STAGE]);
	for (i = 0; i < 9; i++)
		call(test, i, 10 * (5 * i % 9))->unanswered = i != 7;
	dumped(test);
	age = fake_number(test, attrs[RPCRDMA_NL_CALL_AGE]);
	KUNIT_EXPECT_GE(test, age, 80);
	KUNIT_EXPECT_LE(test, age, 85);
	expect_number(test, attrs, RPCRDMA_NL_CALL_STAGE, RPCRDMA_NL_STAGE_MEMORY);
}

/* The stage of a call follows from the state of its transport. */
static void stages(struct kunit *test)
{
	static const struct {
		const char *what;
		bool connected, waits, cong, unanswered, probe, late, replied;
		enum rpcrdma_nl_stage want;
	} cases[] = {
		{ "not connected", .waits = true, .unanswered = true,
		  .want = RPCRDMA_NL_STAGE_CONNECTION },
		{ "no credit", .connected = true, .waits = true, .want = RPCRDMA_NL_STAGE_CREDIT },
		{ "another call has no credit", .connected = true, .waits = true, .cong = true,
		  .want = RPCRDMA_NL_STAGE_MEMORY },
		{ "not posted", .connected = true, .cong = true, .want = RPCRDMA_NL_STAGE_MEMORY },
		{ "posted", .connected = true, .cong = true, .unanswered = true,
		  .want = RPCRDMA_NL_STAGE_SERVER },
		{ "a probe is on its way", .connected = true, .unanswered = true, .probe = true,
		  .want = RPCRDMA_NL_STAGE_SERVER },
		{ "a probe is late", .connected = true, .unanswered = true, .probe = true,
		  .late = true, .want = RPCRDMA_NL_STAGE_NETWORK },
		{ "a probe was late", .connected = true, .unanswered = true, .late = true,
		  .want = RPCRDMA_NL_STAGE_SERVER },
		{ "its memory is accessible", .connected = true, .replied = true,
		  .want = RPCRDMA_NL_STAGE_NETWORK },
	};
	struct xprt_rdma_recv_ctx recv;
	struct xprt_rdma_req *req;
	u32 age;

	for_each_case(c, cases) {
		transport(test);
		req = call(test, 1, 1);
		if (c->connected)
			xprt_set_connected(&r_xprt->xprt);
		if (c->waits)
			set_bit(XPRT_CWND_WAIT, &r_xprt->xprt.state);
		req->rqst.rq_cong = c->cong;
		req->unanswered = c->unanswered;
		r_xprt->probe.posted = c->probe;
		r_xprt->probe.since = jiffies - (c->late ? 5 * HZ : 0);
		req->recv = c->replied ? &recv : NULL;
		KUNIT_EXPECT_EQ_MSG(test, xprt_rdma_oldest(r_xprt, &age), c->want, "%s", c->what);
	}
}

/* In any state, a dump shows a known version and the reason for it. */
static void states_shown(struct kunit *test)
{
	enum { CONNECTING = RPCRDMA_NL_STATE_CONNECTING,
	       NEGOTIATING = RPCRDMA_NL_STATE_NEGOTIATING,
	       CONNECTED = RPCRDMA_NL_STATE_CONNECTED,
	       CLOSING = RPCRDMA_NL_STATE_CLOSING };
	static const u32 want[] = { CONNECTING, CONNECTING, NEGOTIATING, NEGOTIATING, CONNECTED,
				    CLOSING, CLOSING };
	u32 state, version;

	r_xprt->conn->offer.reason = RPCRDMA_NL_REASON_REFUSED;
	r_xprt->conn->peer.hint = RPCRDMA_HINT_V2_OTHER;
	for (state = 0; state < ARRAY_SIZE(want); state++) {
		version = state >= XPRT_RDMA_CONFIGURING;
		fake_set_version(r_xprt->conn, version);
		r_xprt->conn->life.state = state;
		dumped(test);
		expect_number(test, attrs, RPCRDMA_NL_STATE, want[state]);
		/* There may be no device in other states. */
		KUNIT_EXPECT_EQ(test, !!attrs[RPCRDMA_NL_DEVICE], state == XPRT_RDMA_CONNECTED);
		expect_number(test, attrs, RPCRDMA_NL_RPCRDMA_VERSION, version);
		expect_number(test, attrs, RPCRDMA_NL_VERSION_REASON,
			      version ? RPCRDMA_NL_REASON_REFUSED : RPCRDMA_NL_REASON_NONE);
		expect_number(test, attrs, RPCRDMA_NL_PEER_HINT, RPCRDMA_NL_HINT_V2_OTHER);
	}
}

/* The codec's hints have the documented numbers. */
static_assert(RPCRDMA_HINT_NONE == (int)RPCRDMA_NL_HINT_NONE);
static_assert(RPCRDMA_HINT_V1 == (int)RPCRDMA_NL_HINT_V1);
static_assert(RPCRDMA_HINT_V2 == (int)RPCRDMA_NL_HINT_V2);
static_assert(RPCRDMA_HINT_V2_OTHER == (int)RPCRDMA_NL_HINT_V2_OTHER);

/* Transports of other namespaces are not shown. */
static void namespaces_separate(struct kunit *test)
{
	r_xprt->xprt.xprt_net = FAKE_OTHER_NET;
	KUNIT_EXPECT_EQ(test, xprt_rdma_netlink_put(fake_room(test, 8192), &r_xprt->shown),
			-ENODATA);
}

static struct kunit_case xprt_netlink_cases[] = {
	KUNIT_CASE(connection_shown),
	KUNIT_CASE(scope_shown),
	KUNIT_CASE(properties_shown),
	KUNIT_CASE(counters_shown),
	KUNIT_CASE(history_shown),
	KUNIT_CASE(down_if_wanted),
	KUNIT_CASE(oldest_found),
	KUNIT_CASE(stages),
	KUNIT_CASE(states_shown),
	KUNIT_CASE(namespaces_separate),
	{}
};

SUITE("xprt_rdma_netlink", xprt_netlink_cases, .init = transport, .exit = balance_exit);
