// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much one Work Request of an RDMA Read or Write transfers
 * (Documentation/decisions/12-five-pages-per-work-request.rst).
 *
 * Operation: an adapter gets as much as the Queue Pair has entries for, of
 * merged pages. On soft-RoCE, a Write is short, because only a completed Write
 * is progress to its retry count. A Read is long, as on other devices, until
 * one has failed; the connections that begin in the minutes after it have short
 * ones. In what is short, each page has an entry of its own: a merged one would
 * make it long again.
 *
 * Context: the time of the failure is written by completion handlers, and read
 * when a connection is accepted. It is one for all devices and clients: a
 * client that lets its Reads fail makes those of others cost more, and no more
 * than that.
 */

#include <rpcrdma/quirks.h>

#include "verbs.h"

/* When a Read failed on soft-RoCE, in jiffies, and never 0; 0: never */
static unsigned long svc_rdma_read_failed_at;

/**
 * svc_rdma_read_lost - note that an RDMA Read has failed
 * @conn: connection
 *
 * Context: any.
 */
void svc_rdma_read_lost(const struct svc_rdma_conn *conn)
{
	if (rpcrdma_on_rxe(conn->dev))
		WRITE_ONCE(svc_rdma_read_failed_at, jiffies | 1);
}

static bool svc_rdma_reads_are_short(const struct svc_rdma_conn *conn)
{
	unsigned long at = READ_ONCE(svc_rdma_read_failed_at);

	if (!at || !rpcrdma_on_rxe(conn->dev))
		return false;
	if (time_before(jiffies, at + SVC_RDMA_RXE_SHORT_S * HZ))
		return true;
	WRITE_ONCE(svc_rdma_read_failed_at, 0);
	return false;
}

/* Entries of a Work Request: ranges if pages are merged, pages otherwise */
static u32 svc_rdma_rw_sges(bool merge)
{
	return merge ? SVC_RDMA_RW_SGES : RPCRDMA_RXE_PAGES;
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

	rpcrdma_rw_set_device(rws, conn->dev, conn->caps.port);
	rws->merge_writes = !rpcrdma_on_rxe(conn->dev);
	rws->merge_reads = !svc_rdma_reads_are_short(conn);
	qp->max_write_sge = min(qp->max_write_sge,
				svc_rdma_rw_sges(rws->merge_writes));
	qp->max_read_sge = min(qp->max_read_sge,
			       svc_rdma_rw_sges(rws->merge_reads));
}
