/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All headers of svcrdma, and its counters. They must be included before a suite
 * renames calls, so that their declarations are not renamed as well.
 */
#ifndef _SVC_RDMA_SVC_HEADERS_H
#define _SVC_RDMA_SVC_HEADERS_H

#include <kunit/test.h>

#include "../svcrdma/callback/callback.h"
#include "../svcrdma/control/control.h"
#include "../svcrdma/counters.h"
#include "../svcrdma/ext/ext.h"
#include "../svcrdma/ext/pulled/pulled.h"
#include "../svcrdma/limits.h"
#include "../svcrdma/message/message.h"
#include "../svcrdma/tunables.h"
#include "../svcrdma/verbs/verbs.h"
#include "../svcrdma/version/version.h"

DEFINE_PER_CPU(struct svc_rdma_counters, svc_rdma_counters);

/* A counter's value over all processors */
static __maybe_unused u64 fake_counter(enum svc_rdma_counter counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(svc_rdma_counters, cpu).value[counter];
	return sum;
}

#define fake_count(name)	fake_counter(SVC_RDMA_STAT_##name)

/* Zeroed memory that is freed when the test ends */
static __maybe_unused void *fake_zalloc(struct kunit *test, size_t size)
{
	void *p = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	return p;
}

/* Why a connection was closed last, for fakes of svc_rdma_conn_close() */
static u32 fake_cause __maybe_unused;

#endif /* _SVC_RDMA_SVC_HEADERS_H */
