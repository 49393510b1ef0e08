// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connections that look sound but make no progress.
 *
 * A task that waits for its reply has a timer, and ends the connection when the
 * timer expires. Two things have no timer:
 *
 * - A request whose reply has arrived is pinned until its memory is invalidated
 *   or its Read chunks are fetched, even if its task is killed. An adapter or a
 *   peer on which the Send Queue does not move would keep it for good.
 * - Abandoned calls, and RDMA_DONEs that are not delivered, hold credits. A
 *   peer that never answers would block all further calls once no credit is
 *   left.
 *
 * So while anything is outstanding, watch.c calls this every 15 seconds to check
 * whether there are such requests or credits, and whether any RPC has completed
 * since the last check. If there are, and none has completed in STALL_LIMIT
 * successive checks, about as long as an RPC may take, the transport
 * reconnects.
 *
 * Why probe.c does not cover this: a probe detects a peer whose adapter does
 * not acknowledge. A peer whose adapter does, but which answers no call,
 * passes; a peer that sends other messages is not probed; and over iWARP a
 * probe says nothing about the peer.
 */

#include <linux/lockdep.h>

#include "../req.h"
#include "../stats.h"
#include "../xprt.h"
#include "control.h"
#include "../verbs/verbs.h"

/* Checks without progress: one minute in all */
#define STALL_LIMIT	4U

/**
 * xprt_rdma_stall_any_pinned_locked - is a request pinned although its reply
 * has arrived?
 * @r_xprt: transport
 *
 * Context: process; the caller holds the reserve_lock.
 * Return: true if there is one.
 */
bool xprt_rdma_stall_any_pinned_locked(struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_req *req;

	lockdep_assert_held(&r_xprt->xprt.reserve_lock);
	list_for_each_entry(req, &r_xprt->reqs_all, all)
		if (READ_ONCE(req->recv))
			return true;
	return false;
}

static bool xprt_rdma_stall_any_pinned(struct xprt_rdma *r_xprt)
{
	bool pinned;

	spin_lock(&r_xprt->xprt.reserve_lock);
	pinned = xprt_rdma_stall_any_pinned_locked(r_xprt);
	spin_unlock(&r_xprt->xprt.reserve_lock);
	return pinned;
}

/* Abandoned calls or RDMA_DONEs hold the credits that the next call needs. */
static bool xprt_rdma_stall_no_credits(struct xprt_rdma *r_xprt)
{
	struct rpc_xprt *xprt = &r_xprt->xprt;
	bool gone;

	spin_lock(&xprt->transport_lock);
	gone = !xprt->cwnd ||
	       (r_xprt->abandoned.count && xprt->cong >= xprt->cwnd);
	spin_unlock(&xprt->transport_lock);
	return gone;
}

/* Grows when an RPC completes, and when an abandoned call is answered. */
static unsigned long xprt_rdma_stall_progress(const struct xprt_rdma *r_xprt)
{
	return READ_ONCE(r_xprt->xprt.stat.recvs) +
	       READ_ONCE(r_xprt->abandoned.answered);
}

static bool xprt_rdma_stall_found(struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_stall *stall = &r_xprt->stall;
	unsigned long now = xprt_rdma_stall_progress(r_xprt);

	if (now != stall->progress || !(xprt_rdma_stall_any_pinned(r_xprt) ||
					xprt_rdma_stall_no_credits(r_xprt))) {
		stall->progress = now;
		stall->ticks = 0;
	} else {
		stall->ticks++;
	}
	return stall->ticks >= STALL_LIMIT;
}

/**
 * xprt_rdma_stall_check - check a connection for progress
 * @r_xprt: connected transport
 *
 * Context: process; xprt_rdma_watch_stop() waits for it, so the connection
 * stays.
 */
void xprt_rdma_stall_check(struct xprt_rdma *r_xprt)
{
	if (!xprt_rdma_stall_found(r_xprt))
		return;
	pr_warn_ratelimited("connection to %s stands still, reconnecting; if this comes again, look for messages of the RDMA adapter's driver\n",
			    r_xprt->xprt.address_strings[RPC_DISPLAY_ADDR]);
	xprt_rdma_count(stalls);
	xprt_rdma_life_blame(&r_xprt->conn->life, RPCRDMA_NL_LOST_STALLED);
	xprt_rdma_conn_lost(r_xprt->conn);
}

/**
 * xprt_rdma_stall_begin - something becomes outstanding on a connection
 * @r_xprt: transport
 *
 * Context: process; the checks do not run.
 */
void xprt_rdma_stall_begin(struct xprt_rdma *r_xprt)
{
	r_xprt->stall.ticks = 0;
	r_xprt->stall.progress = xprt_rdma_stall_progress(r_xprt);
}
