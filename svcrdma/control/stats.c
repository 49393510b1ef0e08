// SPDX-License-Identifier: GPL-2.0-only
/* The module's counters, which debugfs shows. */

#include "control.h"

DEFINE_PER_CPU(struct svc_rdma_counters, svc_rdma_counters);

#define SVC_RDMA_COUNTER_NAME(name) #name,
static const char * const svc_rdma_counter_names[] = {
	SVC_RDMA_COUNTERS(SVC_RDMA_COUNTER_NAME)
};

struct rpcrdma_counters svc_rdma_counter_table = {
	.folder	= "svcrdma",
	.names	= svc_rdma_counter_names,
	.values	= (u64 __percpu *)&svc_rdma_counters,
	.n	= SVC_RDMA_STATS,
};
