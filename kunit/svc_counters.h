/* SPDX-License-Identifier: GPL-2.0-only */
/* The counters of svcrdma, for suites of its files. */
#ifndef _SVC_RDMA_SVC_COUNTERS_H
#define _SVC_RDMA_SVC_COUNTERS_H

#include "../svcrdma/counters.h"

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

#endif /* _SVC_RDMA_SVC_COUNTERS_H */
