/* SPDX-License-Identifier: GPL-2.0-only */
/* Properties that change during a connection: see ext/properties.c. */
#ifndef _SVC_RDMA_PROPERTIES_H
#define _SVC_RDMA_PROPERTIES_H

#include <linux/types.h>

#include <rpcrdma/extensions.h>
#include <rpcrdma/props.h>
#ifdef RPCRDMA_EXT_PROPERTIES
#include <rpcrdma/exchange.h>
#endif

/**
 * struct svc_rdma_properties - changes of properties on a connection
 * @on: properties can change in version 2; if not set, the message types for
 *	changes are not announced
 * @own: our properties, as last announced; version 2 only
 * @x: state machine
 */
struct svc_rdma_properties {
	bool on;
	struct rpcrdma_props own;
#ifdef RPCRDMA_EXT_PROPERTIES
	struct rpcrdma_exchange x;
#endif
};

/*
 * Record that a reply of @len bytes, including its header, used chunks only
 * because it was too long to be sent inline.
 */
static inline void
svc_rdma_properties_long_reply(struct svc_rdma_properties *properties, u32 len)
{
#ifdef RPCRDMA_EXT_PROPERTIES
	rpcrdma_exchange_long(&properties->x, len);
#endif
}

#endif /* _SVC_RDMA_PROPERTIES_H */
