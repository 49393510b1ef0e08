// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: each field of the line in mountstats, which programs read by position,
 * and each line in debugfs has the right value. Otherwise, administrators would
 * see wrong numbers.
 */
#include <linux/debugfs.h>
#include <linux/module.h>

#include "xprt_fakes.h"
#include "fake_mountstats.h"

/* The file under test defines the counters. */
#undef DEFINE_PER_CPU
#define DEFINE_PER_CPU(type, name)	extern type dummy_##name
#define xprt_rdma_state_name(state)	((state) ? "connected" : "new")
/* The transport may be part of this kernel. */
#define debugfs_create_dir(name, parent) \
	debugfs_create_dir("kunit_" name, parent)

#include "../xprtrdma/control/stats.c"

#define TEXT_SIZE	8192u

static struct seq_file *output(struct kunit *test)
{
	struct seq_file *seq = fake_zalloc(test, sizeof(*seq));

	seq->buf = fake_zalloc(test, TEXT_SIZE);
	seq->size = TEXT_SIZE;
	return seq;
}

/* mountstats has 27 fields; here each has its position as its value. */
static void mountstats_in_order(struct kunit *test)
{
	struct seq_file *seq = output(test);
	struct xprt_rdma *r_xprt = fake_r_xprt(test);
	char want[128];
	int i, at;

	fake_mountstats(&r_xprt->xprt, jiffies);
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
	xprt_rdma_op_print_stats(&r_xprt->xprt, seq);
	at = snprintf(want, sizeof(want), "\txprt:\trdma 0");
	for (i = 2; i <= 26; i++)
		at += snprintf(want + at, sizeof(want) - at, " %d", i);
	snprintf(want + at, sizeof(want) - at, " 0\n");
	KUNIT_EXPECT_STREQ(test, seq->buf, want);
}

/* While a transport is not connected, its idle time is 0. */
static void unconnected_is_not_idle(struct kunit *test)
{
	struct seq_file *seq = output(test);
	struct xprt_rdma *r_xprt = fake_r_xprt(test);

	r_xprt->xprt.last_used = jiffies - 5 * HZ;
	xprt_rdma_op_print_stats(&r_xprt->xprt, seq);
	KUNIT_EXPECT_EQ(test, 0, strncmp(seq->buf, "\txprt:\trdma 0 0 0 0 0 ",
					 22));
}

/* Each counter has one line, with its name. */
static void each_counter_shown_once(struct kunit *test)
{
	struct seq_file *seq = output(test);
	char line[64];
	u32 i, lines;

	for (i = 0; i < XPRT_RDMA_COUNTER_NR; i++)
		this_cpu_write(xprt_rdma_counters.value[i], 1000 + i);
	KUNIT_EXPECT_EQ(test, xprt_rdma_stats_show(seq, NULL), 0);
	for (i = 0; i < XPRT_RDMA_COUNTER_NR; i++) {
		snprintf(line, sizeof(line), "%s %u\n", counter_names[i],
			 1000 + i);
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(seq->buf, line), "%s",
					  line);
		this_cpu_write(xprt_rdma_counters.value[i], 0);
	}
	KUNIT_EXPECT_FALSE(test, seq_has_overflowed(seq));
	/* No other lines */
	for (i = 0, lines = 0; i < seq->count; i++)
		lines += seq->buf[i] == '\n';
	KUNIT_EXPECT_EQ(test, lines, XPRT_RDMA_COUNTER_NR);
}

static struct xprt_rdma *transport(struct kunit *test)
{
	struct xprt_rdma *r_xprt = fake_r_xprt(test);

	r_xprt->xprt.address_strings[RPC_DISPLAY_ADDR] = "192.0.2.1";
	r_xprt->xprt.address_strings[RPC_DISPLAY_PORT] = "20049";
	r_xprt->xprt.max_reqs = 128;
	r_xprt->xprt.cwnd = 32 << RPC_CWNDSHIFT;
	r_xprt->reqs_count = 9;
	return r_xprt;
}

/* A transport's file shows its state, with and without a connection. */
static void transport_shown(struct kunit *test)
{
	static const char * const want[] = {
		"address 192.0.2.1\n", "port 20049\n", "requests 9\n",
		"requests_max 128\n", "cwnd 32\n", "state connected\n",
		"peer_hint version-2\n",
		"device none\n", "credits_granted 32\n", "inline_send 4096\n",
		"mrs_max 77\n", "sq_avail -3\n", "receives_posted 40\n",
		"receives_bytes 5120\n", "receive_buffer_size 1024\n",
	};
	struct xprt_rdma *r_xprt = transport(test);
	struct seq_file *seq = output(test);
	u32 i;

	seq->private = r_xprt;
	r_xprt->conn->life.state = XPRT_RDMA_CONNECTED;
	r_xprt->conn->peer.hint = RPCRDMA_HINT_V2;
	r_xprt->conn->credits.granted = 32;
	r_xprt->conn->sizes.inline_send = 4096;
	r_xprt->conn->mrs.max = 77;
	r_xprt->conn->recvs.posted = 40;
	r_xprt->conn->recvs.bytes = 5120;
	r_xprt->conn->recvs.size = 1024;
	atomic_set(&r_xprt->conn->sq.avail, -3);
	KUNIT_EXPECT_EQ(test, xprt_rdma_xprt_show(seq, NULL), 0);
	for (i = 0; i < ARRAY_SIZE(want); i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(seq->buf, want[i]),
					  "%s", want[i]);

	/* Version 2: what the peer knows, and whether that changes */
	fake_set_version(r_xprt->conn, RPCRDMA_VERSION_2);
	r_xprt->conn->change.told = 9216;
	r_xprt->conn->change.state = XPRT_RDMA_RESIZE_DRAIN;
	seq->count = 0;
	KUNIT_EXPECT_EQ(test, xprt_rdma_xprt_show(seq, NULL), 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(seq->buf,
					   "receive_buffer_size 9216\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(seq->buf, "resize drain\n"));

	r_xprt->conn = NULL;
	seq->count = 0;
	KUNIT_EXPECT_EQ(test, xprt_rdma_xprt_show(seq, NULL), 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(seq->buf, "state none\n"));
}

/* Files in debugfs are created and removed. */
static void files_created_and_removed(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);

	xprt_rdma_stats_init();
	KUNIT_ASSERT_FALSE(test, IS_ERR(debugfs_dir));
	r_xprt->xprt.id = 7;
	xprt_rdma_debugfs_add(r_xprt);
	KUNIT_EXPECT_FALSE(test, IS_ERR_OR_NULL(r_xprt->debugfs));
	KUNIT_EXPECT_EQ(test, 0,
			strcmp(r_xprt->debugfs->d_name.name, "xprt-7"));
	xprt_rdma_debugfs_remove(r_xprt);
	xprt_rdma_stats_exit();
}

static struct kunit_case xprt_stats_cases[] = {
	KUNIT_CASE(mountstats_in_order),
	KUNIT_CASE(unconnected_is_not_idle),
	KUNIT_CASE(each_counter_shown_once),
	KUNIT_CASE(transport_shown),
	KUNIT_CASE(files_created_and_removed),
	{}
};

static struct kunit_suite xprt_stats_suite = {
	.name = "xprt_rdma_stats",
	.test_cases = xprt_stats_cases,
};

kunit_test_suite(xprt_stats_suite);

MODULE_DESCRIPTION("KUnit suite of what xprtrdma tells of itself");
MODULE_LICENSE("GPL");
