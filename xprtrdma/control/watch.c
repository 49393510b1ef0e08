// SPDX-License-Identifier: GPL-2.0-only
/*
 * When the periodic checks of a connection run: only while something is
 * outstanding. A host may have thousands of idle transports.
 *
 * Operation: one work item per transport makes the checks of stall.c and
 * probe.c, each when it is due. It is queued when a call has been sent, or
 * an RDMA_DONE takes a credit. It queues itself again while
 *
 * - a call has a place in the congestion window, which it keeps until it is
 *   answered, even if it was abandoned;
 * - RDMA_DONEs have all the credits, so no call can be sent;
 * - a request is pinned although its reply has arrived.
 *
 * Why nothing is missed: whether there is a reason is decided, and @running
 * cleared, under the locks under which calls get their places in the window.
 * A call that gets one after that finds @running clear when it has been sent.
 * A request is pinned before it loses its place.
 *
 * An idle client does not check its server. If the server has vanished, the next
 * call finds out. The server checks idle clients (svcrdma/control/watch.c).
 */

#include <linux/lockdep.h>

#include "../conn.h"
#include "../xprt.h"
#include "control.h"

static unsigned long xprt_rdma_watch_delay(const struct xprt_rdma_watch *watch)
{
	unsigned long next = watch->stall_due;

	if (time_before(watch->probe_due, next))
		next = watch->probe_due;
	return time_after(next, jiffies) ? next - jiffies : 0;
}

static void xprt_rdma_watch_queue_locked(struct xprt_rdma *r_xprt)
{
	lockdep_assert_held(&r_xprt->xprt.transport_lock);
	queue_delayed_work(xprtiod_workqueue, &r_xprt->watch.work,
			   xprt_rdma_watch_delay(&r_xprt->watch));
}

static void xprt_rdma_watch_check(struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_watch *watch = &r_xprt->watch;
	struct xprt_rdma_conn *conn = r_xprt->conn;

	if (time_after_eq(jiffies, watch->stall_due)) {
		xprt_rdma_stall_check(r_xprt);
		watch->stall_due = jiffies + XPRT_RDMA_STALL_INTERVAL;
	}
	if (time_after_eq(jiffies, watch->probe_due)) {
		xprt_rdma_probe_check(conn);
		watch->probe_due = jiffies + xprt_rdma_probe_interval(conn);
	}
}

static bool xprt_rdma_watch_needed_locked(struct xprt_rdma *r_xprt)
{
	struct rpc_xprt *xprt = &r_xprt->xprt;

	lockdep_assert_held(&xprt->transport_lock);
	return xprt->cong || !xprt->cwnd ||
	       xprt_rdma_stall_any_pinned_locked(r_xprt);
}

/**
 * xprt_rdma_watch_work - make the checks that are due
 * @work: the transport's watch.work
 *
 * Context: process; xprt_rdma_watch_stop() waits for it, so the connection
 * stays.
 */
void xprt_rdma_watch_work(struct work_struct *work)
{
	struct xprt_rdma *r_xprt =
		container_of(work, struct xprt_rdma, watch.work.work);
	struct xprt_rdma_watch *watch = &r_xprt->watch;
	struct rpc_xprt *xprt = &r_xprt->xprt;
	bool connected;

	xprt_rdma_watch_check(r_xprt);
	connected = READ_ONCE(r_xprt->conn->life.state) == XPRT_RDMA_CONNECTED;
	spin_lock(&xprt->reserve_lock);
	spin_lock(&xprt->transport_lock);
	WRITE_ONCE(watch->running,
		   watch->on && connected &&
		   xprt_rdma_watch_needed_locked(r_xprt));
	if (watch->running)
		xprt_rdma_watch_queue_locked(r_xprt);
	spin_unlock(&xprt->transport_lock);
	spin_unlock(&xprt->reserve_lock);
}

/**
 * xprt_rdma_watch_wake - make the checks until nothing is outstanding
 * @r_xprt: transport
 *
 * Context: process, including completion handlers.
 */
void xprt_rdma_watch_wake(struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_watch *watch = &r_xprt->watch;
	struct rpc_xprt *xprt = &r_xprt->xprt;

	spin_lock(&xprt->transport_lock);
	if (watch->on && !watch->running) {
		xprt_rdma_stall_begin(r_xprt);
		xprt_rdma_probe_begin(r_xprt);
		watch->stall_due = jiffies + XPRT_RDMA_STALL_INTERVAL;
		watch->probe_due =
			jiffies + xprt_rdma_probe_interval(r_xprt->conn);
		WRITE_ONCE(watch->running, true);
		xprt_rdma_watch_queue_locked(r_xprt);
	}
	spin_unlock(&xprt->transport_lock);
}

/**
 * xprt_rdma_watch_start - allow the checks of a new connection
 * @r_xprt: transport
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_watch_start(struct xprt_rdma *r_xprt)
{
	r_xprt->probe.posted = false;
	spin_lock(&r_xprt->xprt.transport_lock);
	r_xprt->watch.on = true;
	spin_unlock(&r_xprt->xprt.transport_lock);
	/* Something may be outstanding already. */
	xprt_rdma_watch_wake(r_xprt);
}

/**
 * xprt_rdma_watch_stop - end the checks of a connection
 * @r_xprt: transport
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_watch_stop(struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_watch *watch = &r_xprt->watch;

	spin_lock(&r_xprt->xprt.transport_lock);
	watch->on = false;
	spin_unlock(&r_xprt->xprt.transport_lock);
	cancel_delayed_work_sync(&watch->work);
	WRITE_ONCE(watch->running, false);
}
