// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send Queue accounting: how many Work Requests may still be posted.
 *
 * A Work Request has its entry from the moment when it is reserved until a
 * completion of it, or of a later one, is handled. A sender that finds too few
 * entries waits for write space; at least half of the queue is covered by a
 * signaled Work Request at any time, so a completion will come.
 */

#include <linux/sunrpc/xprt.h>

#include "../conn.h"
#include "../stats.h"
#include "../xprt.h"
#include "verbs.h"

/**
 * xprt_rdma_sq_reserve - take room in the Send Queue
 * @conn: connection
 * @wrs: Work Requests
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: true if there was room.
 */
bool xprt_rdma_sq_reserve(struct xprt_rdma_conn *conn, u32 wrs)
{
	if (likely(atomic_sub_return(wrs, &conn->sq_avail) >= 0))
		return true;
	atomic_add(wrs, &conn->sq_avail);
	return false;
}

/**
 * xprt_rdma_sq_wait - wait for room in the Send Queue
 * @conn: connection
 *
 * The bit is set before looking, and whoever makes room looks at the bit
 * afterwards, so that no wakeup is lost.
 *
 * Context: process; the caller holds XPRT_LOCKED and no room in the queue.
 * Return: -EAGAIN.
 */
int xprt_rdma_sq_wait(struct xprt_rdma_conn *conn)
{
	conn->r_xprt->stats.empty_sendctx_q++;
	xprt_rdma_count(waits_sq);
	xprt_wait_for_buffer_space(&conn->r_xprt->xprt);
	/* Pairs with the one in xprt_rdma_sq_release(). */
	smp_mb__after_atomic();
	if (atomic_read(&conn->sq_avail) >= (int)(conn->sq_size / 2))
		xprt_write_space(&conn->r_xprt->xprt);
	return -EAGAIN;
}

/**
 * xprt_rdma_sq_release - give back room in the Send Queue
 * @conn: connection
 * @wrs: Work Requests that have left the queue, or were not posted
 *
 * Context: process.
 */
void xprt_rdma_sq_release(struct xprt_rdma_conn *conn, u32 wrs)
{
	WARN_ON_ONCE(atomic_add_return(wrs, &conn->sq_avail) >
		     (int)conn->sq_size);
	/* Make room before looking at the bit that a waiting task has set. */
	smp_mb__after_atomic();
	xprt_write_space(&conn->r_xprt->xprt);
}
