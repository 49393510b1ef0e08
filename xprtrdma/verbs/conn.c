// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection: creation, states, loss.
 *
 * Any completion handler, CM event or timer that finds a connection unusable
 * calls xprt_rdma_conn_lost(), which only changes the state and asks sunrpc to
 * close the transport. sunrpc then has control/disconnect.c end the connection.
 */

#include <linux/random.h>
#include <linux/slab.h>

#include "../conn.h"
#include "../limits.h"
#include "../stats.h"
#include "../tunables.h"
#include "../xprt.h"
#include "verbs.h"

#include <trace/events/xprtrdma.h>

static const u32 legal[XPRT_RDMA_STATES] = {
	[XPRT_RDMA_NEW]			= BIT(XPRT_RDMA_RESOLVING_ADDR) |
					  BIT(XPRT_RDMA_FAILED) |
					  BIT(XPRT_RDMA_CLOSING),
	[XPRT_RDMA_RESOLVING_ADDR]	= BIT(XPRT_RDMA_RESOLVING_ROUTE) |
					  BIT(XPRT_RDMA_FAILED) |
					  BIT(XPRT_RDMA_CLOSING),
	[XPRT_RDMA_RESOLVING_ROUTE]	= BIT(XPRT_RDMA_RESOLVED) |
					  BIT(XPRT_RDMA_FAILED) |
					  BIT(XPRT_RDMA_CLOSING),
	[XPRT_RDMA_RESOLVED]		= BIT(XPRT_RDMA_CONNECTING) |
					  BIT(XPRT_RDMA_FAILED) |
					  BIT(XPRT_RDMA_CLOSING),
	[XPRT_RDMA_CONNECTING]		= BIT(XPRT_RDMA_NEGOTIATING) |
					  BIT(XPRT_RDMA_CONFIGURING) |
					  BIT(XPRT_RDMA_CONNECTED) |
					  BIT(XPRT_RDMA_FAILED) |
					  BIT(XPRT_RDMA_CLOSING),
	[XPRT_RDMA_NEGOTIATING]		= BIT(XPRT_RDMA_CONFIGURING) |
					  BIT(XPRT_RDMA_CONNECTED) |
					  BIT(XPRT_RDMA_FAILED) |
					  BIT(XPRT_RDMA_CLOSING),
	[XPRT_RDMA_CONFIGURING]		= BIT(XPRT_RDMA_CONNECTED) |
					  BIT(XPRT_RDMA_FAILED) |
					  BIT(XPRT_RDMA_CLOSING),
	[XPRT_RDMA_CONNECTED]		= BIT(XPRT_RDMA_FAILED) |
					  BIT(XPRT_RDMA_CLOSING),
	[XPRT_RDMA_FAILED]		= BIT(XPRT_RDMA_CLOSING),
	[XPRT_RDMA_CLOSING]		= 0,
};

static const char * const state_names[XPRT_RDMA_STATES] = {
	[XPRT_RDMA_NEW]			= "new",
	[XPRT_RDMA_RESOLVING_ADDR]	= "resolving address",
	[XPRT_RDMA_RESOLVING_ROUTE]	= "resolving route",
	[XPRT_RDMA_RESOLVED]		= "resolved",
	[XPRT_RDMA_CONNECTING]		= "connecting",
	[XPRT_RDMA_NEGOTIATING]		= "negotiating",
	[XPRT_RDMA_CONFIGURING]		= "configuring",
	[XPRT_RDMA_CONNECTED]		= "connected",
	[XPRT_RDMA_FAILED]		= "failed",
	[XPRT_RDMA_CLOSING]		= "closing",
};

/**
 * xprt_rdma_state_name - name of a connection's state
 * @state: state
 *
 * Context: any.
 * Return: constant string.
 */
const char *xprt_rdma_state_name(enum xprt_rdma_state state)
{
	return state_names[state];
}

/**
 * xprt_rdma_conn_change_state - change the state, if that is legal
 * @conn: connection
 * @to: new state
 * @error: 0, or why the connection failed (negative errno)
 *
 * A thread that finds the new state also finds all that the caller has set before.
 *
 * When an established connection fails, sunrpc is asked to close it. A
 * connection that is still being established or is already being closed has a
 * task that ends it; there, the request to close would only hit the next
 * connection.
 *
 * Context: process, including completion handlers and CM events.
 * Return: true if the state has changed, false if the transition is not legal.
 */
bool xprt_rdma_conn_change_state(struct xprt_rdma_conn *conn,
				 enum xprt_rdma_state to, int error)
{
	enum xprt_rdma_state from;
	bool ok;

	spin_lock(&conn->life.lock);
	from = conn->life.state;
	ok = legal[from] & BIT(to);
	if (ok) {
		conn->life.error = error;
		if (to == XPRT_RDMA_CONNECTED)
			conn->life.since = ktime_get_seconds();
		/* Pairs with xprt_rdma_connect_wait_state(). */
		smp_store_release(&conn->life.state, to);
		if (to >= XPRT_RDMA_NEGOTIATING && to <= XPRT_RDMA_CONNECTED)
			/* Pairs with xprt_rdma_wc_recv(). */
			smp_store_release(&conn->life.established, true);
	}
	spin_unlock(&conn->life.lock);
	trace_xprtrdma_state(conn, from, to, error, ok);
	if (!ok)
		return false;
	wake_up_all(&conn->life.wait);
	if (from == XPRT_RDMA_CONNECTED && to == XPRT_RDMA_FAILED) {
		conn->r_xprt->stats.lost_count++;
		xprt_rdma_count(disconnects);
		xprt_rdma_invalidate_all(conn);
		xprt_force_disconnect(&conn->r_xprt->xprt);
	}
	return true;
}

/**
 * xprt_rdma_conn_lost - a connection can no longer be used
 * @conn: connection
 *
 * Start closing the connection, if that has not begun.
 *
 * Context: process, including completion handlers and CM events.
 */
void xprt_rdma_conn_lost(struct xprt_rdma_conn *conn)
{
	xprt_rdma_conn_change_state(conn, XPRT_RDMA_FAILED, -ENOTCONN);
}

/**
 * xprt_rdma_conn_create - allocate a connection
 * @r_xprt: transport
 * @ops: functions of the layers above
 * @negotiation: how to learn whether the server has version 2
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: the connection, in state XPRT_RDMA_NEW, or NULL.
 */
struct xprt_rdma_conn *
xprt_rdma_conn_create(struct xprt_rdma *r_xprt,
		      const struct xprt_rdma_conn_ops *ops,
		      enum xprt_rdma_negotiation negotiation)
{
	struct xprt_rdma_conn *conn;
	int i;

	conn = kzalloc(sizeof(*conn), XPRT_RDMA_GFP);
	if (!conn)
		return NULL;
	conn->r_xprt = r_xprt;
	conn->ops = ops;
	conn->life.serial = ++r_xprt->serial;
	init_waitqueue_head(&conn->life.wait);
	spin_lock_init(&conn->life.lock);
	spin_lock_init(&conn->mrs.lock);
	spin_lock_init(&conn->sizes.lock);
	spin_lock_init(&conn->controls.lock);
	for (i = 0; i < XPRT_RDMA_MR_CLASSES; i++)
		INIT_LIST_HEAD(&conn->mrs.free[i]);
	INIT_LIST_HEAD(&conn->mrs.all);
	INIT_LIST_HEAD(&conn->recvs.free);
	INIT_LIST_HEAD(&conn->recvs.all);
	INIT_LIST_HEAD(&conn->reads.all);
	INIT_LIST_HEAD(&conn->reads.waiting);
	INIT_LIST_HEAD(&conn->mrs.invalidations);
	INIT_LIST_HEAD(&conn->controls.all);
	rpcrdma_rw_set_init(&conn->rws);
	conn->sizes.inline_send = rounddown(READ_ONCE(xprt_rdma_max_inline_write),
				      RPCRDMA_PRIVATE_UNIT);
	conn->sizes.inline_recv = rounddown(READ_ONCE(xprt_rdma_max_inline_read),
				      RPCRDMA_PRIVATE_UNIT);
	conn->recvs.size = conn->sizes.inline_recv;
	conn->conf.on = READ_ONCE(xprt_rdma_connection_configuration) &&
			  !r_xprt->no_conf;
	conn->conf.ours.maxcall_sendsize = conn->sizes.inline_send;
	conn->conf.ours.maxreply_sendsize = conn->sizes.inline_recv;
	conn->offer.mode = negotiation;
	if (negotiation != XPRT_RDMA_NEGOTIATE_OFF)
		conn->recvs.size = max(conn->recvs.size,
				      READ_ONCE(xprt_rdma_receive_buffer_size));
	conn->sizes.recv_want = conn->recvs.size;
	conn->recvs.min = conn->recvs.size;
	conn->offer.xid = (__force __be32)get_random_u32();
	xprt_rdma_count(conns_created);
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
