// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: many clients of one service can connect, greedy clients leave a modest
 * one its share of the service, and all clients reconnect when the service
 * restarts.
 */

#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "echo.h"

static unsigned int many;
module_param(many, uint, 0444);
MODULE_PARM_DESC(many, "clients that connect (0: these cases are skipped)");

static unsigned int back = 20;
module_param(back, uint, 0444);
MODULE_PARM_DESC(back, "seconds within which all clients are served by a service that has started");

#define MANY_OUTAGE_MS	2000
/*
 * Greedy clients; calls in flight of each, and of the modest client; calls of
 * the latter
 */
#define MANY_GREEDY	64u
#define MANY_DEEP	48u
#define MANY_SHALLOW	16u
#define MANY_CALLS	60
#define MANY_SERVICE_MS	5
#define MANY_LENGTH	8192u

static struct rpc_clnt **clients;
static unsigned int connected;

/* A call may wait behind thousands of others. */
static const struct rpc_timeout many_timeout = {
	.to_initval	= 120 * HZ,
	.to_maxval	= 120 * HZ,
};

static int many_connect(void)
{
	struct rpc_clnt *clnt;

	clients = kvcalloc(many, sizeof(struct rpc_clnt *), GFP_KERNEL);
	if (!clients)
		return -ENOMEM;
	for (; connected < many; connected++) {
		clnt = echo_connect();
		if (IS_ERR(clnt))
			return PTR_ERR(clnt);
		clnt->cl_timeout = &many_timeout;
		clients[connected] = clnt;
	}
	return 0;
}

static void many_exit(struct kunit_suite *suite)
{
	while (connected)
		rpc_shutdown_client(clients[--connected]);
	kvfree(clients);
	clients = NULL;
	echo_exit(suite);
}

static int many_init(struct kunit_suite *suite)
{
	int ret = echo_init(suite);

	if (ret)
		return ret;
	echo_clnt->cl_timeout = &many_timeout;
	ret = many_connect();
	if (ret) {
		pr_err("client %u of %u: error %d\n", connected, many, ret);
		many_exit(suite);
	}
	return ret;
}

static struct echo_call *new_small(struct kunit *test, u32 i)
{
	return echo_new_call(test, ECHO_PROC_SOURCE, 4096, true);
}

/* A batch with one call of each client */
static struct echo_batch *one_each(struct kunit *test)
{
	struct echo_batch *batch;
	u32 i;

	if (!many)
		kunit_skip(test, "no clients were asked for (many=)");
	batch = echo_batch_create(test, many, new_small);
	for (i = 0; i < many; i++)
		batch->members[i].clnt = clients[i];
	return batch;
}

static void all_served(struct kunit *test)
{
	struct echo_batch *batch = one_each(test);

	echo_batch_start(batch);
	echo_batch_finish(test, batch);
}

static void all_back(struct kunit *test)
{
	struct echo_batch *batch = one_each(test);
	ktime_t start;
	s64 ms;

	echo_service_stop();
	echo_batch_start(batch);
	msleep(MANY_OUTAGE_MS);
	start = ktime_get();
	KUNIT_ASSERT_EQ(test, 0, echo_service_start());
	echo_batch_finish(test, batch);
	ms = ktime_ms_delta(ktime_get(), start);
	kunit_info(test, "%u clients were back after %lld ms\n", many, ms);
	KUNIT_EXPECT_LE(test, ms, back * MSEC_PER_SEC);
}

/* A call that is repeated as soon as it completes */
struct caller {
	struct rpc_clnt		*clnt;
	struct echo_call	*call;
	atomic_t		*served;
};

static atomic_t callers_left, callers_failed, greedy_served, modest_served;
static bool callers_stop;

static void caller_start(struct caller *caller);

static void caller_done(struct rpc_task *task, void *data)
{
	struct caller *caller = data;

	atomic_inc(task->tk_status < 0 ? &callers_failed : caller->served);
}

static void caller_release(void *data)
{
	if (READ_ONCE(callers_stop))
		atomic_dec(&callers_left);
	else
		caller_start(data);
}

static const struct rpc_call_ops caller_ops = {
	.rpc_call_done	= caller_done,
	.rpc_release	= caller_release,
};

static void caller_start(struct caller *caller)
{
	echo_call_async(caller->clnt, caller->call, &caller_ops, caller);
}

static struct caller *new_callers(struct kunit *test, struct rpc_clnt *clnt,
				  unsigned int depth, atomic_t *served)
{
	struct caller *callers = kunit_kcalloc(test, depth, sizeof(*callers), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, callers);
	for (i = 0; i < depth; i++) {
		callers[i].clnt = clnt;
		callers[i].call = echo_new_call(test, ECHO_PROC_SOURCE, MANY_LENGTH, true);
		callers[i].served = served;
	}
	return callers;
}

static void callers_start(struct caller *callers, unsigned int depth)
{
	for (; depth; depth--, callers++) {
		atomic_inc(&callers_left);
		caller_start(callers);
	}
}

static void callers_end(void *unused)
{
	WRITE_ONCE(callers_stop, true);
	WRITE_ONCE(echo_service_ms, 0);
	while (atomic_read(&callers_left))
		msleep(20);
}

/*
 * A service that takes one call of each connection in turn, instead of calls in
 * the order of arrival, serves a client with few calls in flight as often as
 * one with many. The modest client still needs several calls in flight, so as
 * not to miss its turn while a reply is under way. Calls take long enough to
 * queue up in the service: soft-RoCE handles all messages of one Queue Pair
 * before those of the next.
 */
static void modest_keeps_share(struct kunit *test)
{
	unsigned int i, each, greedy = min(many, MANY_GREEDY);
	unsigned long end = jiffies + 120 * HZ;
	struct caller *modest, *deep[MANY_GREEDY];

	if (!many)
		kunit_skip(test, "no clients were asked for (many=)");
	modest = new_callers(test, echo_clnt, MANY_SHALLOW, &modest_served);
	for (i = 0; i < greedy; i++)
		deep[i] = new_callers(test, clients[i], MANY_DEEP, &greedy_served);
	/* callers_end() runs before the memory of the calls is freed. */
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action(test, callers_end, NULL));
	WRITE_ONCE(callers_stop, false);
	WRITE_ONCE(echo_service_ms, MANY_SERVICE_MS);
	atomic_set(&callers_failed, 0);
	for (i = 0; i < greedy; i++)
		callers_start(deep[i], MANY_DEEP);
	callers_start(modest, MANY_SHALLOW);
	/* Wait for the credit grants to grow. */
	msleep(1000);
	atomic_set(&greedy_served, 0);
	atomic_set(&modest_served, 0);
	while (atomic_read(&modest_served) < MANY_CALLS && time_before(jiffies, end))
		msleep(20);
	each = atomic_read(&greedy_served) / greedy;
	kunit_info(test, "%u calls, and %u of each of %u others\n",
		   atomic_read(&modest_served), each, greedy);
	KUNIT_EXPECT_GE(test, atomic_read(&modest_served), MANY_CALLS);
	KUNIT_EXPECT_LE(test, each, 2 * MANY_CALLS);
	KUNIT_EXPECT_GE(test, each, 1);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&callers_failed));
}

static struct kunit_case echo_many_cases[] = {
	KUNIT_CASE_SLOW(all_served),
	KUNIT_CASE_SLOW(modest_keeps_share),
	KUNIT_CASE_SLOW(all_back),
	{}
};

SUITE("rpcrdma_echo_many", echo_many_cases, .suite_init = many_init, .suite_exit = many_exit);
