// SPDX-License-Identifier: GPL-2.0-only
/*
 * Servers that have vanished while calls, or our first message, wait for replies.
 *
 * A Queue Pair detects the loss of its peer only by sending. Once all calls are
 * acknowledged the Send Queue is empty, and a server that stops silently would
 * not be noticed before the RPC timeout.
 *
 * Operation: while anything is outstanding, watch.c calls this every two
 * seconds; so does connect.c while our first message is unanswered. If a
 * message is owed and none has arrived since the last check, it posts a probe,
 * an RDMA Write of no bytes. Adapters of the InfiniBand family check neither
 * its handle nor any memory; every Queue Pair that a CM has set up accepts it,
 * whichever version is spoken; and neither RPC layer is involved. It completes
 * when the server's adapter has acknowledged it, with iWARP when it has been
 * passed to TCP. If it fails, or is still in flight PROBE_TIMEOUT after it was
 * posted or the last message has arrived, the connection is lost. That bound
 * does not depend on the adapter's retries, which may be endless.
 *
 * If a server's adapter refuses the probe, the connection is lost once, and the
 * transport posts no further probes.
 *
 * Alternatives: neither sunrpc nor the verbs have a keepalive. An RPC without
 * effect (NULL) would need a slot and a credit, which may all be taken, and
 * would test the RPC service instead of the adapter. watch.c reacts after a
 * minute, and never while only replies are awaited.
 *
 * Ownership: there is one probe at a time, with a Send Queue entry reserved for
 * it. It completes before the connection is freed, as the Send Queue is
 * drained.
 */

#include "../conn.h"
#include "../stats.h"
#include "../xprt.h"
#include "control.h"
#include "../verbs/verbs.h"

#include <trace/events/xprtrdma.h>

/* Time between checks, and how long a server may be silent before the probe */
#define PROBE_INTERVAL	(2U * HZ)
/* The same, until the first message of an iWARP server */
#define PROBE_FIRST	(HZ / 5)
/* How long a probe may take; six retries take 4 to 5 seconds on RoCE. */
#define PROBE_TIMEOUT	(10U * HZ)

/* The peer's adapter has answered: it does not accept such Writes. */
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
		xprt_rdma_life_blame(&conn->life, RPCRDMA_NL_LOST_VANISHED, 0);
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
 * Is a message owed? A call is in the congestion window until it is answered. On a
 * connection that is not usable yet, our first message is unanswered.
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
 * Context: process; xprt_rdma_watch_stop() waits for it, or the caller holds
 * XPRT_LOCKED, so the connection stays.
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
		xprt_rdma_life_blame(&conn->life, RPCRDMA_NL_LOST_VANISHED, 0);
		xprt_rdma_conn_lost(conn);
	}
}

/**
 * xprt_rdma_probe_begin - begin with a new connection
 * @r_xprt: transport without a connection
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_probe_begin(struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_probe *probe = &r_xprt->probe;

	probe->received = 0;
	probe->since = jiffies;
	/* The end of the last one may never have been reported. */
	probe->posted = false;
}

/**
 * xprt_rdma_probe_first - check a server that has not answered our first message
 * @conn: connection that is not usable yet
 *
 * If a message arrives after siw (siw_accept(), 6.12) has answered the connect
 * request and before it has set the socket's callbacks, siw does not process it
 * until more data arrives. A probe is enough: it needs no handle and no Receive.
 *
 * On other networks, a server that announces version 2 has much time to answer.
 * It may have closed the connection meanwhile, without us being told: the CM does
 * not repeat that message when its identifier has been destroyed. Then the probe
 * fails. Others have less time than a probe.
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
 * In version 1 the message that siw overlooks (see xprt_rdma_probe_first()) can
 * be a call.
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
