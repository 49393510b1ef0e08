// SPDX-License-Identifier: GPL-2.0-only
/*
 * The credit grant, and the Receives that it needs.
 *
 * Operation: the grant starts low and doubles while the requester uses it. The
 * Receives for a larger grant are posted before the grant is raised. The
 * requester is told of svc_rdma_credits(), which can be less than the grant.
 */

#include "message.h"

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
 * svc_rdma_credits_init - set the initial grant and its limit
 * @conn: connection that is being accepted
 * @max: maximum number of credits that can be granted
 *
 * Context: any.
 */
void svc_rdma_credits_init(struct svc_rdma_conn *conn, u32 max)
{
	struct svc_rdma_credits *credits = &conn->credits;

	spin_lock_init(&credits->lock);
	credits->max = max;
	credits->grant = min(SVC_RDMA_GRANT_INITIAL, max);
	credits->start = jiffies;
}

/*
 * Has the requester sent, within a second, twice as many calls as it has
 * credits? Or do awaited RDMA_DONEs use up the grant, except for the one credit
 * that svc_rdma_credits() always announces?
 */
static bool svc_rdma_credits_wanted(struct svc_rdma_conn *conn)
{
	struct svc_rdma_credits *credits = &conn->credits;
	bool wanted;

	spin_lock(&credits->lock);
	if (time_after(jiffies, credits->start + HZ)) {
		credits->start = jiffies;
		credits->calls = 0;
	}
	wanted = (++credits->calls >= 2 * credits->grant ||
		  svc_rdma_credits(conn) == 1) &&
		 !test_and_set_bit_lock(0, &credits->growing);
	if (wanted)
		credits->calls = 0;
	spin_unlock(&credits->lock);
	return wanted;
}

/**
 * svc_rdma_recvs_adapt - grant more credits to a busy requester
 * @conn: connection that has just received a call
 *
 * RFC 5666 section 3.3: the grant may change with each reply. Idle connections
 * need little memory because the grant starts low.
 *
 * Context: process.
 */
void svc_rdma_recvs_adapt(struct svc_rdma_conn *conn)
{
	u32 grant;

	if (likely(conn->credits.grant >= conn->credits.max) ||
	    !svc_rdma_credits_wanted(conn))
		return;
	grant = min(conn->credits.grant * 2, conn->credits.max);
	if (!svc_rdma_recvs_add(conn, svc_rdma_recvs_for(grant))) {
		WARN_ON_ONCE(conn->recvs.total < svc_rdma_recvs_for(grant));
		WRITE_ONCE(conn->credits.grant, grant);
	}
	clear_bit_unlock(0, &conn->credits.growing);
}
