// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much one Work Request of an RDMA Read or Write transfers
 * (Documentation/decisions/12-five-pages-per-work-request.rst).
 *
 * Operation: a Work Request gets as many entries of merged pages as the Queue
 * Pair takes. soft-RoCE resets its retry count only when a Work Request completes,
 * and ends the Queue Pair if responses of a Read arrive out of order. So after a
 * Read or Write has failed on soft-RoCE, connections that begin in the following
 * minutes have short ones. In these, each page has its own entry, because merged
 * pages would make them long again.
 *
 * Context: the time is written by completion handlers, and read when a connection
 * is accepted. All devices and clients share it: a client whose connection fails
 * only makes Reads and Writes of others cost more.
 */

#include <linux/ktime.h>

#include <rpcrdma/quirks.h>

#include "../limits.h"
#include "verbs.h"

/* Until when those of new connections on soft-RoCE are short; seconds since boot */
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
 * svc_rdma_rw_choose_length - decide whether Reads and Writes of a connection are
 * short
 * @conn: connection that has just been requested
 *
 * Context: any. Before svc_rdma_rw_longest() and svc_rdma_limit_rw(), which follow
 * this decision.
 */
void svc_rdma_rw_choose_length(struct svc_rdma_conn *conn)
{
	conn->rws.merge = !rpcrdma_on_rxe(conn->dev) ||
		ktime_get_seconds() >= READ_ONCE(svc_rdma_rw_short_until);
}

/* Entries of a Work Request: ranges if pages are merged, pages otherwise */
static u32 svc_rdma_rw_sges(const struct svc_rdma_conn *conn)
{
	return conn->rws.merge ? SVC_RDMA_RW_SGES : RPCRDMA_RXE_PAGES;
}

/*
 * Parts of a reply, each of which is written on its own: a part ends where a
 * segment, the head or the page list ends; and in the Reply chunk, where a result
 * has been left out that is in a Write chunk.
 */
#define SVC_RDMA_RW_PARTS	(SVC_RDMA_SEGMENTS + 2 + SVC_RDMA_PAYLOADS)

/**
 * svc_rdma_rw_longest - the longest chain of RDMA Writes and a Send
 * @conn: connection without a Queue Pair
 *
 * Each part needs a Write, and one more for each time that it uses up all entries
 * of one: the least number of bytes that do so begin with the last one of a page.
 *
 * Context: any.
 * Return: Work Requests of the longest reply that nfsd sends.
 */
u32 svc_rdma_rw_longest(const struct svc_rdma_conn *conn)
{
	u32 sges = min(conn->caps.send_sges, svc_rdma_rw_sges(conn));
	u32 bytes = conn->xprt.xpt_server->sv_max_mesg;
	u32 full = bytes / ((sges - 1) * PAGE_SIZE + 2);

	/* With few entries, all parts together, however they are aligned */
	full = min_t(u32, full, (bytes + SVC_RDMA_RW_PARTS * (PAGE_SIZE - 2)) /
				(sges * PAGE_SIZE));
	return SVC_RDMA_RW_PARTS + full + 1;
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
	u32 sges = svc_rdma_rw_sges(conn);

	rpcrdma_rw_set_device(rws, conn->dev, conn->caps.port);
	rws->qp = qp;
	qp->max_write_sge = min(qp->max_write_sge, sges);
	qp->max_read_sge = min(qp->max_read_sge, sges);
}
