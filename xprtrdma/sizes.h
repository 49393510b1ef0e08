/* SPDX-License-Identifier: GPL-2.0-only */
/* How long messages of a connection may be, in both directions. */
#ifndef _XPRTRDMA_SIZES_H
#define _XPRTRDMA_SIZES_H

#include <linux/spinlock.h>
#include <linux/types.h>

/**
 * struct xprt_rdma_sizes - lengths of messages
 * @lock: protects @inline_recv, once calls are sent
 * @inline_send: bytes; length limit of messages that we send
 * @inline_recv: bytes; length limit of messages that the peer sends
 * @recv_want: bytes; size that Receives are to have
 */
struct xprt_rdma_sizes {
	spinlock_t	lock;
	u32		inline_send;
	u32		inline_recv;
	u32		recv_want;
};

#endif /* _XPRTRDMA_SIZES_H */
