// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the last ends of connections are kept for each network namespace, a
 * bounded number of them, in order, with totals. Otherwise an operator would not
 * learn why clients were lost, or a hostile client could use up memory or hide
 * what others did.
 */
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "suite.h"
#include "svc_fakes.h"
#include "../svcrdma/ended.h"
#include "fake_memory.h"

/* Namespaces: looked into by fake_generic() only */
#define NET(n)	((struct net *)(uintptr_t)((n) + 1))

static struct svc_rdma_ended fake_nets[2];
static bool fake_registered;
static u32 fake_freed;

static struct svc_rdma_ended *fake_generic(const struct net *net)
{
	return &fake_nets[(uintptr_t)net - 1];
}

static int fake_register(struct pernet_operations *ops)
{
	fake_registered = ops->size == sizeof(fake_nets[0]) && ops->init &&
			  ops->exit;
	return 0;
}

static void fake_free(const void *p)
{
	fake_freed += !!p;
	kfree(p);
}

#define net_generic(net, id)		((void)(id), fake_generic(net))
#define register_pernet_subsys(ops)	fake_register(ops)
#define unregister_pernet_subsys(ops)	((void)(ops), fake_registered = false)
#undef kmemdup
#define kmemdup(what, size, gfp) \
	(fake_memory_left ? kmemdup_noprof(what, size, gfp) : NULL)
#define kfree				fake_free

#undef __net_init
#define __net_init
#undef __net_exit
#define __net_exit
#include "../svcrdma/control/ended.c"

static const struct svc_rdma_version fake_v2 = { .number = RPCRDMA_VERSION_2 };

static int ended_init(struct kunit *test)
{
	fake_memory_left = -1;
	fake_freed = 0;
	memset(fake_nets, 0, sizeof(fake_nets));
	return svc_rdma_net_init(NET(0)) ?: svc_rdma_net_init(NET(1));
}

static void ended_exit(struct kunit *test)
{
	svc_rdma_net_exit(NET(0));
	svc_rdma_net_exit(NET(1));
}

/* A connection of the client 192.0.2.@host in namespace @n, with number @id */
static struct svc_rdma_conn *client(struct kunit *test, u32 n, u32 host, u32 id)
{
	struct svc_rdma_conn *conn = fake_conn(test);
	struct sockaddr_in *sin;

	conn->cm_id = fake_zalloc(test, sizeof(*conn->cm_id));
	conn->cm_id->device = conn->dev;
	conn->cm_id->route.addr.dev_addr.net = NET(n);
	sin = (struct sockaddr_in *)&conn->cm_id->route.addr.dst_addr;
	sin->sin_family = AF_INET;
	sin->sin_addr.s_addr = htonl(0xc0000200 + host);
	conn->ver = &fake_v2;
	conn->life.id = id;
	conn->life.since = ktime_get_seconds() - 60;
	conn->traffic.messages = 10 * id;
	strscpy(conn->dev->name, "rxe0");
	return conn;
}

static void ends(struct kunit *test, u32 n, u32 host, u32 id, u32 cause)
{
	struct svc_rdma_conn *conn = client(test, n, host, id);

	svc_rdma_conn_blame(conn, cause);
	svc_rdma_ended_conn(conn);
}

/* What svc_rdma_ended_next() has found */
struct seen {
	u32 n;	/* how many */
	struct svc_rdma_end end;	/* the last of them */
	u32 disorder;	/* how many had a number not above that before */
	u32 first;	/* client of the first one */
};

static struct seen look(u32 n)
{
	struct svc_rdma_end end;
	struct seen seen = { };

	while (svc_rdma_ended_next(NET(n), seen.end.number, &end)) {
		if (!seen.n++)
			seen.first = ntohl(end.peer.sin.sin_addr.s_addr) & 0xff;
		seen.disorder += end.number <= seen.end.number;
		seen.end = end;
	}
	return seen;
}

/* Who it was, why, and what it has done */
static void noted(struct kunit *test)
{
	u32 cause = svc_rdma_cause(RPCRDMA_NL_LOST_WORK, RPCRDMA_NL_DETAIL_SEND,
				   IB_WC_RETRY_EXC_ERR);
	struct seen seen;

	ends(test, 0, 7, 5, cause);
	seen = look(0);
	KUNIT_ASSERT_EQ(test, seen.n, 1);
	KUNIT_EXPECT_EQ(test, seen.first, 7);
	KUNIT_EXPECT_EQ(test, seen.end.cause, cause);
	KUNIT_EXPECT_EQ(test, seen.end.id, 5);
	KUNIT_EXPECT_EQ(test, seen.end.version, 2);
	KUNIT_EXPECT_EQ(test, seen.end.calls, 50);
	KUNIT_EXPECT_EQ(test, seen.end.times, 1);
	KUNIT_EXPECT_GE(test, seen.end.lasted, 60);
	KUNIT_EXPECT_LE(test, ktime_get_seconds() - seen.end.at, 5);
	KUNIT_EXPECT_STREQ(test, seen.end.device, "rxe0");
}

/* Reason, detail and status do not disturb each other. */
static void causes_packed(struct kunit *test)
{
	u32 cause = svc_rdma_cause(RPCRDMA_NL_LOST_REFUSED,
				   RPCRDMA_NL_DETAIL_RESOURCES, -ENOMEM);

	KUNIT_EXPECT_EQ(test, svc_rdma_cause_reason(cause),
			RPCRDMA_NL_LOST_REFUSED);
	KUNIT_EXPECT_EQ(test, svc_rdma_cause_detail(cause),
			RPCRDMA_NL_DETAIL_RESOURCES);
	KUNIT_EXPECT_EQ(test, svc_rdma_cause_status(cause), -ENOMEM);
}

/* The end of a connection is noted once, and not before its cause is known. */
static void noted_once(struct kunit *test)
{
	struct svc_rdma_conn *conn = client(test, 0, 7, 5);

	svc_rdma_ended_conn(conn);
	KUNIT_EXPECT_EQ(test, look(0).n, 0);
	svc_rdma_conn_blame(conn, SVC_RDMA_CAUSE(PEER, NONE));
	svc_rdma_ended_conn(conn);
	svc_rdma_ended_conn(conn);
	KUNIT_EXPECT_EQ(test, look(0).end.times, 1);
	KUNIT_EXPECT_EQ(test, svc_rdma_ended_total(NET(0), RPCRDMA_NL_LOST_PEER),
			1);
}

/* The oldest make room; totals count them all the same. */
static void bounded(struct kunit *test)
{
	struct seen seen;
	u32 i;

	for (i = 0; i < SVC_RDMA_ENDS + 10; i++)
		ends(test, 0, i, i + 1, SVC_RDMA_CAUSE(PEER, NONE));
	seen = look(0);
	KUNIT_EXPECT_EQ(test, seen.n, SVC_RDMA_ENDS);
	KUNIT_EXPECT_EQ(test, seen.disorder, 0);
	KUNIT_EXPECT_EQ(test, seen.first, 10);
	KUNIT_EXPECT_EQ(test, seen.end.id, SVC_RDMA_ENDS + 10);
	KUNIT_EXPECT_EQ(test, seen.end.number, SVC_RDMA_ENDS + 10);
	KUNIT_EXPECT_EQ(test, seen.end.times, 1);
	KUNIT_EXPECT_EQ(test, svc_rdma_ended_total(NET(0), RPCRDMA_NL_LOST_PEER),
			SVC_RDMA_ENDS + 10);
	KUNIT_EXPECT_EQ(test, svc_rdma_ended_total(NET(0), RPCRDMA_NL_LOST_WORK),
			0);
}

/* One client that comes back again and again hides no other. */
static void repeated(struct kunit *test)
{
	struct seen seen;
	u32 i;

	ends(test, 0, 1, 1, SVC_RDMA_CAUSE(PEER, NONE));
	for (i = 0; i < 3 * SVC_RDMA_ENDS; i++)
		ends(test, 0, 2, 2 + i, SVC_RDMA_CAUSE(PROTOCOL, SHORT));
	seen = look(0);
	KUNIT_EXPECT_EQ(test, seen.n, 2);
	KUNIT_EXPECT_EQ(test, seen.first, 1);
	KUNIT_EXPECT_EQ(test, seen.end.times, 3 * SVC_RDMA_ENDS);
	/* The others are those of the last time. */
	KUNIT_EXPECT_EQ(test, seen.end.id, 1 + 3 * SVC_RDMA_ENDS);
	/* Another cause, and the first client again, which is the last now */
	ends(test, 0, 2, 900, SVC_RDMA_CAUSE(PROTOCOL, INVALIDATION));
	ends(test, 0, 1, 901, SVC_RDMA_CAUSE(PEER, NONE));
	seen = look(0);
	KUNIT_EXPECT_EQ(test, seen.n, 3);
	KUNIT_EXPECT_EQ(test, seen.disorder, 0);
	KUNIT_EXPECT_EQ(test, seen.first, 2);
	KUNIT_EXPECT_EQ(test, seen.end.id, 901);
	KUNIT_EXPECT_EQ(test, seen.end.times, 2);
}

/* Nobody sees the clients of another namespace. */
static void namespaces_separate(struct kunit *test)
{
	ends(test, 0, 1, 1, SVC_RDMA_CAUSE(PEER, NONE));
	ends(test, 1, 2, 2, SVC_RDMA_CAUSE(DEVICE, NONE));
	KUNIT_EXPECT_EQ(test, look(0).n, 1);
	KUNIT_EXPECT_EQ(test, look(0).first, 1);
	KUNIT_EXPECT_EQ(test, look(1).n, 1);
	KUNIT_EXPECT_EQ(test, look(1).first, 2);
	KUNIT_EXPECT_EQ(test,
			svc_rdma_ended_total(NET(0), RPCRDMA_NL_LOST_DEVICE),
			0);
	KUNIT_EXPECT_EQ(test,
			svc_rdma_ended_total(NET(1), RPCRDMA_NL_LOST_DEVICE),
			1);
}

/* A connect request that was refused, on a device of the namespace */
static void refused(struct kunit *test)
{
	struct rdma_cm_id id = { };
	struct sockaddr_in6 *sin6 =
		(struct sockaddr_in6 *)&id.route.addr.dst_addr;
	struct seen seen;

	id.device = fake_zalloc(test, sizeof(*id.device));
	strscpy(id.device->name, "siw3");
	id.route.addr.dev_addr.net = NET(1);
	sin6->sin6_family = AF_INET6;
	sin6->sin6_addr.s6_addr[15] = 9;
	sin6->sin6_port = htons(700);
	svc_rdma_ended_refused(&id, SVC_RDMA_CAUSE(REFUSED, BACKLOG));
	/* Ports differ, and mean nothing. */
	sin6->sin6_port = htons(701);
	svc_rdma_ended_refused(&id, SVC_RDMA_CAUSE(REFUSED, BACKLOG));
	seen = look(1);
	KUNIT_EXPECT_EQ(test, seen.n, 1);
	KUNIT_EXPECT_EQ(test, seen.end.times, 2);
	KUNIT_EXPECT_EQ(test, seen.end.id, 0);
	KUNIT_EXPECT_EQ(test, seen.end.peer.sin6.sin6_addr.s6_addr[15], 9);
	KUNIT_EXPECT_EQ(test, ntohs(seen.end.peer.sin6.sin6_port), 0);
	KUNIT_EXPECT_STREQ(test, seen.end.device, "siw3");
	KUNIT_EXPECT_EQ(test, look(0).n, 0);
}

/* Without memory, only that end is lost; a namespace frees what it has. */
static void no_memory(struct kunit *test)
{
	ends(test, 0, 1, 1, SVC_RDMA_CAUSE(PEER, NONE));
	fake_memory_left = 0;
	ends(test, 0, 2, 2, SVC_RDMA_CAUSE(PEER, NONE));
	fake_memory_left = -1;
	ends(test, 0, 3, 3, SVC_RDMA_CAUSE(PEER, NONE));
	KUNIT_EXPECT_EQ(test, look(0).n, 2);
	svc_rdma_net_exit(NET(0));
	KUNIT_EXPECT_EQ(test, fake_freed, 2);
	svc_rdma_net_init(NET(0));
}

static void registered(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, svc_rdma_ended_init(), 0);
	KUNIT_EXPECT_TRUE(test, fake_registered);
	svc_rdma_ended_exit();
	KUNIT_EXPECT_FALSE(test, fake_registered);
}

static struct kunit_case svc_ended_cases[] = {
	KUNIT_CASE(noted),
	KUNIT_CASE(causes_packed),
	KUNIT_CASE(noted_once),
	KUNIT_CASE(bounded),
	KUNIT_CASE(repeated),
	KUNIT_CASE(namespaces_separate),
	KUNIT_CASE(refused),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(registered),
	{}
};

SUITE("svc_rdma_ended", svc_ended_cases, .init = ended_init, .exit = ended_exit);
