// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connection state. Any context that finds a connection unusable calls
 * svc_rdma_conn_close().
 */

#include <linux/delay.h>

#include "verbs.h"
#include <trace/events/svcrdma.h>

static const u8 svc_rdma_conn_legal[SVC_RDMA_STATES] = {
	[SVC_RDMA_NEW]		= BIT(SVC_RDMA_ACCEPTED) |
				  BIT(SVC_RDMA_CLOSING),
	[SVC_RDMA_ACCEPTED]	= BIT(SVC_RDMA_OPEN) | BIT(SVC_RDMA_CLOSING),
	[SVC_RDMA_OPEN]		= BIT(SVC_RDMA_CLOSING),
	[SVC_RDMA_CLOSING]	= 0,
};

/**
 * svc_rdma_conn_change - change the state of a connection
 * @conn: connection
 * @to: new state
 *
 * Context: any.
 * Return: true if the state has changed, false if the transition is illegal.
 */
bool svc_rdma_conn_change(struct svc_rdma_conn *conn, enum svc_rdma_state to)
{
	int from = atomic_read(&conn->life.state);

	do {
		if (!(svc_rdma_conn_legal[from] & BIT(to)))
			return false;
	} while (!atomic_try_cmpxchg(&conn->life.state, &from, to));
	trace_svc_rdma_state(&conn->xprt, from, to);
	return true;
}

/* The caller no longer uses the connection's service. */
static void svc_rdma_conn_queued(struct svc_rdma_conn *conn)
{
	/* Pairs with atomic_read_acquire() in svc_rdma_conn_settle(). */
	smp_mb__before_atomic();
	atomic_dec(&conn->queuing);
}

/**
 * svc_rdma_conn_enqueue - wake an nfsd thread if the connection has work
 * @conn: connection
 *
 * Context: any.
 */
void svc_rdma_conn_enqueue(struct svc_rdma_conn *conn)
{
	atomic_inc(&conn->queuing);
	svc_xprt_enqueue(&conn->xprt);
	svc_rdma_conn_queued(conn);
}

/**
 * svc_rdma_conn_settle - wait until nobody uses the connection's service
 * @conn: connection that is being detached, so XPT_BUSY is set and stays set
 *
 * The service can be freed once its connections have been detached. A context
 * that has enqueued one of them may still be about to wake a thread. No further
 * context starts to do so: svc_xprt_enqueue() does nothing while XPT_BUSY is
 * set.
 *
 * Context: process.
 */
void svc_rdma_conn_settle(struct svc_rdma_conn *conn)
{
	/* Pairs with svc_rdma_conn_queued(). */
	while (atomic_read_acquire(&conn->queuing))
		fsleep(USEC_PER_MSEC);
}

/**
 * svc_rdma_conn_close - start to close a connection; an nfsd thread finishes
 * @conn: connection
 * @cause: why, encoded by rpcrdma_cause(); RPCRDMA_CAUSE_UNKNOWN if the cause
 *	is recorded elsewhere
 *
 * Nothing more is posted, not even Work Requests that wait for the Send Queue.
 *
 * Context: any.
 */
void svc_rdma_conn_close(struct svc_rdma_conn *conn, u32 cause)
{
	svc_rdma_conn_blame(conn, cause);
	svc_rdma_conn_change(conn, SVC_RDMA_CLOSING);
	svc_rdma_sq_close(conn);
	atomic_inc(&conn->queuing);
	svc_xprt_deferred_close(&conn->xprt);
	svc_rdma_conn_queued(conn);
}
