/* SPDX-License-Identifier: GPL-2.0-only */
/* Properties that change while a connection exists: see ext/properties.c. */
#ifndef _SVC_RDMA_PROPERTIES_H
#define _SVC_RDMA_PROPERTIES_H

#include <linux/types.h>
#include <linux/workqueue.h>

#include <rpcrdma/extensions.h>
#ifdef RPCRDMA_EXT_PROPERTIES
#include <rpcrdma/exchange.h>
#endif

struct rpcrdma_hdr;
struct rpcrdma_props;
struct svc_rdma_conn;

/**
 * struct svc_rdma_properties_ops - how properties change
 * @begin: the connection uses version 2, and our first properties are @own,
 *	without what is about changes
 * @own: get our properties
 * @receive: handle a message by which properties change, or an error, which could
 *	not be decoded if @error is not 0. Return 0; an enum rpcrdma2_errcode with
 *	which to answer it; -ENOENT if it is an error and answers no message of
 *	ours.
 * @resized: no Receive of the former size is left
 * @long_reply: a reply of @len bytes, with its header, has used chunks because
 *	of its length only
 *
 * Context: process; @own and @resized: any. @receive is called in the order in
 * which the messages arrived, except for errors, and does not wait for room in
 * the Send Queue.
 */
struct svc_rdma_properties_ops {
	void (*begin)(struct svc_rdma_conn *conn,
		      const struct rpcrdma_props *own);
	void (*own)(const struct svc_rdma_conn *conn,
		    struct rpcrdma_props *props);
	int (*receive)(struct svc_rdma_conn *conn,
		       const struct rpcrdma_hdr *hdr, int error);
	void (*resized)(struct svc_rdma_conn *conn);
	void (*long_reply)(struct svc_rdma_conn *conn, u32 len);
};

/**
 * struct svc_rdma_properties - changes of properties on a connection
 * @ops: how they change; NULL: they do not, and the messages are not announced
 * @x: the state machine
 * @work: takes its steps
 */
struct svc_rdma_properties {
	const struct svc_rdma_properties_ops *ops;
#ifdef RPCRDMA_EXT_PROPERTIES
	struct rpcrdma_exchange x;
	struct delayed_work work;
#endif
};

/* No message about properties is sent until svc_rdma_properties_release(). */
static inline void
svc_rdma_properties_hold(struct svc_rdma_properties *properties)
{
#ifdef RPCRDMA_EXT_PROPERTIES
	mutex_lock(&properties->x.mutex);
#endif
}

static inline void
svc_rdma_properties_release(struct svc_rdma_properties *properties)
{
#ifdef RPCRDMA_EXT_PROPERTIES
	mutex_unlock(&properties->x.mutex);
#endif
}

#endif /* _SVC_RDMA_PROPERTIES_H */
