/* SPDX-License-Identifier: GPL-2.0-only */
/* Failed Work Requests. Include this after the trace points. */
#ifndef _SVC_RDMA_WC_H
#define _SVC_RDMA_WC_H

#include "../counters.h"
#include "verbs.h"

/**
 * svc_rdma_wc_failed - close the connection of a Work Request that has failed
 * @conn: connection
 * @cq: completion queue that @wc is from
 * @wc: its completion; a flush is not counted as an error, because it follows
 *	from one or from the end of the connection
 *
 * Context: completion handler.
 */
static inline void svc_rdma_wc_failed(struct svc_rdma_conn *conn,
				      const struct ib_cq *cq,
				      const struct ib_wc *wc)
{
	if (wc->status != IB_WC_WR_FLUSH_ERR) {
		svc_rdma_count(completion_errors);
		trace_svc_rdma_wc_error(&conn->xprt, cq, wc);
	}
	svc_rdma_conn_close(conn);
}

#endif /* _SVC_RDMA_WC_H */
