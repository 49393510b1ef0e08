// SPDX-License-Identifier: GPL-2.0-only
/*
 * Periodic checks of a connection. They run only while something is
 * outstanding, because a host may have thousands of idle transports. probe.c
 * checks whether the server answers; this file checks for progress.
 *
 * Operation: each transport has one work item. It is queued when a call has
 * been sent, or when an RDMA_DONE takes a credit, and queues itself again while
 *
 * - a call has a place in the congestion window, which it keeps until it is
 *   answered, even if it was abandoned;
 * - RDMA_DONEs use all credits, so no call can be sent;
 * - a request is pinned although its reply has arrived;
 * - a probe is in flight, which is checked until it completes.
 *
 * No check is missed: @running is cleared under the lock that protects the
 * congestion window. A call that gets a place in the window later finds
 * @running clear when it has been sent. A request is pinned before it loses its
 * place.
 *
 * An idle client does not check its server. If the server has vanished, the next
 * call finds out. The server checks idle clients (svcrdma/control/watch.c).
 *
 * Progress: a task that waits for its reply has a timer, and ends the connection
 * when the timer expires. Two things have no timer:
 *
 * - A request whose reply has arrived is pinned until its memory is invalidated
 *   or its Read chunks are fetched, even if its task is killed. If an adapter
 *   or a peer stalls the Send Queue, the request stays pinned.
 * - Abandoned calls, and RDMA_DONEs that are not delivered, hold credits. A
 *   peer that never answers would block all further calls once no credit is
 *   left.
 *
 * If there are such requests or credits, and no RPC completes for STALL_TIME,
 * about as long as an RPC may take, the transport reconnects. probe.c does not
 * cover this, because a probe only detects an adapter that does not
 * acknowledge. A probe misses a peer that acknowledges but answers no call. A
 * peer that sends other messages is not probed. Over iWARP, a probe says
 * nothing about the peer.
 */

#include <linux/lockdep.h>

#include "../conn.h"
#include "../req.h"
#include "../stats.h"
#include "../xprt.h"
#include "control.h"
#include "../verbs/verbs.h"

/* Longest time without progress */
#define STALL_TIME	(60UL * HZ)

/* Is a request pinned although its reply has arrived? */
static bool xprt_rdma_watch_any_pinned_locked(struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_req *req;

	lockdep_assert_held(&r_xprt->xprt.reserve_lock);
	list_for_each_entry(req, &r_xprt->reqs_all, all)
		if (READ_ONCE(req->recv))
			return true;
	return false;
}

/* The result grows when an RPC completes, and when an abandoned call is answered. */
static unsigned long xprt_rdma_watch_progress(const struct xprt_rdma *r_xprt)
{
	return READ_ONCE(r_xprt->xprt.stat.recvs) +
	       READ_ONCE(r_xprt->abandoned.answered);
}

/*
 * Has there been no progress for too long? That counts only if something waits
 * without a timer: a pinned request, or the next call, if abandoned calls or
 * RDMA_DONEs hold all credits.
 */
static bool xprt_rdma_watch_stalled_locked(struct xprt_rdma *r_xprt,
					   bool pinned)
{
	unsigned long progress = xprt_rdma_watch_progress(r_xprt);
	struct xprt_rdma_watch *watch = &r_xprt->watch;
	struct rpc_xprt *xprt = &r_xprt->xprt;

	lockdep_assert_held(&xprt->transport_lock);
	if (progress != watch->progress ||
	    !(pinned || !xprt->cwnd ||
	      (r_xprt->abandoned.count && xprt->cong >= xprt->cwnd))) {
		watch->progress = progress;
		watch->since = jiffies;
	}
	return time_after_eq(jiffies, watch->since + STALL_TIME);
}

static void xprt_rdma_watch_queue_locked(struct xprt_rdma *r_xprt)
{
	lockdep_assert_held(&r_xprt->xprt.transport_lock);
	queue_delayed_work(xprtiod_workqueue, &r_xprt->watch.work,
			   xprt_rdma_probe_interval(r_xprt->conn));
}

/**
 * xprt_rdma_watch_work - check a connection
 * @work: the transport's watch.work
 *
 * Context: process; xprt_rdma_watch_stop() waits for this function, so the
 * connection exists.
 */
void xprt_rdma_watch_work(struct work_struct *work)
{
	struct xprt_rdma *r_xprt =
		container_of(work, struct xprt_rdma, watch.work.work);
	struct xprt_rdma_watch *watch = &r_xprt->watch;
	struct xprt_rdma_conn *conn = r_xprt->conn;
	struct rpc_xprt *xprt = &r_xprt->xprt;
	bool connected, pinned, stalled;

	xprt_rdma_probe_check(conn);
	connected = READ_ONCE(conn->life.state) == XPRT_RDMA_CONNECTED;
	spin_lock(&xprt->reserve_lock);
	spin_lock(&xprt->transport_lock);
	pinned = xprt_rdma_watch_any_pinned_locked(r_xprt);
	stalled = xprt_rdma_watch_stalled_locked(r_xprt, pinned);
	WRITE_ONCE(watch->running, watch->on && connected && !stalled &&
		   (xprt->cong || !xprt->cwnd || pinned ||
		    READ_ONCE(r_xprt->probe.posted)));
	if (watch->running)
		xprt_rdma_watch_queue_locked(r_xprt);
	spin_unlock(&xprt->transport_lock);
	spin_unlock(&xprt->reserve_lock);
	if (!stalled)
		return;
	xprt_rdma_count(stalls);
	xprt_rdma_life_blame(&conn->life, RPCRDMA_CAUSE(STALLED, NONE));
	xprt_rdma_conn_lost(conn);
}

/**
 * xprt_rdma_watch_wake - run the checks until nothing is outstanding
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
		watch->progress = xprt_rdma_watch_progress(r_xprt);
		watch->since = jiffies;
		WRITE_ONCE(watch->running, true);
		xprt_rdma_watch_queue_locked(r_xprt);
	}
	spin_unlock(&xprt->transport_lock);
}

/**
 * xprt_rdma_watch_start - enable the checks of a new connection
 * @r_xprt: transport
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_watch_start(struct xprt_rdma *r_xprt)
{
	spin_lock(&r_xprt->xprt.transport_lock);
	r_xprt->watch.on = true;
	spin_unlock(&r_xprt->xprt.transport_lock);
	/* Something may be outstanding already. */
	xprt_rdma_watch_wake(r_xprt);
}

/**
 * xprt_rdma_watch_stop - stop the checks of a connection
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
