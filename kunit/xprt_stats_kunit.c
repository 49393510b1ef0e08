// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: each field of the line in mountstats, which programs read by position,
 * has the right value. Otherwise, administrators would see wrong numbers.
 */
#include "xprt_fakes.h"

/* The file under test defines the counters. */
#undef DEFINE_PER_CPU
#define DEFINE_PER_CPU(type, name)	extern __typeof__(type) dummy_##name

#include "../xprtrdma/control/stats.c"

#define TEXT_SIZE	8192u

static struct seq_file *output(struct kunit *test)
{
	struct seq_file *seq = fake_zalloc(test, sizeof(*seq));

	seq->buf = fake_zalloc(test, TEXT_SIZE);
	seq->size = TEXT_SIZE;
	return seq;
}

/*
 * mountstats has 27 fields; here each has its position as its value. While a transport
 * is not connected, its idle time is 0.
 */
static void mountstats_in_order(struct kunit *test)
{
	struct seq_file *seq = output(test);
	struct xprt_rdma *r_xprt = fake_r_xprt(test);
	struct rpc_xprt *xprt = &r_xprt->xprt;
	char want[128];
	int i, at;

	xprt->stat.bind_count = 2;
	xprt->stat.connect_count = 3;
	xprt->stat.connect_time = 4 * HZ;
	xprt->last_used = jiffies - 5 * HZ;
	xprt->stat.sends = 6;
	xprt->stat.recvs = 7;
	xprt->stat.bad_xids = 8;
	xprt->stat.req_u = 9;
	xprt->stat.bklog_u = 10;
	xprt_set_connected(xprt);
	r_xprt->stats = (struct xprt_rdma_stats) {
		.read_chunk_count	= 11,
		.write_chunk_count	= 12,
		.reply_chunk_count	= 13,
		.total_rdma_request	= 14,
		.total_rdma_reply	= 15,
		.pullup_copy_count	= 16,
		.fixup_copy_count	= 17,
		.hardway_register_count	= 18,
		.failed_marshal_count	= 19,
		.bad_reply_count	= 20,
		.nomsg_call_count	= 21,
		.mrs_recycled		= 22,
		.mrs_orphaned		= 23,
		.mrs_allocated		= 24,
		.local_inv_needed	= 25,
		.empty_sendctx_q	= 26,
	};
	xprt_rdma_op_print_stats(xprt, seq);
	at = snprintf(want, sizeof(want), "\txprt:\trdma 0");
	for (i = 2; i <= 26; i++)
		at += snprintf(want + at, sizeof(want) - at, " %d", i);
	snprintf(want + at, sizeof(want) - at, " 0\n");
	KUNIT_EXPECT_STREQ(test, seq->buf, want);

	xprt_clear_connected(xprt);
	seq = output(test);
	xprt_rdma_op_print_stats(xprt, seq);
	KUNIT_EXPECT_NOT_NULL(test, strstr(seq->buf, "rdma 0 2 3 4 0 6 "));
}

static struct kunit_case xprt_stats_cases[] = {
	KUNIT_CASE(mountstats_in_order),
	{}
};

SUITE("xprt_rdma_stats", xprt_stats_cases);
