/* SPDX-License-Identifier: GPL-2.0-only */
/* Posting Work Requests and handling failures. Include after trace points. */
#ifndef _SVC_RDMA_WC_H
#define _SVC_RDMA_WC_H

#include "verbs.h"

/* Why a Work Request that failed with @status ends the connection */
static inline u32 svc_rdma_wc_cause(enum rpcrdma_nl_detail detail,
				    enum ib_wc_status status)
{
	enum rpcrdma_nl_lost reason = RPCRDMA_NL_LOST_WORK;

	if (status == IB_WC_WR_FLUSH_ERR)
		return RPCRDMA_CAUSE_UNKNOWN;
	if (status == IB_WC_RETRY_EXC_ERR)
		reason = RPCRDMA_NL_LOST_VANISHED;
	if (status == IB_WC_LOC_LEN_ERR && detail == RPCRDMA_NL_DETAIL_RECEIVE) {
		reason = RPCRDMA_NL_LOST_PROTOCOL;
		detail = RPCRDMA_NL_DETAIL_OVERLONG;
	}
	return rpcrdma_cause(reason, detail, status);
}

/**
 * svc_rdma_wc_failed - close a connection because a Work Request failed
 * @conn: connection
 * @detail: kind of Work Request
 * @cq: completion queue that @wc is from
 * @wc: completion of the Work Request. A flush is not traced as an error: an
 *	error or the end of the connection has caused it.
 *
 * Context: completion handler.
 */
static inline void svc_rdma_wc_failed(struct svc_rdma_conn *conn,
				      enum rpcrdma_nl_detail detail,
				      const struct ib_cq *cq,
				      const struct ib_wc *wc)
{
	if (wc->status != IB_WC_WR_FLUSH_ERR)
		trace_svc_rdma_wc_error(&conn->xprt, cq, wc);
	svc_rdma_conn_close(conn, svc_rdma_wc_cause(detail, wc->status));
}

/**
 * svc_rdma_post - post Work Requests, or close the connection
 * @conn: connection
 * @first: chain of Work Requests
 * @detail: kind of Work Request
 *
 * Context: any.
 * Return: 0 or -ENOTCONN. After -ENOTCONN, part of the chain may have been
 * posted, and its resources are released with the connection.
 */
static inline int svc_rdma_post(struct svc_rdma_conn *conn,
				const struct ib_send_wr *first,
				enum rpcrdma_nl_detail detail)
{
	int ret = ib_post_send(conn->qp, first, NULL);

	if (likely(!ret))
		return 0;
	svc_rdma_conn_close(conn, rpcrdma_cause_post(detail, ret));
	return -ENOTCONN;
}

#endif /* _SVC_RDMA_WC_H */
