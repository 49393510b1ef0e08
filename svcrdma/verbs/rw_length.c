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
 * svc_rdma_rw_choose_length - choose between long and short Reads and Writes
 * @conn: connection that has just been requested
 *
 * Context: any. Must be called before svc_rdma_rw_longest() and
 * svc_rdma_limit_rw(), which depend on the choice.
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
 * Maximum number of parts of a reply. Each part is written separately. A part ends
 * with a segment, the head or the page list. In the Reply chunk, a part also ends
 * before each result that is in a Write chunk.
 */
#define SVC_RDMA_RW_PARTS	(SVC_RDMA_SEGMENTS + 2 + SVC_RDMA_PAYLOADS)

/**
 * svc_rdma_rw_longest - compute the longest chain of RDMA Writes and a Send
 * @conn: connection without a Queue Pair
 *
 * Each part needs a Write, and another one whenever the gather entries of a Write
 * are used up. The fewest bytes that use them up begin with the last byte of a
 * page.
 *
 * Context: any.
 * Return: number of Work Requests of the longest reply that nfsd can send.
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
