// SPDX-License-Identifier: GPL-2.0-only
/* Accepting a connect request: resources, first Receives, CM reply. */

#include <rdma/ib_cm.h>
#include <rdma/rw.h>

#include <rpcrdma/cm.h>

#include "../ext/ext.h"
#include "../limits.h"
#include "../message/message.h"
#include "../tunables.h"
#include "../verbs/verbs.h"
#include "../version/version.h"
#include "control.h"

/**
 * svc_rdma_conn_set_limits - set the limits of a new connection
 * @conn: connection of a connect request
 * @param: CM parameters of the request
 *
 * The limits come from the device, the requester and the administrator.
 *
 * Context: process.
 */
void svc_rdma_conn_set_limits(struct svc_rdma_conn *conn,
			      const struct rdma_conn_param *param)
{
	const struct ib_device_attr *attrs = &conn->dev->attrs;
	struct rpcrdma_private priv;

	rpcrdma_private_decode(&priv, param->private_data,
			       param->private_data_len);
	conn->caps.invalidate = READ_ONCE(svc_rdma_remote_invalidation) &&
		(attrs->device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS);
	conn->caps.v1_recv = READ_ONCE(svc_rdma_max_req_size);
	svc_rdma_peer_said(conn, &priv);
	conn->caps.ord = min3(svc_rdma_ord, (u32)param->initiator_depth,
			      (u32)attrs->max_qp_init_rd_atom);
	conn->caps.traffic_class = rpcrdma_traffic_class(conn->cm_id);
	conn->caps.send_sges = min_t(u32, SVC_RDMA_SEND_SGES, attrs->max_send_sge);
	conn->caps.ird = min3(svc_rdma_ord, (u32)param->responder_resources,
			      (u32)attrs->max_qp_rd_atom);
	svc_rdma_adverts_offer(conn);
	svc_rdma_credits_init(conn, min_t(u32, svc_rdma_max_requests,
					  attrs->max_qp_wr / 2));
}

static int svc_rdma_conn_create_qp(struct svc_rdma_conn *conn, u32 sq_depth,
				   u32 rq_depth)
{
	struct ib_qp_init_attr attr = {
		.event_handler	= svc_rdma_conn_qp_event,
		.qp_context	= conn,
		.send_cq	= conn->sq.cq,
		.recv_cq	= conn->recv_cq.cq,
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
		.qp_type	= IB_QPT_RC,
		.port_num	= conn->caps.port,
		.cap = {
			.max_send_wr	= sq_depth,
			.max_recv_wr	= rq_depth,
			.max_send_sge	= conn->caps.send_sges,
			.max_recv_sge	= 1,
		},
	};
	int ret;

	ret = rdma_create_qp(conn->cm_id, conn->pd, &attr);
	if (ret)
		return ret;
	conn->qp = conn->cm_id->qp;
	conn->caps.send_sges = min(conn->caps.send_sges, attr.cap.max_send_sge);
	svc_rdma_limit_rw(conn);
	return 0;
}

/*
 * The Send Queue has the same size whatever the credits and the payloads are.
 * Messages that find too few free entries are queued, and longer ones are
 * posted in parts.
 */
static int svc_rdma_conn_create_resources(struct svc_rdma_conn *conn)
{
	u32 sq_depth, rq_depth;
	struct ib_pd *pd;
	int ret;

	sq_depth = min_t(u32, conn->dev->attrs.max_qp_wr, SVC_RDMA_SQ_MOST);
	if (sq_depth < SVC_RDMA_SQ_LEAST)
		return -EINVAL;
	rq_depth = svc_rdma_recvs_for(conn->credits.max);

	pd = ib_alloc_pd(conn->dev, 0);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	conn->pd = pd;
	ret = svc_rdma_sq_create(conn, sq_depth) ?:
	      svc_rdma_recv_cq_create(conn, rq_depth) ?:
	      svc_rdma_conn_create_qp(conn, sq_depth, rq_depth);
	if (ret)
		return ret;
	svc_rdma_reads_limit(conn, conn->caps.ord);
	/*
	 * RFC 8166 section 3.3.1, v2 draft section 7: a requester sends one
	 * message, of any version, and waits for a grant.
	 */
	return svc_rdma_recvs_add(conn, SVC_RDMA_RECV_FIRST);
}

/*
 * RFC 8797 assumes that a responder has no handles to invalidate, but a reply
 * in Read chunks (RFC 5666) has some. The requester's adapter may issue RDMA
 * Reads only if responder_resources allows them. Requesters that do not know
 * the version hint ignore it.
 */
static int svc_rdma_accept_send_reply(struct svc_rdma_conn *conn)
{
	struct rpcrdma_private priv = {
		.send_size	= conn->caps.v1_recv,
		.recv_size	= conn->caps.v1_recv,
		.remote_inv	= conn->caps.advertise_v1 && conn->caps.invalidate,
	};
	u8 buf[RPCRDMA_PRIVATE_MAX];
	struct rdma_conn_param param = {
		.private_data		= buf,
		.initiator_depth	= conn->caps.ord,
		.responder_resources	= conn->caps.ird,
		.flow_control		= 1,
		.retry_count		= RPCRDMA_RETRY_COUNT,
		.rnr_retry_count	= 7,
	};

	if (READ_ONCE(svc_rdma_max_version) > RPCRDMA_VERSION_1)
		priv.hint = RPCRDMA_HINT_V2;
	param.private_data_len = rpcrdma_private_encode(&priv, buf);
	rpcrdma_set_ack_timeout(conn->cm_id, READ_ONCE(svc_rdma_ack_timeout));
	return rdma_accept(conn->cm_id, &param);
}

static int svc_rdma_accept_setup(struct svc_rdma_conn *conn)
{
	int ret;

	if (!conn->caps.ord) {
		svc_rdma_conn_blame(conn, RPCRDMA_CAUSE(REFUSED, NO_READS));
		return -EINVAL;
	}
	ret = svc_rdma_conn_create_resources(conn);
	if (ret)
		return ret;
	/* Serialize with CM events: disconnection and device removal. */
	rdma_lock_handler(conn->cm_id);
	ret = -ECONNABORTED;
	if (svc_rdma_conn_change(conn, SVC_RDMA_ACCEPTED))
		ret = svc_rdma_accept_send_reply(conn);
	rdma_unlock_handler(conn->cm_id);
	return ret;
}

/**
 * svc_rdma_conn_refuse - reject a connect request
 * @conn: connection of the request, which waits at no listener; it is released
 * @cause: why, encoded by rpcrdma_cause(); ignored if a cause is already known
 *
 * No message is sent to the requester while the port is down.
 *
 * Context: process.
 */
void svc_rdma_conn_refuse(struct svc_rdma_conn *conn, u32 cause)
{
	svc_rdma_conn_blame(conn, cause);
	svc_rdma_ended_conn(conn);
	if (rpcrdma_port_active(conn->cm_id))
		rdma_reject(conn->cm_id, NULL, 0, IB_CM_REJ_CONSUMER_DEFINED);
	svc_rdma_conn_change(conn, SVC_RDMA_CLOSING);
	svc_xprt_put(&conn->xprt);
}

/**
 * svc_rdma_accept_conn - accept the oldest connect request (xpo_accept)
 * @xprt: listener
 *
 * Context: process, an nfsd thread that holds XPT_BUSY of @xprt.
 * Return: the new transport; NULL if there was no request, or if a request
 * could not be accepted. Such a request has been rejected and released.
 */
struct svc_xprt *svc_rdma_accept_conn(struct svc_xprt *xprt)
{
	struct svc_rdma_conn *conn;
	int ret;

	conn = svc_rdma_listener_next(svc_rdma_listener_of(xprt));
	if (!conn)
		return NULL;
	ret = svc_rdma_accept_setup(conn);
	if (ret) {
		svc_rdma_conn_refuse(conn,
				     rpcrdma_cause(RPCRDMA_NL_LOST_REFUSED,
						   RPCRDMA_NL_DETAIL_RESOURCES,
						   ret));
		return NULL;
	}
	rpcrdma_path_query(conn->cm_id, &conn->caps.path);
	conn->life.since = ktime_get_seconds();
	rpcrdma_nl_add(&conn->life.shown, svc_rdma_netlink_put);
	svc_rdma_replies_share(1);
	svc_rdma_watch_start(conn);
	/* sunrpc has taken another module reference for the connection. */
	module_put(THIS_MODULE);
	return &conn->xprt;
}
