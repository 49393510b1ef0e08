// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the client distinguishes a connect request that was lost in an outage
 * from one that a busy server has not answered yet. Otherwise, I/O would resume
 * only seconds after an outage, or a busy server would start over repeatedly.
 */
#include <linux/slab.h>
#include <rdma/rdma_cm.h>

#include <rpcrdma/cm.h>

#include "xprt_fakes.h"
#include "fake_memory.h"

/* The network, and the server's CM */
static struct net_world {
	unsigned long now;	/* time in jiffies */
	bool down;		/* addresses are not resolved */
	bool mute;		/* addresses are resolved; requests are not answered */
	int error;		/* result of creating an identifier */
	int ids;		/* number of identifiers that exist */
	u32 asked;		/* number of identifiers created */
	u32 connects;		/* number of connect requests */
	__be16 port;		/* destination port of the last request */
	u32 may_start_io;	/* number of steps whose allocations could start I/O */
} net;

static struct rdma_cm_id fake_id;

static void event(enum rdma_cm_event_type type)
{
	struct rdma_cm_event event = { .event = type };

	fake_id.event_handler(&fake_id, &event);
}

static void note_step(void)
{
	net.may_start_io += !(current->flags & PF_MEMALLOC_NOIO);
}

static struct rdma_cm_id *fake_create_id(rdma_cm_event_handler handler,
					 void *context)
{
	if (net.error)
		return ERR_PTR(net.error);
	net.ids++;
	net.asked++;
	fake_id = (struct rdma_cm_id){ .event_handler = handler,
				       .context = context };
	return &fake_id;
}

static int fake_resolve_addr(struct sockaddr *dst)
{
	net.port = ((struct sockaddr_in *)dst)->sin_port;
	if (!net.down)
		event(RDMA_CM_EVENT_ADDR_RESOLVED);
	return 0;
}

static int fake_resolve_route(void)
{
	note_step();
	event(RDMA_CM_EVENT_ROUTE_RESOLVED);
	return 0;
}

static int fake_connect(void)
{
	note_step();
	net.connects++;
	if (!net.mute)
		event(RDMA_CM_EVENT_REJECTED);
	return 0;
}

#define jiffies		net.now
#undef rdma_create_id
#define rdma_create_id(ns, handler, context, ps, type) \
	((void)(ns), fake_create_id(handler, context))
#define rdma_resolve_addr(id, src, dst, ms)	fake_resolve_addr(dst)
#define rdma_resolve_route(id, ms)	fake_resolve_route()
#define rdma_connect_locked(id, param)	((void)(param), fake_connect())
#define rpcrdma_id_destroy_deferred(deferred, id, gone, done, owner) \
	(net.ids--, done(deferred))

#include "../xprtrdma/control/reach.c"

static struct xprt_rdma *server(struct kunit *test, struct xprt_rdma_reach *reach,
				bool first)
{
	struct xprt_rdma *r_xprt = fake_r_xprt(test);

	net = (struct net_world){ .now = INITIAL_JIFFIES };
	fake_memory_left = -1;
	((struct sockaddr_in *)&r_xprt->xprt.addr)->sin_family = AF_INET;
	((struct sockaddr_in *)&r_xprt->xprt.addr)->sin_port = htons(20049);
	xprt_rdma_reach_begin(reach, r_xprt, first);
	return r_xprt;
}

/* Return the jiffies until the request counts as lost, at most @most. */
static unsigned long waits(struct xprt_rdma_reach *reach, unsigned long most)
{
	unsigned long begin = net.now;

	while (net.now - begin < most && !xprt_rdma_reach_lost(reach))
		net.now++;
	return net.now - begin;
}

static void ends(struct kunit *test, struct xprt_rdma_reach *reach)
{
	xprt_rdma_reach_end(reach);
	KUNIT_EXPECT_EQ(test, net.ids, 0);
	fake_expect_balance(test, reach_reqs);
	KUNIT_EXPECT_EQ(test, net.may_start_io, 0);
}

/*
 * If the server is reachable, the first request of an attempt counts as lost.
 */
static void first_request_sent_again(struct kunit *test)
{
	struct xprt_rdma_reach reach;

	server(test, &reach, true);
	KUNIT_EXPECT_EQ(test, waits(&reach, 10 * HZ), HZ + 1);
	KUNIT_EXPECT_EQ(test, net.connects, 1);
	/* No service can listen on port 0. */
	KUNIT_EXPECT_EQ(test, be16_to_cpu(net.port), 0);
	ends(test, &reach);
}

/*
 * A slow server is checked after 1, 1.5, 2.5, 4.5, 8.5, 16.5 s, then every 8 s.
 */
static void slow_server_has_time(struct kunit *test)
{
	struct xprt_rdma_reach reach;

	server(test, &reach, false);
	KUNIT_EXPECT_EQ(test, waits(&reach, HZ), HZ);
	KUNIT_EXPECT_FALSE(test, xprt_rdma_reach_heard(&reach, HZ));
	KUNIT_EXPECT_EQ(test, waits(&reach, 9 * HZ + HZ / 2), 9 * HZ + HZ / 2);
	KUNIT_EXPECT_TRUE(test, xprt_rdma_reach_heard(&reach, HZ));
	KUNIT_EXPECT_EQ(test, net.asked, 5);
	KUNIT_EXPECT_EQ(test, waits(&reach, 30 * HZ), 30 * HZ);
	KUNIT_EXPECT_EQ(test, net.asked, 8);
	KUNIT_EXPECT_EQ(test, net.ids, 0);
	/* The server becomes unreachable. */
	net.mute = true;
	KUNIT_EXPECT_EQ(test, waits(&reach, 9 * HZ), 9 * HZ);
	KUNIT_EXPECT_EQ(test, net.ids, 1);
	KUNIT_EXPECT_TRUE(test, xprt_rdma_reach_heard(&reach, 9 * HZ + 1));
	KUNIT_EXPECT_FALSE(test, xprt_rdma_reach_heard(&reach, HZ));
	ends(test, &reach);
}

/* After an outage of any length, its end is noticed within half a second. */
static void end_of_outage_noticed(struct kunit *test)
{
	static const unsigned long outages[] = { 2 * HZ, 7 * HZ + 1, 300 * HZ };
	struct xprt_rdma_reach reach;
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(outages); i++) {
		server(test, &reach, false);
		if (i & 1)
			net.down = true;
		else
			net.mute = true;
		KUNIT_EXPECT_EQ(test, waits(&reach, outages[i / 2]),
				outages[i / 2]);
		net.down = false;
		net.mute = false;
		KUNIT_EXPECT_LE(test, waits(&reach, HZ), HZ / 2 + 1);
		ends(test, &reach);
	}

	/*
	 * An outage that begins while the server is slow is noticed at the next
	 * check.
	 */
	server(test, &reach, false);
	waits(&reach, 5 * HZ);
	net.mute = true;
	KUNIT_EXPECT_EQ(test, waits(&reach, 12 * HZ), 12 * HZ);
	net.mute = false;
	KUNIT_EXPECT_LE(test, waits(&reach, HZ), HZ / 2 + 1);
	ends(test, &reach);
}

/* Without memory, no check is made, and no request counts as lost. */
static void no_memory(struct kunit *test)
{
	struct xprt_rdma_reach reach;

	server(test, &reach, true);
	net.error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, waits(&reach, 2 * HZ), 2 * HZ);
	net.error = 0;
	fake_memory_left = 0;
	KUNIT_EXPECT_EQ(test, waits(&reach, 2 * HZ), 2 * HZ);
	KUNIT_EXPECT_EQ(test, net.asked, 0);
	fake_memory_left = -1;
	KUNIT_EXPECT_LE(test, waits(&reach, HZ), HZ / 2 + 1);
	ends(test, &reach);
}

/*
 * Checks are limited in number; a thousand transports would overload a server.
 */
static void number_bounded(struct kunit *test)
{
	static struct xprt_rdma_reach reach[XPRT_RDMA_REACH_REQS + 1];
	struct xprt_rdma *r_xprt;
	u32 i;

	r_xprt = server(test, &reach[0], false);
	net.mute = true;
	for (i = 0; i < ARRAY_SIZE(reach); i++)
		xprt_rdma_reach_begin(&reach[i], r_xprt, false);
	for (i = 0; i < ARRAY_SIZE(reach); i++)
		waits(&reach[i], i ? 1 : HZ + 1);
	KUNIT_EXPECT_EQ(test, net.connects, XPRT_RDMA_REACH_REQS);
	KUNIT_EXPECT_EQ(test, waits(&reach[XPRT_RDMA_REACH_REQS], HZ), HZ);
	KUNIT_EXPECT_EQ(test, net.connects, XPRT_RDMA_REACH_REQS);

	/* Another check can begin when one ends or is answered. */
	xprt_rdma_reach_end(&reach[0]);
	net.mute = false;
	waits(&reach[XPRT_RDMA_REACH_REQS], HZ / 5 + 2);
	KUNIT_EXPECT_EQ(test, net.connects, XPRT_RDMA_REACH_REQS + 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&reach_unanswered), XPRT_RDMA_REACH_REQS - 1);
	for (i = 0; i < ARRAY_SIZE(reach); i++)
		xprt_rdma_reach_end(&reach[i]);
	KUNIT_EXPECT_EQ(test, atomic_read(&reach_unanswered), 0);
	ends(test, &reach[0]);
}

static struct kunit_case xprt_reach_cases[] = {
	KUNIT_CASE(first_request_sent_again),
	KUNIT_CASE(slow_server_has_time),
	KUNIT_CASE(end_of_outage_noticed),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(number_bounded),
	{}
};

SUITE("xprt_rdma_reach", xprt_reach_cases);
