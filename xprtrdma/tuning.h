/* SPDX-License-Identifier: GPL-2.0-only */
/* What the traffic of a connection needs, for control/tuning.c. */
#ifndef _XPRTRDMA_TUNING_H
#define _XPRTRDMA_TUNING_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "limits.h"

/* Sizes of Receives beyond the initial one */
#define XPRT_RDMA_TUNING_STEPS	2u

static inline u32 xprt_rdma_tuning_size(u32 step)
{
	return step ? XPRT_RDMA_TUNED_16K : XPRT_RDMA_TUNED_8K;
}

/**
 * struct xprt_rdma_tuning - what the traffic of a connection needs
 * @long_calls: calls that needed a Read chunk and would not have with Receives
 *	of the peer of each size (under XPRT_LOCKED)
 * @seen_calls: @long_calls at the last check
 * @longest: bytes; the longest message received since @window began
 * @window: jiffies; beginning of the period after which @longest is looked at
 * @next_change: jiffies; our Receives may not change before that
 * @next_ask: jiffies; the peer may not be asked before that
 * @ask_delay: jiffies; time between two requests
 * @refusals: rejected requests at the last check
 * @reserved: bytes of the module's limit that this connection may use (under
 *	the lock of its struct xprt_rdma_prop_change)
 */
struct xprt_rdma_tuning {
	u32			long_calls[XPRT_RDMA_TUNING_STEPS];
	u32			seen_calls[XPRT_RDMA_TUNING_STEPS];
	u32			longest;
	unsigned long		window;
	unsigned long		next_change;
	unsigned long		next_ask;
	unsigned long		ask_delay;
	u32			refusals;
	unsigned long		reserved;
};

/* A message of @len bytes has arrived; completion handlers only. */
static inline void xprt_rdma_tuning_received(struct xprt_rdma_tuning *tuning,
					     u32 len)
{
	if (unlikely(len > tuning->longest))
		WRITE_ONCE(tuning->longest, len);
}

/*
 * A call needed a Read chunk, and would not have with Receives of the size of
 * step @step. The caller holds XPRT_LOCKED.
 */
static inline void xprt_rdma_tuning_long_call(struct xprt_rdma_tuning *tuning,
					      u32 step)
{
	tuning->long_calls[step]++;
}

#endif /* _XPRTRDMA_TUNING_H */
