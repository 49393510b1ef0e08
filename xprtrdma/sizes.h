/* SPDX-License-Identifier: GPL-2.0-only */
/* Size limits of a connection's messages, in both directions. */
#ifndef _XPRTRDMA_SIZES_H
#define _XPRTRDMA_SIZES_H

#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/**
 * struct xprt_rdma_sizes - size limits of messages
 * @lock: protects @inline_recv once calls may be sent
 * @inline_send: bytes; longest message that we send
 * @inline_recv: bytes; longest message that the peer sends
 * @recv_want: bytes; intended size of Receives
 * @send_most: bytes; upper bound of @inline_send
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
 * Plan later calls for replies of at most @size bytes. The limit may only rise
 * if it is still @former, that is, if no error of the peer has lowered it.
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
