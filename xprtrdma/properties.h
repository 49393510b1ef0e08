/* SPDX-License-Identifier: GPL-2.0-only */
/* Properties that change while a connection exists: see ext/properties.c. */
#ifndef _XPRTRDMA_PROPERTIES_H
#define _XPRTRDMA_PROPERTIES_H

#include <linux/types.h>
#include <linux/workqueue.h>

#include <rpcrdma/extensions.h>
#ifdef RPCRDMA_EXT_PROPERTIES
#include <rpcrdma/exchange.h>
#endif

/**
 * struct xprt_rdma_properties - changes of properties on a connection
 * @on: they may change; if not, the messages are not announced. In version 2 only
 * @x: the state machine
 * @work: takes its steps
 * @resized: 0; -EAGAIN: there are Receives of the former size; -ENOMEM: there
 *	was no memory for larger ones
 * @planned: bytes; length for which replies are planned
 * @posts: number of the Send up to which calls are to be answered
 * @posting: the call that was being sent when it was set may not be posted
 * @lowered_posts: number of the Send up to which calls may be too long for the
 *	peer, which has lowered its size
 */
struct xprt_rdma_properties {
	bool			on;
#ifdef RPCRDMA_EXT_PROPERTIES
	struct rpcrdma_exchange	x;
	struct delayed_work	work;
	int			resized;
	u32			planned;
	u32			posts;
	bool			posting;
	u32			lowered_posts;
#endif
};

/* A message of @len bytes has arrived; completion handlers only. */
static inline void
xprt_rdma_properties_received(struct xprt_rdma_properties *properties, u32 len)
{
#ifdef RPCRDMA_EXT_PROPERTIES
	rpcrdma_exchange_received(&properties->x, len);
#endif
}

#endif /* _XPRTRDMA_PROPERTIES_H */
