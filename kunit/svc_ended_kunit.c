// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the end of a connection, and a refused connect request, are noted once,
 * with the client, the cause and what the connection has done. Otherwise an
 * operator would not learn why clients were lost.
 */
#include "suite.h"
#include "svc_fakes.h"

#include <rpcrdma/ended.h>

#define FAKE_NET	((struct net *)0x1000)

/* The last end that was noted, and how many were */
static struct rpcrdma_end noted_end;
static u32 notes;

static void fake_note(struct net *net, enum rpcrdma_side side,
		      const struct rpcrdma_end *what)
{
	notes += net == FAKE_NET && side == RPCRDMA_SERVER;
	noted_end = *what;
}

#define rpcrdma_ended_note	fake_note

#include "../svcrdma/control/ended.c"

static const struct svc_rdma_version fake_v2 = { .number = RPCRDMA_VERSION_2 };

/* That of the case, of a client with a number */
static struct svc_rdma_conn *conn;

static int client(struct kunit *test)
{
	struct sockaddr_in *sin;

	notes = 0;
	conn = fake_conn(test);
	conn->cm_id = fake_zalloc(test, sizeof(*conn->cm_id));
	conn->cm_id->device = conn->dev;
	conn->cm_id->route.addr.dev_addr.net = FAKE_NET;
	sin = (struct sockaddr_in *)&conn->cm_id->route.addr.dst_addr;
	sin->sin_family = AF_INET;
	sin->sin_addr.s_addr = htonl(0xc0000207);
	conn->ver = &fake_v2;
	conn->life.shown.number = 5;
	conn->life.since = ktime_get_seconds() - 60;
	conn->traffic.messages = 50;
	strscpy(conn->dev->name, "rxe0");
	return 0;
}

/* Who it was, why, and what it has done */
static void noted(struct kunit *test)
{
	u32 cause = rpcrdma_cause(RPCRDMA_NL_LOST_WORK, RPCRDMA_NL_DETAIL_SEND,
				  IB_WC_RETRY_EXC_ERR);

	svc_rdma_conn_blame(conn, cause);
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

/* The end of a connection is noted once, and not before its cause is known. */
static void noted_once(struct kunit *test)
{
	svc_rdma_ended_conn(conn);
	KUNIT_EXPECT_EQ(test, notes, 0);
	svc_rdma_conn_blame(conn, RPCRDMA_CAUSE(PEER, NONE));
	svc_rdma_ended_conn(conn);
	svc_rdma_ended_conn(conn);
	KUNIT_EXPECT_EQ(test, notes, 1);
}

/* A connect request that was refused, on a device of the namespace */
static void refused(struct kunit *test)
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

static struct kunit_case svc_ended_cases[] = {
	KUNIT_CASE(noted),
	KUNIT_CASE(noted_once),
	KUNIT_CASE(refused),
	{}
};

SUITE("svc_rdma_ended", svc_ended_cases, .init = client);
