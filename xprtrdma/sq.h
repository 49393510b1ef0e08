/* SPDX-License-Identifier: GPL-2.0-only */
/* The Send Queue of a connection. */
#ifndef _XPRTRDMA_SQ_H
#define _XPRTRDMA_SQ_H

#include <linux/atomic.h>
#include <linux/types.h>

/**
 * struct xprt_rdma_sq - entries of the Send Queue
 * @size: number of entries that senders share
 * @avail: number of these entries that are free
 * @max_sges: gather entries per Send
 */
struct xprt_rdma_sq {
	u32		size;
	atomic_t	avail;
	u32		max_sges;
};

/*
 * Reserve Send Queue entries. Returns false if too few are free; a sender that
 * can wait for them then calls xprt_rdma_sq_wait().
 */
static inline bool xprt_rdma_sq_reserve(struct xprt_rdma_sq *sq, u32 wrs)
{
	if (likely(atomic_sub_return(wrs, &sq->avail) >= 0))
		return true;
	atomic_add(wrs, &sq->avail);
	return false;
}

#endif /* _XPRTRDMA_SQ_H */
