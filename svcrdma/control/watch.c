// SPDX-License-Identifier: GPL-2.0-only
/*
 * Periodic check of a connection: established in time, Send Queue advancing,
 * requester still there.
 *
 * Operation: a work item checks the connection once every keepalive period. If
 * Work Requests were in the Send Queue at the last check, and none has
 * completed since, the connection is closed. The adapter's retry limits are no
 * substitute: the CM takes the retry count from the requester's REQ, where 7
 * means endless to some adapters, and receiver-not-ready (RNR) retries are
 * endless if the requester asks for that.
 *
 * The protocol has no keepalive (RFC 5666 section 3.3). If no message has
 * arrived for a period, and nothing else is in the Send Queue, a zero-length
 * RDMA Write is posted as a probe. It needs no handle, and neither the
 * requester nor sunrpc notices it, but it completes only if the requester's
 * adapter acknowledges it. Like any other Work Request, it must complete within
 * one period.
 *
 * A probe is also posted if there are unsignaled Sends, and nothing has
 * completed since the last check. Unsignaled Sends complete with the probe, so
 * watching the probe is sufficient (message/send_post.c).
 *
 * A Queue Pair event that ends the connection starts the check immediately, and
 * the check closes the connection.
 *
 * Ownership: svc_rdma_watch_stop() is called before the Queue Pair is
 * destroyed; Queue Pair events have no effect after that. The probe is flushed
 * with the Queue Pair.
 */

#include "../limits.h"
#include "../message/message.h"
#include "../tunables.h"
#include "../verbs/verbs.h"
#include "control.h"
#include <trace/events/svcrdma.h>

#include "../verbs/wc.h"

/* Time after the CM reply within which a connection must be established */
#define SVC_RDMA_ESTABLISH_TIMEOUT	(30 * HZ)

/* Longest interval between checks, in which the Send Queue must advance */
#define SVC_RDMA_WATCH_MAX		(30UL * HZ)

static void svc_rdma_probe_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct svc_rdma_conn *conn = cq->cq_context;
	u32 entries = 1 + conn->watch.before.count;

	svc_rdma_unsignaled_done(&conn->watch.before);
	if (likely(wc->status == IB_WC_SUCCESS)) {
		WRITE_ONCE(conn->watch.probing, false);
		/* After this, the Send Queue may be idle, and probed again. */
		svc_rdma_sq_give(conn, entries);
		return;
	}
	svc_rdma_conn_close(conn, svc_rdma_wc_cause(RPCRDMA_NL_DETAIL_PROBE,
						    wc->status));
}

/* Post the probe. Entries were taken for the maximum of unsignaled Sends. */
static int svc_rdma_probe_ready(struct svc_rdma_sq_wait *wait)
{
	struct svc_rdma_conn *conn =
		container_of(wait, struct svc_rdma_conn, watch.wait);
	struct svc_rdma_unsignaled *before = &conn->watch.before;
	struct ib_rdma_wr wr = {
		.wr = {
			.wr_cqe		= &conn->watch.cqe,
			.opcode		= IB_WR_RDMA_WRITE,
			.send_flags	= IB_SEND_SIGNALED,
		},
	};

	svc_rdma_unsignaled_take(conn, before);
	svc_rdma_unsignaled_covered(conn, before);
	svc_rdma_sq_give(conn, SVC_RDMA_UNSIGNALED - before->count);
	svc_rdma_count(probes_sent);
	return svc_rdma_post(conn, &wr.wr, RPCRDMA_NL_DETAIL_PROBE);
}

/* The caller has found the Send Queue idle, so no other probe is in flight. */
static void svc_rdma_probe(struct svc_rdma_conn *conn)
{
	struct svc_rdma_watch *watch = &conn->watch;

	watch->heard = jiffies;
	WRITE_ONCE(watch->probing, true);
	watch->wait.entries = 1 + SVC_RDMA_UNSIGNALED;
	watch->wait.ready = svc_rdma_probe_ready;
	svc_rdma_sq_queue(conn, &watch->wait);
}

/* Has a whole keepalive period passed without a message? */
static bool svc_rdma_watch_silent(struct svc_rdma_conn *conn)
{
	unsigned long keepalive = READ_ONCE(svc_rdma_keepalive) * HZ;
	u64 messages = READ_ONCE(conn->traffic.messages);

	if (messages != conn->watch.messages) {
		conn->watch.messages = messages;
		conn->watch.heard = jiffies;
	}
	return keepalive && jiffies - conn->watch.heard >= keepalive;
}

static void svc_rdma_watch_open(struct svc_rdma_conn *conn)
{
	struct svc_rdma_watch *watch = &conn->watch;
	bool busy, stuck, silent;
	u32 returned;

	/* Has no Work Request completed for a whole period? */
	busy = svc_rdma_sq_busy(conn, &returned);
	stuck = returned == watch->returned;
	if (stuck && busy && watch->busy) {
		svc_rdma_conn_close(conn, READ_ONCE(watch->probing) ?
						  RPCRDMA_CAUSE(VANISHED, PROBE) :
						  RPCRDMA_CAUSE(STALLED, NONE));
		return;
	}
	/*
	 * Unsignaled Sends do not make the Send Queue busy. In an idle Send
	 * Queue, only a probe shows whether they complete; in a busy one, the
	 * signaled Work Requests do.
	 */
	silent = svc_rdma_watch_silent(conn);
	if (!busy &&
	    (silent || (stuck && !llist_empty(&conn->sends.unsignaled))))
		svc_rdma_probe(conn);
	watch->busy = svc_rdma_sq_busy(conn, &watch->returned);
	svc_rdma_stash_trim(conn);
	svc_rdma_sends_trim(conn);
}

static void svc_rdma_watch_rearm(struct svc_rdma_conn *conn)
{
	unsigned long period = READ_ONCE(svc_rdma_keepalive) * HZ;

	queue_delayed_work(svc_rdma_wq, &conn->watch.work,
			   min_not_zero(period, SVC_RDMA_WATCH_MAX));
}

static void svc_rdma_watch_work(struct work_struct *work)
{
	struct svc_rdma_conn *conn =
		container_of(work, struct svc_rdma_conn, watch.work.work);

	/* A Queue Pair event has recorded a cause (conn_events.c). */
	if (READ_ONCE(conn->life.cause) && !svc_rdma_conn_closing(conn))
		svc_rdma_conn_close(conn, RPCRDMA_CAUSE_UNKNOWN);
	switch (atomic_read(&conn->life.state)) {
	case SVC_RDMA_OPEN:
		svc_rdma_watch_open(conn);
		break;
	case SVC_RDMA_CLOSING:
		return;
	default:
		if (time_before(jiffies, conn->watch.heard +
					 SVC_RDMA_ESTABLISH_TIMEOUT))
			break;
		svc_rdma_conn_close(conn, RPCRDMA_CAUSE(VANISHED, CONNECT));
	}
	if (!svc_rdma_conn_closing(conn))
		svc_rdma_watch_rearm(conn);
}

/**
 * svc_rdma_watch_init - initialize the periodic check of a connection
 * @conn: new connection
 *
 * Context: any.
 */
void svc_rdma_watch_init(struct svc_rdma_conn *conn)
{
	conn->watch.cqe.done = svc_rdma_probe_done;
	INIT_DELAYED_WORK(&conn->watch.work, svc_rdma_watch_work);
}

/**
 * svc_rdma_watch_start - start watching a connection
 * @conn: connection that was just accepted
 *
 * Context: any.
 */
void svc_rdma_watch_start(struct svc_rdma_conn *conn)
{
	conn->watch.heard = jiffies;
	svc_rdma_watch_rearm(conn);
}

/**
 * svc_rdma_watch_stop - stop watching a connection permanently
 * @conn: connection, whether it was watched or not
 *
 * Context: process; waits for a check in progress.
 */
void svc_rdma_watch_stop(struct svc_rdma_conn *conn)
{
	disable_delayed_work_sync(&conn->watch.work);
}
