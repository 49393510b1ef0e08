// SPDX-License-Identifier: GPL-2.0-only
/*
 * Posting a message: the order of its Work Requests, and which are signaled.
 *
 * Operation: all Work Requests of a message are posted as one chain, in this
 * order: registrations of memory that the message advertises, RDMA Writes, and
 * the Send. Only the Send is signaled. If the Send Queue is full, the context
 * waits for entries, and the completion that returns them posts it. No thread
 * waits.
 *
 * A chain longer than the Send Queue, with many short segments of the requester
 * or few gather entries, is posted in parts. Each of them fills the queue, and
 * its last Write is signaled. The completion queues the next part. The context
 * holds all resources until the Send has completed.
 *
 * A message that is a single Work Request with a small buffer and few pages
 * need not be released early. Up to SVC_RDMA_UNSIGNALED such messages are
 * posted unsignaled, and are added to the connection's list afterwards. The
 * next signaled Send takes over the list before it is posted. So all messages
 * in its list are in front of it in the Send Queue, and have completed when it
 * completes. No lock is held while posting, and the list need not be in the
 * order of the Send Queue.
 *
 * The Send Queue has SVC_RDMA_UNSIGNALED more entries than sq.c knows of.
 * Messages in the connection's list occupy these entries. A Send that takes
 * them over also takes entries from sq.c for them. So signaled Work Requests
 * return all entries that sq.c counts as used, and nothing ever waits for an
 * unsignaled one.
 *
 * While anything waits for the Send Queue, all Sends are signaled and wait,
 * too. So messages are not reordered.
 *
 * Ownership: a context in a list is in use. On an idle connection, the periodic
 * check takes over the list (control/watch.c). The lists of a closing
 * connection need not be processed: all contexts are released with the
 * connection.
 *
 * Errors: after a Write or Send has failed, everything behind it is flushed. So
 * a signaled Send also reports an error, and the connection is closed. The
 * failure of an unsignaled Send is reported, too, but the context is released
 * by the signaled Send, which is flushed.
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
 * The caller then takes Send Queue entries for @list, calls
 * svc_rdma_unsignaled_covered(), and posts a signaled Work Request.
 *
 * Context: any.
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
 * svc_rdma_unsignaled_covered - account for Send Queue entries taken for a list
 * @conn: connection
 * @list: list filled in by svc_rdma_unsignaled_take()
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
 * svc_rdma_unsignaled_done - release Sends that a signaled completion covers
 * @list: list; empty on return
 *
 * The caller returns the Send Queue entries of the list.
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

/*
 * Queue the chain, or its next part. Messages posted unsignaled are taken over
 * unless the chain would then have to wait for more entries than there are.
 */
static int svc_rdma_send_queue(struct svc_rdma_send_ctx *send)
{
	struct svc_rdma_conn *conn = send->conn;

	if (send->wrs + SVC_RDMA_UNSIGNALED <= conn->sq.depth)
		svc_rdma_unsignaled_take(conn, &send->before);
	send->wait.entries = min(send->wrs + send->before.count, conn->sq.depth);
	return svc_rdma_sq_queue(conn, &send->wait);
}

/* A part of a chain is done. After an error, the rest is never posted. */
static void svc_rdma_send_part_done(struct svc_rdma_send_ctx *send,
				    const struct ib_wc *wc)
{
	if (wc->status != IB_WC_SUCCESS) {
		svc_rdma_rw_failed(send->conn, wc, DMA_TO_DEVICE);
		return;
	}
	svc_rdma_sq_give(send->conn, send->wait.entries);
	svc_rdma_send_queue(send);
}

static void svc_rdma_send_wc_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct svc_rdma_send_ctx *send =
		container_of(wc->wr_cqe, struct svc_rdma_send_ctx, cqe);
	struct svc_rdma_conn *conn = cq->cq_context;

	trace_svc_rdma_wc_send(&conn->xprt, cq, wc);
	if (unlikely(send->rest)) {
		svc_rdma_send_part_done(send, wc);
		return;
	}
	if (unlikely(wc->status != IB_WC_SUCCESS))
		svc_rdma_wc_failed(conn, RPCRDMA_NL_DETAIL_SEND, cq, wc);
	/* An unsignaled Send failed; the signaled one behind releases it. */
	if (unlikely(!(send->wr.send_flags & IB_SEND_SIGNALED)))
		return;
	svc_rdma_sq_give(conn, send->wait.entries);
	svc_rdma_unsignaled_done(&send->before);
	svc_rdma_send_put(send);
}

/* Cut a part off the chain. The Send, and what precedes it, are in the last. */
static void svc_rdma_send_cut(struct svc_rdma_send_ctx *send,
			      struct ib_send_wr *first)
{
	struct ib_send_wr *last = first;
	u32 n;

	for (n = 1; n < send->wait.entries && last->next != &send->wr; n++)
		last = last->next;
	send->wrs -= n;
	send->rest = last->next;
	last->next = NULL;
	last->wr_cqe = &send->cqe;
	last->send_flags |= IB_SEND_SIGNALED;
}

/* Post the chain or its next part: the Send Queue entries have been taken. */
static int svc_rdma_send_ready(struct svc_rdma_sq_wait *wait)
{
	struct svc_rdma_send_ctx *send =
		container_of(wait, struct svc_rdma_send_ctx, wait);
	struct svc_rdma_advert *advert = svc_rdma_send_advert(send);
	struct svc_rdma_conn *conn = send->conn;
	struct ib_send_wr *first = send->rest;

	if (send->before.count)
		svc_rdma_unsignaled_covered(conn, &send->before);
	if (likely(!first))
		first = svc_rdma_rw_chain(conn, &send->rws, &send->wr);
	send->rest = NULL;
	if (unlikely(send->wrs > wait->entries)) {
		svc_rdma_send_cut(send, first);
		return svc_rdma_post(conn, first, RPCRDMA_NL_DETAIL_WRITE);
	}
	if (likely(!advert))
		return svc_rdma_post(conn, first, RPCRDMA_NL_DETAIL_SEND);
		/* Once posted, @send may complete and be reused. */
	send->advert = NULL;
	return svc_rdma_advert_post(advert, first);
}

/* May a Send be posted unsignaled? If so, a reserved entry is taken for it. */
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
 * @send: Send context; the caller no longer owns it
 * @len: bytes in the context's buffer
 *
 * If the Send Queue is full, the message is queued and posted later, so it must
 * not refer to anything that the caller owns. A message that cannot be posted
 * is released with the connection.
 *
 * Context: process.
 * Return: 0 if the message was posted or queued; -ENOTCONN if it was not, and
 * the connection is closed.
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
		/* After an error, @send belongs to the closing connection. */
		if (likely(!ret))
			llist_add(&send->node, &conn->sends.unsignaled);
		return ret;
	}
	send->wr.send_flags = IB_SEND_SIGNALED;
	send->wait.ready = svc_rdma_send_ready;
	return svc_rdma_send_queue(send);
}

/**
 * svc_rdma_send_answer - post a message that announces credits
 * @send: see svc_rdma_send_post(); the buffer contains a header
 * @len: bytes in the context's buffer
 *
 * This writes the current number of credits into the header; its place is the
 * same in all versions. Since the header was encoded, other threads may have
 * sent replies that await RDMA_DONE.
 *
 * Context: process.
 * Return: see svc_rdma_send_post().
 */
int svc_rdma_send_answer(struct svc_rdma_send_ctx *send, u32 len)
{
	put_unaligned_be32(svc_rdma_credits(send->conn),
			   send->buf + 2 * RPCRDMA_XDR_UNIT);
	return svc_rdma_send_post(send, len);
}
