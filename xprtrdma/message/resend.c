// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sending a call again on the same connection, in another form, after the peer
 * has refused it.
 *
 * Why the connect cookie: sunrpc exports no function that retransmits an RPC.
 * sunrpc itself retransmits only if the request's connect cookie differs from
 * the transport's, which normally means that there is a new connection. So the
 * request's cookie is changed here.
 *
 * Why a work item: the sending task sets the request's cookie after the Send
 * was posted, and the peer's error can arrive before that. There is no event to
 * wait for, and the task may be preempted for any length of time. Such a call
 * waits in a list, which the work item checks once a jiffy.
 *
 * Ownership: calls in the list are pinned; their Receives are no longer needed.
 */

#include "../req.h"
#include "../stats.h"
#include "../xprt.h"
#include "message.h"

/* Jiffies between checks whether the sending task has set the cookie */
#define SENDER_POLL	1

/* Change the cookie. Return false if the sending task has not set it yet. */
static bool xprt_rdma_resend_prepare(struct xprt_rdma_req *req)
{
	struct rpc_rqst *rqst = &req->rqst;
	u32 cookie = rqst->rq_xprt->connect_cookie;

	/* There already is a new connection. */
	if (unlikely(req->refused_on != cookie))
		return true;
	if (READ_ONCE(rqst->rq_connect_cookie) != cookie)
		return false;
	WRITE_ONCE(rqst->rq_connect_cookie, cookie - 1);
	return true;
}

static void xprt_rdma_resend_later(struct xprt_rdma_resend *resend)
{
	queue_delayed_work(xprtiod_workqueue, &resend->work, SENDER_POLL);
}

/**
 * xprt_rdma_resend_work - resend waiting calls whose cookie has been set
 * @work: the transport's resend.work
 *
 * Context: process.
 */
void xprt_rdma_resend_work(struct work_struct *work)
{
	struct xprt_rdma_resend *resend =
		container_of(work, struct xprt_rdma_resend, work.work);
	struct xprt_rdma_req *req, *next;
	LIST_HEAD(ready);

	spin_lock(&resend->lock);
	list_for_each_entry_safe(req, next, &resend->reqs, list)
		if (xprt_rdma_resend_prepare(req))
			list_move_tail(&req->list, &ready);
	if (!list_empty(&resend->reqs))
		xprt_rdma_resend_later(resend);
	spin_unlock(&resend->lock);
	list_for_each_entry_safe(req, next, &ready, list) {
		list_del_init(&req->list);
		xprt_rdma_reply_complete_rpc(req, -EAGAIN);
	}
}

/**
 * xprt_rdma_resend - have sunrpc send a refused call again
 * @req: request, pinned
 *
 * Context: completion handler.
 * Return: -EAGAIN for the caller to complete the call with, so that sunrpc
 * sends it again; -EINPROGRESS if xprt_rdma_resend_work() will do that.
 */
int xprt_rdma_resend(struct xprt_rdma_req *req)
{
	struct xprt_rdma_resend *resend = &req->r_xprt->resend;

	xprt_rdma_count(calls_resent);
	req->r_xprt->stats.resent_count++;
	req->refused_on = req->r_xprt->xprt.connect_cookie;
	if (likely(xprt_rdma_resend_prepare(req)))
		return -EAGAIN;
	spin_lock(&resend->lock);
	list_add_tail(&req->list, &resend->reqs);
	spin_unlock(&resend->lock);
	xprt_rdma_resend_later(resend);
	return -EINPROGRESS;
}
