/* SPDX-License-Identifier: GPL-2.0-only */
/* Properties that change while a connection exists: see ext/properties.c. */
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
 * @on: they may change, in version 2; if not, the messages are not announced
 * @own: our properties, as last announced; version 2 only
 * @x: the state machine
 */
struct svc_rdma_properties {
	bool on;
	struct rpcrdma_props own;
#ifdef RPCRDMA_EXT_PROPERTIES
	struct rpcrdma_exchange x;
#endif
};

/*
 * A reply of @len bytes, with its header, has used chunks because of its length
 * only.
 */
static inline void
svc_rdma_properties_long_reply(struct svc_rdma_properties *properties, u32 len)
{
#ifdef RPCRDMA_EXT_PROPERTIES
	rpcrdma_exchange_long(&properties->x, len);
#endif
}

#endif /* _SVC_RDMA_PROPERTIES_H */
