// SPDX-License-Identifier: GPL-2.0-only
/*
 * The credit grant, and the Receives that it needs.
 *
 * Operation: the grant starts low and doubles while the requester makes use of
 * it. Receives are posted before the grant that needs them is sent. What a
 * message tells the requester is svc_rdma_credits().
 */

#include "../counters.h"
#include "message.h"
#include <trace/events/svcrdma.h>

/**
 * svc_rdma_recvs_for - Receive contexts needed for a credit grant
 * @grant: credits
 *
 * Context: any.
 * Return: number of contexts.
 */
u32 svc_rdma_recvs_for(u32 grant)
{
	return grant + SVC_RDMA_BC_REQUESTS + SVC_RDMA_RECV_SPARE +
	       SVC_RDMA_RECV_BATCH;
}

/**
 * svc_rdma_recvs_init - post the first Receives
 * @conn: connection that has a Queue Pair
 *
 * RFC 8166 section 3.3.1, v2 draft section 7: a requester sends one message
 * and waits for a grant. The first message may be of any version, and so the
 * first Receives are large enough for all of them.
 *
 * Context: process.
 * Return: 0, -ENOMEM or an error of ib_post_recv().
 */
int svc_rdma_recvs_init(struct svc_rdma_conn *conn)
{
	conn->grant = min(SVC_RDMA_GRANT_INITIAL, conn->grant_max);
	conn->grant_start = jiffies;
	conn->growing = true;
	return svc_rdma_recvs_add(conn, SVC_RDMA_RECV_FIRST);
}

/**
 * svc_rdma_recvs_begin - post the Receives that the first grant needs
 * @conn: connection whose version has become known
 *
 * Context: process.
 * Return: 0, -ENOMEM or an error of ib_post_recv().
 */
int svc_rdma_recvs_begin(struct svc_rdma_conn *conn)
{
	int ret;

	conn->recv_base = conn->recv_size;
	conn->recv_floor = conn->recv_size;
	ret = svc_rdma_recvs_add(conn, svc_rdma_recvs_for(conn->grant) -
					       conn->recv_total);
	conn->growing = false;
	return ret;
}

/* Has the requester sent twice as many calls as it has credits, in a second? */
static bool svc_rdma_credits_wanted(struct svc_rdma_conn *conn)
{
	bool wanted = false;

	spin_lock_bh(&conn->recv_lock);
	if (time_after(jiffies, conn->grant_start + HZ)) {
		conn->grant_start = jiffies;
		conn->grant_calls = 0;
	}
	conn->grant_calls++;
	if (conn->grant_calls >= 2 * conn->grant && !conn->growing) {
		conn->growing = true;
		conn->grant_calls = 0;
		wanted = true;
	}
	spin_unlock_bh(&conn->recv_lock);
	return wanted;
}

/**
 * svc_rdma_recvs_adapt - grant more credits to a busy requester
 * @conn: connection that has just received a call
 *
 * RFC 5666 section 3.3: the grant may change with each reply. It starts low,
 * so that idle connections need little memory, and doubles while the
 * requester makes use of it. The Receives are posted before the grant is
 * raised.
 *
 * Context: process.
 */
void svc_rdma_recvs_adapt(struct svc_rdma_conn *conn)
{
	u32 grant;

	if (likely(conn->grant >= conn->grant_max) ||
	    !svc_rdma_credits_wanted(conn))
		return;
	grant = min(conn->grant * 2, conn->grant_max);
	if (!svc_rdma_recvs_add(conn,
				svc_rdma_recvs_for(grant) - conn->recv_total)) {
		WARN_ON_ONCE(conn->recv_total < svc_rdma_recvs_for(grant));
		WRITE_ONCE(conn->grant, grant);
		trace_svc_rdma_grant(&conn->xprt, grant);
	}
	conn->growing = false;
}
