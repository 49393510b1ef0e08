/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for the suites of both sides. */
#ifndef _RPCRDMA_FAKE_COMMON_H
#define _RPCRDMA_FAKE_COMMON_H

#include <kunit/test.h>
#include <linux/percpu.h>
#include <rdma/ib_verbs.h>

#include "suite.h"

/* Returns the value of a counter, summed over all processors. */
static __maybe_unused u64 fake_counter(const u64 __percpu *counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += *per_cpu_ptr(counter, cpu);
	return sum;
}

/* Allocate zeroed memory that is freed when the test ends. */
static __maybe_unused void *fake_zalloc(struct kunit *test, size_t size)
{
	void *p = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	return p;
}

/* Call @action when the test ends, or now if that cannot be recorded. */
static __maybe_unused void fake_defer(struct kunit *test,
				      kunit_action_t *action, void *data)
{
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, action, data));
}

static __maybe_unused void fake_completes(void *conn, struct ib_cqe *cqe,
					  enum ib_wc_status status)
{
	struct ib_wc wc = { .status = status, .wr_cqe = cqe };
	struct ib_cq cq = { .cq_context = conn };

	cqe->done(&cq, &wc);
}

#endif /* _RPCRDMA_FAKE_COMMON_H */
