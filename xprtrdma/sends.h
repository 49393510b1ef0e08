/* SPDX-License-Identifier: GPL-2.0-only */
/* The Sends in flight on a connection. */
#ifndef _XPRTRDMA_SENDS_H
#define _XPRTRDMA_SENDS_H

#include <linux/cache.h>
#include <linux/types.h>

struct xprt_rdma_req;

/**
 * struct xprt_rdma_send - a Send in flight
 * @req: its request, of which it has a reference; NULL: the entry is free
 * @wrs: Send Queue entries that its completion releases
 * @signaled: it is signaled. Only such a Send has RDMA Writes, and pages that it
 *	gathers.
 */
struct xprt_rdma_send {
	struct xprt_rdma_req	*req;
	u32			wrs;
	bool			signaled;
};

/**
 * struct xprt_rdma_sends - the Sends in flight on a connection
 * @unsignaled: Sends since the last signaled one (under XPRT_LOCKED)
 * @ring: the Sends in flight, by their numbers modulo the size of the ring
 * @mask: size of @ring, a power of 2 and at least that of the Send Queue,
 *	minus 1
 * @next: number of Sends so far, modulo 2^32, and that of the next one (under
 *	XPRT_LOCKED)
 * @done: number of the oldest Send whose entry may not be free. Used by
 *	completion handlers only, while there is a Queue Pair; in another cache
 *	line than what senders write.
 */
struct xprt_rdma_sends {
	u32			unsignaled;
	struct xprt_rdma_send	*ring;
	u32			mask;
	u32			next;
	u32			done ____cacheline_aligned_in_smp;
};

#endif /* _XPRTRDMA_SENDS_H */
