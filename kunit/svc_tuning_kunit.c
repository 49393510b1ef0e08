// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the sizes of Receives follow the traffic, within the bounds that the
 * administrator has set, and not back and forth all the time. If this failed,
 * the server's memory would be used up by connections that do not need it, or
 * connections would change all the time instead of serving calls.
 */
#include <linux/module.h>
#include <linux/shrinker.h>

#include "svc_fakes.h"
#include "fake_balance.h"

#define BASE	5120u
#define STEP_1	9216u
#define STEP_2	18432u
#define RECVS	74u

/**
 * struct outside - surroundings of the file under test
 * @now: jiffies
 * @shrunk_to: bytes; what our Receives were to shrink to
 * @shrinks: how often they were
 * @asked: bytes; what the requester was asked for
 * @asks: how often it was
 * @ask_result: what asking returns
 * @stuck: the requester does not say what it has processed
 * @closed: how often a connection was closed
 * @works: how often the work item was queued
 * @delay: jiffies after which it runs
 * @cancelled: how often it was cancelled
 * @shrinker: the shrinker that was registered
 * @registered: how often it was, less how often it was freed
 * @no_shrinker: there is no memory for one
 */
static struct outside {
	unsigned long now;
	u32 shrunk_to;
	u32 shrinks;
	u32 asked;
	u32 asks;
	int ask_result;
	bool stuck;
	u32 closed;
	u32 works;
	unsigned long delay;
	u32 cancelled;
	struct shrinker shrinker;
	int registered;
	bool no_shrinker;
} outside;

static unsigned int fake_max, fake_total, fake_interval;
static bool fake_on;

static bool fake_shrink(struct svc_rdma_conn *conn, u32 size)
{
	if (conn->change.state != SVC_RDMA_SIZE_STEADY ||
	    size >= conn->change.told)
		return false;
	outside.shrunk_to = size;
	outside.shrinks++;
	conn->change.told = size;
	conn->change.state = SVC_RDMA_SIZE_ANNOUNCED;
	return true;
}

static int fake_ask(struct svc_rdma_conn *conn, u32 size)
{
	outside.asked = size;
	outside.asks++;
	return outside.ask_result;
}

static void fake_work(unsigned long delay)
{
	outside.works++;
	outside.delay = delay;
}

#undef shrinker_alloc
#undef jiffies
#define jiffies				outside.now
#define svc_rdma_tuning_on		fake_on
#define svc_rdma_receive_buffer_max	fake_max
#define svc_rdma_receive_buffers_total	fake_total
#define svc_rdma_tuning_interval	fake_interval
#define svc_rdma_recvs_for(grant)	((void)(grant), RECVS)
#define svc_rdma_change_shrink_locked	fake_shrink
#define svc_rdma_change_ask_locked	fake_ask
#define svc_rdma_change_stuck_locked(conn) ((void)(conn), outside.stuck)
#define svc_rdma_conn_close(conn, cause) \
	((void)(conn), (void)(cause), (void)outside.closed++)
#define mod_delayed_work(wq, work, delay) ((void)(work), fake_work(delay))
#define disable_delayed_work_sync(work)	((void)(work), (void)outside.cancelled++)
#define shrinker_alloc(flags, ...) \
	(outside.no_shrinker ? NULL : &outside.shrinker)
#define shrinker_register(shrinker)	((void)(shrinker), outside.registered++)
#define shrinker_free(shrinker)		((void)(shrinker), outside.registered--)

#include "../svcrdma/control/tuning.c"

#define PERIOD	(msecs_to_jiffies(fake_interval))
/* What Receives of that size cost */
#define COST(size) ((u64)RECVS * (PAGE_ALIGN(size) - BASE))

static void end(void *conn)
{
	svc_rdma_tuning_stop(conn);
}

static struct svc_rdma_conn *another(struct kunit *test)
{
	struct svc_rdma_conn *conn = fake_conn(test);

	conn->sizes.recv_base = BASE;
	conn->change.told = BASE;
	atomic_set(&conn->life.state, SVC_RDMA_OPEN);
	svc_rdma_tuning_begin(conn);
	svc_rdma_tuning_set_limits(conn);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, end, conn));
	return conn;
}

static void stop_shrinking(void *unused)
{
	svc_rdma_tuning_exit();
}

static struct svc_rdma_conn *connection(struct kunit *test)
{
	memset(&outside, 0, sizeof(outside));
	outside.now = INITIAL_JIFFIES;
	fake_on = true;
	fake_max = STEP_2;
	fake_total = 64 << 20;
	fake_interval = 5000;
	KUNIT_ASSERT_EQ(test, 0, svc_rdma_tuning_init());
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, stop_shrinking,
							   NULL));
	return another(test);
}

static void runs(struct svc_rdma_conn *conn)
{
	svc_rdma_tuning_work(&conn->tuning.work.work);
}

static u32 grant(struct svc_rdma_conn *conn, u32 size)
{
	u32 granted;

	mutex_lock(&conn->change.mutex);
	granted = conn->sizes.ops->grant(conn, size);
	mutex_unlock(&conn->change.mutex);
	return granted;
}

/* The Receives have grown: the requester was told. */
static void grown(struct kunit *test, struct svc_rdma_conn *conn, u32 size)
{
	KUNIT_ASSERT_EQ(test, grant(conn, size), size);
	conn->change.told = size;
}

static void long_replies(struct svc_rdma_conn *conn, u32 step, u32 n)
{
	conn->tuning.long_replies[step] += n;
	conn->tuning.long_total += n;
}

static const struct {
	const char *name;
	u32 want;
	u32 granted;
	u32 max;
} grants[] = {
	{ "a step", STEP_1, STEP_1 },
	{ "the maximum", STEP_2, STEP_2 },
	{ "rounded to a word", 9001, 9004 },
	{ "beyond the maximum", STEP_2 + 1, 0 },
	{ "all there is", ~0u, 0 },
	{ "the administrator allows less", STEP_1, 0, STEP_1 - 4 },
	{ "the administrator allows too much", 65537, 0, ~0u },
	{ "as much as can be sent", 65536, 65536, ~0u },
};

KUNIT_ARRAY_PARAM_DESC(grant, grants, name);

/* Requests are granted up to a maximum, and charged. */
static void granted(struct kunit *test)
{
	const typeof(grants[0]) *c = test->param_value;
	struct svc_rdma_conn *conn = connection(test);

	if (c->max)
		fake_max = c->max;
	KUNIT_EXPECT_EQ(test, grant(conn, c->want), c->granted);
	KUNIT_EXPECT_EQ(test, conn->tuning.charge,
			c->granted ? COST(c->granted) : 0);
	KUNIT_EXPECT_EQ(test, svc_rdma_tuned_bytes, conn->tuning.charge);
	/* It is looked at again after an interval. */
	KUNIT_EXPECT_EQ(test, outside.works, !!c->granted);
	if (c->granted)
		KUNIT_EXPECT_EQ(test, outside.delay, PERIOD);
}

/* All connections together are bounded, and charges are returned. */
static void bounded(struct kunit *test)
{
	struct svc_rdma_conn *a = connection(test), *b = another(test);

	fake_total = COST(STEP_1) + COST(STEP_2) - 1;
	grown(test, a, STEP_2);
	KUNIT_EXPECT_EQ(test, grant(b, STEP_1), 0);
	fake_total++;
	grown(test, b, STEP_1);
	KUNIT_EXPECT_EQ(test, grant(b, STEP_2), 0);
	/* One that exceeds a bound that was lowered later is charged as before. */
	fake_total = 0;
	KUNIT_EXPECT_EQ(test, grant(b, STEP_1), STEP_1);
	svc_rdma_tuning_stop(a);
	KUNIT_EXPECT_EQ(test, svc_rdma_tuned_bytes, COST(STEP_1));
	KUNIT_EXPECT_EQ(test, a->tuning.charge, 0);
	KUNIT_EXPECT_EQ(test, outside.cancelled, 1);
}

/* Receives that could not grow are not paid for. */
static void not_grown(struct kunit *test)
{
	struct svc_rdma_conn *conn = connection(test);

	KUNIT_EXPECT_EQ(test, grant(conn, STEP_2), STEP_2);
	outside.now += PERIOD;
	outside.works = 0;
	runs(conn);
	KUNIT_EXPECT_EQ(test, conn->tuning.charge, 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->tuning.entry));
	KUNIT_EXPECT_EQ(test, outside.works, 0);
}

/* While the Receives grow, they are paid for, and do not shrink. */
static void growing(struct kunit *test)
{
	struct svc_rdma_conn *conn = connection(test);

	KUNIT_EXPECT_EQ(test, grant(conn, STEP_2), STEP_2);
	conn->change.state = SVC_RDMA_SIZE_GROWING;
	outside.now += 2 * PERIOD;
	runs(conn);
	KUNIT_EXPECT_EQ(test, conn->tuning.charge, COST(STEP_2));
	KUNIT_EXPECT_EQ(test, outside.shrinks, 0);
	KUNIT_EXPECT_EQ(test, outside.delay, PERIOD);
}

static const struct {
	const char *name;
	u32 longest;
	bool shrinks;
} uses[] = {
	{ "idle", 0, true },
	{ "short messages", 1000, true },
	{ "as long as the first size", BASE, true },
	{ "longer", BASE + 1, false },
	{ "all of it", STEP_2, false },
};

KUNIT_ARRAY_PARAM_DESC(use, uses, name);

/* Receives that were not needed in a whole interval shrink. */
static void used(struct kunit *test)
{
	const typeof(uses[0]) *c = test->param_value;
	struct svc_rdma_conn *conn = connection(test);

	grown(test, conn, STEP_2);
	/* The first interval counts as used. */
	outside.now += PERIOD;
	runs(conn);
	KUNIT_EXPECT_EQ(test, outside.shrinks, 0);

	conn->tuning.recv_longest = c->longest;
	outside.now += PERIOD - 1;
	runs(conn);
	KUNIT_EXPECT_EQ(test, outside.shrinks, 0);
	outside.now += 1;
	runs(conn);
	KUNIT_EXPECT_EQ(test, outside.shrinks, c->shrinks);
	KUNIT_EXPECT_EQ(test, outside.shrunk_to, c->shrinks ? BASE : 0);
	KUNIT_EXPECT_EQ(test, conn->tuning.recv_longest, 0);
	/* Paid for until no larger one is posted */
	KUNIT_EXPECT_EQ(test, conn->tuning.charge, COST(STEP_2));
	conn->change.state = SVC_RDMA_SIZE_STEADY;
	outside.now += 1;
	runs(conn);
	KUNIT_EXPECT_EQ(test, conn->tuning.charge,
			c->shrinks ? 0 : COST(STEP_2));
}

/* After shrinking, nothing grows for an interval. */
static void not_back_and_forth(struct kunit *test)
{
	struct svc_rdma_conn *conn = connection(test);

	grown(test, conn, STEP_2);
	outside.now += PERIOD;
	runs(conn);
	outside.now += PERIOD;
	runs(conn);
	KUNIT_ASSERT_EQ(test, outside.shrinks, 1);
	conn->change.state = SVC_RDMA_SIZE_STEADY;
	outside.now += PERIOD - 1;
	KUNIT_EXPECT_EQ(test, grant(conn, STEP_2), 0);
	outside.now += 1;
	KUNIT_EXPECT_EQ(test, grant(conn, STEP_2), STEP_2);
}

static const struct {
	const char *name;
	u32 replies[SVC_RDMA_TUNING_STEPS];
	u32 max;
	u32 asked;
} wants[] = {
	{ "too few", { 63, 0, 0 }, STEP_2, 0 },
	{ "8 KiB", { 64, 0, 0 }, STEP_2, STEP_1 },
	{ "16 KiB", { 0, 64, 0 }, STEP_2, STEP_2 },
	{ "some of 16 KiB", { 48, 16, 0 }, STEP_2, STEP_1 },
	{ "many of 16 KiB", { 47, 17, 0 }, STEP_2, STEP_2 },
	{ "some are longer still", { 0, 40, 24 }, 65536, 36864 },
	{ "two sizes together", { 40, 12, 12 }, 65536, STEP_2 },
	{ "not more than the maximum", { 0, 64, 0 }, 17000, 17000 },
};

KUNIT_ARRAY_PARAM_DESC(want, wants, name);

/* The requester is asked for what most of the long replies need. */
static void asked(struct kunit *test)
{
	const typeof(wants[0]) *c = test->param_value;
	struct svc_rdma_conn *conn = connection(test);
	u64 before = fake_count(changes_asked);
	u32 i;

	conn->tuning.ask_max = c->max;
	for (i = 0; i < SVC_RDMA_TUNING_STEPS; i++)
		long_replies(conn, i, c->replies[i]);
	runs(conn);
	KUNIT_EXPECT_EQ(test, outside.asks, !!c->asked);
	KUNIT_EXPECT_EQ(test, outside.asked, c->asked);
	KUNIT_EXPECT_EQ(test, fake_count(changes_asked), before + !!c->asked);
	KUNIT_EXPECT_EQ(test, conn->tuning.long_total,
			c->asked ? 0 : c->replies[0]);
	/* Nothing is to be looked at later. */
	KUNIT_EXPECT_EQ(test, outside.works, 0);
}

/* Replies that are rarely too long are no reason to ask. */
static void rare(struct kunit *test)
{
	struct svc_rdma_conn *conn = connection(test);

	long_replies(conn, 0, SVC_RDMA_TUNING_REPLIES);
	outside.now += PERIOD;
	runs(conn);
	KUNIT_EXPECT_EQ(test, outside.asks, 0);
	KUNIT_EXPECT_EQ(test, conn->tuning.long_replies[0], 0);
	KUNIT_EXPECT_EQ(test, conn->tuning.long_total, 0);
	outside.now += PERIOD - 1;
	long_replies(conn, 0, SVC_RDMA_TUNING_REPLIES);
	runs(conn);
	KUNIT_EXPECT_EQ(test, outside.asks, 1);
}

/* The same requester is not asked again and again. */
static void patient(struct kunit *test)
{
	struct svc_rdma_conn *conn = connection(test);
	unsigned long waited = 0;
	u64 before = fake_count(changes_refused);

	long_replies(conn, 0, SVC_RDMA_TUNING_REPLIES);
	runs(conn);
	KUNIT_ASSERT_EQ(test, outside.asks, 1);
	outside.now += PERIOD - 1;
	conn->tuning.long_since = outside.now;
	long_replies(conn, 0, SVC_RDMA_TUNING_REPLIES);
	runs(conn);
	KUNIT_EXPECT_EQ(test, outside.asks, 1);

	conn->change.refused = true;
	while (outside.asks == 1 && waited < 100 * PERIOD) {
		long_replies(conn, 0, SVC_RDMA_TUNING_REPLIES);
		runs(conn);
		KUNIT_EXPECT_EQ(test, conn->tuning.long_total, 0);
		outside.now += PERIOD / 4;
		waited += PERIOD / 4;
	}
	KUNIT_EXPECT_GE(test, waited, SVC_RDMA_TUNING_PATIENCE * PERIOD);
	KUNIT_EXPECT_LE(test, waited,
			(SVC_RDMA_TUNING_PATIENCE + 1) * PERIOD);
	KUNIT_EXPECT_EQ(test, fake_count(changes_refused), before + 1);
}

/* Replies are not counted for one that cannot be asked. */
static void cannot_be_asked(struct kunit *test)
{
	struct svc_rdma_conn *conn = connection(test);

	outside.ask_result = -EBUSY;
	long_replies(conn, 0, SVC_RDMA_TUNING_REPLIES);
	runs(conn);
	KUNIT_EXPECT_EQ(test, conn->tuning.ask_max, STEP_2);
	outside.now += PERIOD;
	conn->tuning.long_since = outside.now;
	outside.ask_result = -EOPNOTSUPP;
	long_replies(conn, 0, SVC_RDMA_TUNING_REPLIES);
	runs(conn);
	KUNIT_EXPECT_EQ(test, outside.asks, 2);
	KUNIT_EXPECT_EQ(test, conn->tuning.ask_max, 0);
}

/* When memory is short, all that have grown shrink, and nothing grows. */
static void memory_short(struct kunit *test)
{
	struct svc_rdma_conn *a = connection(test), *b = another(test);
	struct shrink_control sc = { .nr_to_scan = 1 };

	KUNIT_EXPECT_EQ(test, outside.registered, 1);
	KUNIT_EXPECT_EQ(test, outside.shrinker.count_objects(NULL, &sc), 0);
	KUNIT_EXPECT_EQ(test, outside.shrinker.scan_objects(NULL, &sc),
			SHRINK_STOP);
	outside.now += SVC_RDMA_TUNING_PRESSURE;
	grown(test, a, STEP_2);
	grown(test, b, STEP_2);
	KUNIT_EXPECT_EQ(test, outside.shrinker.count_objects(NULL, &sc),
			2 * COST(STEP_2) >> PAGE_SHIFT);

	/* One is enough at first. */
	outside.works = 0;
	KUNIT_EXPECT_EQ(test, outside.shrinker.scan_objects(NULL, &sc),
			COST(STEP_2) >> PAGE_SHIFT);
	KUNIT_EXPECT_EQ(test, outside.works, 1);
	KUNIT_EXPECT_EQ(test, outside.delay, 0);
	KUNIT_EXPECT_NE(test, a->tuning.pressed, b->tuning.pressed);
	sc.nr_to_scan = 10000;
	outside.shrinker.scan_objects(NULL, &sc);
	KUNIT_EXPECT_EQ(test, outside.works, 2);

	/* At once, although it was used */
	a->tuning.recv_longest = STEP_2;
	runs(a);
	KUNIT_EXPECT_EQ(test, outside.shrunk_to, BASE);
	a->change.state = SVC_RDMA_SIZE_STEADY;
	runs(a);
	KUNIT_EXPECT_EQ(test, a->tuning.charge, 0);
	KUNIT_EXPECT_FALSE(test, a->tuning.pressed);
	outside.now = svc_rdma_pressed_until - 1;
	a->tuning.grant_after = outside.now;
	KUNIT_EXPECT_EQ(test, grant(a, STEP_1), 0);
	outside.now++;
	KUNIT_EXPECT_EQ(test, grant(a, STEP_1), STEP_1);
}

/*
 * A requester that keeps Receives from becoming smaller does not keep what
 * others could use.
 */
static void stuck(struct kunit *test)
{
	struct svc_rdma_conn *conn = connection(test);

	outside.stuck = true;
	runs(conn);
	KUNIT_EXPECT_EQ(test, outside.closed, 0);
	grown(test, conn, STEP_2);
	outside.stuck = false;
	outside.now += PERIOD;
	runs(conn);
	KUNIT_EXPECT_EQ(test, outside.closed, 0);
	outside.stuck = true;
	outside.now += PERIOD;
	runs(conn);
	KUNIT_EXPECT_EQ(test, outside.closed, 1);
}

/* A connection that is closing is left alone. */
static void closing(struct kunit *test)
{
	struct svc_rdma_conn *conn = connection(test);

	grown(test, conn, STEP_2);
	outside.works = 0;
	outside.now += 3 * PERIOD;
	atomic_set(&conn->life.state, SVC_RDMA_CLOSING);
	runs(conn);
	KUNIT_EXPECT_EQ(test, outside.works, 0);
	KUNIT_EXPECT_EQ(test, outside.shrinks, 0);
}

/* The administrator switches all of it off, for new connections. */
static void switched_off(struct kunit *test)
{
	struct svc_rdma_conn *conn = connection(test);

	KUNIT_EXPECT_TRUE(test, conn->change.enabled);
	KUNIT_EXPECT_EQ(test, conn->tuning.ask_max, STEP_2);
	fake_on = false;
	conn = another(test);
	KUNIT_EXPECT_FALSE(test, conn->change.enabled);
	KUNIT_EXPECT_EQ(test, conn->tuning.ask_max, 0);
	fake_on = true;
	fake_max = ~0u;
	KUNIT_EXPECT_EQ(test, another(test)->tuning.ask_max, SVC_RDMA_SEND_MAX);
}

/* An interval that makes no sense is corrected. */
static void interval(struct kunit *test)
{
	connection(test);
	fake_interval = 0;
	KUNIT_EXPECT_EQ(test, svc_rdma_tuning_period(), msecs_to_jiffies(10));
	fake_interval = ~0u;
	KUNIT_EXPECT_EQ(test, svc_rdma_tuning_period(),
			msecs_to_jiffies(3600000));
}

/* The module does not load without a shrinker. */
static void loads(struct kunit *test)
{
	memset(&outside, 0, sizeof(outside));
	outside.no_shrinker = true;
	KUNIT_EXPECT_EQ(test, svc_rdma_tuning_init(), -ENOMEM);
	KUNIT_EXPECT_EQ(test, outside.registered, 0);
	outside.no_shrinker = false;
	KUNIT_EXPECT_EQ(test, svc_rdma_tuning_init(), 0);
	svc_rdma_tuning_exit();
	KUNIT_EXPECT_EQ(test, outside.registered, 0);
}

static struct kunit_case svc_tuning_cases[] = {
	KUNIT_CASE_PARAM(granted, grant_gen_params),
	KUNIT_CASE(bounded),
	KUNIT_CASE(not_grown),
	KUNIT_CASE(growing),
	KUNIT_CASE_PARAM(used, use_gen_params),
	KUNIT_CASE(not_back_and_forth),
	KUNIT_CASE_PARAM(asked, want_gen_params),
	KUNIT_CASE(rare),
	KUNIT_CASE(patient),
	KUNIT_CASE(cannot_be_asked),
	KUNIT_CASE(memory_short),
	KUNIT_CASE(stuck),
	KUNIT_CASE(closing),
	KUNIT_CASE(switched_off),
	KUNIT_CASE(interval),
	KUNIT_CASE(loads),
	{}
};

static struct kunit_suite svc_tuning_suite = {
	.name = "svc_rdma_tuning",
	.exit = balance_exit,
	.test_cases = svc_tuning_cases,
};

kunit_test_suite(svc_tuning_suite);

MODULE_DESCRIPTION("KUnit suite of svcrdma's choice of sizes");
MODULE_LICENSE("GPL");
