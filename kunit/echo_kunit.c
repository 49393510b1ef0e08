// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: calls and callbacks of every size, in every type of chunk, arrive
 * complete and unchanged, many at a time and across lost connections.
 *
 * Both transports run in one kernel; the module parameter addr is an address of
 * its RDMA device. The script that loads this module compares the numbers of
 * objects created and destroyed afterwards.
 */

#include <linux/delay.h>
#include <linux/sunrpc/xprt.h>

#include "echo.h"

static unsigned int disconnects = 300;
module_param(disconnects, uint, 0444);
MODULE_PARM_DESC(disconnects, "connections to lose while the longest pause is measured; 0: none");

static bool general = true;
module_param(general, bool, 0444);
MODULE_PARM_DESC(general, "callbacks may have chunks (version 2)");

/* Longest time until calls continue after a lost connection, in milliseconds */
#define PAUSE_MAX	2000

/* Rounds in which new connections are closed, and how often per round */
#define CLOSED_ROUNDS	50u
#define CLOSED_TIMES	50u

/* The service grants 64 credits at most. */
#define DROPS		100u

/* Sizes around every limit that determines how a message is sent */
static const u32 echo_sizes[] = {
	0, 1, 3, 4, 5, 511, 512, 900, 1023, 1024, 1025, 3000, 3500, 3900, 4000,
	4095, 4096, 4097, 8191, 8192, 12289, 32768, 65535, 65536, 65537,
	262143, 262144, 524288, 1000001, ECHO_MAX - 1, ECHO_MAX,
};

struct echo_shape {
	enum echo_proc proc;
	bool ddp;
	u32 length;
};

static RPCRDMA_GEN_PARAMS(echo_gen_params)
{
	static struct echo_shape shape;
	static unsigned int n;

	if (!prev)
		n = 0;
	if (n == 4 * ARRAY_SIZE(echo_sizes))
		return NULL;
	shape.proc = n & 1 ? ECHO_PROC_SOURCE : ECHO_PROC_SINK;
	shape.ddp = n & 2;
	shape.length = echo_sizes[n / 4];
	n++;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s_%s_%u",
		 shape.proc == ECHO_PROC_SINK ? "sink" : "source",
		 shape.ddp ? "direct" : "plain", shape.length);
	return &shape;
}

/* RFC 8166 section 3.5: every combination of message type and chunk list works. */
static void echo_every_size(struct kunit *test)
{
	const struct echo_shape *shape = test->param_value;
	struct echo_call *call;

	call = echo_new_call(test, shape->proc, shape->length, shape->ddp);

	KUNIT_ASSERT_EQ(test, 0, echo_call_sync(echo_clnt, call));
	KUNIT_EXPECT_EQ(test, call->length, call->returned);
	KUNIT_EXPECT_TRUE(test, echo_call_good(call));
}

/* Replies may be much shorter than the caller has room for. */
static void echo_short_reply(struct kunit *test)
{
	static const u32 lengths[] = { 0, 1, 5, 100, 4097, 70001 };
	struct echo_call *call;
	unsigned int i, ddp;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (ddp = 0; ddp < 2; ddp++) {
			call = echo_new_call(test, ECHO_PROC_SOURCE, 262144, ddp);
			call->length = lengths[i];
			KUNIT_ASSERT_EQ(test, 0,
					echo_call_sync(echo_clnt, call));
			KUNIT_EXPECT_TRUE(test, echo_call_good(call));
		}
	}
}

/* Calls of different kinds and sizes */
static struct echo_call *new_mixed(struct kunit *test, u32 i)
{
	u32 size = echo_sizes[(i * 7) % (ARRAY_SIZE(echo_sizes) - 5)];

	return echo_new_call(test, i & 1 ? ECHO_PROC_SOURCE : ECHO_PROC_SINK,
			     size, i & 2);
}

/* Start @count calls without waiting for them. */
static struct echo_batch *start_batch(struct kunit *test, u32 count)
{
	struct echo_batch *batch = echo_batch_create(test, count, new_mixed);

	echo_batch_start(batch);
	return batch;
}

/* RFC 8166 section 3.3.1: there are more calls than granted credits. */
static void echo_many_in_flight(struct kunit *test)
{
	echo_batch_finish(test, start_batch(test, 200));
}

/* Every reply arrives, although the connection is lost repeatedly. */
static void echo_disconnects(struct kunit *test)
{
	struct echo_batch *batch;
	int round, i;

	for (round = 0; round < 5; round++) {
		batch = start_batch(test, 60);
		for (i = 0; i < 3; i++) {
			rpc_clnt_disconnect(echo_clnt);
			schedule_timeout_uninterruptible(1 + i);
		}
		echo_batch_finish(test, batch);
	}
}

/* Lose connections, and expect calls to continue in time after each loss. */
static void expect_pauses(struct kunit *test, unsigned int rounds,
			  void (*lose)(unsigned int round))
{
	unsigned int i, pause, longest = 0;
	struct echo_batch *batch;

	for (i = 0; i < rounds; i++) {
		batch = start_batch(test, 8);
		echo_pause_begin();
		lose(i);
		echo_batch_finish(test, batch);
		pause = echo_pause_end();
		longest = max(longest, pause);
		/* The script shows the trace. */
		if (pause > PAUSE_MAX) {
			kunit_info(test, "round %u: %u ms", i, pause);
			tracing_off();
		}
	}
	kunit_info(test, "%u connections lost, longest pause %u ms", rounds,
		   longest);
	KUNIT_EXPECT_LE(test, longest, PAUSE_MAX);
}

static void lose_connection(unsigned int round)
{
	if (round % 3 != 1)
		rpc_clnt_disconnect(echo_clnt);
	if (round % 3)
		echo_service_disconnect();
}

/* One side or both close the connection (Documentation/tunables.rst). */
static void echo_longest_pause(struct kunit *test)
{
	expect_pauses(test, disconnects, lose_connection);
}

static void lose_new_ones(unsigned int round)
{
	unsigned int i;

	rpc_clnt_disconnect(echo_clnt);
	for (i = 0; i < CLOSED_TIMES; i++) {
		udelay(20 * round);
		echo_service_disconnect();
		cond_resched();
	}
}

/* The service closes new connections for a while. */
static void echo_closed_when_accepted(struct kunit *test)
{
	expect_pauses(test, min(disconnects, CLOSED_ROUNDS), lose_new_ones);
}

static void callbacks(struct kunit *test, enum echo_proc proc,
		      const u32 *lengths, u32 n)
{
	echo_serve_callbacks(test);
	for (; n; n--, lengths++)
		echo_callbacks_run(test, proc, 20, *lengths);
}

/* RFC 8167: callbacks of all sizes that fit inline succeed. */
static void echo_callbacks(struct kunit *test)
{
	static const u32 lengths[] = { 0, 1, 4, 100, 511, 900, 2000, 3500 };

	callbacks(test, ECHO_PROC_CALLBACK, lengths, ARRAY_SIZE(lengths));
}

static void need_general(struct kunit *test)
{
	if (!general)
		kunit_skip(test, "version 1 has no chunks in this direction");
}

/* v2 draft section 4.2.2: callbacks that do not fit inline succeed. */
static void echo_long_callbacks(struct kunit *test)
{
	static const u32 lengths[] = {
		4000, 4096, 5000, 5120, 8192, 12345, 32768, 65000,
	};

	need_general(test);
	callbacks(test, ECHO_PROC_CALLBACK, lengths, ARRAY_SIZE(lengths));
}

/* Callbacks succeed if their replies could exceed, or do exceed, the inline threshold. */
static void echo_long_recalls(struct kunit *test)
{
	static const u32 lengths[] = {
		0, 1000, 4000, ECHO_TEXT_MAX - 33, ECHO_TEXT_MAX - 4,
		ECHO_TEXT_MAX - 1, ECHO_TEXT_MAX,
	};

	need_general(test);
	callbacks(test, ECHO_PROC_RECALL, lengths, ARRAY_SIZE(lengths));
}

/* Callbacks and calls succeed at the same time, on one connection. */
static void echo_both_directions(struct kunit *test)
{
	struct echo_batch *batch;

	echo_serve_callbacks(test);
	batch = start_batch(test, 100);
	echo_callbacks_run(test, ECHO_PROC_CALLBACK, 100, 600);
	echo_batch_finish(test, batch);
}

/* Wait until the connection has no call in its congestion window. */
static bool window_empties(struct rpc_xprt *xprt)
{
	unsigned long end = jiffies + 5 * HZ;

	while (READ_ONCE(xprt->cong) && time_before(jiffies, end))
		schedule_timeout_uninterruptible(1);
	return !READ_ONCE(xprt->cong);
}

/* RFC 8167 section 4: unanswered callbacks do not use credits of calls. */
static void echo_dropped_callbacks(struct kunit *test)
{
	u32 before = echo_service_dropped(), credits;
	struct rpc_xprt *xprt = echo_xprt(echo_clnt);

	echo_serve_callbacks(test);
	echo_callbacks_run(test, ECHO_PROC_DROPS, DROPS, 0);
	credits = READ_ONCE(xprt->cwnd) >> RPC_CWNDSHIFT;
	KUNIT_EXPECT_GT(test, echo_service_dropped() - before, credits);
	/* Without credits, these calls would not complete. */
	KUNIT_ASSERT_TRUE(test, window_empties(xprt));
	echo_batch_finish(test, start_batch(test, 60));
}

static struct kunit_case echo_cases[] = {
	KUNIT_CASE_PARAM(echo_every_size, echo_gen_params),
	KUNIT_CASE(echo_short_reply),
	KUNIT_CASE_SLOW(echo_many_in_flight),
	KUNIT_CASE_SLOW(echo_disconnects),
	KUNIT_CASE_SLOW(echo_longest_pause),
	KUNIT_CASE_SLOW(echo_closed_when_accepted),
	KUNIT_CASE(echo_callbacks),
	KUNIT_CASE(echo_long_callbacks),
	KUNIT_CASE(echo_long_recalls),
	KUNIT_CASE_SLOW(echo_both_directions),
	KUNIT_CASE_SLOW(echo_dropped_callbacks),
	{}
};

SUITE("rpcrdma_echo", echo_cases, .suite_init = echo_init, .suite_exit = echo_exit);
