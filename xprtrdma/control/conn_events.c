// SPDX-License-Identifier: GPL-2.0-only
/*
 * CM events and their effects on a connection. connect.c waits for the changes
 * of state.
 *
 * Ownership: destroying the CM identifier waits for event handlers, so these
 * may use the connection freely. Identifier and connection are freed together,
 * possibly after the end of the connection, when the port is active
 * (core/verbs/deferred_id.c).
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
 * The address, or the route to it, cannot be resolved. @status is -ENETUNREACH
 * without a route, and a timeout without an answer to ARP or ND. Other values,
 * such as -ENODEV (no RDMA device), become @other, except for -ENOMEM.
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
 * RoCE, the event contains the peer's depths as limits for ours:
 * initiator_depth is the number of our Reads that the peer serves at a time. On
 * iWARP, the event contains the depths that the adapter will use. Both depths
 * may be zero if the peer has not announced its depths (MPA revision 1); then
 * only our own limits are known. Some drivers may report a single zero for the
 * same reason. In that case we can do without our own Reads, but calls need the
 * peer's Reads.
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
 * The CM private message (RFC 8797) sets the inline thresholds until version 2
 * is agreed on. The version hint that follows the message decides whether
 * version 2 is offered.
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
 * A rejection is a refusal, except in three cases. If the connection is already
 * established on our side, the peer closed it before our last CM message
 * arrived. After IB_CM_REJ_STALE_CONN, the peer still knows an old connection
 * of ours: try again soon. After -ECONNRESET on iWARP, the TCP connection ended
 * before the peer's answer arrived: the peer may have closed a connection that
 * it had accepted, or may not support iWARP at all.
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

static void xprt_rdma_conn_ended(struct xprt_rdma_conn *conn, u32 cause)
{
	xprt_rdma_life_blame(&conn->life, cause);
	xprt_rdma_conn_lost(conn);
}

/**
 * xprt_rdma_conn_cm_event - handle an event of the connection manager
 * @id: CM identifier of a connection
 * @event: event
 *
 * The connect worker waits for this handler, so memory allocated in it must not
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
		xprt_rdma_conn_ended(conn, RPCRDMA_CAUSE(DEVICE, NONE));
		break;
	case RDMA_CM_EVENT_ADDR_CHANGE:
		xprt_rdma_conn_ended(conn, RPCRDMA_CAUSE(ADDRESS, NONE));
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		xprt_rdma_conn_ended(conn, RPCRDMA_CAUSE(PEER, NONE));
		break;
	default:
		break;
	}
	xprt_rdma_reclaim_restore(flags);
	return 0;
}
