// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the last ends of connections are kept for each side and network
 * namespace, a bounded number of them, in order, with totals, and dumped with
 * the numbers that programs rely on. Otherwise an operator would not learn why
 * connections were lost, or a hostile client could use up memory or hide what
 * others did.
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
#define rpcrdma_counters_add(counters)	((void)(counters))
#define rpcrdma_counters_remove(counters)	((void)(counters))
#include "../core/report/family.c"
#include "../core/report/ended.c"

#define ID	40

static struct rpcrdma_ended fake_nets[2][RPCRDMA_SIDES];
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
	rpcrdma_nl_sides[RPCRDMA_SERVER].family.id = ID;
	fake_dump(&request, &cb, ID);
	return rpcrdma_net_init(FAKE_NET) ?: rpcrdma_net_init(FAKE_OTHER_NET);
}

static void ended_exit(struct kunit *test)
{
	rpcrdma_net_exit(FAKE_NET);
	rpcrdma_net_exit(FAKE_OTHER_NET);
	balance_exit(test);
}

/* A connection of the client 192.0.2.@host, with number @id, ends. */
static void ends(struct kunit *test, u32 host, u32 id, u32 cause)
{
	struct rpcrdma_end end = {
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
	rpcrdma_ended_note(FAKE_NET, RPCRDMA_SERVER, &end);
}

/* What has been noted */
struct seen {
	u32 n;	/* how many */
	struct rpcrdma_end end;	/* the last of them */
	u32 disorder;	/* how many had a number not above that before */
	u32 first;	/* client of the first one */
};

static struct seen look(void)
{
	struct rpcrdma_ended *ended = rpcrdma_ended_of(FAKE_NET, RPCRDMA_SERVER);
	struct rpcrdma_end *end;
	struct seen seen = { };

	list_for_each_entry(end, &ended->list.entries, entry.list) {
		if (!seen.n++)
			seen.first = ntohl(end->peer.sin.sin_addr.s_addr) & 0xff;
		seen.disorder += end->entry.number <= seen.end.entry.number;
		seen.end = *end;
	}
	return seen;
}

static u64 total(enum rpcrdma_nl_lost reason)
{
	return rpcrdma_ended_of(FAKE_NET, RPCRDMA_SERVER)->totals[reason];
}

/* When it was, and that ports mean nothing: the same client has another one. */
static void noted(struct kunit *test)
{
	struct seen seen;

	ends(test, 7, 5, RPCRDMA_CAUSE(PEER, NONE));
	ends(test, 7, 6, RPCRDMA_CAUSE(PEER, NONE));
	seen = look();
	KUNIT_ASSERT_EQ(test, seen.n, 1);
	KUNIT_EXPECT_EQ(test, seen.first, 7);
	KUNIT_EXPECT_EQ(test, seen.end.peer.sin.sin_port, 0);
	KUNIT_EXPECT_EQ(test, seen.end.times, 2);
	KUNIT_EXPECT_LE(test, ktime_get_seconds() - seen.end.at, 5);
}

/* The oldest make room; totals count them all the same. */
static void bounded(struct kunit *test)
{
	struct seen seen;
	u32 i;

	for (i = 0; i < RPCRDMA_ENDS + 10; i++)
		ends(test, i, i + 1, RPCRDMA_CAUSE(PEER, NONE));
	seen = look();
	KUNIT_EXPECT_EQ(test, seen.n, RPCRDMA_ENDS);
	KUNIT_EXPECT_EQ(test, seen.disorder, 0);
	KUNIT_EXPECT_EQ(test, seen.first, 10);
	KUNIT_EXPECT_EQ(test, seen.end.id, RPCRDMA_ENDS + 10);
	KUNIT_EXPECT_EQ(test, seen.end.entry.number, RPCRDMA_ENDS + 10);
	KUNIT_EXPECT_EQ(test, seen.end.times, 1);
	KUNIT_EXPECT_EQ(test, total(RPCRDMA_NL_LOST_PEER),
			RPCRDMA_ENDS + 10);
	KUNIT_EXPECT_EQ(test, total(RPCRDMA_NL_LOST_WORK), 0);
}

/* One client that comes back again and again hides no other. */
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
	/* The others are those of the last time. */
	KUNIT_EXPECT_EQ(test, seen.end.id, 1 + 3 * RPCRDMA_ENDS);
	/* Another cause, and the first client again, which is the last now */
	ends(test, 2, 900, RPCRDMA_CAUSE(PROTOCOL, INVALIDATION));
	ends(test, 1, 901, RPCRDMA_CAUSE(PEER, NONE));
	seen = look();
	KUNIT_EXPECT_EQ(test, seen.n, 3);
	KUNIT_EXPECT_EQ(test, seen.disorder, 0);
	KUNIT_EXPECT_EQ(test, seen.first, 2);
	KUNIT_EXPECT_EQ(test, seen.end.id, 901);
	KUNIT_EXPECT_EQ(test, seen.end.times, 2);
}

/* Without memory, only that end is lost; a namespace frees what it has. */
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

/* Who it was, why it has ended, and what it has done */
static void end_shown(struct kunit *test)
{
	struct nlattr *attrs[RPCRDMA_NL_ATTRS], *nest[RPCRDMA_NL_ENDEDS];
	struct seen seen;
	static const u8 ip[] = { 192, 0, 2, 7 };

	ends(test, 7, 9, rpcrdma_cause(RPCRDMA_NL_LOST_WORK, RPCRDMA_NL_DETAIL_READ,
				       IB_WC_REM_ACCESS_ERR));
	seen = look();
	fake_put(test, rpcrdma_ended_put, &seen.end.entry, attrs);
	KUNIT_EXPECT_EQ(test, fake_u32(test, attrs[RPCRDMA_NL_ID]), 9);
	KUNIT_EXPECT_EQ(test,
			fake_u32(test, attrs[RPCRDMA_NL_RPCRDMA_VERSION]), 2);
	KUNIT_EXPECT_EQ(test, 0, nla_strcmp(attrs[RPCRDMA_NL_DEVICE], "rxe7"));
	fake_nest(test, attrs[RPCRDMA_NL_PEER], nest, RPCRDMA_NL_ADDRS);
	KUNIT_EXPECT_EQ(test, 0, nla_memcmp(nest[RPCRDMA_NL_ADDR_IP], ip, 4));
	fake_nest(test, attrs[RPCRDMA_NL_ENDED], nest, RPCRDMA_NL_ENDEDS);
	KUNIT_EXPECT_EQ(test, fake_u64(test, nest[RPCRDMA_NL_ENDED_NUMBER]), 1);
	KUNIT_EXPECT_EQ(test, fake_u32(test, nest[RPCRDMA_NL_ENDED_REASON]),
			RPCRDMA_NL_LOST_WORK);
	KUNIT_EXPECT_EQ(test, fake_u32(test, nest[RPCRDMA_NL_ENDED_DETAIL]),
			RPCRDMA_NL_DETAIL_READ);
	KUNIT_EXPECT_EQ(test, fake_u32(test, nest[RPCRDMA_NL_ENDED_STATUS]),
			IB_WC_REM_ACCESS_ERR);
	KUNIT_EXPECT_EQ(test, fake_u32(test, nest[RPCRDMA_NL_ENDED_TIMES]), 1);
	KUNIT_EXPECT_LE(test, fake_u32(test, nest[RPCRDMA_NL_ENDED_SINCE]), 5);
	KUNIT_EXPECT_EQ(test, fake_u32(test, nest[RPCRDMA_NL_ENDED_LASTED]), 60);
	KUNIT_EXPECT_EQ(test, fake_u64(test, nest[RPCRDMA_NL_ENDED_CALLS]), 90);
	KUNIT_EXPECT_NULL(test, nest[RPCRDMA_NL_ENDED_COUNT]);
}

/* A request that was refused never was a connection. */
static void refused_shown(struct kunit *test)
{
	struct nlattr *attrs[RPCRDMA_NL_ATTRS], *nest[RPCRDMA_NL_ENDEDS];
	struct seen seen;

	ends(test, 7, 0, rpcrdma_cause(RPCRDMA_NL_LOST_REFUSED,
				       RPCRDMA_NL_DETAIL_RESOURCES, -ENOMEM));
	seen = look();
	fake_put(test, rpcrdma_ended_put, &seen.end.entry, attrs);
	KUNIT_EXPECT_NULL(test, attrs[RPCRDMA_NL_ID]);
	KUNIT_EXPECT_NULL(test, attrs[RPCRDMA_NL_RPCRDMA_VERSION]);
	fake_nest(test, attrs[RPCRDMA_NL_ENDED], nest, RPCRDMA_NL_ENDEDS);
	KUNIT_EXPECT_EQ(test, fake_u32(test, nest[RPCRDMA_NL_ENDED_REASON]),
			RPCRDMA_NL_LOST_REFUSED);
	KUNIT_EXPECT_EQ(test, fake_u32(test, nest[RPCRDMA_NL_ENDED_DETAIL]),
			RPCRDMA_NL_DETAIL_RESOURCES);
	KUNIT_EXPECT_EQ(test, (int)fake_u32(test, nest[RPCRDMA_NL_ENDED_STATUS]),
			-ENOMEM);
	KUNIT_EXPECT_NULL(test, nest[RPCRDMA_NL_ENDED_LASTED]);
	KUNIT_EXPECT_NULL(test, nest[RPCRDMA_NL_ENDED_CALLS]);
}

/* Totals, in however many messages; those that are 0 are left out. */
static void totals_shown(struct kunit *test)
{
	/* A message with an attribute for alignment */
	u32 size = NLMSG_HDRLEN + GENL_HDRLEN + 8 + nla_total_size(8) + nla_total_size(4);
	struct rpcrdma_nl_number number = { RPCRDMA_NL_LOST_WORK, 5 };
	struct nlattr *attrs[RPCRDMA_NL_ATTRS], *nest[RPCRDMA_NL_ENDEDS];
	u32 reason;

	fake_put(test, rpcrdma_ended_put_total, &number, attrs);
	fake_nest(test, attrs[RPCRDMA_NL_ENDED], nest, RPCRDMA_NL_ENDEDS);
	KUNIT_EXPECT_EQ(test, fake_u32(test, nest[RPCRDMA_NL_ENDED_REASON]),
			RPCRDMA_NL_LOST_WORK);
	KUNIT_EXPECT_EQ(test, fake_u64(test, nest[RPCRDMA_NL_ENDED_COUNT]), 5);

	for (reason = 1; reason < RPCRDMA_NL_LOST_NR; reason += 2)
		ends(test, 1, 1, rpcrdma_cause(reason, 0, 0));
	for (reason = 1; reason < RPCRDMA_NL_LOST_NR; reason += 2) {
		KUNIT_EXPECT_EQ(test, rpcrdma_ended_dump_totals(fake_room(test, size - 8), &cb),
				-EMSGSIZE);
		KUNIT_EXPECT_GT(test, rpcrdma_ended_dump_totals(fake_room(test, size), &cb), 0);
		KUNIT_EXPECT_EQ(test, cb.args[0], reason);
	}
	KUNIT_EXPECT_EQ(test, rpcrdma_ended_dump_totals(fake_room(test, size), &cb), 0);
}

/* A dump is of the side that was asked, in the namespace of the socket. */
static void dumps_separate(struct kunit *test)
{
	static const struct { struct net *net; u16 id; } cases[] = {
		{ FAKE_NET, ID }, { FAKE_OTHER_NET, ID }, { FAKE_NET, ID + 1 },
	};
	u32 i;

	ends(test, 1, 1, RPCRDMA_CAUSE(PEER, NONE));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		fake_net = cases[i].net;
		fake_dump(&request, &cb, cases[i].id);
		KUNIT_EXPECT_EQ(test, i > 0, !rpcrdma_ended_dump(fake_room(test, 512), &cb));
		cb.args[0] = 0;
		KUNIT_EXPECT_EQ(test, i > 0, !rpcrdma_ended_dump_totals(fake_room(test, 512), &cb));
	}
	fake_net = FAKE_NET;
}

static void registered(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rpcrdma_ended_init(), 0);
	KUNIT_EXPECT_TRUE(test, fake_registered);
	rpcrdma_ended_exit();
	KUNIT_EXPECT_FALSE(test, fake_registered);
}

static struct kunit_case core_ended_cases[] = {
	KUNIT_CASE(noted),
	KUNIT_CASE(bounded),
	KUNIT_CASE(repeated),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(end_shown),
	KUNIT_CASE(refused_shown),
	KUNIT_CASE(totals_shown),
	KUNIT_CASE(dumps_separate),
	KUNIT_CASE(registered),
	{}
};

SUITE("rpcrdma_ended", core_ended_cases, .init = ended_init, .exit = ended_exit);
