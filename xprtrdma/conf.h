/* SPDX-License-Identifier: GPL-2.0-only */
/* The Connection Configuration Protocol on a connection: see ext/conf.c. */
#ifndef _XPRTRDMA_CONF_H
#define _XPRTRDMA_CONF_H

#include <linux/types.h>

/**
 * struct xprt_rdma_conf - the exchange of limits
 * @call_size: bytes; our longest call; 0 if no limits are exchanged. Version 1
 *	only
 * @reply_size: bytes; the longest reply that we can receive
 * @xid: XID of the CONF_RDMA call that announces both sizes
 */
struct xprt_rdma_conf {
	u32	call_size;
	u32	reply_size;
	__be32	xid;
};

#endif /* _XPRTRDMA_CONF_H */
