/* SPDX-License-Identifier: GPL-2.0-only */
/* The Receives of a connection. */
#ifndef _XPRTRDMA_RECVS_H
#define _XPRTRDMA_RECVS_H

#include <linux/list.h>
#include <linux/types.h>

/**
 * struct xprt_rdma_recvs - the Receives of a connection
 * @free: Receives that are not posted
 * @all: all Receives
 * @count: number of Receives in @all
 * @posted: number of Receives in the Receive Queue
 * @old: number of posted Receives that were posted before @size changed
 * @max: limit of @count
 * @bytes: bytes in the buffers of @all
 * @size: bytes; size of Receives that are posted from now on
 * @min: bytes; guaranteed size of every Receive in the queue. It becomes @size
 *	when @old is 0.
 * @received: messages received, modulo 2^32
 *
 * Once the connection is established, only completion handlers change these
 * members.
 */
struct xprt_rdma_recvs {
	struct list_head	free;
	struct list_head	all;
	u32			count;
	u32			posted;
	u32			old;
	u32			max;
	u32			bytes;
	u32			size;
	u32			min;
	u32			received;
};

static inline void xprt_rdma_recvs_init(struct xprt_rdma_recvs *recvs, u32 size)
{
	INIT_LIST_HEAD(&recvs->free);
	INIT_LIST_HEAD(&recvs->all);
	recvs->size = size;
	recvs->min = size;
}

#endif /* _XPRTRDMA_RECVS_H */
