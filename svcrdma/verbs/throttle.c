// SPDX-License-Identifier: GPL-2.0-only
/*
 * Throttling: a connection takes no further calls while too many of its
 * replies, or too many of their pages, wait for the requester or for the Send
 * Queue.
 */

#include <linux/mm.h>

#include "../counters.h"
#include "../limits.h"
#include "verbs.h"

/* Limit of reply pages per connection, and the connections that share memory */
static int svc_rdma_reply_pages = SVC_RDMA_REPLY_PAGES;
static atomic_t svc_rdma_reply_conns;

static bool svc_rdma_replies_fit(struct svc_rdma_conn *conn)
{
	return atomic_read(&conn->sends.busy) <
			conn->credits.max + SVC_RDMA_UNSIGNALED &&
	       atomic_read(&conn->sends.pages) <
			READ_ONCE(svc_rdma_reply_pages) &&
	       list_empty(&conn->sq.waiters);
}

/**
 * svc_rdma_replies_share - divide the memory for replies among all connections
 * @change: by how much the number of connections has changed
 *
 * If several callers change the number at the same time, the share may be
 * slightly wrong until the next change.
 *
 * Context: any.
 */
void svc_rdma_replies_share(int change)
{
	int conns = atomic_add_return(change, &svc_rdma_reply_conns);

	WRITE_ONCE(svc_rdma_reply_pages,
		   clamp(SVC_RDMA_REPLIES_TOTAL / max(conns, 1),
			 SVC_RDMA_REPLY_PAGES_LEAST, SVC_RDMA_REPLY_PAGES));
}

/**
 * svc_rdma_conn_has_wspace - check whether a call may be taken (xpo_has_wspace)
 * @xprt: connection
 *
 * Each reply holds pages until it has been sent. A requester that is slow to
 * receive its replies, or asks for more than the link can carry, is served only
 * as fast as its replies are sent.
 *
 * Context: any.
 * Return: 1 if there is room for another reply; 0 if not. In that case, the
 * transport is enqueued again when there is room.
 */
int svc_rdma_conn_has_wspace(struct svc_xprt *xprt)
{
	struct svc_rdma_conn *conn = svc_rdma_conn_of(xprt);

	if (likely(svc_rdma_replies_fit(conn)))
		return 1;
	WRITE_ONCE(conn->sends.throttled, true);
	/* Pairs with the barrier in svc_rdma_conn_unthrottle(). */
	smp_mb();
	if (svc_rdma_replies_fit(conn))
		return 1;
	svc_rdma_count(throttled);
	return 0;
}

/**
 * svc_rdma_conn_unthrottle - resume a throttled connection if it has room again
 * @conn: connection to which resources have been returned
 *
 * Context: any.
 */
void svc_rdma_conn_unthrottle(struct svc_rdma_conn *conn)
{
	/* Pairs with the barrier in svc_rdma_conn_has_wspace(). */
	smp_mb();
	if (likely(!READ_ONCE(conn->sends.throttled)) || !svc_rdma_replies_fit(conn))
		return;
	WRITE_ONCE(conn->sends.throttled, false);
	svc_rdma_conn_enqueue(conn);
}
