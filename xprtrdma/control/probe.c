// SPDX-License-Identifier: GPL-2.0-only
/*
 * A server that has vanished while calls wait for their replies.
 *
 * A Queue Pair notices that its peer is gone by what it has sent. If all calls
 * have been acknowledged, nothing is in the Send Queue, and a server that
 * stops without a word would be noticed at the RPC's timeout.
 *
 * Operation: while a transport is connected, a work item looks at it every two
 * seconds. If calls are outstanding, and no message has arrived since the last
 * look, it posts an RDMA Write of no bytes. The adapters of the InfiniBand
 * family look neither at its handle nor at any memory, and every Queue Pair
 * that a CM has set up takes it, whichever version is spoken; neither RPC layer
 * hears of it. It completes when the server's adapter has acknowledged it. If it fails, or has
 * not completed for PROBE_TIMEOUT although nothing else has arrived either, the
 * connection is lost. That time does not depend on the adapter's retries, which
 * may be endless. With iWARP, it completes when TCP has it.
 *
 * Should there be a server whose adapter refuses it, the connection is lost
 * once, and that transport sends no other probe.
 *
 * Ownership: one probe at a time, which has a Send Queue entry of its own. It
 * completes before the connection is freed, because the Send Queue is drained.
 */

#include "../conn.h"
#include "../stats.h"
#include "../xprt.h"
#include "control.h"
#include "../verbs/verbs.h"

#include <trace/events/xprtrdma.h>

/* How often to look, and how long a server may be silent before it is probed. */
#define PROBE_INTERVAL	(2U * HZ)
/* The same, until an iWARP server has said anything. */
#define PROBE_FIRST	(HZ / 5)
/* How long a probe may take; six retries take 4 to 5 seconds with RoCE. */
#define PROBE_TIMEOUT	(10U * HZ)

/* The peer's adapter has answered, and does not take such Writes. */
static bool xprt_rdma_probe_refused(enum ib_wc_status status)
{
	return status == IB_WC_REM_INV_REQ_ERR ||
	       status == IB_WC_REM_ACCESS_ERR || status == IB_WC_REM_OP_ERR;
}

static void xprt_rdma_wc_probe(struct ib_cq *cq, struct ib_wc *wc)
{
	struct xprt_rdma_conn *conn = cq->cq_context;
	struct xprt_rdma_probe *probe = &conn->r_xprt->probe;

	WRITE_ONCE(probe->posted, false);
	if (likely(wc->status == IB_WC_SUCCESS))
		return;
	trace_xprtrdma_wc_error(conn, "probe", wc);
	if (xprt_rdma_probe_refused(wc->status)) {
		WRITE_ONCE(probe->refused, true);
		xprt_rdma_count(probes_refused);
	} else if (wc->status != IB_WC_WR_FLUSH_ERR) {
		xprt_rdma_count(conns_vanished);
	}
	xprt_rdma_conn_lost(conn);
}

static void xprt_rdma_probe_post(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_probe *probe = &conn->r_xprt->probe;
	struct ib_rdma_wr wr = {
		.wr = {
			.wr_cqe		= &probe->cqe,
			.opcode		= IB_WR_RDMA_WRITE,
			.send_flags	= IB_SEND_SIGNALED,
		},
	};

	probe->since = jiffies;
	WRITE_ONCE(probe->posted, true);
	xprt_rdma_count(probes_sent);
	if (likely(!ib_post_send(conn->qp, &wr.wr, NULL)))
		return;
	WRITE_ONCE(probe->posted, false);
	xprt_rdma_conn_lost(conn);
}

/* Has any message arrived since the last look? */
static bool xprt_rdma_probe_heard(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_probe *probe = &conn->r_xprt->probe;
	u32 received = READ_ONCE(conn->received);
	bool heard = received != probe->received;

	probe->received = received;
	return heard;
}

static void xprt_rdma_probe_look(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma *r_xprt = conn->r_xprt;
	struct xprt_rdma_probe *probe = &r_xprt->probe;
	bool heard = xprt_rdma_probe_heard(conn);

	if (!READ_ONCE(probe->posted)) {
		/* A call has its place in the window until it is answered. */
		if (!heard && READ_ONCE(r_xprt->xprt.cong) &&
		    !READ_ONCE(probe->refused))
			xprt_rdma_probe_post(conn);
	} else if (heard) {
		probe->since = jiffies;
	} else if (time_after_eq(jiffies, probe->since + PROBE_TIMEOUT)) {
		xprt_rdma_count(conns_vanished);
		xprt_rdma_conn_lost(conn);
	}
}

/*
 * siw overlooks what arrives before it has taken over the socket, until more
 * arrives (see xprt_rdma_negotiate_wakeup()); in version 1 that can be a call.
 */
static unsigned long xprt_rdma_probe_interval(struct xprt_rdma_conn *conn)
{
	if (READ_ONCE(conn->received) ||
	    !rdma_protocol_iwarp(conn->device, conn->id->port_num))
		return PROBE_INTERVAL;
	return PROBE_FIRST;
}

/**
 * xprt_rdma_probe_work - look whether the server is still there
 * @work: the transport's
 *
 * Context: process; the connection stays until this has returned.
 */
void xprt_rdma_probe_work(struct work_struct *work)
{
	struct xprt_rdma *r_xprt =
		container_of(work, struct xprt_rdma, probe.work.work);

	xprt_rdma_probe_look(r_xprt->conn);
	if (READ_ONCE(r_xprt->conn->state) == XPRT_RDMA_CONNECTED)
		queue_delayed_work(xprtiod_workqueue, &r_xprt->probe.work,
				   xprt_rdma_probe_interval(r_xprt->conn));
}

/**
 * xprt_rdma_probe_start - begin to look after a new connection's server
 * @r_xprt: transport
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_probe_start(struct xprt_rdma *r_xprt)
{
	r_xprt->probe.cqe.done = xprt_rdma_wc_probe;
	r_xprt->probe.posted = false;
	r_xprt->probe.received = READ_ONCE(r_xprt->conn->received);
	queue_delayed_work(xprtiod_workqueue, &r_xprt->probe.work,
			   xprt_rdma_probe_interval(r_xprt->conn));
}

/**
 * xprt_rdma_probe_stop - stop to look after it
 * @r_xprt: transport
 *
 * A probe that is in flight completes when the Queue Pair is drained.
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_probe_stop(struct xprt_rdma *r_xprt)
{
	cancel_delayed_work_sync(&r_xprt->probe.work);
}
