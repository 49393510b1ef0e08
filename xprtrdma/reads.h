/* SPDX-License-Identifier: GPL-2.0-only */
/* The RDMA Reads of a connection. */
#ifndef _XPRTRDMA_READS_H
#define _XPRTRDMA_READS_H

#include <linux/list.h>
#include <linux/types.h>

/**
 * struct xprt_rdma_reads - the RDMA Reads of a connection
 * @all: all struct xprt_rdma_read_ctx
 * @waiting: those that wait for @ops, or for others of the Reads that the peer
 *	serves at a time to complete, oldest first
 * @out: RDMA Reads outstanding
 * @ops: RDMA Reads and RDMA_DONEs that there are Send Queue entries for
 * @pages: pages that one RDMA Read can cover
 * @wrs: Send Queue entries set aside for RDMA Reads, with the Work Requests
 *	that register their memory
 * @dones: RDMA_DONEs in flight
 * @declines: RDMA_DONEs, in flight or waiting, for replies that no call waits
 *	for
 * @replies: an enum xprt_rdma_read_replies: which replies may come in the
 *	peer's Read chunks
 *
 * Used by completion handlers only, once the connection is established.
 */
struct xprt_rdma_reads {
	struct list_head	all;
	struct list_head	waiting;
	u32			out;
	u32			ops;
	u32			pages;
	u32			wrs;
	u32			dones;
	u32			declines;
	u32			replies;
};

static inline void xprt_rdma_reads_init(struct xprt_rdma_reads *reads)
{
	INIT_LIST_HEAD(&reads->all);
	INIT_LIST_HEAD(&reads->waiting);
}

#endif /* _XPRTRDMA_READS_H */
