/* SPDX-License-Identifier: GPL-2.0-only */
/* The offer of version 2 on a connection. */
#ifndef _XPRTRDMA_OFFER_H
#define _XPRTRDMA_OFFER_H

#include <linux/bits.h>
#include <linux/random.h>
#include <linux/types.h>

#include "tunables.h"

/**
 * struct xprt_rdma_offer - the offer of version 2
 * @mode: how to learn whether the server has version 2
 * @withheld: version 2 is not offered without a hint, because an earlier offer
 *	failed
 * @made: begin with an offer of version 2; valid once the server has accepted
 * @refused: the peer refused version 2, and version 1 is used instead
 * @xid: XID of the offer
 * @htypes: bit mask of OPTIONAL header types that it announces, without those
 *	by which properties change
 * @remote_inv: it announces Remote Invalidation
 */
struct xprt_rdma_offer {
	enum xprt_rdma_negotiation mode;
	bool			withheld;
	bool			made;
	bool			refused;
	__be32			xid;
	u32			htypes;
	bool			remote_inv;
};

static inline void xprt_rdma_offer_init(struct xprt_rdma_offer *offer,
					enum xprt_rdma_negotiation mode,
					bool withheld)
{
	offer->mode = mode;
	offer->withheld = withheld;
	offer->xid = (__force __be32)get_random_u32();
}

/* Have we announced header type @type, which is not about properties? */
static inline bool xprt_rdma_offer_announced(const struct xprt_rdma_offer *offer,
					     u32 type)
{
	return offer->htypes & BIT(type);
}

#endif /* _XPRTRDMA_OFFER_H */
