// SPDX-License-Identifier: GPL-2.0-only
/*
 * Effects of CM events on a connection. connect.c waits for its state to
 * change.
 *
 * Ownership: the CM identifier lives as long as the connection. Destroying it
 * waits for event handlers, so these may use the connection freely. Both may
 * outlive the end of the connection until the port is active (core/verbs/deferred_id.c).
 *
 * Errors: see connect.c.
 */

#include <linux/minmax.h>
#include <rdma/ib_cm.h>

#include <rpcrdma/quirks.h>

#include "../conn.h"
#include "../xprt.h"
#include "control.h"
#include "../version/version.h"
#include "../verbs/verbs.h"

/*
 * The address, or the route to it, cannot be resolved. -ENETUNREACH: no route; a
 * timeout: no answer to ARP or ND; others, such as -ENODEV: no RDMA device, or as
 * @other has it.
 */
static void xprt_rdma_conn_unresolved(struct xprt_rdma_conn *conn, int status,
				      int other)
{
	if (status == -ETIMEDOUT || status == -EHOSTUNREACH)
		other = -EHOSTUNREACH;
	else if (status == -ENETUNREACH || status == -ENOMEM)
		other = status;
	xprt_rdma_conn_change_state(conn, XPRT_RDMA_FAILED, other);
}

/*
 * RFC 5666 section 6.2: a depth of zero rules out RDMA Reads. On InfiniBand and
 * RoCE, the event has the peer's depths as limits for ours: initiator_depth is
 * the number of our Reads that the peer serves at a time. On iWARP, it has what
 * the adapter will use. If a peer has not announced its depths (MPA
 * revision 1), both may be zero, and only our own limits are known. Some
 * drivers may report one zero for the same reason. Not to read is harmless
 * then, but calls cannot do without Reads of the peer.
 */
static void xprt_rdma_conn_take_depths(struct xprt_rdma_conn *conn,
				       const struct rdma_conn_param *param)
{
	u32 own = param->initiator_depth, peers = param->responder_resources;

	if (rdma_protocol_iwarp(conn->id->device, conn->id->port_num)) {
		if (!own && !peers)
			return;
		if (rpcrdma_initiator_depth_is_ird(conn->id->device))
			swap(own, peers);
	} else if (!peers) {
		conn->peer.no_reads = true;
	}
	conn->peer.no_own_reads = !own;
	conn->peer.ird = min(conn->peer.ird, peers);
	conn->peer.ord = min(conn->peer.ord, max(own, 1u));
}

/*
 * RFC 8797: the inline thresholds, until version 2 is agreed on. The
 * version hint behind the CM private message decides whether that is tried.
 */
static void xprt_rdma_conn_established(struct xprt_rdma_conn *conn,
				       const struct rdma_conn_param *param)
{
	struct rpcrdma_private peer;

	conn->peer.private = rpcrdma_private_decode(&peer, param->private_data,
						    param->private_data_len);
	conn->peer.traffic_class = rpcrdma_traffic_class(conn->id);
	conn->peer.remote_inv = peer.remote_inv;
	conn->sizes.inline_send = min(conn->sizes.inline_send, peer.recv_size);
	conn->sizes.inline_recv = min(conn->sizes.inline_recv, peer.send_size);
	xprt_rdma_conn_take_depths(conn, param);
	xprt_rdma_negotiate_decide(conn, peer.hint);
	if (conn->offer.made) {
		xprt_rdma_conn_change_state(conn, XPRT_RDMA_NEGOTIATING, 0);
		return;
	}
	xprt_rdma_v1_begin(conn);
	xprt_rdma_conn_change_state(conn, xprt_rdma_version_next_state(conn), 0);
}

/*
 * A rejection is a refusal, except in three cases. On our side the connection
 * is already established: the peer has closed it before our last CM message
 * arrived. IB_CM_REJ_STALE_CONN: the peer still knows an old connection of
 * ours; try again soon. -ECONNRESET, on iWARP: the TCP connection ended before
 * the peer's answer arrived. The peer may have closed a connection that it had
 * accepted, or may not speak iWARP at all.
 */
static void xprt_rdma_conn_rejected(struct xprt_rdma_conn *conn, int status)
{
	bool iwarp = rdma_protocol_iwarp(conn->id->device, conn->id->port_num);
	int error = -ECONNREFUSED;

	if (xprt_rdma_life_established(&conn->life) ||
	    (!iwarp && status == IB_CM_REJ_STALE_CONN))
		error = -ENOTCONN;
	else if (iwarp && status == -ECONNRESET)
		error = -ECONNRESET;
	xprt_rdma_conn_change_state(conn, XPRT_RDMA_FAILED, error);
}

static void xprt_rdma_conn_ended(struct xprt_rdma_conn *conn,
				 enum rpcrdma_nl_lost cause)
{
	xprt_rdma_life_blame(&conn->life, cause, 0);
	xprt_rdma_conn_lost(conn);
}

/**
 * xprt_rdma_conn_cm_event - handle an event of the connection manager
 * @id: CM identifier of a connection
 * @event: event
 *
 * The connect worker waits for this, so memory allocated meanwhile must not
 * start I/O either.
 *
 * Context: process, a worker of the CM.
 * Return: 0, which leaves the identifier to the connection.
 */
int xprt_rdma_conn_cm_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct xprt_rdma_conn *conn = id->context;
	unsigned int flags = xprt_rdma_reclaim_save(conn->r_xprt);
	int rc;

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		rc = rdma_resolve_route(id, XPRT_RDMA_ROUTE_MS);
		if (rc)
			xprt_rdma_conn_unresolved(conn, rc, -ENODEV);
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
		xprt_rdma_conn_unresolved(conn, event->status, -ENODEV);
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		xprt_rdma_conn_change_state(conn, XPRT_RDMA_RESOLVED, 0);
		break;
	case RDMA_CM_EVENT_ROUTE_ERROR:
		xprt_rdma_conn_unresolved(conn, event->status, -EHOSTUNREACH);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		xprt_rdma_conn_established(conn, &event->param.conn);
		break;
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
		xprt_rdma_conn_change_state(conn, XPRT_RDMA_FAILED,
					    -EHOSTUNREACH);
		break;
	case RDMA_CM_EVENT_REJECTED:
		xprt_rdma_conn_rejected(conn, event->status);
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		WRITE_ONCE(conn->life.device_gone, true);
		xprt_rdma_conn_ended(conn, RPCRDMA_NL_LOST_DEVICE);
		break;
	case RDMA_CM_EVENT_ADDR_CHANGE:
		xprt_rdma_conn_ended(conn, RPCRDMA_NL_LOST_ADDRESS);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		xprt_rdma_conn_ended(conn, RPCRDMA_NL_LOST_PEER);
		break;
	default:
		break;
	}
	xprt_rdma_reclaim_restore(flags);
	return 0;
}
