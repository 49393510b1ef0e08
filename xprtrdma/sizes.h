/* SPDX-License-Identifier: GPL-2.0-only */
/* How long messages of a connection may be, in both directions. */
#ifndef _XPRTRDMA_SIZES_H
#define _XPRTRDMA_SIZES_H

#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/**
 * struct xprt_rdma_sizes - lengths of messages
 * @lock: protects @inline_recv, once calls are sent
 * @inline_send: bytes; length limit of messages that we send
 * @inline_recv: bytes; length limit of messages that the peer sends
 * @recv_want: bytes; size that Receives are to have
 * @send_most: bytes; the most that @inline_send may become
 */
struct xprt_rdma_sizes {
	spinlock_t	lock;
	u32		inline_send;
	u32		inline_recv;
	u32		recv_want;
	u32		send_most;
};

static inline void xprt_rdma_sizes_init(struct xprt_rdma_sizes *sizes,
					u32 inline_send, u32 inline_recv,
					u32 recv_want)
{
	spin_lock_init(&sizes->lock);
	sizes->inline_send = inline_send;
	sizes->inline_recv = inline_recv;
	sizes->recv_want = recv_want;
	sizes->send_most = max(inline_send, recv_want);
}

/*
 * From now on calls are planned for replies of at most @size bytes. If they were
 * planned for @former, and not for less, that may also be more than before.
 */
static inline void xprt_rdma_sizes_plan_recv(struct xprt_rdma_sizes *sizes,
					     u32 size, u32 former)
{
	spin_lock(&sizes->lock);
	if (size < sizes->inline_recv || sizes->inline_recv == former)
		WRITE_ONCE(sizes->inline_recv, size);
	spin_unlock(&sizes->lock);
}

#endif /* _XPRTRDMA_SIZES_H */
