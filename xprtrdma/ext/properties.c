// SPDX-License-Identifier: GPL-2.0-only
/*
 * Properties that change while a connection is in use, and Receives that grow
 * with the traffic (Transport Characteristics draft section 4), in version 2.
 * core/exchange/ implements the protocol and the policy; this file is the
 * client's part.
 *
 * Operation: completion handlers record received messages; the work item takes
 * the next steps, and sends all messages.
 *
 * Senders take no lock, and read the sizes once per call. So a call that was
 * marshaled before the server lowered its size may still be sent.
 */

#include <linux/module.h>
#include <linux/unaligned.h>

#include "../conn.h"
#include "../stats.h"
#include "../xprt.h"
#include "ext.h"
#include "../callback/callback.h"
#include "../version/version.h"
#include "../verbs/verbs.h"

static bool xprt_rdma_tuning = true;
module_param_named(tuning, xprt_rdma_tuning, bool, 0644);
MODULE_PARM_DESC(tuning, "Adapt the sizes of Receives to the traffic with version 2 (new connections)");

/* Enough for 16 KiB of data in a call or reply of NFS */
static unsigned int xprt_rdma_receive_buffer_max = 18432;
module_param_named(receive_buffer_max, xprt_rdma_receive_buffer_max, uint, 0644);
MODULE_PARM_DESC(receive_buffer_max, "Bytes to which Receive buffers, ours and the server's, may grow, up to 65536");

static unsigned int xprt_rdma_tuning_interval = 5000;
module_param_named(tuning_interval, xprt_rdma_tuning_interval, uint, 0644);
MODULE_PARM_DESC(tuning_interval, "Milliseconds between requests for larger Receive buffers");

/* Bytes by which all Receives may grow: thirteen connections with all slots in use */
#define GROWTH_TOTAL	(32UL << 20)

static struct rpcrdma_budget xprt_rdma_budget = {
	.max		= &xprt_rdma_receive_buffer_max,
	.interval	= &xprt_rdma_tuning_interval,
	.total		= GROWTH_TOTAL,
};

static struct xprt_rdma_conn *xprt_rdma_properties_conn(struct rpcrdma_exchange *x)
{
	return container_of(x, struct xprt_rdma_conn, properties.x);
}

static int xprt_rdma_properties_send(struct rpcrdma_exchange *x, u8 *msg,
				     u32 len)
{
	struct xprt_rdma_conn *conn = xprt_rdma_properties_conn(x);

	put_unaligned_be32(conn->credits.max, msg + 2 * RPCRDMA_XDR_UNIT);
	return xprt_rdma_control_msg_send(conn, msg, len);
}

static void xprt_rdma_properties_apply(struct rpcrdma_exchange *x,
				       const struct rpcrdma_props *props,
				       u32 which)
{
	xprt_rdma_props_update(xprt_rdma_properties_conn(x), props, which);
}

/* The server's errors may have limited replies further. */
static void xprt_rdma_properties_plan(struct rpcrdma_exchange *x, u32 size)
{
	struct xprt_rdma_conn *conn = xprt_rdma_properties_conn(x);
	struct xprt_rdma_properties *p = &conn->properties;

	xprt_rdma_sizes_plan_recv(&conn->sizes, size, p->planned);
	p->planned = size;
}

static void xprt_rdma_properties_resize(struct rpcrdma_exchange *x, u32 size)
{
	WRITE_ONCE(xprt_rdma_properties_conn(x)->sizes.recv_want, size);
}

static int xprt_rdma_properties_get_resized(struct rpcrdma_exchange *x)
{
	struct xprt_rdma_conn *conn = xprt_rdma_properties_conn(x);

	/* If there was no memory for the size, recv_want was reset. */
	if (READ_ONCE(conn->sizes.recv_want) != x->size)
		return -ENOMEM;
	return READ_ONCE(conn->recvs.min) == x->size ? 0 : -EAGAIN;
}

static const struct rpcrdma_exchange_ops exchange_ops = {
	.send		= xprt_rdma_properties_send,
	.apply		= xprt_rdma_properties_apply,
	.plan		= xprt_rdma_properties_plan,
	.resize		= xprt_rdma_properties_resize,
	.resized	= xprt_rdma_properties_get_resized,
	.grown		= &xprt_rdma_counters[XPRT_RDMA_COUNTER_recvs_grown],
};

/**
 * xprt_rdma_properties_first - begin with our initial properties
 * @conn: connection that may offer version 2
 *
 * Context: process, a CM event.
 */
void xprt_rdma_properties_first(struct xprt_rdma_conn *conn)
{
	conn->properties.planned = conn->properties.own.recv_size;
	rpcrdma_exchange_begin(&conn->properties.x, conn->recvs.max, jiffies);
}

/**
 * xprt_rdma_properties_receive - handle a message that changes properties, or
 * an error
 * @recv: Receive of the message, malformed or not
 *
 * Context: completion handler.
 * Return: false for an error that answers no message of ours.
 */
bool xprt_rdma_properties_receive(struct xprt_rdma_recv_ctx *recv)
{
	struct rpcrdma_exchange *x = &recv->conn->properties.x;
	int rc;

	rc = rpcrdma_exchange_receive(x, &recv->hdr, recv->error, jiffies);
	if (rc == -EPROTO) {
		xprt_rdma_life_blame(&recv->conn->life,
				     RPCRDMA_CAUSE(PROTOCOL, PROPERTIES));
		xprt_rdma_conn_lost(recv->conn);
	} else if (rc > 0) {
		xprt_rdma_error_send(recv->conn, recv->hdr.xid, rc, 0);
	}
	rpcrdma_exchange_kick(x);
	return rc != -ENOENT;
}

/**
 * xprt_rdma_properties_long_call - record a call that used a Read chunk only
 * because of its length
 * @conn: connection
 * @len: bytes; size that the server's Receives would need for the call
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_properties_long_call(struct xprt_rdma_conn *conn, u32 len)
{
	rpcrdma_exchange_long(&conn->properties.x, len);
}

/**
 * xprt_rdma_properties_resized - note that resizing Receives has ended or
 * failed
 * @conn: connection
 *
 * Context: completion handler.
 */
void xprt_rdma_properties_resized(struct xprt_rdma_conn *conn)
{
	rpcrdma_exchange_kick(&conn->properties.x);
}

/**
 * xprt_rdma_properties_begin - allow property changes, if the connection uses
 * version 2
 * @conn: new connection
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_properties_begin(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_properties *p = &conn->properties;

	if (!READ_ONCE(xprt_rdma_tuning) ||
	    conn->offer.mode == XPRT_RDMA_NEGOTIATE_OFF)
		return;
	rpcrdma_exchange_init(&p->x, &exchange_ops, xprtiod_workqueue,
			      &xprt_rdma_budget, &p->own, &conn->peer.props);
	conn->sizes.send_most = max(conn->sizes.send_most,
				    rpcrdma_budget_max(&xprt_rdma_budget));
	p->on = true;
}

/**
 * xprt_rdma_properties_stop - stop changing properties
 * @conn: connection that is about to end
 *
 * Context: process; may sleep.
 */
void xprt_rdma_properties_stop(struct xprt_rdma_conn *conn)
{
	if (conn->properties.on)
		rpcrdma_exchange_stop(&conn->properties.x);
}
