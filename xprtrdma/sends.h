/* SPDX-License-Identifier: GPL-2.0-only */
/* The Sends in flight on a connection. */
#ifndef _XPRTRDMA_SENDS_H
#define _XPRTRDMA_SENDS_H

#include <linux/cache.h>
#include <linux/types.h>

struct xprt_rdma_req;

/**
 * struct xprt_rdma_sends - the Sends in flight on a connection
 * @unsignaled: Sends since the last signaled one (under XPRT_LOCKED)
 * @unreleased: Send Queue entries of Sends that were released before their
 *	completion; the next Send releases them (under XPRT_LOCKED)
 * @ring: requests of the Sends in flight, by their numbers modulo the size of
 *	the ring. The thread that replaces an entry by NULL, atomically, must
 *	release that Send.
 * @mask: size of @ring, a power of 2 and at least that of the Send Queue,
 *	minus 1
 * @next: number of Sends so far, modulo 2^32, and that of the next one (under
 *	XPRT_LOCKED)
 * @done: number of the oldest Send whose entry may not be NULL. Used by
 *	completion handlers only, while there is a Queue Pair; in another cache
 *	line than what senders write.
 */
struct xprt_rdma_sends {
	u32			unsignaled;
	u32			unreleased;
	struct xprt_rdma_req	**ring;
	u32			mask;
	u32			next;
	u32			done ____cacheline_aligned_in_smp;
};

#endif /* _XPRTRDMA_SENDS_H */
