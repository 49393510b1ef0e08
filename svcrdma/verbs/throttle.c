// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a connection takes no further calls: while too many replies, or too much
 * memory of replies, wait for the requester or for its Send Queue.
 */

#include "../counters.h"
#include "../limits.h"
#include "../tunables.h"
#include "verbs.h"

/* Adverts that are being released are bounded like those that are not. */
static bool svc_rdma_adverts_fit(const struct svc_rdma_adverts *adverts)
{
	return likely(!READ_ONCE(adverts->releasing)) ||
	       (READ_ONCE(adverts->releasing) <
			READ_ONCE(svc_rdma_read_replies_max) &&
		READ_ONCE(adverts->releasing_bytes) <
			READ_ONCE(svc_rdma_read_replies_bytes));
}

static bool svc_rdma_replies_fit(struct svc_rdma_conn *conn)
{
	return atomic_read(&conn->send_busy) < conn->grant_max &&
	       atomic_read(&conn->reply_pages) < SVC_RDMA_REPLY_PAGES &&
	       svc_rdma_adverts_fit(&conn->adverts) &&
	       !svc_rdma_sq_contended(conn);
}

/**
 * svc_rdma_conn_has_wspace - may another call be taken? (xpo_has_wspace)
 * @xprt: connection
 *
 * Each reply holds pages until it has been sent. So a requester that is slow to
 * take its replies gets no more of them.
 *
 * Context: any.
 * Return: 1 if there is room for another reply, 0 if not; then the transport
 * is enqueued again when there is.
 */
int svc_rdma_conn_has_wspace(struct svc_xprt *xprt)
{
	struct svc_rdma_conn *conn = svc_rdma_conn_of(xprt);

	if (likely(svc_rdma_replies_fit(conn)))
		return 1;
	WRITE_ONCE(conn->throttled, true);
	/* Pairs with the barrier in svc_rdma_conn_unthrottle(). */
	smp_mb();
	if (svc_rdma_replies_fit(conn))
		return 1;
	svc_rdma_count(throttled);
	return 0;
}

/**
 * svc_rdma_conn_unthrottle - resume a connection that was out of space
 * @conn: connection; something it was short of has been returned
 *
 * Context: any.
 */
void svc_rdma_conn_unthrottle(struct svc_rdma_conn *conn)
{
	/* Pairs with the barrier in svc_rdma_conn_has_wspace(). */
	smp_mb();
	if (likely(!READ_ONCE(conn->throttled)) || !svc_rdma_replies_fit(conn))
		return;
	WRITE_ONCE(conn->throttled, false);
	svc_xprt_enqueue(&conn->xprt);
}
