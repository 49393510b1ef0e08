// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transport properties: ours, and what the peer's mean for the connection (v2
 * draft section 4).
 *
 * Both sides send theirs when they negotiate (negotiate.c). Later, one of them
 * may change (prop_change.c).
 */

#include "../conn.h"
#include "../limits.h"
#include "../stats.h"
#include "../tunables.h"
#include "../xprt.h"
#include "version.h"

/**
 * xprt_rdma_props_own - get our properties
 * @conn: connection
 * @props: filled in
 *
 * v2 draft section 4.2. Only the size of our Receives ever changes (Transport
 * Characteristics draft section 4.1).
 *
 * Context: any.
 */
void xprt_rdma_props_own(const struct xprt_rdma_conn *conn,
			 struct rpcrdma_props *props)
{
	rpcrdma_props_default(props);
	props->recv_size = conn->change.told;
	props->reverse = RPCRDMA2_RVREQSUP_GENL;
	props->remote_inv = conn->change.own_remote_inv;
	props->htypes = conn->change.own_htypes;
	props->read_replies = props->htypes & BIT(RPCRDMA2_DONE);
	props->nochange = RPCRDMA_PROPS_ALL;
	if (props->htypes & BIT(RPCRDMA2_REQPROP))
		props->nochange &= ~RPCRDMA_PROPS_RBSIZ;
}

/**
 * xprt_rdma_props_init - choose our properties
 * @conn: connection that was just established
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_props_init(struct xprt_rdma_conn *conn)
{
	conn->change.own_htypes = 0;
	if (READ_ONCE(xprt_rdma_read_replies) && !conn->peer.no_own_reads)
		conn->change.own_htypes |= BIT(RPCRDMA2_DONE);
	if (READ_ONCE(xprt_rdma_tuning))
		conn->change.own_htypes |= RPCRDMA2_CHANGE_HTYPES;
	conn->change.own_remote_inv = READ_ONCE(xprt_rdma_remote_invalidation);
	conn->change.base = xprt_rdma_recvs_size(&conn->recvs);
	conn->change.told = xprt_rdma_recvs_size(&conn->recvs);
}

/**
 * xprt_rdma_props_can_change - check whether properties may change
 * @conn: connection whose peer has sent its properties
 *
 * Transport Characteristics draft section 4: who sends RDMA2_REQPROP
 * understands the answer and RDMA2_UPDPROP.
 *
 * Context: any.
 * Return: true if both sides understand all that a change may need.
 */
bool xprt_rdma_props_can_change(const struct xprt_rdma_conn *conn)
{
	return (conn->change.own_htypes & conn->peer.props.htypes &
		RPCRDMA2_CHANGE_HTYPES) == RPCRDMA2_CHANGE_HTYPES;
}

static void xprt_rdma_props_set_send_size(struct xprt_rdma_conn *conn)
{
	xprt_rdma_sizes_set_send(&conn->sizes,
				 clamp(conn->peer.props.recv_size,
				       RPCRDMA2_RECV_MIN,
				       XPRT_RDMA_INLINE_MAX));
}

/**
 * xprt_rdma_props_set_peer - apply the peer's properties
 * @conn: connection without RPCs in flight
 * @props: the peer's properties, or the defaults
 *
 * v2 draft section 4.2.1: nothing longer than its Receive Buffer Size is sent.
 *
 * Context: completion handler.
 */
void xprt_rdma_props_set_peer(struct xprt_rdma_conn *conn,
			      const struct rpcrdma_props *props)
{
	conn->peer.props = *props;
	xprt_rdma_props_set_send_size(conn);
	/* Each message names the handle that may be invalidated (3.3). */
	conn->peer.remote_inv = true;
}

/**
 * xprt_rdma_props_update - apply a new value of one of the peer's properties
 * @conn: connection
 * @now: the peer's properties, one of which is new
 * @which: that one, as an enum rpcrdma_prop_mask; 0 if it is unknown
 *
 * Transport Characteristics draft section 4.4. The size of the peer's Receives
 * and its support of remote invalidation are acted on. It may not change what
 * it has said will not change (section 4.1).
 *
 * Context: completion handler.
 * Return: true if the change was applied.
 */
bool xprt_rdma_props_update(struct xprt_rdma_conn *conn,
			    const struct rpcrdma_props *now, u32 which)
{
	if (conn->peer.props.nochange & which) {
		xprt_rdma_count(updprops_refused);
		return false;
	}
	switch (which) {
	case RPCRDMA_PROPS_RBSIZ:
		conn->peer.props.recv_size = now->recv_size;
		xprt_rdma_props_set_send_size(conn);
		return true;
	case RPCRDMA_PROPS_REMOTE_INV:
		conn->peer.props.remote_inv = now->remote_inv;
		WRITE_ONCE(conn->peer.remote_inv, now->remote_inv);
		return true;
	default:
		xprt_rdma_count(updprops_ignored);
		return false;
	}
}
