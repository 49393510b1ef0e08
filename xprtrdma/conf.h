/* SPDX-License-Identifier: GPL-2.0-only */
/* The Connection Configuration Protocol on a connection: see ext/conf.c. */
#ifndef _XPRTRDMA_CONF_H
#define _XPRTRDMA_CONF_H

#include <linux/types.h>

struct rpcrdma_hdr;
struct xprt_rdma_conn;

/**
 * struct xprt_rdma_conf_ops - how limits are exchanged
 * @send: tell the server our limits. Return 0 or a negative errno.
 * @reply: handle a message of @len bytes in @buf that arrives before the answer;
 *	@hdr receives its header. Return true if it was the answer.
 *
 * Context: @send: process; the caller holds XPRT_LOCKED. @reply: completion
 * handler.
 */
struct xprt_rdma_conf_ops {
	int (*send)(struct xprt_rdma_conn *conn);
	bool (*reply)(struct xprt_rdma_conn *conn, struct rpcrdma_hdr *hdr,
		      const void *buf, u32 len);
};

/**
 * struct xprt_rdma_conf - the exchange of limits
 * @ops: how; NULL: not at all. In version 1 only
 * @call_size: bytes; our longest call
 * @reply_size: bytes; the longest reply that we can receive
 * @xid: XID of CONF_RDMA, which says both
 */
struct xprt_rdma_conf {
	const struct xprt_rdma_conf_ops *ops;
	u32	call_size;
	u32	reply_size;
	__be32	xid;
};

#endif /* _XPRTRDMA_CONF_H */
