/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages fetched from the peer's Read chunks (ext/pulled/). */
#ifndef _XPRTRDMA_FETCHES_H
#define _XPRTRDMA_FETCHES_H

#include <linux/list.h>
#include <linux/types.h>

/**
 * struct xprt_rdma_fetches - messages that a connection fetches
 * @all: list of every struct xprt_rdma_fetch
 * @waiting: fetches that wait for Send Queue entries, or until the peer can
 *	serve more RDMA Reads; oldest first
 * @reads: RDMA Reads outstanding
 * @dones: RDMA_DONEs in flight
 * @declines: RDMA_DONEs, in flight or waiting, for replies that were declined
 * @wrs: Send Queue entries set aside for RDMA_DONEs, for RDMA Reads, and for
 *	the Work Requests that register their memory
 * @replies: an enum xprt_rdma_read_replies: the replies that the peer may
 *	provide in Read chunks
 *
 * All counters stay 0 if the extension is not built. Once the connection is
 * established, only completion handlers change these members.
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
