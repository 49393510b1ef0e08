// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family rpcrdma-server: dumps of the connections of a
 * network namespace, and of those that have ended (Documentation/abi/netlink.rst).
 *
 * Operation: connections are in a list, in the order of their numbers. A dump goes
 * on behind the number of the last connection that had room, so connections that
 * come and go meanwhile do not disturb it.
 *
 * Ownership: a connection is in the list until its release begins; one that is
 * being closed is left out. Numbers are read while they change: each is right by
 * itself.
 */

#include <net/genetlink.h>
#include <net/sock.h>

#include <rpcrdma/ended.h>
#include <rpcrdma/netlink_put.h>

#include "../verbs/verbs.h"
#include "../version/version.h"
#include "control.h"

static struct genl_family svc_rdma_nl_family;

static DEFINE_MUTEX(svc_rdma_conns_mutex);
static LIST_HEAD(svc_rdma_conns);
static u32 svc_rdma_conns_last;
static u32 svc_rdma_conns_number;	/* entries of that list */

static enum rpcrdma_nl_state
svc_rdma_netlink_state(const struct svc_rdma_conn *conn)
{
	switch (atomic_read(&conn->life.state)) {
	case SVC_RDMA_OPEN:
		return READ_ONCE(conn->ver)->number ?
		       RPCRDMA_NL_STATE_CONNECTED :
		       RPCRDMA_NL_STATE_NEGOTIATING;
	case SVC_RDMA_CLOSING:
		return RPCRDMA_NL_STATE_CLOSING;
	default:
		return RPCRDMA_NL_STATE_CONNECTING;
	}
}

static int svc_rdma_netlink_put_limits(struct sk_buff *skb,
				       const struct svc_rdma_conn *conn)
{
	const struct rpcrdma_nl_u32 limits[] = {
		{ RPCRDMA_NL_RPCRDMA_VERSION, READ_ONCE(conn->ver)->number },
		{ RPCRDMA_NL_VERSION_REASON, READ_ONCE(conn->peer.reason) },
		{ RPCRDMA_NL_PEER_HINT, conn->peer.hint },
		{ RPCRDMA_NL_CREDITS_MAX, conn->credits.max },
		{ RPCRDMA_NL_CREDITS_GRANTED, READ_ONCE(conn->credits.grant) },
		{ RPCRDMA_NL_CREDITS_USED,
		  atomic_read(&conn->xprt.xpt_nr_rqsts) },
		{ RPCRDMA_NL_INLINE_SEND, READ_ONCE(conn->sizes.send) },
		{ RPCRDMA_NL_INLINE_RECV, READ_ONCE(conn->recvs.size) },
		{ RPCRDMA_NL_READS_MAX, READ_ONCE(conn->read_queue.ord) },
		{ RPCRDMA_NL_PEER_READS_MAX, conn->caps.ird },
		{ RPCRDMA_NL_SQ_SIZE, conn->sq.depth },
		{ RPCRDMA_NL_RECEIVES, READ_ONCE(conn->recvs.total) },
		{ RPCRDMA_NL_TRAFFIC_CLASS, conn->caps.traffic_class },
	};

	if (rpcrdma_nl_put_u32s(skb, limits, ARRAY_SIZE(limits)) ||
	    nla_put_s32(skb, RPCRDMA_NL_SQ_FREE, READ_ONCE(conn->sq.avail)) ||
	    nla_put_u8(skb, RPCRDMA_NL_REMOTE_INVALIDATION, conn->peer.remote_inv) ||
	    nla_put_u8(skb, RPCRDMA_NL_READ_REPLIES,
		       READ_ONCE(conn->peer.read_replies)) ||
	    nla_put_u8(skb, RPCRDMA_NL_CALLBACKS,
		       !!READ_ONCE(conn->xprt.xpt_bc_xprt)))
		return -EMSGSIZE;
	return 0;
}

static int svc_rdma_netlink_put_memory(struct sk_buff *skb,
				       const struct svc_rdma_conn *conn)
{
	u64 receives = (u64)READ_ONCE(conn->recvs.total) *
		       READ_ONCE(conn->recvs.size);
	u64 replies = atomic_read(&conn->sends.pages);
	const struct rpcrdma_nl_u64 memory[] = {
		{ RPCRDMA_NL_MEM_RECEIVES, receives },
		{ RPCRDMA_NL_MEM_CALLS,
		  (u64)READ_ONCE(conn->reads.pages) << PAGE_SHIFT },
		{ RPCRDMA_NL_MEM_REPLIES, replies << PAGE_SHIFT },
		{ RPCRDMA_NL_MEM_ADVERTISED, conn->adverts.bytes },
		{ RPCRDMA_NL_MEM_KEPT,
		  (u64)READ_ONCE(conn->stash.count) << PAGE_SHIFT },
	};

	return rpcrdma_nl_nest_u64s(skb, RPCRDMA_NL_MEMORY, memory,
				    ARRAY_SIZE(memory), RPCRDMA_NL_MEM_PAD);
}

static int svc_rdma_netlink_put_counters(struct sk_buff *skb,
					 const struct svc_rdma_conn *conn)
{
	const struct svc_rdma_traffic *t = &conn->traffic;
	const struct rpcrdma_nl_u64 counters[] = {
		{ RPCRDMA_NL_COUNT_CALLS, READ_ONCE(t->messages) },
		{ RPCRDMA_NL_COUNT_READ_CALLS, READ_ONCE(t->read_calls) },
		{ RPCRDMA_NL_COUNT_LONG_CALLS, READ_ONCE(t->long_calls) },
		{ RPCRDMA_NL_COUNT_WRITE_CALLS, READ_ONCE(t->write_calls) },
		{ RPCRDMA_NL_COUNT_REPLY_CALLS, READ_ONCE(t->reply_calls) },
		{ RPCRDMA_NL_COUNT_READ_REPLIES, READ_ONCE(t->read_replies) },
		{ RPCRDMA_NL_COUNT_READ_SEGMENTS, READ_ONCE(t->read_segments) },
		{ RPCRDMA_NL_COUNT_WRITE_SEGMENTS,
		  READ_ONCE(t->write_segments) },
		{ RPCRDMA_NL_COUNT_REPLY_SEGMENTS,
		  READ_ONCE(t->reply_segments) },
		{ RPCRDMA_NL_COUNT_CALL_BYTES, READ_ONCE(t->call_bytes) },
		{ RPCRDMA_NL_COUNT_REPLY_BYTES, READ_ONCE(t->reply_bytes) },
		{ RPCRDMA_NL_COUNT_ERRORS, READ_ONCE(t->errors) },
	};

	return rpcrdma_nl_nest_u64s(skb, RPCRDMA_NL_COUNTERS, counters,
				    ARRAY_SIZE(counters), RPCRDMA_NL_COUNT_PAD);
}

/* Properties that the requester has not sent have their defaults. */
static int svc_rdma_netlink_put_props(struct sk_buff *skb,
				      const struct svc_rdma_conn *conn)
{
	struct rpcrdma_props ours;

	if (READ_ONCE(conn->ver)->number < RPCRDMA_VERSION_2)
		return 0;
	svc_rdma_props_own(conn, &ours);
	return rpcrdma_nl_put_props(skb, RPCRDMA_NL_OWN_PROPS, &ours) ?:
	       rpcrdma_nl_put_props(skb, RPCRDMA_NL_PEER_PROPS, &conn->peer.props);
}

static int svc_rdma_netlink_put_conn(struct sk_buff *skb, const void *data)
{
	const struct svc_rdma_conn *conn = data;
	const struct svc_xprt *xprt = &conn->xprt;

	if (nla_put_u32(skb, RPCRDMA_NL_ID, conn->life.id) ||
	    nla_put_u32(skb, RPCRDMA_NL_STATE, svc_rdma_netlink_state(conn)) ||
	    rpcrdma_nl_put_address(skb, RPCRDMA_NL_PEER,
				   (const struct sockaddr *)&xprt->xpt_remote) ||
	    rpcrdma_nl_put_address(skb, RPCRDMA_NL_LOCAL,
				   (const struct sockaddr *)&xprt->xpt_local) ||
	    nla_put_string(skb, RPCRDMA_NL_DEVICE, conn->dev->name) ||
	    nla_put_u32(skb, RPCRDMA_NL_AGE, ktime_get_seconds() - conn->life.since))
		return -EMSGSIZE;
	return svc_rdma_netlink_put_limits(skb, conn) ?:
	       rpcrdma_nl_put_path(skb, &conn->caps.path) ?:
	       svc_rdma_netlink_put_props(skb, conn) ?:
	       svc_rdma_netlink_put_memory(skb, conn) ?:
	       svc_rdma_netlink_put_counters(skb, conn);
}

/* args[0]: number of the last connection that was dumped */
static int svc_rdma_netlink_dump(struct sk_buff *skb,
				 struct netlink_callback *cb)
{
	const struct net *net = sock_net(skb->sk);
	struct svc_rdma_conn *conn;
	int ret = 0;

	mutex_lock(&svc_rdma_conns_mutex);
	list_for_each_entry(conn, &svc_rdma_conns, life.entry) {
		if (conn->life.id <= cb->args[0] || svc_rdma_conn_closing(conn) ||
		    !net_eq(conn->cm_id->route.addr.dev_addr.net, net))
			continue;
		ret = rpcrdma_nl_put_message(skb, cb, &svc_rdma_nl_family,
					     RPCRDMA_NL_CMD_CONN_GET,
					     svc_rdma_netlink_put_conn, conn);
		if (ret)
			break;
		cb->args[0] = conn->life.id;
	}
	mutex_unlock(&svc_rdma_conns_mutex);
	/* With messages in it, @skb is sent, and the dump goes on. */
	return ret && !skb->len ? ret : skb->len;
}

static int svc_rdma_netlink_dump_ended(struct sk_buff *skb,
				       struct netlink_callback *cb)
{
	return rpcrdma_ended_dump(skb, cb, &svc_rdma_nl_family, RPCRDMA_SERVER);
}

static int svc_rdma_netlink_dump_totals(struct sk_buff *skb,
					struct netlink_callback *cb)
{
	return rpcrdma_ended_dump_totals(skb, cb, &svc_rdma_nl_family,
					 RPCRDMA_SERVER);
}

static const struct genl_small_ops svc_rdma_nl_ops[] = {
	{
		.cmd	= RPCRDMA_NL_CMD_CONN_GET,
		.dumpit	= svc_rdma_netlink_dump,
	},
	{
		.cmd	= RPCRDMA_NL_CMD_ENDED_GET,
		.dumpit	= svc_rdma_netlink_dump_ended,
	},
	{
		.cmd	= RPCRDMA_NL_CMD_ENDED_TOTAL_GET,
		.dumpit	= svc_rdma_netlink_dump_totals,
	},
};

static struct genl_family svc_rdma_nl_family __ro_after_init = {
	.name		= RPCRDMA_NL_SERVER,
	.version	= RPCRDMA_NL_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.small_ops	= svc_rdma_nl_ops,
	.n_small_ops	= ARRAY_SIZE(svc_rdma_nl_ops),
	.resv_start_op	= RPCRDMA_NL_CMD_NR,
};

/**
 * svc_rdma_netlink_add - show a connection
 * @conn: connection, with its resources
 *
 * Context: process.
 */
void svc_rdma_netlink_add(struct svc_rdma_conn *conn)
{
	mutex_lock(&svc_rdma_conns_mutex);
	conn->life.since = ktime_get_seconds();
	conn->life.id = ++svc_rdma_conns_last;
	list_add_tail(&conn->life.entry, &svc_rdma_conns);
	svc_rdma_replies_share(++svc_rdma_conns_number);
	mutex_unlock(&svc_rdma_conns_mutex);
}

/**
 * svc_rdma_netlink_remove - stop showing a connection
 * @conn: connection, shown or not
 *
 * Context: process; waits for dumps to write what they have room for.
 */
void svc_rdma_netlink_remove(struct svc_rdma_conn *conn)
{
	mutex_lock(&svc_rdma_conns_mutex);
	if (!list_empty(&conn->life.entry)) {
		list_del_init(&conn->life.entry);
		svc_rdma_replies_share(--svc_rdma_conns_number);
	}
	mutex_unlock(&svc_rdma_conns_mutex);
}

/**
 * svc_rdma_netlink_init - register the family
 *
 * Context: module initialization.
 * Return: 0 or a negative errno.
 */
int svc_rdma_netlink_init(void)
{
	return genl_register_family(&svc_rdma_nl_family);
}

/**
 * svc_rdma_netlink_exit - unregister the family
 *
 * Context: module exit; waits for its users.
 */
void svc_rdma_netlink_exit(void)
{
	genl_unregister_family(&svc_rdma_nl_family);
}
