/* SPDX-License-Identifier: GPL-2.0-only */
/* Properties that change while a connection exists: see ext/properties.c. */
#ifndef _XPRTRDMA_PROPERTIES_H
#define _XPRTRDMA_PROPERTIES_H

#include <linux/types.h>

#include <rpcrdma/extensions.h>
#include <rpcrdma/props.h>
#ifdef RPCRDMA_EXT_PROPERTIES
#include <rpcrdma/exchange.h>
#endif

/**
 * struct xprt_rdma_properties - property changes on a connection
 * @on: properties may change, and we announce the messages that change them;
 *	version 2 only
 * @own: our properties, as last announced; version 2 only
 * @x: state machine of the changes
 * @planned: bytes; length of replies that calls are planned for
 */
struct xprt_rdma_properties {
	bool			on;
	struct rpcrdma_props	own;
#ifdef RPCRDMA_EXT_PROPERTIES
	struct rpcrdma_exchange	x;
	u32			planned;
#endif
};

#endif /* _XPRTRDMA_PROPERTIES_H */
