// SPDX-License-Identifier: GPL-2.0-only
/*
 * The attributes of a server connection that netlink shows
 * (Documentation/abi/netlink.rst). core/report/family.c implements the dumps.
 *
 * Ownership: a connection is shown until its release begins, except while it is
 * being closed. Numbers can change while they are read: each is correct by
 * itself.
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
	if (atomic_read(&conn->life.state) < SVC_RDMA_OPEN)
		return RPCRDMA_NL_STATE_CONNECTING;
	return READ_ONCE(conn->ver)->number ? RPCRDMA_NL_STATE_CONNECTED :
					      RPCRDMA_NL_STATE_NEGOTIATING;
}

static int svc_rdma_netlink_put_limits(struct sk_buff *skb,
				       const struct svc_rdma_conn *conn)
{
	const struct rpcrdma_nl_number limits[] = {
		{ RPCRDMA_NL_SIDE, RPCRDMA_NL_SIDE_SERVER },
		{ RPCRDMA_NL_ID, conn->life.shown.number },
		{ RPCRDMA_NL_STATE, svc_rdma_netlink_state(conn) },
		{ RPCRDMA_NL_AGE, ktime_get_seconds() - conn->life.since },
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
		{ RPCRDMA_NL_TRAFFIC_CLASS, conn->caps.traffic_class },
		{ RPCRDMA_NL_REMOTE_INVALIDATION, conn->peer.remote_inv },
		{ RPCRDMA_NL_READ_REPLIES, READ_ONCE(conn->peer.read_replies) },
	};

	return rpcrdma_nl_put(skb, limits, ARRAY_SIZE(limits));
}

static int svc_rdma_netlink_put_traffic(struct sk_buff *skb,
					const struct svc_rdma_conn *conn)
{
	const struct svc_rdma_traffic *t = &conn->traffic;
	u64 receives = READ_ONCE(conn->recvs.total);
	u64 replies = atomic_read(&conn->sends.pages);
	const struct rpcrdma_nl_number numbers[] = {
		{ RPCRDMA_NL_MEM_RECEIVES,
		  receives * READ_ONCE(conn->recvs.size) },
		{ RPCRDMA_NL_MEM_CALLS,
		  (u64)READ_ONCE(conn->reads.pages) << PAGE_SHIFT },
		{ RPCRDMA_NL_MEM_REPLIES, replies << PAGE_SHIFT },
		{ RPCRDMA_NL_MEM_ADVERTISED, conn->adverts.bytes },
		{ RPCRDMA_NL_MEM_KEPT,
		  (u64)READ_ONCE(conn->stash.count) << PAGE_SHIFT },
		{ RPCRDMA_NL_COUNT_CALLS, READ_ONCE(t->messages) },
		{ RPCRDMA_NL_COUNT_READ_CALLS, READ_ONCE(t->read_calls) },
		{ RPCRDMA_NL_COUNT_LONG_CALLS, READ_ONCE(t->long_calls) },
		{ RPCRDMA_NL_COUNT_WRITE_CALLS, READ_ONCE(t->write_calls) },
		{ RPCRDMA_NL_COUNT_REPLY_CALLS, READ_ONCE(t->reply_calls) },
		{ RPCRDMA_NL_COUNT_READ_REPLIES, READ_ONCE(t->read_replies) },
		{ RPCRDMA_NL_COUNT_CALL_BYTES, READ_ONCE(t->call_bytes) },
		{ RPCRDMA_NL_COUNT_REPLY_BYTES, READ_ONCE(t->reply_bytes) },
		{ RPCRDMA_NL_COUNT_ERRORS, READ_ONCE(t->errors) },
	};

	return rpcrdma_nl_put(skb, numbers, ARRAY_SIZE(numbers));
}

/* Properties that the requester has not sent have their default values. */
static int svc_rdma_netlink_put_props(struct sk_buff *skb,
				      const struct svc_rdma_conn *conn)
{
	if (READ_ONCE(conn->ver)->number < RPCRDMA_VERSION_2)
		return 0;
	return rpcrdma_nl_put_props(skb, RPCRDMA_NL_OWN_PROPS,
				    &conn->properties.own) ?:
	       rpcrdma_nl_put_props(skb, RPCRDMA_NL_PEER_PROPS, &conn->peer.props);
}

/**
 * svc_rdma_netlink_put - append the attributes of a connection to a dump
 * @skb: message
 * @entry: entry of the connection
 *
 * Context: process. The connection must be in the list that netlink shows.
 * Return: see rpcrdma_nl_put_fn.
 */
int svc_rdma_netlink_put(struct sk_buff *skb, struct rpcrdma_nl_entry *entry)
{
	const struct svc_rdma_conn *conn =
		container_of(entry, struct svc_rdma_conn, life.shown);
	const struct svc_xprt *xprt = &conn->xprt;

	if (svc_rdma_conn_closing(conn) ||
	    !net_eq(conn->cm_id->route.addr.dev_addr.net, sock_net(skb->sk)))
		return -ENODATA;
	return rpcrdma_nl_put_address(skb, RPCRDMA_NL_PEER,
				      (const struct sockaddr *)&xprt->xpt_remote) ?:
	       rpcrdma_nl_put_address(skb, RPCRDMA_NL_LOCAL,
				      (const struct sockaddr *)&xprt->xpt_local) ?:
	       nla_put_string(skb, RPCRDMA_NL_DEVICE, conn->dev->name) ?:
	       svc_rdma_netlink_put_limits(skb, conn) ?:
	       rpcrdma_nl_put_path(skb, &conn->caps.path) ?:
	       svc_rdma_netlink_put_props(skb, conn) ?:
	       svc_rdma_netlink_put_traffic(skb, conn);
}
