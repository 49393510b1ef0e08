// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: Receives are large only on connections whose traffic benefits, and
 * within the limits that the administrator has set. If this failed, connections
 * that do not need it would use up memory.
 */
#include "suite.h"
#include "core_exchange_fakes.h"

#define PERIOD		(msecs_to_jiffies(world.interval))
/* Charge for Receives of that size, in bytes */
#define COST(size)	((long)RECVS * (PAGE_ALIGN(size) - BASE))

/* Returns whether a request for @size bytes is granted. Undoes all but the charge. */
static bool granted_now(struct rpcrdma_exchange *x, u32 size)
{
	struct rpcrdma_exchange before = *x;
	bool granted;

	asks_for(x, size);
	granted = x->growing;
	*x = before;
	x->charge = granted ? COST(rpcrdma_xdr_align(size)) : x->charge;
	return granted;
}

static const struct grant_case {
	const char *name;
	u32 want, granted, max;
} grant_cases[] = {
	{ "a step", MIDDLE, MIDDLE },
	{ "the maximum", LARGE, LARGE },
	{ "rounded to a word", 9001, 9004 },
	{ "beyond the maximum", LARGE + 1, 0 },
	{ "all there is", ~0u, 0 },
	{ "the administrator allows less", MIDDLE, 0, MIDDLE - 4 },
	{ "the administrator allows too much", 65537, 0, ~0u },
	{ "as much as can be sent", 65536, 65536, ~0u },
};

KUNIT_ARRAY_PARAM_DESC(grant_case, grant_cases, name);

/* Requests are granted up to a maximum, and charged. */
static void granted(struct kunit *test)
{
	const struct grant_case *c = test->param_value;

	if (c->max)
		world.max = c->max;
	asks_for(x, c->want);
	runs(x);
	KUNIT_EXPECT_EQ(test, world.recv_size, c->granted ?: BASE);
	KUNIT_EXPECT_EQ(test, x->charge, c->granted ? COST(c->granted) : 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&world.budget.charged), x->charge);
	exchanged(x);
	KUNIT_EXPECT_EQ(test, x->charge, c->granted ? COST(c->granted) : 0);
}

/* All connections together stay within the budget, and charges are returned. */
static void bounded(struct kunit *test)
{
	struct rpcrdma_exchange *a = x, *b = another(test);
	struct rpcrdma_exchange *c = another(test);

	world.budget.total = COST(MIDDLE) + COST(LARGE) - 1;
	grown(test, a, LARGE);
	KUNIT_EXPECT_FALSE(test, granted_now(b, MIDDLE));
	world.budget.total++;
	grown(test, b, MIDDLE);
	KUNIT_EXPECT_FALSE(test, granted_now(b, LARGE));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&world.budget.charged), COST(MIDDLE) + COST(LARGE));
	rpcrdma_exchange_stop(a);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&world.budget.charged), COST(MIDDLE));
	KUNIT_EXPECT_EQ(test, a->charge, 0);
	/* A connection that has ended is not charged for later requests. */
	rpcrdma_exchange_stop(c);
	asks_for(c, MIDDLE);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&world.budget.charged), COST(MIDDLE));
	/* A connection above a limit that was lowered later keeps its charge. */
	world.budget.total = 0;
	KUNIT_EXPECT_TRUE(test, granted_now(b, MIDDLE + 4));
}

/* Long messages in an interval, and the size to ask for */
static const struct want_case {
	const char *name;
	u32 n[2];
	u32 len[2];
	u32 max, has, asked;
} want_cases[] = {
	{ "none", {}, {}, LARGE, BASE, 0 },
	{ "too few", { 63 }, { 9000 }, LARGE, BASE, 0 },
	{ "8 KiB", { 64 }, { 8400 }, LARGE, BASE, MIDDLE },
	{ "8 KiB in full", { 64 }, { MIDDLE }, LARGE, BASE, MIDDLE },
	{ "a byte more", { 64 }, { MIDDLE + 1 }, LARGE, BASE, LARGE },
	{ "some of 16 KiB", { 48, 16 }, { 8400, 17000 }, LARGE, BASE, LARGE },
	{ "some are longer still", { 40, 24 }, { 17000, 30000 }, 65536, BASE, 27648 + MIDDLE },
	{ "longer than what may be", { 64 }, { LARGE + 1 }, LARGE, BASE, 0 },
	{ "not more than the maximum", { 64 }, { 17000 }, 18300, BASE, 18300 },
	{ "the peer's are large enough", { 64 }, { 9000 }, LARGE, MIDDLE, 0 },
	{ "the peer's are not", { 64 }, { 17000 }, LARGE, MIDDLE, LARGE },
};

KUNIT_ARRAY_PARAM_DESC(want_case, want_cases, name);

/* The peer is asked for the size that the long messages need. */
static void asked(struct kunit *test)
{
	const struct want_case *c = test->param_value;

	world_begin(test);
	world.max = c->max;
	world.peer.recv_size = c->has;
	x = another(test);
	longs(x, c->len[1], c->n[1]);
	longs(x, c->len[0], c->n[0]);
	KUNIT_EXPECT_EQ(test, !!exchange_work.kicks, x->longs >= RPCRDMA_TUNING_LONGS);
	KUNIT_EXPECT_EQ(test, runs(x), RPCRDMA_EXCHANGE_NEVER);
	KUNIT_EXPECT_EQ(test, x->wanted, c->asked);
	KUNIT_EXPECT_EQ(test, world.nsent, !!c->asked);
}

/* The peer is not asked if messages are rarely too long. */
static void rare(struct kunit *test)
{
	longs(x, 8000, RPCRDMA_TUNING_LONGS);
	world.now += PERIOD;
	runs(x);
	KUNIT_EXPECT_EQ(test, world.nsent, 0);
	KUNIT_EXPECT_EQ(test, x->longs, 0);
	world.now += PERIOD - 1;
	longs(x, 8000, RPCRDMA_TUNING_LONGS);
	runs(x);
	KUNIT_EXPECT_EQ(test, world.nsent, 1);
	KUNIT_EXPECT_EQ(test, x->longs, 0);
}

/* The peer is asked once per interval, and less often after a rejection. */
static void patient(struct kunit *test)
{
	unsigned long waited = 0;

	longs(x, 8000, RPCRDMA_TUNING_LONGS);
	runs(x);
	KUNIT_ASSERT_EQ(test, world.nsent, 1);
	ARRIVES(x, RPCRDMA2_RESPROP, be32_to_cpu(x->xid), 1, 1, 0, 0);
	world.peer.recv_size = BASE;
	world.now += PERIOD - 1;
	longs(x, 8000, RPCRDMA_TUNING_LONGS);
	runs(x);
	KUNIT_EXPECT_EQ(test, world.nsent, 1);
	world.now++;
	longs(x, 8000, RPCRDMA_TUNING_LONGS);
	runs(x);
	KUNIT_ASSERT_EQ(test, world.nsent, 2);

	ARRIVES(x, RPCRDMA2_RESPROP, be32_to_cpu(x->xid), 0, 1, 1, 0);
	while (world.nsent == 2 && waited < 100 * PERIOD) {
		longs(x, 8000, RPCRDMA_TUNING_LONGS);
		runs(x);
		KUNIT_EXPECT_EQ(test, x->longs, 0);
		world.now += PERIOD / 4;
		waited += PERIOD / 4;
	}
	KUNIT_EXPECT_GE(test, waited, 8 * PERIOD);
	KUNIT_EXPECT_LE(test, waited, 9 * PERIOD);
}

/*
 * A peer is not asked if it does not support the messages, or has announced
 * that its size will not change.
 */
static void not_asked_in_vain(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 4; i++) {
		connection(test);
		if (i == 1)
			world.peer.nochange = RPCRDMA_PROPS_RBSIZ;
		if (i == 2)
			world.peer.htypes &= ~BIT(RPCRDMA2_REQPROP);
		if (i == 3)
			x->failed = true;
		world.peer.nochange |= RPCRDMA_PROPS_BRS;
		longs(x, 8000, RPCRDMA_TUNING_LONGS);
		runs(x);
		KUNIT_EXPECT_EQ(test, world.nsent, !i);
		/* Messages are not counted any more. */
		KUNIT_EXPECT_EQ(test, x->ask_max, i ? 0 : LARGE);
	}
}

/* An interval out of range is clamped. */
static void interval(struct kunit *test)
{
	world.interval = 0;
	KUNIT_EXPECT_EQ(test, rpcrdma_tuning_interval(x), msecs_to_jiffies(10));
	world.interval = ~0u;
	KUNIT_EXPECT_EQ(test, rpcrdma_tuning_interval(x),
			msecs_to_jiffies(3600000));
}

static struct kunit_case core_tuning_cases[] = {
	KUNIT_CASE_PARAM(granted, grant_case_gen_params),
	KUNIT_CASE(bounded),
	KUNIT_CASE_PARAM(asked, want_case_gen_params),
	KUNIT_CASE(rare),
	KUNIT_CASE(patient),
	KUNIT_CASE(not_asked_in_vain),
	KUNIT_CASE(interval),
	{}
};

SUITE("rpcrdma_tuning", core_tuning_cases, .init = connection, .exit = world_end);
