// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creation and release of connections.
 *
 * Ownership: sunrpc counts references to the svc_xprt. The last put calls
 * svc_rdma_conn_free(), in any context. A work item releases the connection,
 * because the release waits for Work Requests to be flushed and for CM event
 * handlers to return. This would deadlock in some contexts.
 */

#include <linux/sunrpc/addr.h>

#include <rpcrdma/rw.h>

#include "../callback/callback.h"
#include "../ext/ext.h"
#include "../message/message.h"
#include "../verbs/verbs.h"
#include "../version/version.h"
#include "control.h"

/*
 * The release does not wait for completions of Receives. Before rdma_accept(),
 * only Receives have been posted, and an adapter that could not change the
 * state of the Queue Pair may not flush them. siw does not report RDMA Reads
 * that were in progress when the connection was closed. So contexts are
 * released after the completion queues have been destroyed, whether their Work
 * Requests have completed or not.
 *
 * Only rpcrdma_rw_end() is called earlier: it returns memory regions of the
 * Queue Pair, and unmaps the memory of Reads and Writes. An adapter that could
 * not stop the Queue Pair may still access this memory until the Queue Pair is
 * destroyed. But the memory cannot be unmapped later: rdma_rw needs the Queue
 * Pair for that, and a Queue Pair whose regions are in use cannot be destroyed.
 * The pages are freed after the Queue Pair.
 */
static void svc_rdma_conn_release_resources(struct svc_rdma_conn *conn)
{
	svc_rdma_sq_drain(conn);
	if (conn->life.shown.number) {
		ib_drain_sq(conn->qp);
		/* A failed Receive may show the cause of the end. */
		svc_rdma_recv_cq_poll(conn);
		rpcrdma_rw_end(&conn->rws);
	}
	if (conn->qp)
		rdma_destroy_qp(conn->cm_id);
	conn->qp = NULL;
	svc_rdma_recv_cq_destroy(conn);
	svc_rdma_sq_destroy(conn);
	/* No completion handler is running, or will run. */
	svc_rdma_recvs_destroy(conn);
	svc_rdma_sends_destroy(conn);
	svc_rdma_adverts_destroy(conn);
	svc_rdma_stash_destroy(conn);
	if (conn->pd)
		ib_dealloc_pd(conn->pd);
}

/* The CM identifier, which is the last resource, has been destroyed. */
static void svc_rdma_conn_id_destroyed(struct rpcrdma_deferred_id *deferred)
{
	svc_rdma_add(conns_now, -1);
	kfree(container_of(deferred, struct svc_rdma_conn, life.deferred_id));
}

/*
 * Guess the cause if all Work Requests were flushed, and neither an event nor a
 * completion has shown the cause. On soft-RoCE, this happens if the requester
 * does not answer: if a probe was in flight, the requester has vanished. On
 * iWARP, this happens if the requester closes the connection.
 */
static u32 svc_rdma_conn_unknown_cause(const struct svc_rdma_conn *conn)
{
	if (READ_ONCE(conn->watch.probing))
		return rpcrdma_cause(RPCRDMA_NL_LOST_VANISHED,
				     RPCRDMA_NL_DETAIL_PROBE,
				     IB_WC_WR_FLUSH_ERR);
	return rdma_protocol_iwarp(conn->dev, conn->caps.port) ?
		       RPCRDMA_CAUSE(PEER, NONE) :
		       RPCRDMA_CAUSE(WORK, FLUSHED);
}

static void svc_rdma_conn_free_work(struct work_struct *work)
{
	struct svc_rdma_conn *conn =
		container_of(work, struct svc_rdma_conn, life.free_work);

	if (conn->life.shown.number) {
		rpcrdma_nl_remove(&conn->life.shown);
		svc_rdma_replies_share(-1);
	}
	svc_rdma_watch_stop(conn);
	svc_rdma_properties_stop(conn);
	svc_rdma_adverts_stop(conn);
	svc_rdma_conn_release_resources(conn);
	svc_rdma_conn_blame(conn, svc_rdma_conn_unknown_cause(conn));
	svc_rdma_ended_conn(conn);
	rpcrdma_id_destroy_deferred(&conn->life.deferred_id, conn->cm_id,
				    &conn->life.gone, svc_rdma_conn_id_destroyed,
				    THIS_MODULE);
}

/**
 * svc_rdma_conn_free - release a connection (xpo_free)
 * @xprt: connection without references
 *
 * Context: any.
 */
void svc_rdma_conn_free(struct svc_xprt *xprt)
{
	struct svc_rdma_conn *conn = svc_rdma_conn_of(xprt);

	queue_work(svc_rdma_wq, &conn->life.free_work);
}

/*
 * The requester's port is cleared because it differs between connections, and
 * nfsd's reply cache compares addresses.
 */
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
	atomic_set(&conn->life.state, SVC_RDMA_NEW);
	conn->ver = &svc_rdma_undecided;
	conn->callback_answered = svc_rdma_bc_answered;
	svc_rdma_watch_init(conn);
	svc_rdma_properties_begin(conn);
	INIT_WORK(&conn->life.free_work, svc_rdma_conn_free_work);

	svc_rdma_recvs_init(conn);
	svc_rdma_calls_init(conn);
	svc_rdma_sends_init(conn);
	svc_rdma_sq_init(conn);
	svc_rdma_reads_init(conn);
	svc_rdma_stash_begin(conn);
	rpcrdma_rw_set_init(&conn->rws);
	svc_rdma_adverts_init(conn);
}

/**
 * svc_rdma_conn_alloc - create a connection without resources
 * @serv: service
 * @net: network namespace
 * @cm_id: CM identifier of the connect request; on success, the connection owns
 *	it
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
	if (!conn)
		return NULL;
	/* The last put of the transport drops this reference. */
	__module_get(THIS_MODULE);
	svc_xprt_init(net, &svc_rdma_xprt_class, &conn->xprt, serv);
	/* RFC 7530 section 3.1: RDMA has its own congestion control. */
	set_bit(XPT_CONG_CTRL, &conn->xprt.xpt_flags);
	conn->cm_id = cm_id;
	conn->dev = cm_id->device;
	conn->caps.port = cm_id->port_num;
	svc_rdma_conn_init(conn);
	svc_rdma_conn_set_addresses(conn);
	svc_rdma_count(conns_now);
	return conn;
}
