// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of a connection: CM events, including disconnection and device
 * removal; Queue Pair events; and sunrpc's request to detach.
 */

#include "../verbs/verbs.h"
#include "control.h"

/* Why an event ends a connection, or a connect request */
static u32 svc_rdma_conn_event_cause(enum rdma_cm_event_type event)
{
	switch (event) {
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		return RPCRDMA_CAUSE(DEVICE, NONE);
	case RDMA_CM_EVENT_ADDR_CHANGE:
		return RPCRDMA_CAUSE(ADDRESS, NONE);
	case RDMA_CM_EVENT_DISCONNECTED:
		return RPCRDMA_CAUSE(PEER, NONE);
	case RDMA_CM_EVENT_REJECTED:
		return RPCRDMA_CAUSE(PEER, CONNECT);
	default:
		return RPCRDMA_CAUSE(VANISHED, CONNECT);
	}
}

/*
 * Device removal waits until the CM identifier has been destroyed. Close the
 * connection here, because there may be no nfsd thread left to do it.
 */
static void svc_rdma_conn_lost(struct svc_rdma_conn *conn,
			       enum rdma_cm_event_type event)
{
	u32 cause = svc_rdma_conn_event_cause(event);

	if (event == RDMA_CM_EVENT_DEVICE_REMOVAL)
		WRITE_ONCE(conn->life.gone, true);
	if (svc_rdma_listener_remove(conn)) {
		svc_rdma_conn_refuse(conn, cause);
		return;
	}
	svc_rdma_conn_blame(conn, cause);
	if (event == RDMA_CM_EVENT_DEVICE_REMOVAL)
		svc_xprt_close(&conn->xprt);
	svc_rdma_conn_close(conn, cause);
}

/**
 * svc_rdma_conn_handler - handle CM events of a connection
 * @cm_id: CM identifier of the connection
 * @event: event
 *
 * Context: process, a work item of the CM.
 * Return: always 0; this module destroys @cm_id itself.
 */
int svc_rdma_conn_handler(struct rdma_cm_id *cm_id,
			  struct rdma_cm_event *event)
{
	struct svc_rdma_conn *conn = cm_id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_ESTABLISHED:
		svc_rdma_conn_change(conn, SVC_RDMA_OPEN);
		break;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		break;
	default:
		svc_rdma_conn_lost(conn, event->event);
		break;
	}
	return 0;
}

/**
 * svc_rdma_conn_qp_event - handle asynchronous events of a Queue Pair
 * @event: event
 * @context: connection
 *
 * Closing the connection takes locks that other contexts hold with interrupts
 * enabled. So the work item that watches the connection closes it instead.
 *
 * Context: any; some providers call this in hard interrupt.
 */
void svc_rdma_conn_qp_event(struct ib_event *event, void *context)
{
	enum rpcrdma_nl_lost reason = RPCRDMA_NL_LOST_WORK;
	struct svc_rdma_conn *conn = context;

	switch (event->event) {
	case IB_EVENT_COMM_EST:
		/* The requester's last CM message may have been lost. */
		rdma_notify(conn->cm_id, event->event);
		break;
	case IB_EVENT_PATH_MIG:
	case IB_EVENT_SQ_DRAINED:
	case IB_EVENT_QP_LAST_WQE_REACHED:
		break;
	default:
		/*
		 * On iWARP, the requester may have closed the connection while
		 * a Work Request was outstanding. The CM event may come later.
		 */
		if (event->event == IB_EVENT_QP_FATAL &&
		    rdma_protocol_iwarp(conn->dev, conn->caps.port))
			reason = RPCRDMA_NL_LOST_PEER;
		svc_rdma_conn_blame(conn,
				    rpcrdma_cause(reason,
						  RPCRDMA_NL_DETAIL_QUEUE_PAIR,
						  event->event));
		mod_delayed_work(svc_rdma_wq, &conn->watch.work, 0);
		break;
	}
}

/**
 * svc_rdma_conn_kill - do nothing (xpo_kill_temp_xprt)
 * @xprt: connection whose local address was removed
 *
 * Context: process.
 */
void svc_rdma_conn_kill(struct svc_xprt *xprt)
{
}

/**
 * svc_rdma_conn_detach - disconnect (xpo_detach)
 * @xprt: connection
 *
 * While the port is down, the CM message cannot be sent. While the device is
 * being removed, the caller may be the handler of that event: iWARP's
 * rdma_disconnect() waits until the connection is established. That event is
 * queued behind events that wait for this handler. In both cases, the peer is
 * informed when the deferred CM identifier is destroyed.
 *
 * Context: process.
 */
void svc_rdma_conn_detach(struct svc_xprt *xprt)
{
	struct svc_rdma_conn *conn = svc_rdma_conn_of(xprt);

	/* nfsd closes idle connections; at shutdown, its threads end first. */
	if (svc_rdma_conn_change(conn, SVC_RDMA_CLOSING))
		svc_rdma_conn_blame(conn, xprt->xpt_server->sv_nrthreads ?
						  RPCRDMA_CAUSE(CLOSED, NONE) :
						  RPCRDMA_CAUSE(SHUTDOWN, NONE));
	svc_rdma_ended_conn(conn);
	svc_rdma_sq_close(conn);
	svc_rdma_conn_settle(conn);
	if (!READ_ONCE(conn->life.gone) && rpcrdma_port_active(conn->cm_id))
		rdma_disconnect(conn->cm_id);
}
