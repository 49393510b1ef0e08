/* SPDX-License-Identifier: GPL-2.0-only */
/* The Sends in flight on a connection. */
#ifndef _XPRTRDMA_SENDS_H
#define _XPRTRDMA_SENDS_H

#include <linux/cache.h>
#include <linux/types.h>

struct xprt_rdma_req;

/**
 * struct xprt_rdma_send - a Send in flight
 * @req: request, on which the Send holds a reference; NULL if the entry is free
 * @wrs: Send Queue entries that its completion releases
 * @signaled: the Send is signaled. Only signaled Sends gather pages or follow
 *	RDMA Writes.
 */
struct xprt_rdma_send {
	struct xprt_rdma_req	*req;
	u32			wrs;
	bool			signaled;
};

/**
 * struct xprt_rdma_sends - the Sends in flight on a connection
 * @unsignaled: Sends since the last signaled one (under XPRT_LOCKED)
 * @ring: the Sends in flight, indexed by their numbers modulo the size of the
 *	ring
 * @mask: size of @ring minus 1. The size is a power of 2, and not smaller than
 *	the Send Queue.
 * @next: number of the next Send, modulo 2^32 (under XPRT_LOCKED)
 * @done: number of the oldest Send whose entry may be in use. While there is a
 *	Queue Pair, only completion handlers use @done; it shares no cache line
 *	with members that senders write.
 */
struct xprt_rdma_sends {
	u32			unsignaled;
	struct xprt_rdma_send	*ring;
	u32			mask;
	u32			next;
	u32			done ____cacheline_aligned_in_smp;
};

#endif /* _XPRTRDMA_SENDS_H */
