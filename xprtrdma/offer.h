/* SPDX-License-Identifier: GPL-2.0-only */
/* The offer of version 2 on a connection. */
#ifndef _XPRTRDMA_OFFER_H
#define _XPRTRDMA_OFFER_H

#include <linux/random.h>
#include <linux/types.h>

#include <rpcrdma/netlink.h>

/**
 * enum xprt_rdma_negotiation - how to learn whether a server supports version 2
 * @XPRT_RDMA_NEGOTIATE_OFF: not at all: only version 1 is used
 * @XPRT_RDMA_NEGOTIATE_HINT: from the server's version hint
 * @XPRT_RDMA_NEGOTIATE_PROBE: from the version hint or, without a hint, by an
 *	offer
 *
 * In this order, each value permits more.
 */
enum xprt_rdma_negotiation {
	XPRT_RDMA_NEGOTIATE_OFF,
	XPRT_RDMA_NEGOTIATE_HINT,
	XPRT_RDMA_NEGOTIATE_PROBE,
};

/**
 * struct xprt_rdma_offer - the offer of version 2
 * @mode: how to learn whether the server supports version 2
 * @made: the connection begins with an offer; valid once the server has
 *	accepted
 * @reason: why this version is used; valid once the version is known
 * @xid: XID of the offer
 */
struct xprt_rdma_offer {
	enum xprt_rdma_negotiation mode;
	bool			made;
	enum rpcrdma_nl_reason	reason;
	__be32			xid;
};

static inline void xprt_rdma_offer_init(struct xprt_rdma_offer *offer,
					enum xprt_rdma_negotiation mode)
{
	offer->mode = mode;
	offer->xid = (__force __be32)get_random_u32();
}

#endif /* _XPRTRDMA_OFFER_H */
