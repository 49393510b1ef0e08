// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: every connection is listed while it exists, and every counter has its
 * name. If this failed, a leak could not be seen, or a dump while a connection
 * ends would crash.
 */
#include <linux/module.h>

#include "svc_fakes.h"
#include "fake_mutex.h"

/* The file under test defines the counters. */
#undef DEFINE_PER_CPU
#define DEFINE_PER_CPU(type, name)	extern type dummy_##name

#include "../svcrdma/control/stats.c"

/* The counters are shown under their names, in the order of their numbers. */
static void counters(struct kunit *test)
{
	const struct rpcrdma_counters *table = &svc_rdma_counter_table;

	KUNIT_EXPECT_STREQ(test, table->folder, "svcrdma");
	KUNIT_ASSERT_EQ(test, table->n, ARRAY_SIZE(svc_rdma_counter_names));
	KUNIT_EXPECT_STREQ(test, table->names[SVC_RDMA_STAT_sq_starve], "sq_starve");
	this_cpu_write(svc_rdma_counters.value[SVC_RDMA_STAT_sq_starve], 7);
	KUNIT_EXPECT_EQ(test, svc_rdma_counter_sum(SVC_RDMA_STAT_sq_starve), 7);
	this_cpu_write(svc_rdma_counters.value[SVC_RDMA_STAT_sq_starve], 0);
}

static int note_id(struct svc_rdma_conn *conn, void *data)
{
	u32 *sum = data;

	*sum = 10 * *sum + conn->life.id;
	return conn->life.id == 2 ? -EMSGSIZE : 0;
}

/* Connections are listed in the order of their numbers, from add to del. */
static void connections(struct kunit *test)
{
	struct svc_rdma_conn *conns[3];
	u32 i, seen = 0;

	svc_rdma_conns_last = 0;
	for (i = 0; i < ARRAY_SIZE(conns); i++) {
		conns[i] = fake_conn(test);
		svc_rdma_stats_add_conn(conns[i]);
	}
	KUNIT_EXPECT_EQ(test, svc_rdma_stats_each_conn(note_id, &seen), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, seen, 12);

	svc_rdma_stats_del_conn(conns[1]);
	svc_rdma_stats_del_conn(conns[1]);
	seen = 0;
	KUNIT_EXPECT_EQ(test, svc_rdma_stats_each_conn(note_id, &seen), 0);
	KUNIT_EXPECT_EQ(test, seen, 13);
	svc_rdma_stats_del_conn(conns[0]);
	svc_rdma_stats_del_conn(conns[2]);
	KUNIT_EXPECT_TRUE(test, list_empty(&svc_rdma_conns));
}

static struct kunit_case svc_stats_cases[] = {
	KUNIT_CASE(counters),
	KUNIT_CASE(connections),
	{}
};

static struct kunit_suite svc_stats_suite = {
	.name = "svc_rdma_stats",
	.exit = balance_exit,
	.test_cases = svc_stats_cases,
};

kunit_test_suite(svc_stats_suite);

MODULE_DESCRIPTION("KUnit suite of what svcrdma tells of itself");
MODULE_LICENSE("GPL");
