// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of a connection: when xprt_rdma_disconnect() returns, nothing is in
 * flight and the peer has no access to any memory.
 *
 * Order: forbid new invalidations; move the Queue Pair to the error state,
 * which ends the peer's access; drain Receives and Sends; wait for tasks that
 * post invalidations; destroy Queue Pair and completion queue; free Work
 * Requests that never completed; free regions, Receives and the protection
 * domain. Each layer frees its own Work Requests.
 */

#include "../conn.h"
#include "../stats.h"
#include "../xprt.h"
#include "control.h"
#include "../ext/ext.h"
#include "../version/version.h"
#include "../message/message.h"
#include "../verbs/verbs.h"

/*
 * Record why a connection that could be used for calls has ended. The cause may
 * become known after the loss: Receives are flushed before the CM reports that
 * the server has disconnected. When a port goes down, everything may be flushed
 * without an event.
 */
static void xprt_rdma_disconnect_note(struct xprt_rdma *r_xprt,
				      const struct xprt_rdma_conn *conn,
				      enum xprt_rdma_state state)
{
	u32 cause = READ_ONCE(conn->life.cause);

	if (!conn->life.since)
		return;
	if (!cause && state == XPRT_RDMA_CONNECTED)
		cause = RPCRDMA_CAUSE(CLOSED, NONE);
	else if (!cause && rpcrdma_port_active(conn->id))
		cause = RPCRDMA_CAUSE(OTHER, NONE);
	else if (!cause)
		cause = rpcrdma_cause_errno(RPCRDMA_NL_DETAIL_NONE, -ENETDOWN);
	xprt_rdma_history_ended(r_xprt, conn, cause);
}

/**
 * xprt_rdma_disconnect - end the connection, if there is one
 * @r_xprt: transport
 *
 * On return nothing is in flight, the peer has no access to any memory, no
 * request refers to the connection, and no object of the device is left.
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_disconnect(struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_conn *conn = r_xprt->conn;
	enum xprt_rdma_state state;
	unsigned int flags;

	if (!conn)
		return;
	flags = xprt_rdma_reclaim_save(r_xprt);
	xprt_rdma_watch_stop(r_xprt);
	xprt_rdma_properties_stop(conn);
	xprt_rdma_negotiate_ended(conn);
	state = READ_ONCE(conn->life.state);
	xprt_rdma_conn_change_state(conn, XPRT_RDMA_CLOSING, -ENOTCONN);
	xprt_rdma_disconnect_note(r_xprt, conn, state);
	/* From now on no task begins to wait for an invalidation. */
	spin_lock(&r_xprt->conn_lock);
	conn->mrs.closing = true;
	spin_unlock(&r_xprt->conn_lock);
	if (conn->qp) {
		if (rpcrdma_port_active(conn->id))
			rdma_disconnect(conn->id);
		xprt_rdma_endpoint_drain(conn);
		wait_event(r_xprt->inv_wait, !READ_ONCE(conn->mrs.waiters));
	}
	xprt_rdma_endpoint_destroy_qp(conn);
	xprt_rdma_invalidations_flush(conn);
	xprt_rdma_pulled_flush(conn);
	xprt_rdma_sends_flush(conn);
	xprt_rdma_control_msgs_free(conn);
	xprt_rdma_endpoint_destroy(conn);
	xprt_rdma_reqs_unmap(r_xprt);
	xprt_rdma_credit_reset(r_xprt);
	/*
	 * Readers under conn_lock use the device, which may disappear once the
	 * identifier is destroyed.
	 */
	xprt_rdma_conn_set_current(r_xprt, NULL);
	xprt_rdma_conn_free_deferred(conn);
	xprt_rdma_count_add(conns_now, -1);
	xprt_rdma_reclaim_restore(flags);
}
