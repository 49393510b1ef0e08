/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All headers of svcrdma, and its counters. A suite must include this before it
 * renames calls; otherwise the declarations would be renamed as well.
 */
#ifndef _SVC_RDMA_SVC_HEADERS_H
#define _SVC_RDMA_SVC_HEADERS_H

#include "fake_common.h"

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

DEFINE_PER_CPU(u64[SVC_RDMA_STATS], svc_rdma_counters);

#define fake_count(name)	\
	fake_counter(&svc_rdma_counters[SVC_RDMA_STAT_##name])

/* Closes of a connection, the last cause, and completions traced as errors */
static u32 fake_closed __maybe_unused, fake_cause __maybe_unused, fake_wc_errors __maybe_unused;

/* Clears the counters before each case; called by fake_conn(). */
static __maybe_unused void fake_counters_clear(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&svc_rdma_counters, cpu), 0, sizeof(svc_rdma_counters));
	fake_closed = 0;
	fake_wc_errors = 0;
}

#define svc_rdma_conn_close(conn, cause) \
	((void)(conn), (void)(fake_cause = (cause)), (void)fake_closed++)

/* Closes the Send Queue as svc_rdma_conn_close() does. */
#define fake_sq_close(conn) \
	(atomic_set(&(conn)->life.state, SVC_RDMA_CLOSING), svc_rdma_sq_close(conn))

#endif /* _SVC_RDMA_SVC_HEADERS_H */
