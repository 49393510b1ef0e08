// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends that are posted unsignaled: their completion is not reported, but follows
 * from that of the next signaled Work Request behind them.
 *
 * Operation: messages that are copied into the buffer of their Send context hold
 * nothing else that could be released early. Up to SVC_RDMA_UNSIGNALED of them
 * are posted unsignaled, and added to a list afterwards. The next signaled Send
 * takes that list over before it is posted. So everything in its list is in
 * front of it in the Send Queue, and has completed when it completes. No lock is
 * held while posting, and the list need not be in the order of the Send Queue.
 *
 * The Send Queue has SVC_RDMA_UNSIGNALED more entries than sq.c knows. Sends in
 * the list of the connection occupy these, and the one that takes them over
 * takes entries for them as for itself. So signaled Work Requests return all
 * entries that sq.c counts as in use, and nothing ever waits for an unsignaled
 * one.
 *
 * While anything is queued for the Send Queue, all Sends are signaled, and queued
 * behind it: messages are not reordered.
 *
 * Ownership: a context in a list is in use. The periodic check takes over the
 * list of an idle connection (control/watch.c). When a connection is closing,
 * lists may be forgotten: all contexts are released with it.
 *
 * Errors: a failed unsignaled Send is also reported, and closes the connection.
 * The signaled one, which is flushed, releases it.
 */

#include "../verbs/verbs.h"
#include "message.h"

/**
 * svc_rdma_unsignaled_reserve - check whether a Send may be posted unsignaled
 * @send: Send context, ready to be posted
 *
 * Context: any.
 * Return: true if so; after it was posted, svc_rdma_unsignaled_add() has to
 * follow.
 */
bool svc_rdma_unsignaled_reserve(struct svc_rdma_send_ctx *send)
{
	struct svc_rdma_conn *conn = send->conn;

	if (send->wrs > 1 || send->wr.num_sge > 1 || send->npages ||
	    send->size > SVC_RDMA_SEND_BUF)
		return false;
	if (!svc_rdma_sq_is_quiet(conn))
		return false;
	return atomic_add_unless(&conn->sends.nunsignaled, 1, SVC_RDMA_UNSIGNALED);
}

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
 * svc_rdma_unsignaled_return - undo svc_rdma_unsignaled_take()
 * @conn: connection
 * @list: list; empty on return
 *
 * Context: any.
 */
void svc_rdma_unsignaled_return(struct svc_rdma_conn *conn,
				struct svc_rdma_unsignaled *list)
{
	struct svc_rdma_send_ctx *send, *next;

	llist_for_each_entry_safe(send, next, list->first, node)
		svc_rdma_unsignaled_add(send);
	*list = (struct svc_rdma_unsignaled){};
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
 * @conn: connection
 * @list: list; empty on return
 *
 * The entries of the Send Queue are the caller's to return.
 *
 * Context: any.
 */
void svc_rdma_unsignaled_done(struct svc_rdma_conn *conn,
			      struct svc_rdma_unsignaled *list)
{
	struct llist_node *first = list->first;

	*list = (struct svc_rdma_unsignaled){};
	if (first)
		svc_rdma_sends_put(conn, first);
}
