// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family rpcrdma-client: dumps of the transports of a
 * network namespace, and of what has ended (Documentation/abi/netlink.rst).
 *
 * Operation: transports are in a list, in the order of their numbers. A dump
 * continues behind the number of the last transport that had room, so
 * transports that come and go meanwhile do not disturb it.
 *
 * Ownership: a transport is removed from the list before anything of it is
 * freed. Its connection belongs to the holder of XPRT_LOCKED; it is looked at
 * under conn_lock, without which it cannot go. Its numbers are read while they
 * change; each is correct by itself.
 *
 * The end of a transport waits for the mutex. A dump holds it while it writes
 * to a message that exists, and neither allocates nor waits for I/O.
 */

#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include <rpcrdma/ended.h>
#include <rpcrdma/netlink_put.h>

#include "../conn.h"
#include "../stats.h"
#include "../xprt.h"
#include "control.h"
#include "../version/version.h"

static DEFINE_MUTEX(xprts_mutex);
static LIST_HEAD(xprts);
static u32 xprts_last;

static struct genl_family xprt_rdma_nl_family;

static const enum rpcrdma_nl_state nl_states[] = {
	[XPRT_RDMA_RESOLVING]	= RPCRDMA_NL_STATE_CONNECTING,
	[XPRT_RDMA_RESOLVED]	= RPCRDMA_NL_STATE_CONNECTING,
	[XPRT_RDMA_NEGOTIATING]	= RPCRDMA_NL_STATE_NEGOTIATING,
	[XPRT_RDMA_CONFIGURING]	= RPCRDMA_NL_STATE_NEGOTIATING,
	[XPRT_RDMA_CONNECTED]	= RPCRDMA_NL_STATE_CONNECTED,
	[XPRT_RDMA_FAILED]	= RPCRDMA_NL_STATE_CLOSING,
	[XPRT_RDMA_CLOSING]	= RPCRDMA_NL_STATE_CLOSING,
};

static enum rpcrdma_nl_reason
xprt_rdma_netlink_reason(const struct xprt_rdma_conn *conn,
			 const struct xprt_rdma_version *ver)
{
	enum rpcrdma_hint hint = conn->peer.hint;

	if (!ver)
		return RPCRDMA_NL_REASON_NONE;
	if (ver->number != RPCRDMA_VERSION_1)
		return hint == RPCRDMA_HINT_V2 ? RPCRDMA_NL_REASON_HINT :
						 RPCRDMA_NL_REASON_OFFER;
	/* Version 1, although this client has version 2 */
	if (conn->offer.refused)
		return RPCRDMA_NL_REASON_REFUSED;
	if (conn->offer.mode != XPRT_RDMA_NEGOTIATE_OFF &&
	    hint != RPCRDMA_HINT_NONE)
		return RPCRDMA_NL_REASON_HINT;
	return conn->offer.withheld ? RPCRDMA_NL_REASON_UNANSWERED :
				      RPCRDMA_NL_REASON_TUNABLE;
}

static int xprt_rdma_netlink_put_props(struct sk_buff *skb,
				       const struct xprt_rdma_conn *conn)
{
	struct rpcrdma_props ours;

	xprt_rdma_props_own(conn, &ours);
	return rpcrdma_nl_put_props(skb, RPCRDMA_NL_OWN_PROPS, &ours) ?:
	       rpcrdma_nl_put_props(skb, RPCRDMA_NL_PEER_PROPS, &conn->peer.props);
}

static int xprt_rdma_netlink_put_regions(struct sk_buff *skb,
					 const struct xprt_rdma_conn *conn)
{
	const struct rpcrdma_nl_u32 regions[] = {
		{ RPCRDMA_NL_REG_COUNT, READ_ONCE(conn->mrs.count) },
		{ RPCRDMA_NL_REG_BUSY, READ_ONCE(conn->mrs.busy) },
		{ RPCRDMA_NL_REG_MAX, conn->mrs.max },
		{ RPCRDMA_NL_REG_PAGES, conn->mrs.depth },
	};
	const struct rpcrdma_nl_u64 memory[] = {
		{ RPCRDMA_NL_MEM_RECEIVES, READ_ONCE(conn->recvs.bytes) },
	};

	return rpcrdma_nl_nest_u32s(skb, RPCRDMA_NL_REGISTRATIONS, regions,
				    ARRAY_SIZE(regions)) ?:
	       rpcrdma_nl_nest_u64s(skb, RPCRDMA_NL_MEMORY, memory,
				    ARRAY_SIZE(memory), RPCRDMA_NL_MEM_PAD);
}

static int xprt_rdma_netlink_put_limits(struct sk_buff *skb,
					const struct xprt_rdma_conn *conn)
{
	const struct rpcrdma_nl_u32 limits[] = {
		{ RPCRDMA_NL_CREDITS_MAX, conn->credits.max },
		{ RPCRDMA_NL_CREDITS_GRANTED, READ_ONCE(conn->credits.granted) },
		{ RPCRDMA_NL_INLINE_SEND, READ_ONCE(conn->sizes.inline_send) },
		{ RPCRDMA_NL_INLINE_RECV, READ_ONCE(conn->sizes.inline_recv) },
		{ RPCRDMA_NL_READS_MAX, conn->peer.no_own_reads ? 0 : conn->peer.ord },
		{ RPCRDMA_NL_PEER_READS_MAX,
		  conn->peer.no_reads ? 0 : conn->peer.ird },
		{ RPCRDMA_NL_SQ_SIZE, conn->sq.size },
		{ RPCRDMA_NL_RECEIVES, READ_ONCE(conn->recvs.count) },
		{ RPCRDMA_NL_TRAFFIC_CLASS, conn->peer.traffic_class },
	};

	if (rpcrdma_nl_put_u32s(skb, limits, ARRAY_SIZE(limits)) ||
	    nla_put_s32(skb, RPCRDMA_NL_SQ_FREE,
			atomic_read(&conn->sq.avail)) ||
	    nla_put_u8(skb, RPCRDMA_NL_REMOTE_INVALIDATION,
		       READ_ONCE(conn->peer.remote_inv)) ||
	    nla_put_u8(skb, RPCRDMA_NL_READ_REPLIES,
		       conn->fetches.replies &&
		       !READ_ONCE(conn->peer.no_own_reads)))
		return -EMSGSIZE;
	return 0;
}

/* The caller holds conn_lock. */
static int xprt_rdma_netlink_put_conn_locked(struct sk_buff *skb,
					     const struct xprt_rdma_conn *conn)
{
	const struct xprt_rdma_version *ver;
	enum rpcrdma_nl_state state;

	lockdep_assert_held(&conn->r_xprt->conn_lock);
	/* Pairs with xprt_rdma_conn_change_state(). */
	state = nl_states[smp_load_acquire(&conn->life.state)];
	ver = READ_ONCE(conn->ver);
	if (nla_put_u32(skb, RPCRDMA_NL_STATE, state) ||
	    nla_put_u32(skb, RPCRDMA_NL_RPCRDMA_VERSION,
			ver ? ver->number : 0) ||
	    nla_put_u32(skb, RPCRDMA_NL_VERSION_REASON,
			xprt_rdma_netlink_reason(conn, ver)) ||
	    nla_put_u32(skb, RPCRDMA_NL_PEER_HINT, conn->peer.hint))
		return -EMSGSIZE;
	/* The rest is not set before. */
	if (state != RPCRDMA_NL_STATE_CONNECTED)
		return 0;
	if (nla_put_string(skb, RPCRDMA_NL_DEVICE,
			   dev_name(&conn->device->dev)) ||
	    nla_put_u32(skb, RPCRDMA_NL_AGE, ktime_get_seconds() - conn->life.since))
		return -EMSGSIZE;
	if (ver->has_props && xprt_rdma_netlink_put_props(skb, conn))
		return -EMSGSIZE;
	return xprt_rdma_netlink_put_limits(skb, conn) ?:
	       rpcrdma_nl_put_path(skb, &conn->peer.path) ?:
	       xprt_rdma_netlink_put_regions(skb, conn);
}

static int xprt_rdma_netlink_put_counters(struct sk_buff *skb,
					  const struct xprt_rdma *r_xprt)
{
	const struct xprt_rdma_stats *s = &r_xprt->stats;
	const struct rpcrdma_nl_u64 counters[] = {
		{ RPCRDMA_NL_COUNT_CALLS, r_xprt->xprt.stat.sends },
		{ RPCRDMA_NL_COUNT_REPLIES, r_xprt->xprt.stat.recvs },
		{ RPCRDMA_NL_COUNT_READ_CALLS, s->read_call_count },
		{ RPCRDMA_NL_COUNT_LONG_CALLS, s->nomsg_call_count },
		{ RPCRDMA_NL_COUNT_WRITE_CALLS, s->write_call_count },
		{ RPCRDMA_NL_COUNT_REPLY_CALLS, s->reply_call_count },
		{ RPCRDMA_NL_COUNT_READ_REPLIES, s->read_reply_count },
		{ RPCRDMA_NL_COUNT_READ_SEGMENTS, s->read_chunk_count },
		{ RPCRDMA_NL_COUNT_WRITE_SEGMENTS, s->write_chunk_count },
		{ RPCRDMA_NL_COUNT_REPLY_SEGMENTS, s->reply_chunk_count },
		{ RPCRDMA_NL_COUNT_REPLY_BYTES, s->total_rdma_reply },
		{ RPCRDMA_NL_COUNT_CALL_COPIED, s->pullup_copy_count },
		{ RPCRDMA_NL_COUNT_REPLY_COPIED, s->fixup_copy_count },
		{ RPCRDMA_NL_COUNT_ERRORS, s->failed_marshal_count },
		{ RPCRDMA_NL_COUNT_BAD_REPLIES, s->bad_reply_count },
		{ RPCRDMA_NL_COUNT_RESENT, s->resent_count },
		{ RPCRDMA_NL_COUNT_WAITS, s->empty_sendctx_q },
		{ RPCRDMA_NL_COUNT_REGISTERED, s->mrs_allocated },
		{ RPCRDMA_NL_COUNT_INVALIDATED, s->local_inv_needed },
		{ RPCRDMA_NL_COUNT_RECYCLED, s->mrs_recycled },
		{ RPCRDMA_NL_COUNT_CALLBACKS, s->bcall_count },
	};

	return rpcrdma_nl_nest_u64s(skb, RPCRDMA_NL_COUNTERS, counters,
				    ARRAY_SIZE(counters), RPCRDMA_NL_COUNT_PAD);
}

/*
 * Since when a connection is wanted and there is none, or 0. The last task that
 * waited may have been killed, or have timed out: nothing connects again before
 * the next call.
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
	const struct rpcrdma_nl_u64 numbers[] = {
		{ RPCRDMA_NL_HISTORY_CONNECTS,
		  r_xprt->xprt.stat.connect_count },
		{ RPCRDMA_NL_HISTORY_FAILURES, history->failures },
		{ RPCRDMA_NL_HISTORY_LOST, r_xprt->stats.lost_count },
	};
	time64_t down = xprt_rdma_netlink_down(r_xprt);
	enum rpcrdma_nl_lost reason = READ_ONCE(history->reason);
	struct nlattr *nest = nla_nest_start(skb, RPCRDMA_NL_HISTORY);

	if (!nest ||
	    rpcrdma_nl_put_u64s(skb, numbers, ARRAY_SIZE(numbers),
				RPCRDMA_NL_HISTORY_PAD) ||
	    nla_put_s32(skb, RPCRDMA_NL_HISTORY_ERROR, history->error) ||
	    nla_put_u32(skb, RPCRDMA_NL_HISTORY_REASON, reason) ||
	    nla_put_u32(skb, RPCRDMA_NL_HISTORY_TRIES,
			down ? history->tries : 0))
		return -EMSGSIZE;
	if (down && nla_put_u32(skb, RPCRDMA_NL_HISTORY_DOWN,
				ktime_get_seconds() - down))
		return -EMSGSIZE;
	if (reason && nla_put_u32(skb, RPCRDMA_NL_HISTORY_SINCE,
				  ktime_get_seconds() - history->ended))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int xprt_rdma_netlink_put_oldest(struct sk_buff *skb,
					struct xprt_rdma *r_xprt)
{
	u32 age, stage = xprt_rdma_oldest(r_xprt, &age);

	if (stage && (nla_put_u32(skb, RPCRDMA_NL_CALL_AGE, age) ||
		      nla_put_u32(skb, RPCRDMA_NL_CALL_STAGE, stage)))
		return -EMSGSIZE;
	return 0;
}

static int xprt_rdma_netlink_put_xprt(struct sk_buff *skb, const void *data)
{
	struct xprt_rdma *r_xprt = (struct xprt_rdma *)data;
	const struct rpc_xprt *xprt = &r_xprt->xprt;
	int rc;

	if (nla_put_u32(skb, RPCRDMA_NL_ID, r_xprt->nl_id) ||
	    rpcrdma_nl_put_address(skb, RPCRDMA_NL_PEER,
				   (const struct sockaddr *)&xprt->addr) ||
	    nla_put_u32(skb, RPCRDMA_NL_SLOTS, READ_ONCE(r_xprt->xprt.num_reqs)) ||
	    nla_put_u32(skb, RPCRDMA_NL_CREDITS_USED,
			READ_ONCE(xprt->cong) >> RPC_CWNDSHIFT) ||
	    nla_put_u8(skb, RPCRDMA_NL_CALLBACKS, !!r_xprt->bc_slots) ||
	    xprt_rdma_netlink_put_counters(skb, r_xprt) ||
	    xprt_rdma_netlink_put_history(skb, r_xprt) ||
	    xprt_rdma_netlink_put_oldest(skb, r_xprt))
		return -EMSGSIZE;
	spin_lock(&r_xprt->conn_lock);
	if (r_xprt->conn)
		rc = xprt_rdma_netlink_put_conn_locked(skb, r_xprt->conn);
	else
		rc = nla_put_u32(skb, RPCRDMA_NL_STATE, RPCRDMA_NL_STATE_NONE);
	spin_unlock(&r_xprt->conn_lock);
	return rc;
}

/* args[0]: number of the last transport that was dumped */
static int xprt_rdma_netlink_dump(struct sk_buff *skb,
				  struct netlink_callback *cb)
{
	const struct net *net = sock_net(skb->sk);
	struct xprt_rdma *r_xprt;
	int rc = 0;

	mutex_lock(&xprts_mutex);
	list_for_each_entry(r_xprt, &xprts, nl_entry) {
		if (r_xprt->nl_id <= cb->args[0] ||
		    !net_eq(r_xprt->xprt.xprt_net, net))
			continue;
		rc = rpcrdma_nl_put_message(skb, cb, &xprt_rdma_nl_family,
					    RPCRDMA_NL_CMD_CONN_GET,
					    xprt_rdma_netlink_put_xprt, r_xprt);
		if (rc)
			break;
		cb->args[0] = r_xprt->nl_id;
	}
	mutex_unlock(&xprts_mutex);
	/* With messages in it, @skb is sent, and the dump goes on. */
	return rc && !skb->len ? rc : skb->len;
}

static int xprt_rdma_netlink_dump_ended(struct sk_buff *skb,
					struct netlink_callback *cb)
{
	return rpcrdma_ended_dump(skb, cb, &xprt_rdma_nl_family, RPCRDMA_CLIENT);
}

static int xprt_rdma_netlink_dump_totals(struct sk_buff *skb,
					 struct netlink_callback *cb)
{
	return rpcrdma_ended_dump_totals(skb, cb, &xprt_rdma_nl_family,
					 RPCRDMA_CLIENT);
}

static const struct genl_small_ops xprt_rdma_nl_ops[] = {
	{
		.cmd	= RPCRDMA_NL_CMD_CONN_GET,
		.dumpit	= xprt_rdma_netlink_dump,
	},
	{
		.cmd	= RPCRDMA_NL_CMD_ENDED_GET,
		.dumpit	= xprt_rdma_netlink_dump_ended,
	},
	{
		.cmd	= RPCRDMA_NL_CMD_ENDED_TOTAL_GET,
		.dumpit	= xprt_rdma_netlink_dump_totals,
	},
};

static struct genl_family xprt_rdma_nl_family __ro_after_init = {
	.name		= RPCRDMA_NL_CLIENT,
	.version	= RPCRDMA_NL_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.small_ops	= xprt_rdma_nl_ops,
	.n_small_ops	= ARRAY_SIZE(xprt_rdma_nl_ops),
	.resv_start_op	= RPCRDMA_NL_CMD_NR,
};

/**
 * xprt_rdma_netlink_add - show a transport
 * @r_xprt: transport
 *
 * Context: process.
 */
void xprt_rdma_netlink_add(struct xprt_rdma *r_xprt)
{
	mutex_lock(&xprts_mutex);
	r_xprt->nl_id = ++xprts_last;
	list_add_tail(&r_xprt->nl_entry, &xprts);
	mutex_unlock(&xprts_mutex);
}

/**
 * xprt_rdma_netlink_remove - undo xprt_rdma_netlink_add()
 * @r_xprt: transport
 *
 * Context: process; waits for running dumps.
 */
void xprt_rdma_netlink_remove(struct xprt_rdma *r_xprt)
{
	mutex_lock(&xprts_mutex);
	list_del(&r_xprt->nl_entry);
	mutex_unlock(&xprts_mutex);
}

/**
 * xprt_rdma_netlink_init - register the family
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int xprt_rdma_netlink_init(void)
{
	return genl_register_family(&xprt_rdma_nl_family);
}

/**
 * xprt_rdma_netlink_exit - unregister the family
 *
 * Context: process; waits for its users.
 */
void xprt_rdma_netlink_exit(void)
{
	genl_unregister_family(&xprt_rdma_nl_family);
}
