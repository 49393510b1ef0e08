// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send Queue accounting.
 *
 * A Work Request holds its entry from reservation until the completion of
 * itself or of a later Work Request is handled. Senders that find too few free
 * entries wait for write space. A Send that leaves no room for the longest chain
 * is signaled, so its completion makes that room, unless the regions of
 * unanswered calls hold it.
 */

#include <linux/sunrpc/xprt.h>

#include "../conn.h"
#include "../xprt.h"
#include "verbs.h"

/**
 * xprt_rdma_sq_wait - have the current task wait for Send Queue entries
 * @conn: connection
 * @wrs: number of entries, which xprt_rdma_sq_reserve() did not find
 *
 * The task sets XPRT_WRITE_SPACE before it checks for room;
 * xprt_rdma_sq_release() makes room before it checks the bit. So no wakeup is
 * lost.
 *
 * Context: process; the caller holds XPRT_LOCKED, and no entries.
 * Return: -EAGAIN.
 */
int xprt_rdma_sq_wait(struct xprt_rdma_conn *conn, u32 wrs)
{
	conn->r_xprt->stats.empty_sendctx_q++;
	xprt_wait_for_buffer_space(&conn->r_xprt->xprt);
	/* Pairs with the barrier in xprt_rdma_sq_release(). */
	smp_mb__after_atomic();
	if (atomic_read(&conn->sq.avail) >= (int)wrs)
		xprt_write_space(&conn->r_xprt->xprt);
	return -EAGAIN;
}

/**
 * xprt_rdma_sq_release - release Send Queue entries
 * @conn: connection
 * @wrs: number of Work Requests that have left the queue, or were never posted
 *
 * Context: process.
 */
void xprt_rdma_sq_release(struct xprt_rdma_conn *conn, u32 wrs)
{
	int avail = atomic_add_return(wrs, &conn->sq.avail);

	WARN_ON_ONCE(avail > (int)conn->sq.size);
	/* Make room before checking the bit; pairs with xprt_rdma_sq_wait(). */
	smp_mb__after_atomic();
	xprt_write_space(&conn->r_xprt->xprt);
}
