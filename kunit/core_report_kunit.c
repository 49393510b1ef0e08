// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: each counter of a module has a line in debugfs, a netlink message is
 * complete or absent, and a dump has each entry exactly once. Otherwise, leaks
 * could not be seen, or programs would read half a connection.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <net/genetlink.h>

#include "suite.h"
#include "netlink_message.h"
#include "fake_mutex.h"
#include "../core/report/report.h"

/* Number of registered families that are usable in all network namespaces */
static int fake_families;

#define genl_register_family(family) \
	((void)(fake_families += (family)->netnsok && !(family)->maxattr), 0)
#define genl_unregister_family(family)	((void)(family), fake_families--)
#define rpcrdma_ended_dump		NULL

#include "../core/report/counters.c"
#include "../core/report/netlink.c"
#include "../core/report/family.c"

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

/* A list of three entries, which are dumped as messages of NUMBERS attributes */
static struct rpcrdma_nl_list shown;
static struct rpcrdma_nl_entry entries[3];
static u32 hidden;	/* number of an entry that is not shown; 0: none */

/* The size of a message is a multiple of 8 bytes, which fake_room() requires. */
#define NUMBERS	2u
#define WHOLE	(NLMSG_HDRLEN + GENL_HDRLEN + nla_total_size(0) + \
		 NUMBERS * nla_total_size_64bit(8))

static int put_entry(struct sk_buff *skb, struct rpcrdma_nl_entry *entry)
{
	const struct rpcrdma_nl_number list[NUMBERS] = {
		{ 1, entry->number }, { 2, 22 }
	};

	if (entry->number == hidden)
		return -ENODATA;
	return nla_put_flag(skb, 3) ?: rpcrdma_nl_put(skb, list, NUMBERS);
}

static struct fake_request request;
static struct netlink_callback dump;

static int report_init(struct kunit *test)
{
	u32 i;

	memset(&shown, 0, sizeof(shown));
	rpcrdma_nl_list_init(&shown);
	mutex_lock(&shown.mutex);
	for (i = 0; i < ARRAY_SIZE(entries); i++)
		rpcrdma_nl_insert_locked(&shown, &entries[i], put_entry);
	mutex_unlock(&shown.mutex);
	hidden = 0;
	fake_dump(&request, &dump);
	return 0;
}

/* Dump into a buffer of @room bytes. Returns the numbers seen, as decimal digits. */
static u32 dumped(struct kunit *test, u32 room, int rc)
{
	struct sk_buff *skb = fake_room(test, room);
	struct nlmsghdr *nlh;
	u32 seen = 0;
	int left;

	KUNIT_EXPECT_EQ(test, rpcrdma_nl_dump(skb, &dump, &shown), rc);
	KUNIT_EXPECT_EQ(test, skb->len, max(rc, 0));
	left = skb->len;
	for (nlh = (struct nlmsghdr *)skb->data; nlmsg_ok(nlh, left);
	     nlh = nlmsg_next(nlh, &left)) {
		KUNIT_EXPECT_EQ(test, nlmsg_len(nlh), WHOLE - NLMSG_HDRLEN);
		seen = 10 * seen + nla_get_u64(nla_find(nlmsg_attrdata(nlh, GENL_HDRLEN),
						    nlmsg_attrlen(nlh, GENL_HDRLEN), 1));
	}
	return seen;
}

/*
 * A dump has every entry once, in order, even with small buffers. If not even
 * one entry fits, the dump fails instead of looping, and leaves no partial
 * message.
 */
static void dump_goes_on(struct kunit *test)
{
	u32 room;

	for (room = 0; room < WHOLE; room += 8)
		KUNIT_EXPECT_EQ(test, dumped(test, room, -EMSGSIZE), 0);
	KUNIT_EXPECT_EQ(test, dumped(test, WHOLE, WHOLE), 1);
	KUNIT_EXPECT_EQ(test, dumped(test, 3 * WHOLE - 1, 2 * WHOLE), 23);
	KUNIT_EXPECT_EQ(test, dumped(test, WHOLE, 0), 0);
}

/* Entries are added and removed during a dump, and hidden ones are skipped. */
static void list_changes(struct kunit *test)
{
	mutex_lock(&shown.mutex);
	list_del(&entries[0].list);
	rpcrdma_nl_insert_locked(&shown, &entries[0], put_entry);
	mutex_unlock(&shown.mutex);
	hidden = 3;
	KUNIT_EXPECT_EQ(test, dumped(test, 3 * WHOLE, 2 * WHOLE), 24);
	hidden = 4;
	dump.args[0] = 3;
	KUNIT_EXPECT_EQ(test, dumped(test, WHOLE, 0), 0);
}

/* The connections of both sides are dumped until they are removed. */
static void connections_dumped(struct kunit *test)
{
	struct rpcrdma_nl_entry conns[2] = { };

	KUNIT_ASSERT_EQ(test, rpcrdma_nl_init(), 0);
	KUNIT_EXPECT_EQ(test, fake_families, 1);
	rpcrdma_nl_add(&conns[0], put_entry);
	rpcrdma_nl_add(&conns[1], put_entry);
	KUNIT_EXPECT_EQ(test, rpcrdma_nl_dump_conns(fake_room(test, WHOLE), &dump), WHOLE);
	rpcrdma_nl_remove(&conns[1]);
	KUNIT_EXPECT_EQ(test, rpcrdma_nl_dump_conns(fake_room(test, WHOLE), &dump), 0);
	rpcrdma_nl_remove(&conns[0]);
	rpcrdma_nl_exit();
	KUNIT_EXPECT_EQ(test, fake_families, 0);
}

/* The folder for a module's counters exists until it is removed. */
static void counters_in_folder(struct kunit *test)
{
	struct dentry *found;

	rpcrdma_counters_add(&table);
	found = debugfs_lookup("stats", table.dir);
	KUNIT_EXPECT_NOT_NULL(test, found);
	dput(found);
	rpcrdma_counters_remove(&table);
	KUNIT_EXPECT_NULL(test, debugfs_lookup(table.folder, NULL));
}

static struct kunit_case core_report_cases[] = {
	KUNIT_CASE(each_counter_shown_once),
	KUNIT_CASE(dump_goes_on),
	KUNIT_CASE(list_changes),
	KUNIT_CASE(connections_dumped),
	KUNIT_CASE(counters_in_folder),
	{}
};

SUITE("rpcrdma_report", core_report_cases, .init = report_init, .exit = balance_exit);
