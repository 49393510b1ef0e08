// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: Receives are large on connections whose traffic gains from it, and on
 * no others, within bounds, and without changing all the time. Otherwise, many
 * mounts would take memory that they do not need, or each change of the load
 * would cost more than it saves.
 */
#include <linux/module.h>
#include <linux/jiffies.h>
#include <linux/shrinker.h>

#include "xprt_fakes.h"

#define BASE		5120u
#define RECVS		100u
#define INTERVAL	(5UL * HZ)

/**
 * struct world - what surrounds the policy
 * @now: jiffies
 * @shrunk: bytes; size that Receives were to shrink to; 0: none
 * @asked: bytes; size that the server was asked for; 0: none
 */
static struct world {
	unsigned long now;
	u32 shrunk;
	u32 asked;
} world;

static bool fake_shrink(struct xprt_rdma_conn *conn, u32 size)
{
	world.shrunk = size;
	return true;
}

static bool fake_ask(struct xprt_rdma_conn *conn, u32 size)
{
	world.asked = size;
	return true;
}

static unsigned int fake_interval = 5000, fake_max = 18432;
static unsigned long fake_total;
static struct shrinker fake_shrinker;
static bool fake_no_shrinker;
static u32 fake_registered;

#define jiffies					world.now
#define xprt_rdma_prop_change_shrink		fake_shrink
#define xprt_rdma_prop_change_ask		fake_ask
#define xprt_rdma_receive_buffer_max		fake_max
#define xprt_rdma_tuning_interval		fake_interval
#define xprt_rdma_receive_buffers_total		fake_total
#define shrinker_alloc(flags, name)		(fake_no_shrinker ? NULL : &fake_shrinker)
#define shrinker_register(s)			((void)(s), (void)fake_registered++)
#define shrinker_free(s)			((void)(s), (void)fake_registered--)

#include "../xprtrdma/control/tuning.c"

static void stop_action(void *data)
{
	struct xprt_rdma *r_xprt = data;

	xprt_rdma_tuning_stop(r_xprt);
}

/* A connection that is checked */
static struct xprt_rdma_conn *connection(struct kunit *test)
{
	struct xprt_rdma *r_xprt = fake_r_xprt(test);
	struct xprt_rdma_conn *conn = r_xprt->conn;

	memset(&world, 0, sizeof(world));
	world.now = INITIAL_JIFFIES;
	pressure_seen = false;
	fake_max = 18432;
	fake_total = 32 << 20;
	conn->life.state = XPRT_RDMA_CONNECTED;
	conn->recvs.max = RECVS;
	conn->sizes.inline_send = BASE;
	conn->change.on = true;
	conn->change.base = BASE;
	conn->change.told = BASE;
	xprt_rdma_tuning_start(r_xprt);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, stop_action,
							   r_xprt));
	return conn;
}

/* The next check */
static void checks(struct xprt_rdma_conn *conn)
{
	world.now += HZ;
	world.shrunk = 0;
	world.asked = 0;
	xprt_rdma_tuning_check(conn);
}

/* Messages that the server sends take up to @len bytes. */
static void receives(struct xprt_rdma_conn *conn, u32 len)
{
	xprt_rdma_tuning_received(&conn->tuning, len);
}

/* Our Receives have grown, as the server has asked. */
static void grown(struct kunit *test, struct xprt_rdma_conn *conn, u32 size)
{
	KUNIT_ASSERT_TRUE(test, xprt_rdma_tuning_may_grow(conn, size));
	conn->change.told = size;
}

/* Long calls between two checks, and the size that is asked for */
static const struct call_case {
	const char *name;
	u32 calls[XPRT_RDMA_TUNING_STEPS];
	u32 max;
	u32 has;
	u32 want;
} call_cases[] = {
	{ "none", { 0, 0 }, 18432, BASE, 0 },
	{ "few", { LONG_CALLS - 1, 0 }, 18432, BASE, 0 },
	{ "enough of 8 KiB", { LONG_CALLS, 0 }, 18432, BASE, 9216 },
	{ "enough of 16 KiB", { 0, LONG_CALLS }, 18432, BASE, 18432 },
	{ "enough together", { LONG_CALLS / 2, LONG_CALLS / 2 }, 18432, BASE,
	  18432 },
	{ "hardly any of 16 KiB", { 4 * LONG_CALLS, LONG_CALLS }, 18432, BASE,
	  9216 },
	{ "more than is allowed", { 0, LONG_CALLS }, 10000, BASE, 10000 },
	{ "growing is not allowed", { 0, LONG_CALLS }, 4096, BASE, 0 },
	{ "the server's are large enough", { LONG_CALLS, 0 }, 18432, 9216, 0 },
	{ "the server's are not", { 0, LONG_CALLS }, 18432, 9216, 18432 },
};

KUNIT_ARRAY_PARAM_DESC(call_case, call_cases, name);

/* The server is asked for what would have saved many calls their chunks. */
static void server_asked(struct kunit *test)
{
	const struct call_case *c = test->param_value;
	struct xprt_rdma_conn *conn = connection(test);
	u32 i;

	fake_max = c->max;
	conn->sizes.inline_send = c->has;
	for (i = 0; i < XPRT_RDMA_TUNING_STEPS; i++)
		conn->tuning.long_calls[i] = c->calls[i];
	checks(conn);
	KUNIT_EXPECT_EQ(test, world.asked, c->want);
	KUNIT_EXPECT_EQ(test, world.shrunk, 0);
	/* The same calls do not count twice. */
	world.now += INTERVAL;
	checks(conn);
	KUNIT_EXPECT_EQ(test, world.asked, 0);
}

/* A server that rejects requests is asked less and less often. */
static void asked_less_often(struct kunit *test)
{
	static const u32 want[] = { 1, 2, 4, 8, 16, 32, 64, 64 };
	struct xprt_rdma_conn *conn = connection(test);
	unsigned long last = 0;
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(want) + 1; i++) {
		for (n = 0; !world.asked && n < 1000; n++) {
			conn->tuning.long_calls[0] += LONG_CALLS;
			checks(conn);
		}
		KUNIT_EXPECT_EQ(test, world.asked, 9216);
		/* It was rejected before the first one, and found so a second later. */
		if (i)
			KUNIT_EXPECT_EQ(test, (world.now - last - HZ) / INTERVAL,
					min(2 * want[i - 1], 64u));
		last = world.now;
		world.asked = 0;
		conn->change.refusals++;
	}

	/* After a long time without a rejection, all is forgotten. */
	checks(conn);
	world.now += 3 * 64 * INTERVAL;
	checks(conn);
	KUNIT_EXPECT_EQ(test, conn->tuning.ask_delay, INTERVAL);
}

/* Requests of the server's that are granted, and those that are not */
static void growth_bounded(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);
	struct xprt_rdma_conn *other;

	/* The size, and the bytes of all connections */
	KUNIT_EXPECT_FALSE(test, xprt_rdma_tuning_may_grow(conn, 18433));
	fake_total = RECVS * (18432 - BASE) - 1;
	KUNIT_EXPECT_FALSE(test, xprt_rdma_tuning_may_grow(conn, 18432));
	KUNIT_EXPECT_EQ(test, conn->tuning.reserved, 0);
	fake_total++;
	KUNIT_EXPECT_TRUE(test, xprt_rdma_tuning_may_grow(conn, 18432));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&reserved_all), fake_total);

	/* Once per interval */
	world.now += INTERVAL - 1;
	KUNIT_EXPECT_FALSE(test, xprt_rdma_tuning_may_grow(conn, 18432));
	world.now++;
	KUNIT_EXPECT_TRUE(test, xprt_rdma_tuning_may_grow(conn, 18432));

	/* What did not happen is returned at the next check. */
	conn->change.state = XPRT_RDMA_RESIZE_GROW;
	checks(conn);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&reserved_all), fake_total);
	conn->change.state = XPRT_RDMA_RESIZE_NONE;
	checks(conn);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&reserved_all), 0);

	/* Another connection; the end of a connection */
	world.now += INTERVAL;
	KUNIT_EXPECT_TRUE(test, xprt_rdma_tuning_may_grow(conn, 9216));
	xprt_rdma_tuning_stop(conn->r_xprt);
	KUNIT_EXPECT_FALSE(test, conn->change.on);
	other = connection(test);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&reserved_all), 0);
	grown(test, other, 9216);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&reserved_all),
			RECVS * (9216 - BASE));
}

/* Sizes that messages need, and the size that Receives shrink to */
static const struct shrink_case {
	const char *name;
	u32 told;
	u32 len;
	u32 want;
} shrink_cases[] = {
	{ "nothing at all", 18432, 0, BASE },
	{ "short messages", 18432, BASE, BASE },
	{ "a byte too long for the initial size", 18432, BASE + 1, 9216 },
	{ "8 KiB", 18432, 9216, 9216 },
	{ "16 KiB", 18432, 9217, 0 },
	{ "16 KiB in full", 18432, 18432, 0 },
	{ "8 KiB as before", 9216, 9216, 0 },
	{ "never grown", BASE, 0, 0 },
};

KUNIT_ARRAY_PARAM_DESC(shrink_case, shrink_cases, name);

/* Receives shrink to what the messages of one interval have needed. */
static void unneeded_size_returned(struct kunit *test)
{
	const struct shrink_case *c = test->param_value;
	struct xprt_rdma_conn *conn = connection(test);
	u32 i;

	if (c->told > BASE)
		grown(test, conn, c->told);
	receives(conn, c->len);
	for (i = 0; i < 4; i++) {
		checks(conn);
		KUNIT_EXPECT_EQ(test, world.shrunk, 0);
	}
	checks(conn);
	KUNIT_EXPECT_EQ(test, world.shrunk, c->want == c->told ? 0 : c->want);
	KUNIT_EXPECT_EQ(test, conn->tuning.longest, 0);
}

/* One long message in an interval is enough for the size to stay. */
static void needed_size_stays(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);
	u32 i;

	grown(test, conn, 18432);
	for (i = 0; i < 100; i++) {
		if (i % 5 == 0)
			receives(conn, 17000);
		checks(conn);
		KUNIT_EXPECT_EQ(test, world.shrunk, 0);
	}
}

/* If memory is short, nothing is larger than at the start, for some time. */
static void memory_short(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);
	u64 times = fake_count(tuning_pressure);

	/* Act and assert: what could be freed */
	KUNIT_EXPECT_EQ(test, 0, xprt_rdma_tuning_shrink_count(NULL, NULL));
	grown(test, conn, 18432);
	KUNIT_EXPECT_EQ(test, xprt_rdma_tuning_shrink_count(NULL, NULL),
			RECVS * (18432 - BASE) / PAGE_SIZE);

	/* Act and assert: memory is short */
	receives(conn, 18432);
	KUNIT_EXPECT_EQ(test, xprt_rdma_tuning_shrink_scan(NULL, NULL),
			SHRINK_STOP);
	xprt_rdma_tuning_shrink_scan(NULL, NULL);
	KUNIT_EXPECT_EQ(test, fake_count(tuning_pressure) - times, 1);
	checks(conn);
	KUNIT_EXPECT_EQ(test, world.shrunk, BASE);
	conn->change.told = BASE;
	world.now += PRESSURE_HOLD - HZ - 1;
	KUNIT_EXPECT_FALSE(test, xprt_rdma_tuning_may_grow(conn, 9216));
	world.now++;
	KUNIT_EXPECT_TRUE(test, xprt_rdma_tuning_may_grow(conn, 9216));

	/* Act and assert: it has never been short, and uptime is that small */
	pressure_seen = false;
	pressure_at = jiffies;
	KUNIT_EXPECT_FALSE(test, xprt_rdma_tuning_pressure());
}

/* While a size changes, nothing is decided about it. */
static void change_under_way(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);

	grown(test, conn, 18432);
	conn->change.state = XPRT_RDMA_RESIZE_DRAIN;
	world.now += 2 * INTERVAL;
	checks(conn);
	KUNIT_EXPECT_EQ(test, world.shrunk, 0);
}

/* Connections whose properties cannot change are left alone. */
static void others_not_checked(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);

	grown(test, conn, 18432);
	conn->change.on = false;
	KUNIT_EXPECT_FALSE(test, xprt_rdma_tuning_needed(conn));
	world.now += 2 * INTERVAL;
	checks(conn);
	KUNIT_EXPECT_EQ(test, world.shrunk, 0);
}

/* Without calls, checks are needed until Receives have their initial size. */
static void needed_until_shrunk(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);

	KUNIT_EXPECT_FALSE(test, xprt_rdma_tuning_needed(conn));
	grown(test, conn, 18432);
	KUNIT_EXPECT_TRUE(test, xprt_rdma_tuning_needed(conn));
	conn->change.told = BASE;
	conn->change.state = XPRT_RDMA_RESIZE_DRAIN;
	KUNIT_EXPECT_TRUE(test, xprt_rdma_tuning_needed(conn));
	conn->change.state = XPRT_RDMA_RESIZE_NONE;
	KUNIT_EXPECT_TRUE(test, xprt_rdma_tuning_needed(conn));
	checks(conn);
	KUNIT_EXPECT_FALSE(test, xprt_rdma_tuning_needed(conn));
}

/* There are several checks per interval, but not too many. */
static void checks_per_interval(struct kunit *test)
{
	static const struct { u32 ms; unsigned long want; } cases[] = {
		{ 1000, HZ / 5 }, { 5000, HZ }, { 3600000, HZ },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		fake_interval = cases[i].ms;
		KUNIT_EXPECT_EQ(test, xprt_rdma_tuning_check_interval(),
				cases[i].want);
	}
	fake_interval = 5000;
}

/* The module is told when memory is short, as long as it is loaded. */
static void shrinker_registered(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, xprt_rdma_tuning_init(), 0);
	KUNIT_EXPECT_EQ(test, fake_registered, 1);
	xprt_rdma_tuning_exit();
	KUNIT_EXPECT_EQ(test, fake_registered, 0);
	fake_no_shrinker = true;
	KUNIT_EXPECT_EQ(test, xprt_rdma_tuning_init(), -ENOMEM);
	KUNIT_EXPECT_EQ(test, fake_registered, 0);
	fake_no_shrinker = false;
}

static struct kunit_case xprt_tuning_cases[] = {
	KUNIT_CASE_PARAM(server_asked, call_case_gen_params),
	KUNIT_CASE(asked_less_often),
	KUNIT_CASE(growth_bounded),
	KUNIT_CASE_PARAM(unneeded_size_returned, shrink_case_gen_params),
	KUNIT_CASE(needed_size_stays),
	KUNIT_CASE(memory_short),
	KUNIT_CASE(change_under_way),
	KUNIT_CASE(others_not_checked),
	KUNIT_CASE(needed_until_shrunk),
	KUNIT_CASE(checks_per_interval),
	KUNIT_CASE(shrinker_registered),
	{}
};

static struct kunit_suite xprt_tuning_suite = {
	.name = "xprt_rdma_tuning",
	.test_cases = xprt_tuning_cases,
};

kunit_test_suite(xprt_tuning_suite);

MODULE_DESCRIPTION("KUnit suite of xprtrdma's tuning of Receives");
MODULE_LICENSE("GPL");
