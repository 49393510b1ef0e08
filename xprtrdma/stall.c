// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection on which nothing moves, though it seems to be sound.
 *
 * A task that waits for its reply has a timer, and ends the connection when
 * that expires. Two things have no timer: a request whose reply has come, and
 * which is pinned until its memory is fenced or its Read chunks are fetched,
 * even if its task is killed; and credits that are held by calls which were
 * given up, or by RDMA_DONEs that do not get there. An adapter or a peer that
 * does not go on with the Send Queue, or that never answers, would hold up the
 * former for good and, with all credits gone, every call to come.
 *
 * probe.c gives up a peer whose adapter does not acknowledge. It does not notice
 * a peer whose adapter does, but which answers no call; it does not probe one that
 * sends other messages; and over iWARP a probe says nothing of the peer.
 *
 * So a connected transport looks from time to time whether there are such and
 * whether any RPC has completed since. If there are, and none has, for as long
 * as an RPC may take, it connects again.
 */

#include "xprtrdma.h"

/* How often to look, and how often in a row it takes: one minute in all. */
#define STALL_INTERVAL	(15U * HZ)
#define STALL_LIMIT	4U

/* A request waits for more than its reply. */
static bool any_pinned(struct xprt_rdma *rx)
{
	struct xprt_rdma_req *req;
	bool pinned = false;

	spin_lock(&rx->xprt.reserve_lock);
	list_for_each_entry(req, &rx->reqs_all, all)
		pinned |= !!READ_ONCE(req->rep);
	spin_unlock(&rx->xprt.reserve_lock);
	return pinned;
}

/* No call can be sent because of some that were given up, or of RDMA_DONEs. */
static bool credits_gone(struct xprt_rdma *rx)
{
	struct rpc_xprt *xprt = &rx->xprt;
	bool gone;

	spin_lock(&xprt->transport_lock);
	gone = !xprt->cwnd ||
	       (rx->orphans.count && xprt->cong >= xprt->cwnd);
	spin_unlock(&xprt->transport_lock);
	return gone;
}

/* What grows whenever something that could stall has not. */
static unsigned long progress(const struct xprt_rdma *rx)
{
	return READ_ONCE(rx->xprt.stat.recvs) + READ_ONCE(rx->orphans.answered);
}

static bool stalled(struct xprt_rdma *rx)
{
	struct xprt_rdma_stall *stall = &rx->stall;
	unsigned long now = progress(rx);

	if (now != stall->progress || !(any_pinned(rx) || credits_gone(rx))) {
		stall->progress = now;
		stall->ticks = 0;
	} else {
		stall->ticks++;
	}
	return stall->ticks >= STALL_LIMIT;
}

/**
 * xprt_rdma_stall_work - look whether a connection stands still
 * @work: the transport's
 *
 * Context: process; the connection stays until this has returned.
 */
void xprt_rdma_stall_work(struct work_struct *work)
{
	struct xprt_rdma *rx = container_of(work, struct xprt_rdma,
					    stall.work.work);

	if (!stalled(rx)) {
		queue_delayed_work(xprtiod_workqueue, &rx->stall.work,
				   STALL_INTERVAL);
		return;
	}
	pr_warn_ratelimited("connection to %s stands still, reconnecting\n",
			    rx->xprt.address_strings[RPC_DISPLAY_ADDR]);
	xprt_rdma_count(stalls);
	xprt_rdma_conn_lost(rx->conn);
}

/**
 * xprt_rdma_stall_start - watch a new connection
 * @rx: transport
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_stall_start(struct xprt_rdma *rx)
{
	rx->stall.ticks = 0;
	rx->stall.progress = progress(rx);
	queue_delayed_work(xprtiod_workqueue, &rx->stall.work, STALL_INTERVAL);
}

/**
 * xprt_rdma_stall_stop - stop to watch a connection
 * @rx: transport
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_stall_stop(struct xprt_rdma *rx)
{
	cancel_delayed_work_sync(&rx->stall.work);
}
