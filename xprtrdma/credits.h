/* SPDX-License-Identifier: GPL-2.0-only */
/* The credits of a connection. */
#ifndef _XPRTRDMA_CREDITS_H
#define _XPRTRDMA_CREDITS_H

#include <linux/types.h>

/**
 * struct xprt_rdma_credits - calls that may be in flight
 * @max: limit of calls in flight, and the number of credits that we request
 * @granted: the peer's most recent credit grant
 */
struct xprt_rdma_credits {
	u32	max;
	u32	granted;
};

#endif /* _XPRTRDMA_CREDITS_H */
