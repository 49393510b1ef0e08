// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send Queue accounting.
 *
 * An entry is held from its reservation until the completion of its Work
 * Request, or of a later one, is handled. Senders that find too few free
 * entries wait for write space. A Send that leaves too few entries for the
 * longest chain is signaled: its completion releases entries, but not those
 * that the regions of unanswered calls hold.
 */

#include <linux/sunrpc/xprt.h>

#include "../conn.h"
#include "../xprt.h"
#include "verbs.h"

/**
 * xprt_rdma_sq_wait - have the current task wait for Send Queue entries
 * @conn: connection
 * @wrs: number of entries that xprt_rdma_sq_reserve() could not reserve
 *
 * The task sets XPRT_WRITE_SPACE before it checks for free entries;
 * xprt_rdma_sq_release() frees entries before it checks the bit. So no wakeup
 * is lost.
 *
 * Context: process; the caller holds XPRT_LOCKED, and has reserved no entries.
 * Return: -EAGAIN.
 */
int xprt_rdma_sq_wait(struct xprt_rdma_conn *conn, u32 wrs)
{
	conn->r_xprt->stats.empty_sendctx_q++;
	xprt_wait_for_buffer_space(&conn->r_xprt->xprt);
	/* Pairs with xprt_rdma_sq_release(). */
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
	/* Fully ordered before the check of the bit: pairs with xprt_rdma_sq_wait(). */
	int avail = atomic_add_return(wrs, &conn->sq.avail);

	WARN_ON_ONCE(avail > (int)conn->sq.size);
	xprt_write_space(&conn->r_xprt->xprt);
}
