// SPDX-License-Identifier: GPL-2.0-only
/*
 * Posting of a message: the order of its Work Requests, and which are signaled.
 *
 * Operation: all Work Requests of a message are posted as one chain, in this
 * order: registrations of memory that it advertises, RDMA Writes, and the Send.
 * Only the Send is signaled. If the Send Queue is full, the context is queued for
 * it, and posted by the completion that returns the entries; no thread waits.
 *
 * A message that is one Work Request with a small buffer and few pages need not
 * be released early. Up to SVC_RDMA_UNSIGNALED of them are posted unsignaled, and
 * added to a list afterwards. The next signaled Send takes that list over before
 * it is posted. So everything in its list is in front of it in the Send Queue,
 * and has completed when it completes. No lock is held while posting, and the
 * list need not be in the order of the Send Queue.
 *
 * The Send Queue has SVC_RDMA_UNSIGNALED entries more than sq.c knows of. Sends
 * in the list of the connection occupy these, and the one that takes them over
 * takes entries for them as for itself. So whatever sq.c counts as in use is
 * returned by Work Requests that are signaled, and nothing ever waits for an
 * unsignaled one.
 *
 * While anything is queued for the Send Queue, all Sends are signaled, and queued
 * behind it: messages are not reordered.
 *
 * Ownership: a context in a list is in use. The periodic check takes over what an
 * idle connection has left (control/watch.c). When a connection is closing, lists
 * may be forgotten: all contexts are released with it.
 *
 * Errors: after a Write or Send has failed, everything behind it is flushed, so
 * a signaled Send reports an error, too, and the connection is closed. The
 * failure of an unsignaled Send is reported as well; the signaled one, which is
 * flushed, releases it.
 */

#include <linux/unaligned.h>

#include "../ext/ext.h"
#include "../verbs/verbs.h"
#include "message.h"
#include <trace/events/svcrdma.h>

#include "../verbs/wc.h"

/**
 * svc_rdma_unsignaled_take - take over all Sends that were posted unsignaled
 * @conn: connection
 * @list: list to be filled in
 *
 * Context: any. A signaled Work Request is posted later, with entries of the
 * Send Queue for @list, too. Before that, svc_rdma_unsignaled_covered() is
 * called.
 */
void svc_rdma_unsignaled_take(struct svc_rdma_conn *conn,
			      struct svc_rdma_unsignaled *list)
{
	struct llist_node *node;

	list->first = llist_del_all(&conn->sends.unsignaled);
	list->count = 0;
	llist_for_each(node, list->first)
		list->count++;
}

/**
 * svc_rdma_unsignaled_covered - entries of the Send Queue were taken for a list
 * @conn: connection
 * @list: list, after svc_rdma_unsignaled_take()
 *
 * Context: any.
 */
void svc_rdma_unsignaled_covered(struct svc_rdma_conn *conn,
				 const struct svc_rdma_unsignaled *list)
{
	int left = atomic_sub_return(list->count, &conn->sends.nunsignaled);

	WARN_ON_ONCE(left < 0);
}

/**
 * svc_rdma_unsignaled_done - the Work Request behind a list has completed
 * @list: list; empty on return
 *
 * The entries of the Send Queue are the caller's to return.
 *
 * Context: any.
 */
void svc_rdma_unsignaled_done(struct svc_rdma_unsignaled *list)
{
	struct svc_rdma_send_ctx *send, *next;
	struct llist_node *first = list->first;

	*list = (struct svc_rdma_unsignaled){};
	llist_for_each_entry_safe(send, next, first, node)
		svc_rdma_send_put(send);
}

static void svc_rdma_send_wc_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct svc_rdma_send_ctx *send =
		container_of(wc->wr_cqe, struct svc_rdma_send_ctx, cqe);
	struct svc_rdma_conn *conn = cq->cq_context;

	trace_svc_rdma_wc_send(&conn->xprt, cq, wc);
	if (unlikely(wc->status != IB_WC_SUCCESS))
		svc_rdma_wc_failed(conn, RPCRDMA_NL_DETAIL_SEND, cq, wc);
	/* Only its failure is reported: a signaled Send releases it. */
	if (unlikely(!(send->wr.send_flags & IB_SEND_SIGNALED)))
		return;
	svc_rdma_sq_give(conn, send->wait.entries);
	svc_rdma_unsignaled_done(&send->before);
	svc_rdma_send_put(send);
}

/* The chain's Send Queue entries have been taken. */
static int svc_rdma_send_ready(struct svc_rdma_sq_wait *wait)
{
	struct svc_rdma_send_ctx *send =
		container_of(wait, struct svc_rdma_send_ctx, wait);
	struct svc_rdma_advert *advert = svc_rdma_send_advert(send);
	struct svc_rdma_conn *conn = send->conn;
	struct ib_send_wr *first;

	if (send->before.count)
		svc_rdma_unsignaled_covered(conn, &send->before);
	first = svc_rdma_rw_chain(conn, &send->rws, &send->wr);
	if (likely(!advert))
		return svc_rdma_post(conn, first, RPCRDMA_NL_DETAIL_SEND);
	/* As soon as it is posted, @send may complete and be used again. */
	send->advert = NULL;
	return svc_rdma_advert_post(advert, first);
}

/* May a Send be posted unsignaled? Then it is added to the list afterwards. */
static bool svc_rdma_send_is_unsignaled(struct svc_rdma_send_ctx *send)
{
	struct svc_rdma_conn *conn = send->conn;

	return send->wrs == 1 && send->npages <= SVC_RDMA_UNSIGNALED_PAGES &&
	       send->size <= SVC_RDMA_SEND_BUF && svc_rdma_sq_is_quiet(conn) &&
	       atomic_add_unless(&conn->sends.nunsignaled, 1,
				 SVC_RDMA_UNSIGNALED);
}

/**
 * svc_rdma_send_post - post the Writes and the Send of a message
 * @send: Send context, whose chain is not longer than the Send Queue; not the
 *	caller's any more
 * @len: bytes in the context's buffer
 *
 * If the Send Queue is full, the message is queued, and posted in its turn. It
 * must not refer to anything of the caller's by then. A message that cannot be
 * posted is released with the connection.
 *
 * Context: process.
 * Return: 0 if the message was posted or queued, or -ENOTCONN and the connection
 * is closed.
 */
int svc_rdma_send_post(struct svc_rdma_send_ctx *send, u32 len)
{
	struct svc_rdma_conn *conn = send->conn;
	int ret;

	send->cqe.done = svc_rdma_send_wc_done;
	send->sges[0].length = len;
	ib_dma_sync_single_for_device(conn->dev, send->sges[0].addr, len,
				      DMA_TO_DEVICE);
	if (svc_rdma_send_is_unsignaled(send)) {
		send->wr.send_flags = 0;
		ret = svc_rdma_post(conn, &send->wr, RPCRDMA_NL_DETAIL_SEND);
		/* After an error it is not ours any more. */
		if (likely(!ret))
			llist_add(&send->node, &conn->sends.unsignaled);
		return ret;
	}
	send->wr.send_flags = IB_SEND_SIGNALED;
	/* It must not wait for more entries than there are. */
	if (send->wrs + SVC_RDMA_UNSIGNALED <= conn->sq.depth)
		svc_rdma_unsignaled_take(conn, &send->before);
	send->wait.entries = send->wrs + send->before.count;
	send->wait.ready = svc_rdma_send_ready;
	return svc_rdma_sq_queue(conn, &send->wait);
}

/**
 * svc_rdma_send_answer - post a message that tells the requester of its credits
 * @send: as of svc_rdma_send_post(), with a header in its buffer
 * @len: bytes in the context's buffer
 *
 * The credits, in the same place in all versions, are those of now: since the
 * header was encoded, other threads may have sent replies for which RDMA_DONEs are
 * awaited.
 *
 * Context: process.
 * Return: as svc_rdma_send_post().
 */
int svc_rdma_send_answer(struct svc_rdma_send_ctx *send, u32 len)
{
	put_unaligned_be32(svc_rdma_credits(send->conn),
			   send->buf + 2 * RPCRDMA_XDR_UNIT);
	return svc_rdma_send_post(send, len);
}
