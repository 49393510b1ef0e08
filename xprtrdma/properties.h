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

struct rpcrdma_props;
struct xprt_rdma_conn;
struct xprt_rdma_recv_ctx;

/**
 * struct xprt_rdma_properties_ops - how properties change
 * @begin: our first properties are about to be sent: @own, without what is about
 *	changes
 * @own: get our properties
 * @receive: handle a message by which properties change, or an error, malformed or
 *	not. Return false if it is an error and answers no message of ours
 * @long_call: a call of @len bytes has used a Read chunk because of its length
 *	only
 *
 * Context: @begin: process, a CM event. @own: any. @receive: completion handler.
 * @long_call: process; the caller holds XPRT_LOCKED.
 */
struct xprt_rdma_properties_ops {
	void (*begin)(struct xprt_rdma_conn *conn,
		      const struct rpcrdma_props *own);
	void (*own)(const struct xprt_rdma_conn *conn,
		    struct rpcrdma_props *props);
	bool (*receive)(struct xprt_rdma_recv_ctx *recv);
	void (*long_call)(struct xprt_rdma_conn *conn, u32 len);
};

/**
 * struct xprt_rdma_properties - changes of properties on a connection
 * @ops: how they change; NULL: they do not, and the messages are not announced.
 *	In version 2 only
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
	const struct xprt_rdma_properties_ops *ops;
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
