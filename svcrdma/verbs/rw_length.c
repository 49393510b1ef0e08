// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much data one Work Request of an RDMA Read or Write transfers
 * (Documentation/decisions/12-five-pages-per-work-request.rst).
 *
 * Operation: a Work Request normally has as many gather entries as the Queue
 * Pair supports, each of which can cover several merged pages. But soft-RoCE
 * resets its retry count only when a Work Request completes, and closes the
 * Queue Pair if responses of a Read arrive out of order. So after a Read or
 * Write has failed on soft-RoCE, connections that begin within
 * SVC_RDMA_RXE_SHORT_S use short Reads and Writes: few entries of one page
 * each, without merging.
 *
 * Context: completion handlers set svc_rdma_rw_short_until; it is read when a
 * connection is accepted. All devices and clients share it: if a client's
 * connection fails, the only effect on others is that their Reads and Writes
 * cost more.
 */

#include <linux/ktime.h>

#include <rpcrdma/quirks.h>

#include "../limits.h"
#include "verbs.h"

/*
 * Time until which new connections on soft-RoCE use short Reads and Writes, in
 * seconds since boot
 */
static time64_t svc_rdma_rw_short_until;

/**
 * svc_rdma_rw_lost - note that an RDMA Read or Write has failed
 * @conn: connection
 *
 * Context: any.
 */
void svc_rdma_rw_lost(const struct svc_rdma_conn *conn)
{
	if (rpcrdma_on_rxe(conn->dev))
		WRITE_ONCE(svc_rdma_rw_short_until,
			   ktime_get_seconds() + SVC_RDMA_RXE_SHORT_S);
}

/**
 * svc_rdma_limit_rw - limit how much data one Work Request transfers
 * @conn: connection with a Queue Pair
 *
 * Context: process, before the Queue Pair is used.
 */
void svc_rdma_limit_rw(struct svc_rdma_conn *conn)
{
	struct rpcrdma_rw_set *rws = &conn->rws;
	struct ib_qp *qp = conn->qp;
	u32 sges = SVC_RDMA_RW_SGES;

	rpcrdma_rw_set_device(rws, conn->dev, conn->caps.port);
	rws->qp = qp;
	rws->merge = !rpcrdma_on_rxe(conn->dev) ||
		ktime_get_seconds() >= READ_ONCE(svc_rdma_rw_short_until);
	/* One entry for each page, unless pages are merged */
	if (!rws->merge)
		sges = RPCRDMA_RXE_PAGES;
	qp->max_write_sge = min(qp->max_write_sge, sges);
	qp->max_read_sge = min(qp->max_read_sge, sges);
}
