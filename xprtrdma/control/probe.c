// SPDX-License-Identifier: GPL-2.0-only
/*
 * Detect a server that has vanished while calls, or our first message, wait for
 * replies.
 *
 * A Queue Pair detects the loss of its peer only by sending. Once all calls are
 * acknowledged the Send Queue is empty, and a server that stops silently would
 * not be noticed before the RPC timeout.
 *
 * Operation: watch.c checks the server every two seconds while anything is
 * outstanding, as does connect.c while our first message is unanswered. If a
 * message is expected and none has arrived since the last check, a probe is
 * posted: an RDMA Write of no bytes. Adapters of the InfiniBand family check
 * neither its handle nor any memory. Every Queue Pair that a CM has set up
 * accepts it, with either version. Neither RPC layer is involved. The probe
 * completes when the server's adapter has acknowledged it or, with iWARP, when
 * it was passed to TCP. The connection is lost if the probe fails, or if it is
 * still in flight PROBE_TIMEOUT after it was posted and after the last message
 * arrived. That bound does not depend on the adapter's retries, which may be
 * endless.
 *
 * If a server's adapter refuses a probe, the connection is lost, and the
 * transport posts no further probes.
 *
 * Alternatives: neither sunrpc nor the verbs have a keepalive. An RPC without
 * effect (NULL) would need a slot and a credit, which may all be taken, and
 * would test the RPC service instead of the adapter. watch.c reacts after a
 * minute, and not at all if tasks only wait for replies.
 *
 * Ownership: there is one probe at a time, with a Send Queue entry reserved for
 * it. The probe completes before the connection is freed, because the Send
 * Queue is drained.
 */

#include "../conn.h"
#include "../stats.h"
#include "../xprt.h"
#include "control.h"
#include "../verbs/verbs.h"

#include <trace/events/xprtrdma.h>

/* Time between checks, and how long a server may be silent before a probe is posted */
#define PROBE_INTERVAL	(2U * HZ)
/* The same, until the first message of an iWARP server arrives */
#define PROBE_FIRST	(HZ / 5)
/* Time limit of a probe; six retries take 4 to 5 seconds on RoCE. */
#define PROBE_TIMEOUT	(10U * HZ)

/* Has the peer's adapter answered that it does not accept such Writes? */
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
	} else if (wc->status != IB_WC_WR_FLUSH_ERR) {
		xprt_rdma_count(conns_vanished);
		xprt_rdma_life_blame(&conn->life,
				     RPCRDMA_CAUSE(VANISHED, NONE));
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

	probe->cqe.done = xprt_rdma_wc_probe;
	probe->since = jiffies;
	WRITE_ONCE(probe->posted, true);
	if (likely(!ib_post_send(conn->qp, &wr.wr, NULL)))
		return;
	WRITE_ONCE(probe->posted, false);
	xprt_rdma_conn_lost(conn);
}

/*
 * Is a message expected? A call is in the congestion window until it is
 * answered. On a connection that is not usable yet, our first message is
 * unanswered.
 */
static bool xprt_rdma_probe_is_owed(const struct xprt_rdma_conn *conn)
{
	return READ_ONCE(conn->r_xprt->xprt.cong) ||
	       READ_ONCE(conn->life.state) < XPRT_RDMA_CONNECTED;
}

/**
 * xprt_rdma_probe_check - check whether the server is still there
 * @conn: established connection
 *
 * Context: process; xprt_rdma_watch_stop() waits for this function, or the
 * caller holds XPRT_LOCKED, so the connection exists.
 */
void xprt_rdma_probe_check(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma *r_xprt = conn->r_xprt;
	struct xprt_rdma_probe *probe = &r_xprt->probe;
	u32 received = READ_ONCE(conn->recvs.received);
	bool heard = received != probe->received;

	probe->received = received;
	if (!READ_ONCE(probe->posted)) {
		if (!heard && xprt_rdma_probe_is_owed(conn) &&
		    !READ_ONCE(probe->refused)) {
			xprt_rdma_count(probes_sent);
			xprt_rdma_probe_post(conn);
		}
	} else if (heard) {
		probe->since = jiffies;
	} else if (time_after_eq(jiffies, probe->since + PROBE_TIMEOUT)) {
		xprt_rdma_count(conns_vanished);
		xprt_rdma_life_blame(&conn->life,
				     RPCRDMA_CAUSE(VANISHED, NONE));
		xprt_rdma_conn_lost(conn);
	}
}

/**
 * xprt_rdma_probe_begin - reset the probe for a new connection
 * @r_xprt: transport without a connection
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_probe_begin(struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_probe *probe = &r_xprt->probe;

	probe->received = 0;
	probe->since = jiffies;
	/* The completion of the last probe may never have been reported. */
	probe->posted = false;
}

/**
 * xprt_rdma_probe_first - check a server that has not answered our first message
 * @conn: connection that is not usable yet
 *
 * siw (siw_accept(), 6.12) answers a connect request before it sets the
 * socket's callbacks. If our message arrives in between, siw does not process
 * it until more data arrives. A probe is enough: it needs no handle and no
 * Receive.
 *
 * On other networks, only a server that announces version 2 is checked, because
 * it has much time to answer. Meanwhile it may have closed the connection
 * without our knowledge, because the CM does not repeat a disconnect request
 * whose identifier was destroyed. Then the probe fails. Other servers have less
 * time to answer than a probe may take.
 *
 * Context: process; the caller holds XPRT_LOCKED, and watch.c does not run.
 */
void xprt_rdma_probe_first(struct xprt_rdma_conn *conn)
{
	if ((conn->peer.hint == RPCRDMA_HINT_V2 ||
	     rdma_protocol_iwarp(conn->device, conn->id->port_num)) &&
	    time_after_eq(jiffies, conn->r_xprt->probe.since +
				   xprt_rdma_probe_interval(conn)))
		xprt_rdma_probe_check(conn);
}

/**
 * xprt_rdma_probe_interval - time until the next check
 * @conn: connection
 *
 * An iWARP connection is checked sooner at first: in version 1 the message that
 * siw overlooks (see xprt_rdma_probe_first()) can be a call.
 *
 * Context: process.
 * Return: jiffies.
 */
unsigned long xprt_rdma_probe_interval(struct xprt_rdma_conn *conn)
{
	if (READ_ONCE(conn->recvs.received) ||
	    !rdma_protocol_iwarp(conn->device, conn->id->port_num))
		return PROBE_INTERVAL;
	return PROBE_FIRST;
}
