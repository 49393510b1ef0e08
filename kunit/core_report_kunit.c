// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: each counter of a module has its line in debugfs, and a message of
 * netlink is there as a whole or not at all. Otherwise, a leak could not be seen,
 * or programs would read half a connection.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <net/genetlink.h>

#include "suite.h"

#include "../core/report/counters.c"
#include "../core/report/netlink.c"

#define TEXT_SIZE	256u

static DEFINE_PER_CPU(u64, values[3]);
static const char * const names[] = { "first", "second", "third" };
static struct rpcrdma_counters table = {
	.folder	= "kunit_rpcrdma_counters",
	.names	= names,
	.values	= (u64 __percpu *)values,
	.n	= ARRAY_SIZE(names),
};

/* Each counter has one line, with its name and the sum over all processors. */
static void each_counter_shown_once(struct kunit *test)
{
	struct seq_file *seq = kunit_kzalloc(test, sizeof(*seq), GFP_KERNEL);
	int cpu;

	KUNIT_ASSERT_NOT_NULL(test, seq);
	seq->buf = kunit_kzalloc(test, TEXT_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, seq->buf);
	seq->size = TEXT_SIZE;
	seq->private = &table;
	for_each_possible_cpu(cpu) {
		per_cpu(values[0], cpu) = 0;
		per_cpu(values[1], cpu) = 1;
		per_cpu(values[2], cpu) = 1ULL << 40;
	}
	KUNIT_EXPECT_EQ(test, rpcrdma_counters_show(seq, NULL), 0);
	KUNIT_EXPECT_EQ(test, rpcrdma_counters_sum(&table, 1), num_possible_cpus());
	if (num_possible_cpus() == 1)
		KUNIT_EXPECT_STREQ(test, seq->buf, "first 0\nsecond 1\nthird 1099511627776\n");
}

static void folder_created(struct kunit *test)
{
	struct dentry *found;

	rpcrdma_counters_add(&table);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(table.dir));
	found = debugfs_lookup("stats", table.dir);
	KUNIT_EXPECT_NOT_NULL(test, found);
	dput(found);
	rpcrdma_counters_remove(&table);
	KUNIT_EXPECT_NULL(test, debugfs_lookup("kunit_rpcrdma_counters", NULL));
}

static int put_two(struct sk_buff *skb, const void *data)
{
	const struct rpcrdma_nl_u32 list[] = { { 1, 11 }, { 2, 22 } };

	return rpcrdma_nl_put_u32s(skb, list, *(const u32 *)data);
}

/* A message for which there is no room leaves nothing behind. */
static void message_whole_or_absent(struct kunit *test)
{
	static const struct genl_family family = { .id = 77, .version = 1 };
	u32 whole = NLMSG_HDRLEN + GENL_HDRLEN + 2 * nla_total_size(4);
	struct nlmsghdr asked = { .nlmsg_seq = 5 };
	struct netlink_callback cb = { .nlh = &asked };
	struct sk_buff *skb, *from;
	u32 n, room;

	from = alloc_skb(64, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, from);
	cb.skb = from;
	for (n = 0; n <= 2; n++) {
		for (room = 0; room <= whole; room++) {
			u32 need = NLMSG_HDRLEN + GENL_HDRLEN + n * nla_total_size(4);

			skb = alloc_skb(whole, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, skb);
			skb_reserve(skb, skb_tailroom(skb) - room);
			KUNIT_EXPECT_EQ(test, room < need ? -EMSGSIZE : 0,
					rpcrdma_nl_put_message(skb, &cb, &family, 3,
							       put_two, &n));
			KUNIT_EXPECT_EQ(test, skb->len, room < need ? 0 : need);
			kfree_skb(skb);
		}
	}
	kfree_skb(from);
}

static struct kunit_case core_report_cases[] = {
	KUNIT_CASE(each_counter_shown_once),
	KUNIT_CASE(folder_created),
	KUNIT_CASE(message_whole_or_absent),
	{}
};

SUITE("rpcrdma_report", core_report_cases);
