// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: version 2 is not offered to servers that recently refused it, while
 * others are offered it (v2 draft section 7.2). Otherwise, each mount of an old
 * server would waste a connection attempt, or an upgraded server would never be
 * offered version 2 again.
 */
#include "xprt_fakes.h"

#include "../xprtrdma/version/fallback.c"

static struct rpc_xprt *server(struct kunit *test, u32 addr, u16 port,
			       unsigned long net)
{
	struct rpc_xprt *xprt = &fake_r_xprt(test)->xprt;
	struct sockaddr_in *sin = (struct sockaddr_in *)&xprt->addr;

	sin->sin_family = AF_INET;
	sin->sin_addr.s_addr = cpu_to_be32(addr);
	sin->sin_port = cpu_to_be16(port);
	xprt->addrlen = sizeof(*sin);
	xprt->xprt_net = (struct net *)net;
	return xprt;
}

static void forget_all(void)
{
	memset(xprt_rdma_fallbacks, 0, sizeof(xprt_rdma_fallbacks));
}

/* A server is known by address, port and network namespace. */
static void server_known_by_address(struct kunit *test)
{
	forget_all();
	KUNIT_EXPECT_FALSE(test,
			   xprt_rdma_fallback_known(server(test, 1, 2, 3)));
	xprt_rdma_fallback_remember(server(test, 1, 2, 3));
	KUNIT_EXPECT_TRUE(test,
			  xprt_rdma_fallback_known(server(test, 1, 2, 3)));
	KUNIT_EXPECT_FALSE(test,
			   xprt_rdma_fallback_known(server(test, 2, 2, 3)));
	KUNIT_EXPECT_FALSE(test,
			   xprt_rdma_fallback_known(server(test, 1, 3, 3)));
	KUNIT_EXPECT_FALSE(test,
			   xprt_rdma_fallback_known(server(test, 1, 2, 4)));
}

/* An entry expires, unless the server refuses again. */
static void entry_expires(struct kunit *test)
{
	struct rpc_xprt *xprt = server(test, 1, 2, 3);
	struct xprt_rdma_fallback *entry = xprt_rdma_fallback_of(xprt);

	forget_all();
	xprt_rdma_fallback_remember(xprt);
	entry->since = jiffies - EXPIRY + HZ;
	KUNIT_EXPECT_TRUE(test, xprt_rdma_fallback_known(xprt));
	entry->since = jiffies - EXPIRY;
	KUNIT_EXPECT_FALSE(test, xprt_rdma_fallback_known(xprt));
	xprt_rdma_fallback_remember(xprt);
	KUNIT_EXPECT_TRUE(test, xprt_rdma_fallback_known(xprt));
}

/* The table does not grow; most of a few servers have entries of their own. */
static void table_bounded(struct kunit *test)
{
	u32 i, known = 0;

	forget_all();
	for (i = 0; i < 8; i++)
		xprt_rdma_fallback_remember(server(test, 100 + i, 2, 3));
	for (i = 0; i < 8; i++)
		known += xprt_rdma_fallback_known(server(test, 100 + i, 2, 3));
	KUNIT_EXPECT_GE(test, known, 4);
	for (i = 0; i < 4 * ENTRIES; i++) {
		struct rpc_xprt *xprt = server(test, 100 + i, 2, 3);

		xprt_rdma_fallback_remember(xprt);
		KUNIT_EXPECT_TRUE(test, xprt_rdma_fallback_known(xprt));
	}
}

static struct kunit_case xprt_fallback_cases[] = {
	KUNIT_CASE(server_known_by_address),
	KUNIT_CASE(entry_expires),
	KUNIT_CASE(table_bounded),
	{}
};

SUITE("xprt_rdma_fallback", xprt_fallback_cases);
