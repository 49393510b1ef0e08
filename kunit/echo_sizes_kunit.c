// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the Receives of both sides grow and shrink again and again while calls,
 * replies and callbacks use them; all of these arrive complete and unchanged,
 * and no connection is lost. The script that loads this module has made the
 * interval short, and looks at the counters of both sides afterwards.
 */

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/sunrpc/xprt.h>

#include "echo.h"

static unsigned int changes;
module_param(changes, uint, 0444);
MODULE_PARM_DESC(changes, "how often sizes are to grow and shrink");

static unsigned int pause = 300;
module_param(pause, uint, 0444);
MODULE_PARM_DESC(pause, "milliseconds in which Receives grow, and in which they shrink");

#define TOGETHER	24u

/* Sizes around those that Receives have */
static const u32 lengths[] = {
	8192, 16384, 4096, 9000, 100, 12288, 16383, 5000, 9216 - 100, 18432 - 100,
	8191, 20000,
};

/**
 * struct crowd - calls that are made at the same time, again and again
 * @left: number of calls that have not completed
 * @done: all calls have completed
 * @failed: number of calls without a result
 * @wrong: number of calls with a wrong result
 * @calls: the calls
 */
struct crowd {
	atomic_t left;
	struct completion done;
	atomic_t failed;
	atomic_t wrong;
	struct echo_call *calls[TOGETHER];
};

struct caller {
	struct crowd *crowd;
	struct echo_call *call;
};

static void caller_done(struct rpc_task *task, void *data)
{
	struct caller *caller = data;

	if (task->tk_status < 0)
		atomic_inc(&caller->crowd->failed);
	else if (!echo_call_good(caller->call))
		atomic_inc(&caller->crowd->wrong);
}

static void caller_release(void *data)
{
	struct caller *caller = data;
	struct crowd *crowd = caller->crowd;

	kfree(caller);
	if (atomic_dec_and_test(&crowd->left))
		complete(&crowd->done);
}

static const struct rpc_call_ops caller_ops = {
	.rpc_call_done	= caller_done,
	.rpc_release	= caller_release,
};

/* Calls with long arguments and with long results; @short_ones: neither */
static struct crowd *crowd_create(struct kunit *test, bool short_ones)
{
	struct crowd *crowd = kunit_kzalloc(test, sizeof(*crowd), GFP_KERNEL);
	u32 i, length;

	KUNIT_ASSERT_NOT_NULL(test, crowd);
	for (i = 0; i < TOGETHER; i++) {
		length = lengths[i % ARRAY_SIZE(lengths)];
		crowd->calls[i] = echo_new_call(test, i & 1 ? ECHO_PROC_SOURCE :
						ECHO_PROC_SINK,
						short_ones ? i : length, true);
	}
	return crowd;
}

static void crowd_run(struct kunit *test, struct crowd *crowd)
{
	struct caller *caller;
	u32 i;

	init_completion(&crowd->done);
	atomic_set(&crowd->left, TOGETHER);
	for (i = 0; i < TOGETHER; i++) {
		caller = kmalloc(sizeof(*caller), GFP_KERNEL | __GFP_NOFAIL);
		caller->crowd = crowd;
		caller->call = crowd->calls[i];
		echo_call_async(echo_clnt, caller->call, &caller_ops, caller);
	}
	wait_for_completion(&crowd->done);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&crowd->failed));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&crowd->wrong));
}

static void crowd_run_for(struct kunit *test, struct crowd *crowd,
			  unsigned int ms)
{
	unsigned long end = jiffies + msecs_to_jiffies(ms);

	do {
		crowd_run(test, crowd);
	} while (time_before(jiffies, end));
}

static unsigned long connections(void)
{
	unsigned long count;

	rcu_read_lock();
	count = rcu_dereference(echo_clnt->cl_xprt)->stat.connect_count;
	rcu_read_unlock();
	return count;
}

static void stop_callbacks(void *clnt)
{
	echo_callback_stop(clnt);
}

/* Callbacks of 600 bytes, and some whose replies have a page */
static void callbacks(struct kunit *test, u32 round)
{
	struct echo_call *call;

	call = echo_new_call(test, round & 1 ? ECHO_PROC_CALLBACK :
			     ECHO_PROC_RECALL, 0, false);
	call->seed = 5;
	call->length = 600;
	KUNIT_EXPECT_EQ(test, 0, echo_call_sync(echo_clnt, call));
	KUNIT_EXPECT_EQ(test, 5, call->returned);
}

/*
 * Transport Characteristics draft section 3.1: sizes change while messages are
 * under way, first because of long messages, then because there are only short
 * ones, or none.
 */
static void sizes_change(struct kunit *test)
{
	unsigned long connected;
	struct crowd *crowd, *small;
	u32 round;

	if (!changes)
		kunit_skip(test, "nothing changes in a usual interval");
	crowd = crowd_create(test, false);
	small = crowd_create(test, true);
	KUNIT_ASSERT_EQ(test, 0, echo_callback_start(echo_clnt));
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, stop_callbacks,
						  echo_clnt));
	connected = connections();
	for (round = 0; round < changes; round++) {
		crowd_run_for(test, crowd, pause);
		callbacks(test, round);
		if (round % 3)
			crowd_run_for(test, small, pause);
		else
			msleep(pause);
		callbacks(test, round);
	}
	KUNIT_EXPECT_EQ(test, connected, connections());
}

static struct kunit_case echo_sizes_cases[] = {
	KUNIT_CASE_SLOW(sizes_change),
	{}
};

static struct kunit_suite echo_sizes_suite = {
	.name		= "rpcrdma_echo_sizes",
	.suite_init	= echo_suite_init,
	.suite_exit	= echo_suite_exit,
	.test_cases	= echo_sizes_cases,
};

kunit_test_suite(echo_sizes_suite);
