// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a dump shows a connection only in its own network namespace, and not
 * while the connection is closing. Each attribute has the value and the number
 * that programs rely on. The end of a connection and a refused connect request
 * are noted once, with the client, the cause and the connection's counters. If
 * this failed, operators would see wrong numbers or other containers' clients,
 * or would not learn why a client was lost.
 */

#include "suite.h"
#include "svc_fakes.h"
#include "netlink_message.h"

#include <rpcrdma/ended.h>

/* The last noted end, and the number of noted ends */
static struct rpcrdma_end noted_end;
static u32 notes;

#define rpcrdma_ended_note(net, end) \
	((void)(notes += (net) == FAKE_NET && (end)->side == RPCRDMA_NL_SIDE_SERVER), \
	 (void)(noted_end = *(end)))

#include "../svcrdma/control/netlink.c"
#include "../svcrdma/control/ended.c"

static const struct svc_rdma_version fake_undecided;
static const struct svc_rdma_version fake_v1 = { .number = RPCRDMA_VERSION_1 };
static const struct svc_rdma_version fake_v2 = { .number = RPCRDMA_VERSION_2 };

/* The connection in the running case, and the attributes of its last dump */
static struct svc_rdma_conn *conn;
static struct nlattr *attrs[RPCRDMA_NL_ATTRS];

static int netlink_init(struct kunit *test)
{
	struct sockaddr_in *sin;

	conn = fake_conn(test);
	sin = (struct sockaddr_in *)&conn->xprt.xpt_remote;
	sin->sin_family = AF_INET;
	sin->sin_addr.s_addr = htonl(0xc0000202);
	sin = (struct sockaddr_in *)&conn->xprt.xpt_local;
	sin->sin_family = AF_INET;
	sin->sin_port = htons(20049);
	strscpy(conn->dev->name, "rxe0");
	atomic_set(&conn->life.state, SVC_RDMA_OPEN);
	conn->cm_id = fake_zalloc(test, sizeof(*conn->cm_id));
	conn->cm_id->device = conn->dev;
	conn->cm_id->route.addr.dev_addr.net = FAKE_NET;
	sin = (struct sockaddr_in *)&conn->cm_id->route.addr.dst_addr;
	sin->sin_family = AF_INET;
	sin->sin_addr.s_addr = htonl(0xc0000207);
	notes = 0;
	conn->ver = &fake_v1;
	conn->life.shown.number = 1;
	return 0;
}

static void dumped(struct kunit *test)
{
	fake_put(test, svc_rdma_netlink_put, &conn->life.shown, attrs);
}

static void not_dumped(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, svc_rdma_netlink_put(fake_room(test, 8192), &conn->life.shown),
			-ENODATA);
}

/* A dump shows each limit under the right attribute. */
static void limits_shown(struct kunit *test)
{
	conn->credits.max = 10;
	conn->credits.grant = 11;
	atomic_set(&conn->xprt.xpt_nr_rqsts, 12);
	conn->peer.longest = 13;
	conn->recvs.size = 14;
	conn->read_queue.ord = 15;
	conn->caps.ird = 16;
	conn->sq.depth = 17;
	conn->sq.avail = 18;
	conn->caps.traffic_class = 19;
	conn->peer.remote_inv = true;
	conn->life.since = ktime_get_seconds() - 2;
	conn->caps.path = (struct rpcrdma_path){ 1, 2, 3, 4 };
	dumped(test);
	expect_number(test, attrs, RPCRDMA_NL_SIDE, RPCRDMA_NL_SIDE_SERVER);
	expect_number(test, attrs, RPCRDMA_NL_ID, 1);
	expect_numbers(test, attrs, RPCRDMA_NL_CREDITS_MAX, RPCRDMA_NL_INLINE_RECV, 10);
	expect_numbers(test, attrs, RPCRDMA_NL_READS_MAX, RPCRDMA_NL_TRAFFIC_CLASS, 15);
	KUNIT_EXPECT_EQ(test, 0, nla_strcmp(attrs[RPCRDMA_NL_DEVICE], "rxe0"));
	expect_number(test, attrs, RPCRDMA_NL_REMOTE_INVALIDATION, 1);
	expect_number(test, attrs, RPCRDMA_NL_READ_REPLIES, 0);
	KUNIT_EXPECT_GE(test, fake_number(test, attrs[RPCRDMA_NL_AGE]), 2);
	expect_numbers(test, attrs, RPCRDMA_NL_PATH_MTU, RPCRDMA_NL_PATH_RNR_RETRIES, 1);
	/* Version 1 has no properties; iWARP has no path. */
	KUNIT_EXPECT_NULL(test, attrs[RPCRDMA_NL_PEER_PROPS]);
	conn->caps.path.mtu = 0;
	dumped(test);
	KUNIT_EXPECT_NULL(test, attrs[RPCRDMA_NL_PATH_MTU]);
}

/* A dump shows both addresses, and the connection's memory in bytes. */
static void memory_shown(struct kunit *test)
{
	conn->recvs.total = 70;
	conn->recvs.size = 5120;
	conn->reads.pages = 2;
	atomic_set(&conn->sends.pages, 3);
	conn->adverts.bytes = 1234;
	conn->stash.count = 4;
	dumped(test);
	KUNIT_EXPECT_EQ(test, 0, nla_memcmp(attrs[RPCRDMA_NL_PEER], &conn->xprt.xpt_remote,
					    sizeof(struct sockaddr_in)));
	KUNIT_EXPECT_EQ(test, nla_len(attrs[RPCRDMA_NL_LOCAL]), sizeof(struct sockaddr_in));
	KUNIT_EXPECT_EQ(test, 0, nla_memcmp(attrs[RPCRDMA_NL_LOCAL], &conn->xprt.xpt_local,
					    sizeof(struct sockaddr_in)));
	expect_number(test, attrs, RPCRDMA_NL_MEM_RECEIVES, 70 * 5120);
	expect_number(test, attrs, RPCRDMA_NL_MEM_CALLS, 2 * PAGE_SIZE);
	expect_number(test, attrs, RPCRDMA_NL_MEM_REPLIES, 3 * PAGE_SIZE);
	expect_number(test, attrs, RPCRDMA_NL_MEM_ADVERTISED, 1234);
	expect_number(test, attrs, RPCRDMA_NL_MEM_KEPT, 4 * PAGE_SIZE);
}

/* A dump shows each counter under the right attribute. */
static void counters_shown(struct kunit *test)
{
	conn->traffic = (struct svc_rdma_traffic){
		.messages	= 501,
		.read_calls	= 502,
		.long_calls	= 503,
		.write_calls	= 504,
		.reply_calls	= 505,
		.read_replies	= 506,
		.call_bytes	= 507,
		.reply_bytes	= 508,
		.errors		= 509,
	};
	dumped(test);
	expect_numbers(test, attrs, RPCRDMA_NL_COUNT_CALLS, RPCRDMA_NL_COUNT_ERRORS, 501);
}

/* In version 2, a dump shows the properties that each side announced. */
static void properties_shown(struct kunit *test)
{
	struct nlattr *nest[RPCRDMA_NL_PROPS];

	conn->ver = &fake_v2;
	conn->peer.props.recv_size = 7168;
	conn->properties.own.recv_size = 6144;
	conn->peer.props.reverse = RPCRDMA2_RVREQSUP_GENL;
	conn->peer.reason = RPCRDMA_NL_REASON_OFFER;
	dumped(test);
	expect_number(test, attrs, RPCRDMA_NL_RPCRDMA_VERSION, 2);
	expect_number(test, attrs, RPCRDMA_NL_VERSION_REASON, RPCRDMA_NL_REASON_OFFER);
	fake_nest(test, attrs[RPCRDMA_NL_OWN_PROPS], nest, RPCRDMA_NL_PROPS);
	expect_number(test, nest, RPCRDMA_NL_PROP_RECV_SIZE, 6144);
	fake_nest(test, attrs[RPCRDMA_NL_PEER_PROPS], nest, RPCRDMA_NL_PROPS);
	expect_number(test, nest, RPCRDMA_NL_PROP_RECV_SIZE, 7168);
	expect_number(test, nest, RPCRDMA_NL_PROP_REVERSE, 2);
}

/* A closing connection is not shown, because it can outlive its namespace. */
static void states_shown(struct kunit *test)
{
	static const struct {
		const struct svc_rdma_version *ver;
		int state;
		enum rpcrdma_nl_state shown;
	} cases[] = {
		{ &fake_v1, SVC_RDMA_OPEN, RPCRDMA_NL_STATE_CONNECTED },
		{ &fake_undecided, SVC_RDMA_OPEN, RPCRDMA_NL_STATE_NEGOTIATING },
		{ &fake_undecided, SVC_RDMA_ACCEPTED, RPCRDMA_NL_STATE_CONNECTING },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		conn->ver = cases[i].ver;
		atomic_set(&conn->life.state, cases[i].state);
		dumped(test);
		expect_number(test, attrs, RPCRDMA_NL_STATE, cases[i].shown);
	}
	/* A dump in one namespace does not show another namespace's clients. */
	conn->cm_id->route.addr.dev_addr.net = FAKE_OTHER_NET;
	not_dumped(test);
	conn->cm_id->route.addr.dev_addr.net = FAKE_NET;
	atomic_set(&conn->life.state, SVC_RDMA_CLOSING);
	not_dumped(test);
}

/* An end is noted once, after its cause is known, with client and counters. */
static void end_noted(struct kunit *test)
{
	u32 cause = rpcrdma_cause(RPCRDMA_NL_LOST_WORK, RPCRDMA_NL_DETAIL_SEND,
				  IB_WC_RETRY_EXC_ERR);

	conn->ver = &fake_v2;
	conn->life.shown.number = 5;
	conn->life.since = ktime_get_seconds() - 60;
	conn->traffic.messages = 50;
	svc_rdma_ended_conn(conn);
	KUNIT_EXPECT_EQ(test, notes, 0);
	svc_rdma_conn_blame(conn, cause);
	svc_rdma_ended_conn(conn);
	svc_rdma_ended_conn(conn);
	KUNIT_ASSERT_EQ(test, notes, 1);
	KUNIT_EXPECT_EQ(test, noted_end.peer.sin.sin_addr.s_addr,
			htonl(0xc0000207));
	KUNIT_EXPECT_EQ(test, noted_end.cause, cause);
	KUNIT_EXPECT_EQ(test, noted_end.id, 5);
	KUNIT_EXPECT_EQ(test, noted_end.version, 2);
	KUNIT_EXPECT_EQ(test, noted_end.calls, 50);
	KUNIT_EXPECT_GE(test, noted_end.lasted, 60);
	KUNIT_EXPECT_STREQ(test, noted_end.device, "rxe0");
}

/* A refused connect request is noted with its cause, client and device. */
static void refusal_noted(struct kunit *test)
{
	struct rdma_cm_id *id = conn->cm_id;
	struct sockaddr_in6 *sin6 =
		(struct sockaddr_in6 *)&id->route.addr.dst_addr;
	u32 cause = RPCRDMA_CAUSE(REFUSED, BACKLOG);

	sin6->sin6_family = AF_INET6;
	sin6->sin6_addr.s6_addr[15] = 9;
	svc_rdma_ended_refused(id, cause);
	KUNIT_EXPECT_EQ(test, notes, 1);
	KUNIT_EXPECT_EQ(test, noted_end.cause, cause);
	KUNIT_EXPECT_EQ(test, noted_end.id, 0);
	KUNIT_EXPECT_EQ(test, noted_end.peer.sin6.sin6_addr.s6_addr[15], 9);
	KUNIT_EXPECT_STREQ(test, noted_end.device, "rxe0");
}

static struct kunit_case svc_netlink_cases[] = {
	KUNIT_CASE(limits_shown),
	KUNIT_CASE(memory_shown),
	KUNIT_CASE(counters_shown),
	KUNIT_CASE(properties_shown),
	KUNIT_CASE(states_shown),
	KUNIT_CASE(end_noted),
	KUNIT_CASE(refusal_noted),
	{}
};

SUITE("svc_rdma_netlink", svc_netlink_cases, .init = netlink_init);
