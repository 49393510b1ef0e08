// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: replies of any length arrive without a Reply chunk, and a killed call
 * does not end the connection (reliable-reply draft). The script that loads
 * this module compares the counters of both sides afterwards.
 */

#include <linux/delay.h>
#include <linux/random.h>
#include <linux/sunrpc/xprt.h>

#include "echo.h"

#define TOGETHER 16u

static unsigned int kills = 1000;
module_param(kills, uint, 0444);
MODULE_PARM_DESC(kills, "calls to kill while their replies are on the way");

static unsigned int longest = ECHO_BULK_MAX;
module_param(longest, uint, 0444);
MODULE_PARM_DESC(longest, "bytes; longest reply that the device's regions allow");

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

	if (*length > longest)
		kunit_skip(test, "too many regions for this device");
	expect_short(test);
	call = echo_new_call(test, ECHO_PROC_BULK, *length, false);
	KUNIT_ASSERT_EQ(test, 0, echo_call_sync(echo_clnt, call));
	KUNIT_EXPECT_TRUE(test, echo_call_good(call));
}

/* Bytes in the first reply of a batch, and by how much each further reply is longer */
static u32 bulk_first, bulk_more;

static struct echo_call *new_bulk(struct kunit *test, u32 i)
{
	return echo_new_call(test, ECHO_PROC_BULK, bulk_first + bulk_more * i, false);
}

static struct echo_batch *bulk_batch(struct kunit *test, u32 first, u32 more)
{
	bulk_first = first;
	bulk_more = more;
	return echo_batch_create(test, TOGETHER, new_bulk);
}

/* There are more replies at a time than Reads may be in flight. */
static void many_at_a_time(struct kunit *test)
{
	struct echo_batch *batch = bulk_batch(test, 3000, 3000);
	int round;

	for (round = 0; round < 20; round++) {
		echo_batch_start(batch);
		echo_batch_finish(test, batch);
	}
}

/* Connections are lost while Reads are in flight and replies are unread. */
static void disconnects(struct kunit *test)
{
	struct echo_batch *batch = bulk_batch(test, 300000, 0);
	int round;

	for (round = 0; round < 10; round++) {
		expect_short(test);
		echo_batch_start(batch);
		usleep_range(500 * round, 500 * round + 100);
		rpc_clnt_disconnect(echo_clnt);
		echo_batch_finish(test, batch);
	}
}

/* Section 5.1.3: the connection survives calls that are killed. */
static void killed(struct kunit *test)
{
	struct echo_batch *batch = bulk_batch(test, 20000, 0);
	/* If a sleep takes a whole tick, few calls are left to be killed. */
	unsigned long before, end = jiffies + 30 * HZ;
	u32 made = 0;

	expect_short(test);
	before = echo_connections();
	while (atomic_read(&batch->failed) < kills && time_before(jiffies, end)) {
		echo_batch_start(batch);
		usleep_range(50, 50 + get_random_u32_below(1500));
		rpc_killall_tasks(echo_clnt);
		echo_batch_wait(batch);
		made += TOGETHER;
		echo_batch_set_canary(batch);
		usleep_range(100, 200);
		KUNIT_ASSERT_TRUE(test, echo_batch_untouched(batch));
	}
	kunit_info(test, "calls=%u without_reply=%u connections_lost=%lu", made,
		   atomic_read(&batch->failed), echo_connections() - before);
	KUNIT_EXPECT_TRUE(test, !kills || atomic_read(&batch->failed));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&batch->wrong));
	KUNIT_EXPECT_EQ(test, before, echo_connections());
}

static struct kunit_case echo_replies_cases[] = {
	KUNIT_CASE_PARAM(any_length, reply_length_gen_params),
	KUNIT_CASE_SLOW(many_at_a_time),
	KUNIT_CASE_SLOW(disconnects),
	KUNIT_CASE_SLOW(killed),
	{}
};

SUITE("rpcrdma_echo_replies", echo_replies_cases, .suite_init = echo_init, .suite_exit = echo_exit);
