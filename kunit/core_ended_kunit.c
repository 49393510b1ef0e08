// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the most recent ends of connections are kept in order, up to a limit
 * per side and network namespace, counted, and dumped with the numbers that
 * programs rely on. Otherwise an operator would not learn why connections were
 * lost, or a hostile client could exhaust memory or hide what others did.
 */
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "suite.h"
#include "netlink_message.h"
#include "fake_memory.h"
#include "fake_mutex.h"

#include "../core/report/report.h"

static void *fake_generic(const struct net *net);

static bool fake_registered;
static u32 fake_freed;

static int fake_register(struct pernet_operations *ops);

#define net_generic(net, id)		((void)(id), fake_generic(net))
#define register_pernet_subsys(ops)	fake_register(ops)
#define unregister_pernet_subsys(ops)	((void)(ops), fake_registered = false)
#undef kmemdup
#define kmemdup(what, size, gfp) \
	(fake_memory_left ? kmemdup_noprof(what, size, gfp) : NULL)
#define kfree(p)			((void)(fake_freed += !!(p)), (kfree)(p))

#undef __net_init
#define __net_init
#undef __net_exit
#define __net_exit
#include "../core/report/family.c"
#include "../core/report/ended.c"

static struct rpcrdma_ended fake_nets[2];
static struct fake_request request;
static struct netlink_callback cb;

static void *fake_generic(const struct net *net)
{
	return &fake_nets[net == FAKE_OTHER_NET];
}

static int fake_register(struct pernet_operations *ops)
{
	fake_registered = ops->size == sizeof(fake_nets[0]) && ops->init &&
			  ops->exit;
	return 0;
}

static int ended_init(struct kunit *test)
{
	fake_memory_left = -1;
	fake_freed = 0;
	memset(fake_nets, 0, sizeof(fake_nets));
	fake_dump(&request, &cb);
	return rpcrdma_net_init(FAKE_NET) ?: rpcrdma_net_init(FAKE_OTHER_NET);
}

static void ended_exit(struct kunit *test)
{
	rpcrdma_net_exit(FAKE_NET);
	rpcrdma_net_exit(FAKE_OTHER_NET);
	balance_exit(test);
}

/* Record the end of connection @id of this side with peer 192.0.2.@host. */
static void side_ends(enum rpcrdma_nl_side side, u32 host, u32 id, u32 cause)
{
	struct rpcrdma_end end = {
		.side		= side,
		.cause		= cause,
		.version	= id ? RPCRDMA_VERSION_2 : 0,
		.id		= id,
		.device		= "rxe7",
		.lasted		= 60,
		.calls		= 10 * id,
	};

	end.peer.sin.sin_family = AF_INET;
	end.peer.sin.sin_port = htons(700 + id);
	end.peer.sin.sin_addr.s_addr = htonl(0xc0000200 + host);
	rpcrdma_ended_note(FAKE_NET, &end);
}

/* Record the end of a server connection. */
static void ends(struct kunit *test, u32 host, u32 id, u32 cause)
{
	side_ends(RPCRDMA_NL_SIDE_SERVER, host, id, cause);
}

/* A summary of the recorded ends */
struct seen {
	u32 n;	/* number of entries */
	struct rpcrdma_end end;	/* the last entry */
	u32 disorder;	/* entries with a number not above the previous entry's */
	u32 first;	/* host number of the server's first entry */
};

static struct seen look(void)
{
	struct rpcrdma_end *end;
	struct seen seen = { };

	list_for_each_entry(end, &fake_nets[0].list.entries, entry.list) {
		seen.n++;
		if (!seen.first && end->side == RPCRDMA_NL_SIDE_SERVER)
			seen.first = ntohl(end->peer.sin.sin_addr.s_addr) & 0xff;
		seen.disorder += end->entry.number <= seen.end.entry.number;
		seen.end = *end;
	}
	return seen;
}

static u64 total(enum rpcrdma_nl_lost reason)
{
	return fake_nets[0].totals[RPCRDMA_NL_SIDE_SERVER][reason];
}

/* New entries replace the oldest of the same side, which totals still count. */
static void bounded(struct kunit *test)
{
	struct seen seen;
	u32 i;

	side_ends(RPCRDMA_NL_SIDE_CLIENT, 1, 1, RPCRDMA_CAUSE(PEER, NONE));
	for (i = 1; i <= RPCRDMA_ENDS + 10; i++)
		ends(test, i, i, RPCRDMA_CAUSE(PEER, NONE));
	seen = look();
	KUNIT_EXPECT_EQ(test, seen.n, RPCRDMA_ENDS + 1);
	KUNIT_EXPECT_EQ(test, seen.disorder, 0);
	KUNIT_EXPECT_EQ(test, seen.first, 11);
	KUNIT_EXPECT_EQ(test, seen.end.id, RPCRDMA_ENDS + 10);
	KUNIT_EXPECT_EQ(test, seen.end.entry.number, RPCRDMA_ENDS + 11);
	KUNIT_EXPECT_EQ(test, seen.end.times, 1);
	KUNIT_EXPECT_EQ(test, total(RPCRDMA_NL_LOST_PEER),
			RPCRDMA_ENDS + 10);
	KUNIT_EXPECT_EQ(test, total(RPCRDMA_NL_LOST_WORK), 0);
}

/* A client that reconnects repeatedly, from different ports, hides no others. */
static void repeated(struct kunit *test)
{
	struct seen seen;
	u32 i;

	ends(test, 1, 1, RPCRDMA_CAUSE(PEER, NONE));
	for (i = 0; i < 3 * RPCRDMA_ENDS; i++)
		ends(test, 2, 2 + i, RPCRDMA_CAUSE(PROTOCOL, SHORT));
	seen = look();
	KUNIT_EXPECT_EQ(test, seen.n, 2);
	KUNIT_EXPECT_EQ(test, seen.first, 1);
	KUNIT_EXPECT_EQ(test, seen.end.times, 3 * RPCRDMA_ENDS);
	/* The other members describe the last end. */
	KUNIT_EXPECT_EQ(test, seen.end.id, 1 + 3 * RPCRDMA_ENDS);
	KUNIT_EXPECT_EQ(test, seen.end.peer.sin.sin_port, 0);
	KUNIT_EXPECT_LE(test, ktime_get_seconds() - seen.end.at, 5);
	/* Another cause, then the first client again, whose entry moves to the end */
	ends(test, 2, 900, RPCRDMA_CAUSE(PROTOCOL, INVALIDATION));
	ends(test, 1, 901, RPCRDMA_CAUSE(PEER, NONE));
	seen = look();
	KUNIT_EXPECT_EQ(test, seen.n, 3);
	KUNIT_EXPECT_EQ(test, seen.disorder, 0);
	KUNIT_EXPECT_EQ(test, seen.first, 2);
	KUNIT_EXPECT_EQ(test, seen.end.id, 901);
	KUNIT_EXPECT_EQ(test, seen.end.times, 2);
}

/* If memory runs out, only that end is not recorded. A namespace frees its entries. */
static void no_memory(struct kunit *test)
{
	ends(test, 1, 1, RPCRDMA_CAUSE(PEER, NONE));
	fake_memory_left = 0;
	ends(test, 2, 2, RPCRDMA_CAUSE(PEER, NONE));
	fake_memory_left = -1;
	ends(test, 3, 3, RPCRDMA_CAUSE(PEER, NONE));
	KUNIT_EXPECT_EQ(test, look().n, 2);
	rpcrdma_net_exit(FAKE_NET);
	KUNIT_EXPECT_EQ(test, fake_freed, 2);
	rpcrdma_net_init(FAKE_NET);
}

/* Attributes of the last entry, by type */
static struct nlattr *attrs[RPCRDMA_NL_ATTRS];

static struct seen dumped(struct kunit *test)
{
	struct seen seen = look();

	fake_put(test, rpcrdma_ended_put, &seen.end.entry, attrs);
	return seen;
}

/*
 * A dump shows the peer, why the connection ended, and what it did. The total
 * includes other peers.
 */
static void end_shown(struct kunit *test)
{
	struct seen seen;

	ends(test, 8, 8, RPCRDMA_CAUSE(WORK, SEND));
	ends(test, 7, 9, rpcrdma_cause(RPCRDMA_NL_LOST_WORK, RPCRDMA_NL_DETAIL_READ,
				       IB_WC_REM_ACCESS_ERR));
	seen = dumped(test);
	expect_number(test, attrs, RPCRDMA_NL_SIDE, RPCRDMA_NL_SIDE_SERVER);
	expect_number(test, attrs, RPCRDMA_NL_ID, 9);
	expect_number(test, attrs, RPCRDMA_NL_RPCRDMA_VERSION, 2);
	KUNIT_EXPECT_EQ(test, 0, nla_strcmp(attrs[RPCRDMA_NL_DEVICE], "rxe7"));
	KUNIT_EXPECT_EQ(test, 0, nla_memcmp(attrs[RPCRDMA_NL_PEER], &seen.end.peer,
					    sizeof(seen.end.peer.sin)));
	expect_number(test, attrs, RPCRDMA_NL_ENDED_REASON, RPCRDMA_NL_LOST_WORK);
	expect_number(test, attrs, RPCRDMA_NL_ENDED_DETAIL, RPCRDMA_NL_DETAIL_READ);
	expect_number(test, attrs, RPCRDMA_NL_ENDED_STATUS, IB_WC_REM_ACCESS_ERR);
	expect_number(test, attrs, RPCRDMA_NL_ENDED_TIMES, 1);
	KUNIT_EXPECT_LE(test, fake_number(test, attrs[RPCRDMA_NL_ENDED_SINCE]), 5);
	expect_number(test, attrs, RPCRDMA_NL_ENDED_LASTED, 60);
	expect_number(test, attrs, RPCRDMA_NL_ENDED_CALLS, 90);
	expect_number(test, attrs, RPCRDMA_NL_ENDED_COUNT, 2);
}

/* A refused request has no attributes of a connection. */
static void refused_shown(struct kunit *test)
{
	ends(test, 7, 0, rpcrdma_cause(RPCRDMA_NL_LOST_REFUSED,
				       RPCRDMA_NL_DETAIL_RESOURCES, -ENOMEM));
	dumped(test);
	KUNIT_EXPECT_NULL(test, attrs[RPCRDMA_NL_ID]);
	KUNIT_EXPECT_NULL(test, attrs[RPCRDMA_NL_RPCRDMA_VERSION]);
	expect_number(test, attrs, RPCRDMA_NL_ENDED_REASON, RPCRDMA_NL_LOST_REFUSED);
	expect_number(test, attrs, RPCRDMA_NL_ENDED_DETAIL, RPCRDMA_NL_DETAIL_RESOURCES);
	expect_number(test, attrs, RPCRDMA_NL_ENDED_STATUS, -ENOMEM);
	KUNIT_EXPECT_NULL(test, attrs[RPCRDMA_NL_ENDED_LASTED]);
	KUNIT_EXPECT_NULL(test, attrs[RPCRDMA_NL_ENDED_CALLS]);
}

/* A dump shows only the namespace of the socket. */
static void namespaces_separate(struct kunit *test)
{
	ends(test, 1, 1, RPCRDMA_CAUSE(PEER, NONE));
	fake_net = FAKE_OTHER_NET;
	KUNIT_EXPECT_EQ(test, rpcrdma_ended_dump(fake_room(test, 512), &cb), 0);
	fake_net = FAKE_NET;
	KUNIT_EXPECT_GT(test, rpcrdma_ended_dump(fake_room(test, 512), &cb), 0);
}

static void registered(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rpcrdma_ended_init(), 0);
	KUNIT_EXPECT_TRUE(test, fake_registered);
	rpcrdma_ended_exit();
	KUNIT_EXPECT_FALSE(test, fake_registered);
}

static struct kunit_case core_ended_cases[] = {
	KUNIT_CASE(bounded),
	KUNIT_CASE(repeated),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(end_shown),
	KUNIT_CASE(refused_shown),
	KUNIT_CASE(namespaces_separate),
	KUNIT_CASE(registered),
	{}
};

SUITE("rpcrdma_ended", core_ended_cases, .init = ended_init, .exit = ended_exit);
