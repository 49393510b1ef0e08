// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the Receives of both sides grow while calls, replies and callbacks use
 * them; all of these arrive complete and unchanged, and no connection is lost.
 * The script that loads this module checks the counters of both sides
 * afterwards.
 */

#include <linux/delay.h>
#include <linux/sunrpc/xprt.h>

#include "echo.h"

static unsigned int changes;
module_param(changes, uint, 0444);
MODULE_PARM_DESC(changes, "rounds of long messages, in which sizes may grow");

static unsigned int pause = 300;
module_param(pause, uint, 0444);
MODULE_PARM_DESC(pause, "milliseconds of long messages, and of short ones, in each round");

#define TOGETHER	24u

/* Lengths around the sizes of Receives */
static const u32 lengths[] = {
	8192, 16384, 4096, 9000, 100, 12288, 16383, 5000, 9216 - 100, 18432 - 100,
	8191, 20000,
};

/* Calls with long arguments and with long results */
static struct echo_call *new_long(struct kunit *test, u32 i)
{
	return echo_new_call(test, i & 1 ? ECHO_PROC_SOURCE : ECHO_PROC_SINK,
			     lengths[i % ARRAY_SIZE(lengths)], true);
}

static struct echo_call *new_short(struct kunit *test, u32 i)
{
	return echo_new_call(test, i & 1 ? ECHO_PROC_SOURCE : ECHO_PROC_SINK,
			     i, true);
}

static void run_for(struct kunit *test, struct echo_batch *batch,
		    unsigned int ms)
{
	unsigned long end = jiffies + msecs_to_jiffies(ms);

	do {
		echo_batch_start(batch);
		echo_batch_finish(test, batch);
	} while (time_before(jiffies, end));
}

/* Make callbacks with arguments, or with replies, of 600 bytes. */
static void callbacks(struct kunit *test, u32 round)
{
	echo_callbacks_run(test, round & 1 ? ECHO_PROC_CALLBACK : ECHO_PROC_RECALL,
			   5, 600);
}

/*
 * Transport Characteristics draft section 3.1: sizes grow while messages are in
 * flight. Long messages are followed by short messages or a pause.
 */
static void sizes_change(struct kunit *test)
{
	unsigned long connected;
	struct echo_batch *big, *small;
	u32 round;

	if (!changes)
		kunit_skip(test, "the script has not asked for it");
	big = echo_batch_create(test, TOGETHER, new_long);
	small = echo_batch_create(test, TOGETHER, new_short);
	echo_serve_callbacks(test);
	connected = echo_connections();
	for (round = 0; round < changes; round++) {
		run_for(test, big, pause);
		callbacks(test, round);
		if (round % 3)
			run_for(test, small, pause);
		else
			msleep(pause);
		callbacks(test, round);
	}
	KUNIT_EXPECT_EQ(test, connected, echo_connections());
}

static struct kunit_case echo_sizes_cases[] = {
	KUNIT_CASE_SLOW(sizes_change),
	{}
};

SUITE("rpcrdma_echo_sizes", echo_sizes_cases, .suite_init = echo_init, .suite_exit = echo_exit);
