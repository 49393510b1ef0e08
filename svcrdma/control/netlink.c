// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the netlink family rpcrdma-server shows of a connection
 * (Documentation/abi/netlink.rst). core/report/family.c has the dumps.
 *
 * Ownership: a connection is shown until its release begins, but not while it is
 * being closed. Numbers are read while they change: each is right by itself.
 */

#include <net/genetlink.h>
#include <net/sock.h>

#include <rpcrdma/netlink_put.h>

#include "../verbs/verbs.h"
#include "../version/version.h"
#include "control.h"

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
	const struct rpcrdma_nl_number limits[] = {
		{ RPCRDMA_NL_RPCRDMA_VERSION, READ_ONCE(conn->ver)->number },
		{ RPCRDMA_NL_VERSION_REASON, READ_ONCE(conn->peer.reason) },
		{ RPCRDMA_NL_PEER_HINT, conn->peer.hint },
		{ RPCRDMA_NL_CREDITS_MAX, conn->credits.max },
		{ RPCRDMA_NL_CREDITS_GRANTED, READ_ONCE(conn->credits.grant) },
		{ RPCRDMA_NL_CREDITS_USED,
		  atomic_read(&conn->xprt.xpt_nr_rqsts) },
		{ RPCRDMA_NL_INLINE_SEND, READ_ONCE(conn->peer.longest) },
		{ RPCRDMA_NL_INLINE_RECV, READ_ONCE(conn->recvs.size) },
		{ RPCRDMA_NL_READS_MAX, READ_ONCE(conn->read_queue.ord) },
		{ RPCRDMA_NL_PEER_READS_MAX, conn->caps.ird },
		{ RPCRDMA_NL_SQ_SIZE, conn->sq.depth },
		{ RPCRDMA_NL_SQ_FREE, READ_ONCE(conn->sq.avail) },
		{ RPCRDMA_NL_RECEIVES, READ_ONCE(conn->recvs.total) },
		{ RPCRDMA_NL_TRAFFIC_CLASS, conn->caps.traffic_class },
		{ RPCRDMA_NL_REMOTE_INVALIDATION, conn->peer.remote_inv, 8 },
		{ RPCRDMA_NL_READ_REPLIES, READ_ONCE(conn->peer.read_replies), 8 },
		{ RPCRDMA_NL_CALLBACKS, !!READ_ONCE(conn->xprt.xpt_bc_xprt), 8 },
	};

	return rpcrdma_nl_put(skb, limits, ARRAY_SIZE(limits), 0);
}

static int svc_rdma_netlink_put_memory(struct sk_buff *skb,
				       const struct svc_rdma_conn *conn)
{
	u64 receives = (u64)READ_ONCE(conn->recvs.total) *
		       READ_ONCE(conn->recvs.size);
	u64 replies = atomic_read(&conn->sends.pages);
	const struct rpcrdma_nl_number memory[] = {
		{ RPCRDMA_NL_MEM_RECEIVES, receives },
		{ RPCRDMA_NL_MEM_CALLS,
		  (u64)READ_ONCE(conn->reads.pages) << PAGE_SHIFT },
		{ RPCRDMA_NL_MEM_REPLIES, replies << PAGE_SHIFT },
		{ RPCRDMA_NL_MEM_ADVERTISED, conn->adverts.bytes },
		{ RPCRDMA_NL_MEM_KEPT,
		  (u64)READ_ONCE(conn->stash.count) << PAGE_SHIFT },
	};

	return rpcrdma_nl_nest(skb, RPCRDMA_NL_MEMORY, memory,
			       ARRAY_SIZE(memory), RPCRDMA_NL_MEM_PAD);
}

static int svc_rdma_netlink_put_counters(struct sk_buff *skb,
					 const struct svc_rdma_conn *conn)
{
	const struct svc_rdma_traffic *t = &conn->traffic;
	const struct rpcrdma_nl_number counters[] = {
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

	return rpcrdma_nl_nest(skb, RPCRDMA_NL_COUNTERS, counters,
			       ARRAY_SIZE(counters), RPCRDMA_NL_COUNT_PAD);
}

/* Properties that the requester has not sent have their defaults. */
static int svc_rdma_netlink_put_props(struct sk_buff *skb,
				      const struct svc_rdma_conn *conn)
{
	if (READ_ONCE(conn->ver)->number < RPCRDMA_VERSION_2)
		return 0;
	return rpcrdma_nl_put_props(skb, RPCRDMA_NL_OWN_PROPS,
				    &conn->properties.own) ?:
	       rpcrdma_nl_put_props(skb, RPCRDMA_NL_PEER_PROPS, &conn->peer.props);
}

static int svc_rdma_netlink_put_conn(struct sk_buff *skb, void *data)
{
	const struct svc_rdma_conn *conn =
		container_of(data, struct svc_rdma_conn, life.shown);
	const struct svc_xprt *xprt = &conn->xprt;

	if (svc_rdma_conn_closing(conn) ||
	    !net_eq(conn->cm_id->route.addr.dev_addr.net, sock_net(skb->sk)))
		return -ENODATA;
	if (nla_put_u32(skb, RPCRDMA_NL_ID, conn->life.shown.number) ||
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

static const struct rpcrdma_nl_ops svc_rdma_nl_ops = {
	.name		= RPCRDMA_NL_SERVER,
	.owner		= THIS_MODULE,
	.counters	= &svc_rdma_counter_table,
	.put		= svc_rdma_netlink_put_conn,
	.counted	= svc_rdma_replies_share,
};

/**
 * svc_rdma_netlink_init - register the family, and show the counters
 *
 * Context: module initialization.
 * Return: 0 or a negative errno.
 */
int svc_rdma_netlink_init(void)
{
	return rpcrdma_nl_register(RPCRDMA_SERVER, &svc_rdma_nl_ops);
}

/**
 * svc_rdma_netlink_exit - unregister the family
 *
 * Context: module exit; waits for its users.
 */
void svc_rdma_netlink_exit(void)
{
	rpcrdma_nl_unregister(RPCRDMA_SERVER);
}
