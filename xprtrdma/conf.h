/* SPDX-License-Identifier: GPL-2.0-only */
/* The Connection Configuration Protocol on a connection. */
#ifndef _XPRTRDMA_CONF_H
#define _XPRTRDMA_CONF_H

#include <linux/types.h>

#include <rpcrdma/conf.h>

/**
 * struct xprt_rdma_conf - the exchange of limits
 * @on: ask for the peer's limits by CONF_RDMA, in version 1
 * @ours: our limits: arguments of CONF_RDMA
 * @xid: XID of that call
 */
struct xprt_rdma_conf {
	bool			on;
	struct rpcrdma_conf_req	ours;
	__be32			xid;
};

static inline void xprt_rdma_conf_init(struct xprt_rdma_conf *conf, bool on,
				       u32 inline_send, u32 inline_recv)
{
	conf->on = on;
	conf->ours.maxcall_sendsize = inline_send;
	conf->ours.maxreply_sendsize = inline_recv;
}

#endif /* _XPRTRDMA_CONF_H */
