// SPDX-License-Identifier: GPL-2.0-only
/*
 * Outages of a transport, for the administrator: why its last connection ended,
 * how long a wanted connection has been missing, and how often connecting has
 * failed since then.
 *
 * An outage causes three kinds of messages in the kernel log: the connection is
 * lost, it still cannot be replaced (once a minute), it has been replaced.
 * Netlink shows the same at any time (netlink.c), and lists ended connections
 * and failed tries (core/report/ended.c).
 *
 * An idle transport needs no connection, so it is not down, whatever has ended
 * its last connection. A connection that the transport itself has closed is not
 * counted as lost.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ratelimit.h>

#include <rpcrdma/ended.h>

#include "../conn.h"
#include "../stats.h"
#include "../xprt.h"
#include "control.h"

/* Seconds between two messages about one outage */
#define SAY_INTERVAL	60

/*
 * Seconds without a try after which a new outage begins: a waiting task would
 * have tried again after 3 seconds.
 */
#define GIVEN_UP	60

static const char * const history_causes[] = {
	[RPCRDMA_NL_LOST_PEER]		= "closed by the server",
	[RPCRDMA_NL_LOST_DEVICE]	= "its device was removed",
	[RPCRDMA_NL_LOST_ADDRESS]	= "its address moved to another device",
	[RPCRDMA_NL_LOST_VANISHED]	= "the server's adapter does not answer",
	[RPCRDMA_NL_LOST_STALLED]	= "an adapter stands still",
	[RPCRDMA_NL_LOST_TIMEOUT]	= "a call was not answered in time",
	[RPCRDMA_NL_LOST_WORK]		= "a Work Request failed",
	[RPCRDMA_NL_LOST_PROTOCOL]	= "the server violated the protocol",
	[RPCRDMA_NL_LOST_OTHER]		= "a failure of this host",
};

static const char *xprt_rdma_history_cause(u32 cause)
{
	if (rpcrdma_cause_status(cause) == -ENETDOWN)
		return "its port is down";
	return history_causes[rpcrdma_cause_reason(cause)];
}

static const char *xprt_rdma_history_peer(const struct xprt_rdma *r_xprt)
{
	return r_xprt->xprt.address_strings[RPC_DISPLAY_ADDR];
}

static void xprt_rdma_history_note(const struct xprt_rdma *r_xprt,
				   struct rpcrdma_end *end)
{
	end->side = RPCRDMA_NL_SIDE_CLIENT;
	memcpy(&end->peer, &r_xprt->xprt.addr, sizeof(end->peer));
	rpcrdma_ended_note(r_xprt->xprt.xprt_net, end);
}

/**
 * xprt_rdma_history_ended - record the end of a connection that could be used
 * for calls
 * @r_xprt: transport
 * @conn: connection, whose resources still exist
 * @cause: why it ended, in the format of rpcrdma_cause()
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_history_ended(struct xprt_rdma *r_xprt,
			     const struct xprt_rdma_conn *conn, u32 cause)
{
	struct xprt_rdma_history *history = &r_xprt->history;
	enum rpcrdma_nl_lost reason = rpcrdma_cause_reason(cause);
	struct rpcrdma_end end = {
		.cause		= cause,
		.version	= conn->ver->number,
		.id		= r_xprt->shown.number,
		.calls		= conn->recvs.received,
	};

	history->ended = ktime_get_seconds();
	WRITE_ONCE(history->reason, reason);
	end.lasted = history->ended - conn->life.since;
	strscpy(end.device, conn->device->name, sizeof(end.device));
	xprt_rdma_history_note(r_xprt, &end);
	if (reason == RPCRDMA_NL_LOST_CLOSED)
		return;
	r_xprt->stats.lost_count++;
	xprt_rdma_count(disconnects);
	history->said = history->ended;
	pr_warn_ratelimited("connection to %s is lost, %s: the next call connects again\n",
			    xprt_rdma_history_peer(r_xprt),
			    xprt_rdma_history_cause(cause));
}

/**
 * xprt_rdma_history_wanted - record that a task waits for a connection
 * @r_xprt: transport without a connection
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_history_wanted(struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_history *history = &r_xprt->history;
	time64_t now = ktime_get_seconds();

	if (history->down &&
	    now <= max(history->down, history->tried) + GIVEN_UP)
		return;
	history->tries = 0;
	WRITE_ONCE(history->down, now);
}

/**
 * xprt_rdma_history_failed - record a failed try to connect
 * @r_xprt: transport
 * @error: negative errno
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_history_failed(struct xprt_rdma *r_xprt, int error)
{
	struct xprt_rdma_history *history = &r_xprt->history;
	time64_t now = ktime_get_seconds();
	struct rpcrdma_end end = {
		.cause = error == -ECONNREFUSED ?
			rpcrdma_cause(RPCRDMA_NL_LOST_REFUSED,
				      RPCRDMA_NL_DETAIL_CONNECT, 0) :
			rpcrdma_cause_errno(RPCRDMA_NL_DETAIL_CONNECT, error),
	};

	history->error = error;
	history->tries++;
	history->tried = now;
	xprt_rdma_history_note(r_xprt, &end);
	if (now < max(history->down, history->said) + SAY_INTERVAL)
		return;
	history->said = now;
	pr_warn_ratelimited("no connection to %s for %lld s: %u attempts have failed, the last with %pe; see rpcrdmactl doctor\n",
			    xprt_rdma_history_peer(r_xprt),
			    now - history->down, history->tries,
			    ERR_PTR(error));
}

/**
 * xprt_rdma_history_connected - record that there is a connection again
 * @r_xprt: transport
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_history_connected(struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_history *history = &r_xprt->history;

	if (history->said)
		pr_info_ratelimited("connected to %s again; it took %lld s and %u failed attempts\n",
				    xprt_rdma_history_peer(r_xprt),
				    ktime_get_seconds() - history->down,
				    history->tries);
	history->said = 0;
	history->tries = 0;
	WRITE_ONCE(history->down, 0);
}
