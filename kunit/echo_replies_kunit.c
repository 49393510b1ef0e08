// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: replies of any length arrive without a Reply chunk, and a call that is
 * killed does not cost the connection (reliable-reply draft). The script that
 * loads this module compares the counters of both sides afterwards.
 */

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/sunrpc/xprt.h>

#include "echo.h"

#define CANARY		0xee
#define TOGETHER	16u

static unsigned int kills = 1000;
module_param(kills, uint, 0444);
MODULE_PARM_DESC(kills, "calls to kill while their replies are on the way");

static bool may_lose;
module_param(may_lose, bool, 0444);
MODULE_PARM_DESC(may_lose, "a killed call may cost the connection");

/* After some short replies of a procedure, the client predicts short ones. */
static void expect_short(struct kunit *test)
{
	struct echo_call *call = echo_new_call(test, ECHO_PROC_BULK,
					       ECHO_MAX, false);
	int i;

	call->length = 0;
	for (i = 0; i < 3; i++)
		KUNIT_ASSERT_EQ(test, 0, echo_call_sync(echo_clnt, call));
}

static const u32 reply_lengths[] = {
	3900, 4096, 5000, 5120, 8192, 20001, 65536, 131072, 131073, 200000,
	524289, ECHO_MAX, ECHO_MAX + 1, 2 * ECHO_MAX - 5, 3 * ECHO_MAX,
	ECHO_BULK_MAX - 1, ECHO_BULK_MAX,
};

static void reply_length_desc(const u32 *length, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u", *length);
}

KUNIT_ARRAY_PARAM(reply_length, reply_lengths, reply_length_desc);

/* Section 5.1.2: replies of any length arrive. */
static void any_length(struct kunit *test)
{
	const u32 *length = test->param_value;
	struct echo_call *call;

	expect_short(test);
	call = echo_new_call(test, ECHO_PROC_BULK, *length, false);
	KUNIT_ASSERT_EQ(test, 0, echo_call_sync(echo_clnt, call));
	KUNIT_EXPECT_TRUE(test, echo_call_good(call));
}

/**
 * struct group - calls that are made at the same time
 * @left: number of calls that have not completed
 * @done: all calls have completed
 * @killed: number of calls without a result
 * @wrong: number of calls with a wrong result
 * @calls: the calls
 */
struct group {
	atomic_t left;
	struct completion done;
	atomic_t killed;
	atomic_t wrong;
	struct echo_call *calls[TOGETHER];
};

struct member {
	struct group *group;
	struct echo_call *call;
};

static void member_done(struct rpc_task *task, void *data)
{
	struct member *member = data;

	if (task->tk_status < 0)
		atomic_inc(&member->group->killed);
	else if (!echo_call_good(member->call))
		atomic_inc(&member->group->wrong);
}

static void member_release(void *data)
{
	struct member *member = data;
	struct group *group = member->group;

	kfree(member);
	if (atomic_dec_and_test(&group->left))
		complete(&group->done);
}

static const struct rpc_call_ops member_ops = {
	.rpc_call_done	= member_done,
	.rpc_release	= member_release,
};

static struct group *group_create(struct kunit *test, u32 length)
{
	struct group *group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, group);
	for (i = 0; i < TOGETHER; i++)
		group->calls[i] = echo_new_call(test, ECHO_PROC_BULK,
						length ?: 3000 * (i + 1),
						false);
	return group;
}

static void group_start(struct kunit *test, struct group *group)
{
	struct member *member;
	u32 i;

	init_completion(&group->done);
	atomic_set(&group->left, TOGETHER);
	for (i = 0; i < TOGETHER; i++) {
		member = kmalloc(sizeof(*member), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, member);
		member->group = group;
		member->call = group->calls[i];
		echo_call_async(echo_clnt, member->call, &member_ops, member);
	}
}

/* More replies at the same time than Reads may be in flight */
static void many_at_a_time(struct kunit *test)
{
	struct group *group = group_create(test, 0);
	int round;

	for (round = 0; round < 20; round++) {
		group_start(test, group);
		wait_for_completion(&group->done);
	}
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&group->killed));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&group->wrong));
}

/* Connections are lost while Reads are in flight and replies are unread. */
static void disconnects(struct kunit *test)
{
	struct group *group = group_create(test, 300000);
	int round;

	for (round = 0; round < 10; round++) {
		expect_short(test);
		group_start(test, group);
		usleep_range(500 * round, 500 * round + 100);
		rpc_clnt_disconnect(echo_clnt);
		wait_for_completion(&group->done);
	}
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&group->killed));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&group->wrong));
}

static unsigned long connections(void)
{
	unsigned long count;

	rcu_read_lock();
	count = rcu_dereference(echo_clnt->cl_xprt)->stat.connect_count;
	rcu_read_unlock();
	return count;
}

/* True if nothing has written to the memory of killed calls. */
static bool untouched(const struct group *group)
{
	u32 i, n;

	for (i = 0; i < TOGETHER; i++)
		for (n = 0; n < group->calls[i]->npages; n++)
			if (memchr_inv(page_address(group->calls[i]->pages[n]),
				       CANARY, PAGE_SIZE))
				return false;
	return true;
}

static void set_canary(struct group *group)
{
	u32 i, n;

	for (i = 0; i < TOGETHER; i++)
		for (n = 0; n < group->calls[i]->npages; n++)
			memset(page_address(group->calls[i]->pages[n]), CANARY,
			       PAGE_SIZE);
}

/* Section 5.1.3: the connection survives calls that are killed. */
static void killed(struct kunit *test)
{
	struct group *group = group_create(test, 20000);
	unsigned long before;
	u32 made = 0;

	expect_short(test);
	before = connections();
	while ((u32)atomic_read(&group->killed) < kills) {
		group_start(test, group);
		usleep_range(50, 50 + get_random_u32_below(1500));
		rpc_killall_tasks(echo_clnt);
		wait_for_completion(&group->done);
		made += TOGETHER;
		set_canary(group);
		usleep_range(100, 200);
		KUNIT_ASSERT_TRUE(test, untouched(group));
	}
	kunit_info(test, "calls=%u without_reply=%d connections_lost=%lu", made,
		   atomic_read(&group->killed), connections() - before);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&group->wrong));
	if (!may_lose)
		KUNIT_EXPECT_EQ(test, before, connections());
}

static struct kunit_case echo_replies_cases[] = {
	KUNIT_CASE_PARAM(any_length, reply_length_gen_params),
	KUNIT_CASE_SLOW(many_at_a_time),
	KUNIT_CASE_SLOW(disconnects),
	KUNIT_CASE_SLOW(killed),
	{}
};

static struct kunit_suite echo_replies_suite = {
	.name		= "rpcrdma_echo_replies",
	.suite_init	= echo_suite_init,
	.suite_exit	= echo_suite_exit,
	.test_cases	= echo_replies_cases,
};

kunit_test_suite(echo_replies_suite);
