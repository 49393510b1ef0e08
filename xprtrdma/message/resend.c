// SPDX-License-Identifier: GPL-2.0-only
/*
 * Having sunrpc send a call again on the same connection, in another way, after
 * the peer has refused it.
 *
 * sunrpc sends an RPC again only if it believes that the connection is another
 * one: the request's connect cookie must differ from the transport's. sunrpc
 * itself sets the former after the Send was posted, and the error can arrive
 * before it has. So a call whose sender is not done waits in a list. There is no
 * event to wait for, and a sender may be preempted for as long as the scheduler
 * likes; a work item looks once a jiffy.
 *
 * Ownership: calls in the list are pinned; their Receives are not needed any
 * more.
 */

#include "../req.h"
#include "../stats.h"
#include "../xprt.h"
#include "message.h"

/* How often to look whether the sender of a call is done with it. */
#define SENDER_POLL	1

/* Make the cookie differ. Returns false if the sender is not done yet. */
static bool xprt_rdma_resend_prepare(struct xprt_rdma_req *req)
{
	struct rpc_rqst *rqst = &req->rqst;
	u32 cookie = rqst->rq_xprt->connect_cookie;

	/* There is another connection already. */
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
 * xprt_rdma_resend_work - have calls sent again whose sender was not done
 * @work: the transport's
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
		xprt_rdma_reply_again(req);
	}
}

/**
 * xprt_rdma_resend - have sunrpc send a refused call again
 * @req: request, pinned
 *
 * Context: completion handler.
 * Return: -EAGAIN to complete the call at once, so that sunrpc sends it again;
 * -EINPROGRESS if xprt_rdma_reply_again() is going to do that.
 */
int xprt_rdma_resend(struct xprt_rdma_req *req)
{
	struct xprt_rdma_resend *resend = &req->r_xprt->resend;

	xprt_rdma_count(calls_resent);
	req->refused_on = req->r_xprt->xprt.connect_cookie;
	if (likely(xprt_rdma_resend_prepare(req)))
		return -EAGAIN;
	xprt_rdma_count(calls_resent_late);
	spin_lock(&resend->lock);
	list_add_tail(&req->list, &resend->reqs);
	spin_unlock(&resend->lock);
	xprt_rdma_resend_later(resend);
	return -EINPROGRESS;
}
