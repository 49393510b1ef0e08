// SPDX-License-Identifier: GPL-2.0-only
/* Suite: every counter has its name. If this failed, a leak could not be seen. */

#include "suite.h"
#include "svc_fakes.h"

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
	KUNIT_EXPECT_EQ(test, 7, rpcrdma_counters_sum(table, SVC_RDMA_STAT_sq_starve));
	this_cpu_write(svc_rdma_counters.value[SVC_RDMA_STAT_sq_starve], 0);
}

static struct kunit_case svc_stats_cases[] = {
	KUNIT_CASE(counters),
	{}
};

SUITE("svc_rdma_stats", svc_stats_cases);
