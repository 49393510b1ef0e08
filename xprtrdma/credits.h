/* SPDX-License-Identifier: GPL-2.0-only */
/* The credits of a connection. */
#ifndef _XPRTRDMA_CREDITS_H
#define _XPRTRDMA_CREDITS_H

#include <linux/types.h>

/**
 * struct xprt_rdma_credits - calls that may be in flight
 * @max: limit of calls in flight; as many credits are requested
 * @granted: the peer's most recent credit grant
 */
struct xprt_rdma_credits {
	u32	max;
	u32	granted;
};

/* RFC 5666 section 3.3: a new connection starts with one credit. */
static inline void xprt_rdma_credits_init(struct xprt_rdma_credits *credits,
					  u32 max)
{
	credits->max = max;
	credits->granted = 1;
}

static inline u32 xprt_rdma_credits_max(const struct xprt_rdma_credits *credits)
{
	return credits->max;
}

static inline u32
xprt_rdma_credits_granted(const struct xprt_rdma_credits *credits)
{
	return credits->granted;
}

#endif /* _XPRTRDMA_CREDITS_H */
