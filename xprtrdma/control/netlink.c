// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink attributes of a client transport (Documentation/abi/netlink.rst).
 * core/report/family.c creates the dumps.
 *
 * Ownership: a transport is hidden before any part of it is freed. Its
 * connection belongs to the holder of XPRT_LOCKED, who takes conn_lock to
 * remove it; so the connection is read under conn_lock. The numbers may change
 * while they are read; each number is correct by itself.
 */

#include <linux/lockdep.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include <rpcrdma/netlink_put.h>

#include "../conn.h"
#include "../stats.h"
#include "../xprt.h"
#include "control.h"
#include "../version/version.h"

static enum rpcrdma_nl_state
xprt_rdma_netlink_state(enum xprt_rdma_state state)
{
	if (state < XPRT_RDMA_NEGOTIATING)
		return RPCRDMA_NL_STATE_CONNECTING;
	if (state < XPRT_RDMA_CONNECTED)
		return RPCRDMA_NL_STATE_NEGOTIATING;
	return state == XPRT_RDMA_CONNECTED ? RPCRDMA_NL_STATE_CONNECTED :
					      RPCRDMA_NL_STATE_CLOSING;
}

static int xprt_rdma_netlink_put_limits(struct sk_buff *skb,
					const struct xprt_rdma_conn *conn)
{
	const struct rpcrdma_nl_number limits[] = {
		{ RPCRDMA_NL_AGE, ktime_get_seconds() - conn->life.since },
		{ RPCRDMA_NL_CREDITS_MAX, conn->credits.max },
		{ RPCRDMA_NL_CREDITS_GRANTED, READ_ONCE(conn->credits.granted) },
		{ RPCRDMA_NL_INLINE_SEND, READ_ONCE(conn->sizes.inline_send) },
		{ RPCRDMA_NL_INLINE_RECV, READ_ONCE(conn->sizes.inline_recv) },
		{ RPCRDMA_NL_READS_MAX, conn->peer.no_own_reads ? 0 : conn->peer.ord },
		{ RPCRDMA_NL_PEER_READS_MAX,
		  conn->peer.no_reads ? 0 : conn->peer.ird },
		{ RPCRDMA_NL_SQ_SIZE, conn->sq.size },
		{ RPCRDMA_NL_SQ_FREE, atomic_read(&conn->sq.avail) },
		{ RPCRDMA_NL_TRAFFIC_CLASS, conn->peer.traffic_class },
		{ RPCRDMA_NL_REMOTE_INVALIDATION, READ_ONCE(conn->peer.remote_inv) },
		{ RPCRDMA_NL_READ_REPLIES,
		  conn->fetches.replies && !READ_ONCE(conn->peer.no_own_reads) },
		{ RPCRDMA_NL_REG_COUNT, READ_ONCE(conn->mrs.count) },
		{ RPCRDMA_NL_REG_BUSY, READ_ONCE(conn->mrs.busy) },
		/* Each region in use has a Send Queue entry for its invalidation. */
		{ RPCRDMA_NL_REG_MAX, conn->sq.size },
		{ RPCRDMA_NL_REG_PAGES, conn->mrs.depth },
		{ RPCRDMA_NL_MEM_RECEIVES, READ_ONCE(conn->recvs.bytes) },
	};

	return rpcrdma_nl_put(skb, limits, ARRAY_SIZE(limits));
}

static int xprt_rdma_netlink_put_conn_locked(struct sk_buff *skb,
					     const struct xprt_rdma_conn *conn)
{
	/* Pairs with xprt_rdma_conn_change_state(). */
	u32 state = xprt_rdma_netlink_state(smp_load_acquire(&conn->life.state));
	const struct xprt_rdma_version *ver = READ_ONCE(conn->ver);
	const struct rpcrdma_nl_number numbers[] = {
		{ RPCRDMA_NL_STATE, state },
		{ RPCRDMA_NL_RPCRDMA_VERSION, ver ? ver->number : 0 },
		{ RPCRDMA_NL_VERSION_REASON,
		  ver ? conn->offer.reason : RPCRDMA_NL_REASON_NONE },
		{ RPCRDMA_NL_PEER_HINT, conn->peer.hint },
	};

	lockdep_assert_held(&conn->r_xprt->conn_lock);
	if (rpcrdma_nl_put(skb, numbers, ARRAY_SIZE(numbers)))
		return -EMSGSIZE;
	/* The other attributes are not set in earlier states. */
	if (state != RPCRDMA_NL_STATE_CONNECTED)
		return 0;
	if (ver->has_props &&
	    (rpcrdma_nl_put_props(skb, RPCRDMA_NL_OWN_PROPS,
				  &conn->properties.own) ||
	     rpcrdma_nl_put_props(skb, RPCRDMA_NL_PEER_PROPS,
				  &conn->peer.props)))
		return -EMSGSIZE;
	return nla_put_string(skb, RPCRDMA_NL_DEVICE,
			      dev_name(&conn->device->dev)) ?:
	       xprt_rdma_netlink_put_limits(skb, conn) ?:
	       rpcrdma_nl_put_path(skb, &conn->peer.path);
}

static int xprt_rdma_netlink_put_counters(struct sk_buff *skb,
					  const struct xprt_rdma *r_xprt)
{
	const struct xprt_rdma_stats *s = &r_xprt->stats;
	const struct rpcrdma_nl_number counters[] = {
		{ RPCRDMA_NL_COUNT_CALLS, r_xprt->xprt.stat.sends },
		{ RPCRDMA_NL_COUNT_READ_CALLS, s->read_call_count },
		{ RPCRDMA_NL_COUNT_LONG_CALLS, s->nomsg_call_count },
		{ RPCRDMA_NL_COUNT_WRITE_CALLS, s->write_call_count },
		{ RPCRDMA_NL_COUNT_REPLY_CALLS, s->reply_call_count },
		{ RPCRDMA_NL_COUNT_READ_REPLIES, s->read_reply_count },
		{ RPCRDMA_NL_COUNT_REPLY_BYTES, s->total_rdma_reply },
		{ RPCRDMA_NL_COUNT_ERRORS, s->failed_marshal_count },
	};

	return rpcrdma_nl_put(skb, counters, ARRAY_SIZE(counters));
}

/*
 * When the current outage began, or 0. If no call waits any more (its task was
 * killed, or has timed out), the outage is over: nothing connects before the
 * next call.
 */
static time64_t xprt_rdma_netlink_down(const struct xprt_rdma *r_xprt)
{
	if (RB_EMPTY_ROOT(&r_xprt->xprt.recv_queue) &&
	    !test_bit(XPRT_CONNECTING, &r_xprt->xprt.state))
		return 0;
	return READ_ONCE(r_xprt->history.down);
}

static int xprt_rdma_netlink_put_history(struct sk_buff *skb,
					 const struct xprt_rdma *r_xprt)
{
	const struct xprt_rdma_history *history = &r_xprt->history;
	time64_t now = ktime_get_seconds(), down = xprt_rdma_netlink_down(r_xprt);
	u32 reason = READ_ONCE(history->reason);
	const struct rpcrdma_nl_number numbers[] = {
		{ RPCRDMA_NL_HISTORY_CONNECTS,
		  r_xprt->xprt.stat.connect_count },
		{ RPCRDMA_NL_HISTORY_FAILURES, history->failures },
		{ RPCRDMA_NL_HISTORY_LOST, r_xprt->stats.lost_count },
		{ RPCRDMA_NL_HISTORY_ERROR, history->error },
		{ RPCRDMA_NL_HISTORY_TRIES, down ? history->tries : 0 },
		{ RPCRDMA_NL_HISTORY_REASON, reason },
		{ reason ? RPCRDMA_NL_HISTORY_SINCE : 0, now - history->ended },
		{ down ? RPCRDMA_NL_HISTORY_DOWN : 0, now - down },
	};

	return rpcrdma_nl_put(skb, numbers, ARRAY_SIZE(numbers));
}

/**
 * xprt_rdma_netlink_put - append the attributes of a transport to a dump
 * @skb: message
 * @entry: entry of the transport
 *
 * Context: process; the transport is in the list that netlink shows.
 * Return: see rpcrdma_nl_put_fn.
 */
int xprt_rdma_netlink_put(struct sk_buff *skb, struct rpcrdma_nl_entry *entry)
{
	struct xprt_rdma *r_xprt = container_of(entry, struct xprt_rdma, shown);
	const struct rpc_xprt *xprt = &r_xprt->xprt;
	u32 age = 0, stage = xprt_rdma_oldest(r_xprt, &age);
	const struct rpcrdma_nl_number numbers[] = {
		{ RPCRDMA_NL_SIDE, RPCRDMA_NL_SIDE_CLIENT },
		{ RPCRDMA_NL_ID, entry->number },
		{ RPCRDMA_NL_CREDITS_USED, READ_ONCE(xprt->cong) >> RPC_CWNDSHIFT },
		{ stage ? RPCRDMA_NL_CALL_AGE : 0, age },
		{ stage ? RPCRDMA_NL_CALL_STAGE : 0, stage },
	};
	const struct rpcrdma_nl_number none = {
		RPCRDMA_NL_STATE, RPCRDMA_NL_STATE_NONE
	};
	int rc;

	if (!net_eq(xprt->xprt_net, sock_net(skb->sk)))
		return -ENODATA;
	if (rpcrdma_nl_put(skb, numbers, ARRAY_SIZE(numbers)) ||
	    rpcrdma_nl_put_address(skb, RPCRDMA_NL_PEER,
				   (const struct sockaddr *)&xprt->addr) ||
	    xprt_rdma_netlink_put_counters(skb, r_xprt) ||
	    xprt_rdma_netlink_put_history(skb, r_xprt))
		return -EMSGSIZE;
	spin_lock(&r_xprt->conn_lock);
	if (r_xprt->conn)
		rc = xprt_rdma_netlink_put_conn_locked(skb, r_xprt->conn);
	else
		rc = rpcrdma_nl_put(skb, &none, 1);
	spin_unlock(&r_xprt->conn_lock);
	return rc;
}
