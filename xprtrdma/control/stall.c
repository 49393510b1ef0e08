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

#include "../req.h"
#include "../stats.h"
#include "../xprt.h"
#include "control.h"
#include "../verbs/verbs.h"

/* How often to look, and how often in a row it takes: one minute in all. */
#define STALL_INTERVAL	(15U * HZ)
#define STALL_LIMIT	4U

/* A request waits for more than its reply. */
static bool xprt_rdma_stall_any_pinned(struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_req *req;
	bool pinned = false;

	spin_lock(&r_xprt->xprt.reserve_lock);
	list_for_each_entry(req, &r_xprt->reqs_all, all)
		pinned |= !!READ_ONCE(req->recv);
	spin_unlock(&r_xprt->xprt.reserve_lock);
	return pinned;
}

/* No call can be sent because of some that were given up, or of RDMA_DONEs. */
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

/* What grows whenever something that could stall has not. */
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
 * xprt_rdma_stall_work - look whether a connection stands still
 * @work: the transport's
 *
 * Context: process; the connection stays until this has returned.
 */
void xprt_rdma_stall_work(struct work_struct *work)
{
	struct xprt_rdma *r_xprt =
		container_of(work, struct xprt_rdma, stall.work.work);

	if (!xprt_rdma_stall_found(r_xprt)) {
		queue_delayed_work(xprtiod_workqueue, &r_xprt->stall.work,
				   STALL_INTERVAL);
		return;
	}
	pr_warn_ratelimited("connection to %s stands still, reconnecting\n",
			    r_xprt->xprt.address_strings[RPC_DISPLAY_ADDR]);
	xprt_rdma_count(stalls);
	xprt_rdma_conn_lost(r_xprt->conn);
}

/**
 * xprt_rdma_stall_start - watch a new connection
 * @r_xprt: transport
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_stall_start(struct xprt_rdma *r_xprt)
{
	r_xprt->stall.ticks = 0;
	r_xprt->stall.progress = xprt_rdma_stall_progress(r_xprt);
	queue_delayed_work(xprtiod_workqueue, &r_xprt->stall.work,
			   STALL_INTERVAL);
}

/**
 * xprt_rdma_stall_stop - stop to watch a connection
 * @r_xprt: transport
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_stall_stop(struct xprt_rdma *r_xprt)
{
	cancel_delayed_work_sync(&r_xprt->stall.work);
}
