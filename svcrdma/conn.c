// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a connection: states, CM and QP events, and the release of its
 * resources.
 *
 * Ownership: sunrpc's reference count on the svc_xprt decides. The last put
 * calls svc_rdma_conn_free(), in whatever context, and a work item does the
 * rest: it waits for the Work Requests to be flushed and for CM handlers to
 * return, which would deadlock in some of these contexts.
 */

#include <linux/sunrpc/addr.h>

#include "svcrdma.h"
#include <trace/events/svcrdma.h>

/*
 * Connections that are released at a time. When many end at once, the others wait
 * their turn, and do not keep live connections from the processors.
 */
#define SVC_RDMA_RELEASES		32

/*
 * Releases wait for what is done on svc_rdma_wq: they must not be able to take all
 * of its workers.
 */
static struct workqueue_struct *svc_rdma_release_wq;

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
 * Return: true if that was a legal change and this call made it.
 */
bool svc_rdma_conn_change(struct svc_rdma_conn *conn, enum svc_rdma_state to)
{
	int from = atomic_read(&conn->state);

	do {
		if (!(svc_rdma_conn_legal[from] & BIT(to)))
			return false;
	} while (!atomic_try_cmpxchg(&conn->state, &from, to));
	trace_svc_rdma_state(&conn->xprt, from, to);
	return true;
}

/**
 * svc_rdma_conn_close - have an nfsd thread close the connection
 * @conn: connection
 *
 * Waiters for the Send Queue are woken at once; nothing is posted any more.
 *
 * Context: any.
 */
void svc_rdma_conn_close(struct svc_rdma_conn *conn)
{
	svc_rdma_conn_change(conn, SVC_RDMA_CLOSING);
	svc_rdma_sq_close(conn);
	svc_xprt_deferred_close(&conn->xprt);
}

/*
 * The device waits until the CM identifier is gone. There may be no nfsd
 * thread left to do it, so close here.
 */
static void svc_rdma_conn_device_removal(struct svc_rdma_conn *conn)
{
	WRITE_ONCE(conn->gone, true);
	svc_rdma_conn_change(conn, SVC_RDMA_CLOSING);
	svc_rdma_sq_close(conn);
	svc_xprt_close(&conn->xprt);
}

/**
 * svc_rdma_conn_handler - CM events of an accepted connection
 * @cm_id: its CM identifier
 * @event: event
 *
 * Context: process, a work item of the CM.
 * Return: always 0; this module destroys @cm_id itself.
 */
int svc_rdma_conn_handler(struct rdma_cm_id *cm_id,
			  struct rdma_cm_event *event)
{
	struct svc_rdma_conn *conn = cm_id->context;

	trace_svc_rdma_cm_event(&conn->xprt, event->event, event->status);
	switch (event->event) {
	case RDMA_CM_EVENT_ESTABLISHED:
		svc_rdma_conn_change(conn, SVC_RDMA_OPEN);
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		svc_rdma_conn_device_removal(conn);
		break;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		break;
	default:
		svc_rdma_conn_close(conn);
		break;
	}
	return 0;
}

/**
 * svc_rdma_conn_qp_event - asynchronous events of a Queue Pair
 * @event: event
 * @context: connection
 *
 * Context: any.
 */
void svc_rdma_conn_qp_event(struct ib_event *event, void *context)
{
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
		svc_rdma_conn_close(conn);
		break;
	}
}

/* Replies that are being released have room for as many to follow them. */
static bool svc_rdma_adverts_fit(const struct svc_rdma_adverts *adverts)
{
	return likely(!READ_ONCE(adverts->releasing)) ||
	       (READ_ONCE(adverts->releasing) <
			READ_ONCE(svc_rdma_read_replies_max) &&
		READ_ONCE(adverts->releasing_bytes) <
			READ_ONCE(svc_rdma_read_replies_bytes));
}

static bool svc_rdma_replies_fit(struct svc_rdma_conn *conn)
{
	return atomic_read(&conn->send_busy) < conn->grant_max &&
	       atomic_read(&conn->reply_pages) < SVC_RDMA_REPLY_PAGES &&
	       svc_rdma_adverts_fit(&conn->adverts) &&
	       !svc_rdma_sq_contended(conn);
}

/**
 * svc_rdma_conn_has_wspace - may another call be taken? (xpo_has_wspace)
 * @xprt: connection
 *
 * A requester that is slow to take its replies, or asks for more than the
 * wire can carry, is served no faster: each reply holds pages until it has
 * been sent.
 *
 * Context: any.
 * Return: 1 if there is room for another reply, 0 if not; then the transport
 * is enqueued again when there is.
 */
int svc_rdma_conn_has_wspace(struct svc_xprt *xprt)
{
	struct svc_rdma_conn *conn = svc_rdma_conn_of(xprt);

	if (likely(svc_rdma_replies_fit(conn)))
		return 1;
	WRITE_ONCE(conn->throttled, true);
	/* Pairs with the barrier in svc_rdma_conn_unthrottle(). */
	smp_mb();
	if (svc_rdma_replies_fit(conn))
		return 1;
	svc_rdma_count(throttled);
	return 0;
}

/**
 * svc_rdma_conn_unthrottle - resume a connection that was out of space
 * @conn: connection; something it was short of has been returned
 *
 * Context: any.
 */
void svc_rdma_conn_unthrottle(struct svc_rdma_conn *conn)
{
	/* Pairs with the barrier in svc_rdma_conn_has_wspace(). */
	smp_mb();
	if (likely(!READ_ONCE(conn->throttled)) || !svc_rdma_replies_fit(conn))
		return;
	WRITE_ONCE(conn->throttled, false);
	svc_xprt_enqueue(&conn->xprt);
}

/**
 * svc_rdma_conn_kill - nothing to hurry up (xpo_kill_temp_xprt)
 * @xprt: connection whose local address was removed
 *
 * Context: process.
 */
void svc_rdma_conn_kill(struct svc_xprt *xprt)
{
}

/**
 * svc_rdma_conn_detach - stop all traffic (xpo_detach)
 * @xprt: connection
 *
 * The last message of a connection waits until the port can send it.
 *
 * Context: process.
 */
void svc_rdma_conn_detach(struct svc_xprt *xprt)
{
	struct svc_rdma_conn *conn = svc_rdma_conn_of(xprt);

	svc_rdma_conn_change(conn, SVC_RDMA_CLOSING);
	svc_rdma_sq_close(conn);
	if (rpcrdma_port_active(conn->dev, conn->port))
		rdma_disconnect(conn->cm_id);
}

/*
 * No completion can be handled any more. What has not had one by now is
 * released like everything else.
 */
static void svc_rdma_conn_release_contexts(struct svc_rdma_conn *conn)
{
	svc_rdma_recvs_destroy(conn);
	flush_work(&conn->reap_work);
	svc_rdma_sends_destroy(conn);
	svc_rdma_adverts_destroy(conn);
	WARN_ON_ONCE(!list_empty(&conn->sq_waiters));
}

/* No completion is being handled when this returns. */
static void svc_rdma_conn_release_queues(struct svc_rdma_conn *conn)
{
	if (conn->qp)
		rdma_destroy_qp(conn->cm_id);
	conn->qp = NULL;
	if (conn->recv_cq)
		ib_free_cq(conn->recv_cq);
	conn->recv_cq = NULL;
	if (conn->send_cq)
		ib_free_cq(conn->send_cq);
	conn->send_cq = NULL;
}

/*
 * What was never accepted has posted nothing but Receives, and they cannot be
 * waited for: an adapter that could not move the Queue Pair on does not always
 * flush them. Nor does siw report RDMA Reads that were under way when the
 * connection was closed. So contexts are released when nothing can be reported
 * any more; only their memory regions, which are the Queue Pair's, go before.
 */
static void svc_rdma_conn_release_resources(struct svc_rdma_conn *conn)
{
	svc_rdma_sq_drain(conn);
	if (conn->accepted) {
		ib_drain_qp(conn->qp);
		flush_work(&conn->reap_work);
		svc_rdma_rw_end(conn);
	}
	svc_rdma_conn_release_queues(conn);
	svc_rdma_conn_release_contexts(conn);
	if (conn->pd)
		ib_dealloc_pd(conn->pd);
}

/* The CM identifier was all that was left. */
static void svc_rdma_conn_id_destroyed(struct rpcrdma_deferred_id *deferred)
{
	svc_rdma_count(conns_destroyed);
	kfree(container_of(deferred, struct svc_rdma_conn, deferred_id));
}

static void svc_rdma_conn_free_work(struct work_struct *work)
{
	struct svc_rdma_conn *conn =
		container_of(work, struct svc_rdma_conn, free_work);

	svc_rdma_stats_del_conn(conn);
	svc_rdma_watch_stop(conn);
	svc_rdma_adverts_stop(conn);
	svc_rdma_conn_release_resources(conn);
	svc_rdma_id_destroy_deferred(&conn->deferred_id, conn->cm_id,
				     &conn->gone, svc_rdma_conn_id_destroyed);
}

/**
 * svc_rdma_conn_free - the last reference is gone (xpo_free)
 * @xprt: connection
 *
 * Context: any.
 */
void svc_rdma_conn_free(struct svc_xprt *xprt)
{
	struct svc_rdma_conn *conn = svc_rdma_conn_of(xprt);

	queue_work(svc_rdma_release_wq, &conn->free_work);
}

/**
 * svc_rdma_conns_init - prepare for releasing connections
 *
 * Context: module initialization.
 * Return: 0 or -ENOMEM.
 */
int svc_rdma_conns_init(void)
{
	svc_rdma_release_wq = alloc_workqueue("svcrdma_release", WQ_UNBOUND,
					      SVC_RDMA_RELEASES);
	return svc_rdma_release_wq ? 0 : -ENOMEM;
}

/**
 * svc_rdma_conns_exit - finish releasing connections
 *
 * What is left of them afterwards is in the list of deferred_id.c.
 *
 * Context: module exit, when all of them are being released; waits.
 */
void svc_rdma_conns_exit(void)
{
	destroy_workqueue(svc_rdma_release_wq);
}

/* The port of a requester is arbitrary; nfsd's reply cache must not see it. */
static void svc_rdma_conn_set_addresses(struct svc_rdma_conn *conn)
{
	struct rdma_addr *addr = &conn->cm_id->route.addr;
	struct sockaddr *sap = (struct sockaddr *)&addr->dst_addr;

	svc_xprt_set_remote(&conn->xprt, sap, svc_addr_len(sap));
	rpc_set_port((struct sockaddr *)&conn->xprt.xpt_remote, 0);
	sap = (struct sockaddr *)&addr->src_addr;
	svc_xprt_set_local(&conn->xprt, sap, svc_addr_len(sap));
}

static void svc_rdma_conn_init(struct svc_rdma_conn *conn)
{
	atomic_set(&conn->state, SVC_RDMA_NEW);
	svc_rdma_watch_init(conn);
	INIT_WORK(&conn->free_work, svc_rdma_conn_free_work);
	INIT_WORK(&conn->reap_work, svc_rdma_sends_reap);

	spin_lock_init(&conn->recv_lock);
	INIT_LIST_HEAD(&conn->recv_done);
	INIT_LIST_HEAD(&conn->read_done);
	INIT_LIST_HEAD(&conn->read_waiting);
	INIT_LIST_HEAD(&conn->recv_idle);
	INIT_LIST_HEAD(&conn->recv_all);
	spin_lock_init(&conn->send_lock);
	INIT_LIST_HEAD(&conn->send_idle);
	INIT_LIST_HEAD(&conn->send_all);
	init_llist_head(&conn->reap);
	spin_lock_init(&conn->sq_lock);
	INIT_LIST_HEAD(&conn->sq_waiters);
	rpcrdma_rw_set_init(&conn->rws);
	svc_rdma_rw_init(conn);
	svc_rdma_adverts_init(conn);
	INIT_LIST_HEAD(&conn->entry);
}

/**
 * svc_rdma_conn_alloc - create a connection without resources
 * @serv: service
 * @net: network namespace
 * @cm_id: of the connect request; belongs to the connection from now on
 *
 * Context: process.
 * Return: the connection, or NULL if there is no memory.
 */
struct svc_rdma_conn *svc_rdma_conn_alloc(struct svc_serv *serv,
					  struct net *net,
					  struct rdma_cm_id *cm_id)
{
	struct svc_rdma_conn *conn;

	conn = kzalloc_node(sizeof(*conn), GFP_KERNEL,
			    ibdev_to_node(cm_id->device));
	if (!conn) {
		svc_rdma_count(no_memory);
		return NULL;
	}
	svc_xprt_init(net, &svc_rdma_xprt_class, &conn->xprt, serv);
	/* RDMA controls congestion itself: RFC 7530 section 3.1. */
	set_bit(XPT_CONG_CTRL, &conn->xprt.xpt_flags);
	conn->cm_id = cm_id;
	conn->dev = cm_id->device;
	conn->port = cm_id->port_num;
	rpcrdma_props_default(&conn->peer);
	svc_rdma_conn_init(conn);
	svc_rdma_conn_set_addresses(conn);
	svc_rdma_count(conns_created);
	return conn;
}
