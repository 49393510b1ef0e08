/* SPDX-License-Identifier: GPL-2.0-only */
/* What a connection fetches from the peer's Read chunks (ext/pulled/). */
#ifndef _XPRTRDMA_FETCHES_H
#define _XPRTRDMA_FETCHES_H

#include <linux/list.h>
#include <linux/types.h>

/**
 * struct xprt_rdma_fetches - messages that a connection fetches
 * @all: all struct xprt_rdma_fetch
 * @waiting: those that wait for Send Queue entries, or for others of the RDMA
 *	Reads that the peer serves at a time to complete, oldest first
 * @reads: RDMA Reads outstanding
 * @dones: RDMA_DONEs in flight
 * @declines: RDMA_DONEs, in flight or waiting, for replies that no call waits
 *	for
 * @wrs: Send Queue entries set aside for RDMA Reads, with the Work Requests
 *	that register their memory, and for RDMA_DONEs
 * @replies: an enum xprt_rdma_read_replies: which replies may come in the
 *	peer's Read chunks
 *
 * All stay 0 if the extension is left out. Used by completion handlers only,
 * once the connection is established.
 */
struct xprt_rdma_fetches {
	struct list_head	all;
	struct list_head	waiting;
	u32			reads;
	u32			dones;
	u32			declines;
	u32			wrs;
	u32			replies;
};

static inline void xprt_rdma_fetches_init(struct xprt_rdma_fetches *fetches)
{
	INIT_LIST_HEAD(&fetches->all);
	INIT_LIST_HEAD(&fetches->waiting);
}

#endif /* _XPRTRDMA_FETCHES_H */
