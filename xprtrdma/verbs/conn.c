// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection: creation, states, loss.
 *
 * Any completion handler, CM event or timer that finds a connection unusable
 * calls xprt_rdma_conn_lost(). That function changes the state, stops data
 * transfers, and asks sunrpc to close the transport. sunrpc then has
 * control/disconnect.c end the connection.
 */

#include <linux/slab.h>

#include "../conn.h"
#include "../limits.h"
#include "../stats.h"
#include "../tunables.h"
#include "../xprt.h"
#include "verbs.h"

#include <trace/events/xprtrdma.h>

/**
 * xprt_rdma_conn_change_state - change the state, if the new state is a later
 * one
 * @conn: connection
 * @to: new state
 * @error: 0, or why the connection failed (negative errno)
 *
 * A thread that reads the new state (with acquire semantics) also sees the
 * caller's earlier stores.
 *
 * When an established connection fails, sunrpc is asked to close it. A
 * connection that is being established or closed already has a task that ends
 * it, so a request to close would only hit the next connection. For the same
 * reason, a pending request is dropped when a connection is established: it was
 * meant for an earlier connection, and sunrpc could not serve it while
 * XPRT_LOCKED was held.
 *
 * Context: process, including completion handlers and CM events.
 */
void xprt_rdma_conn_change_state(struct xprt_rdma_conn *conn,
				 enum xprt_rdma_state to, int error)
{
	enum xprt_rdma_state from;

	spin_lock(&conn->life.lock);
	from = conn->life.state;
	if (to > from) {
		conn->life.error = error;
		if (to == XPRT_RDMA_CONNECTED) {
			conn->life.since = ktime_get_seconds();
			clear_bit(XPRT_CLOSE_WAIT, &conn->r_xprt->xprt.state);
		}
		/* Pairs with xprt_rdma_connect_wait(). */
		smp_store_release(&conn->life.state, to);
		if (to >= XPRT_RDMA_NEGOTIATING && to <= XPRT_RDMA_CONNECTED)
			/* Pairs with xprt_rdma_life_established(). */
			smp_store_release(&conn->life.established, true);
	}
	spin_unlock(&conn->life.lock);
	if (to <= from)
		return;
	trace_xprtrdma_state(conn, from, to, error);
	wake_up_all(&conn->life.wait);
	if (from == XPRT_RDMA_CONNECTED && to == XPRT_RDMA_FAILED) {
		xprt_rdma_invalidate_all(conn);
		xprt_force_disconnect(&conn->r_xprt->xprt);
	}
}

/**
 * xprt_rdma_conn_lost - give up a connection
 * @conn: connection
 *
 * This starts closing the connection, unless that has begun.
 *
 * Context: process, including completion handlers and CM events.
 */
void xprt_rdma_conn_lost(struct xprt_rdma_conn *conn)
{
	xprt_rdma_conn_change_state(conn, XPRT_RDMA_FAILED, -ENOTCONN);
}

/**
 * xprt_rdma_conn_failed - give up a connection because of a completion
 * @conn: connection
 * @what: kind of Work Request that failed, or completed too early
 * @wc: its completion
 *
 * A Work Request is flushed because of another failure, which is recorded
 * elsewhere.
 *
 * Context: completion handler.
 */
void xprt_rdma_conn_failed(struct xprt_rdma_conn *conn, const char *what,
			   const struct ib_wc *wc)
{
	enum rpcrdma_nl_lost reason = wc->status == IB_WC_RETRY_EXC_ERR ?
					      RPCRDMA_NL_LOST_VANISHED :
					      RPCRDMA_NL_LOST_WORK;

	trace_xprtrdma_wc_error(conn, what, wc);
	if (wc->status != IB_WC_SUCCESS && wc->status != IB_WC_WR_FLUSH_ERR)
		xprt_rdma_life_blame(&conn->life,
				     rpcrdma_cause(reason,
						   RPCRDMA_NL_DETAIL_NONE,
						   wc->status));
	xprt_rdma_conn_lost(conn);
}

/* Set our limits from the tunables. @v2: the connection may use version 2. */
static void xprt_rdma_conn_init_sizes(struct xprt_rdma_conn *conn, bool v2)
{
	u32 send = rounddown(READ_ONCE(xprt_rdma_max_inline_write),
			     RPCRDMA_PRIVATE_UNIT);
	u32 recv = rounddown(READ_ONCE(xprt_rdma_max_inline_read),
			     RPCRDMA_PRIVATE_UNIT);
	u32 size = recv;

	if (v2)
		size = max(size, READ_ONCE(xprt_rdma_receive_buffer_size));
	xprt_rdma_sizes_init(&conn->sizes, send, recv, size);
	xprt_rdma_recvs_init(&conn->recvs, size);
}

/**
 * xprt_rdma_conn_create - allocate a connection
 * @r_xprt: transport
 * @ops: functions of the layers above
 * @mode: how to learn whether the server supports version 2
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: the connection, in state XPRT_RDMA_RESOLVING, or NULL.
 */
struct xprt_rdma_conn *
xprt_rdma_conn_create(struct xprt_rdma *r_xprt,
		      const struct xprt_rdma_conn_ops *ops,
		      enum xprt_rdma_negotiation mode)
{
	struct xprt_rdma_conn *conn;

	conn = kzalloc(sizeof(*conn), XPRT_RDMA_GFP);
	if (!conn)
		return NULL;
	conn->r_xprt = r_xprt;
	conn->ops = ops;
	xprt_rdma_life_init(&conn->life, ++r_xprt->serial);
	xprt_rdma_offer_init(&conn->offer, mode);
	xprt_rdma_conn_init_sizes(conn, mode != XPRT_RDMA_NEGOTIATE_OFF);
	xprt_rdma_mrs_init(&conn->mrs);
	xprt_rdma_fetches_init(&conn->fetches);
	rpcrdma_rw_set_init(&conn->rws);
	xprt_rdma_count(conns_now);
	return conn;
}

/**
 * xprt_rdma_conn_set_current - set or clear a transport's connection
 * @r_xprt: transport
 * @conn: connection, or NULL
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_conn_set_current(struct xprt_rdma *r_xprt,
				struct xprt_rdma_conn *conn)
{
	spin_lock(&r_xprt->conn_lock);
	r_xprt->conn = conn;
	spin_unlock(&r_xprt->conn_lock);
	wake_up_all(&r_xprt->inv_wait);
}
