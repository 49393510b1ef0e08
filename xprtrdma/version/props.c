// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transport properties: ours, and the effect of the peer's properties on the
 * connection (v2 draft section 4).
 *
 * Both sides send their properties when they negotiate (negotiate.c). Later,
 * single properties may change (ext/properties.c).
 */

#include "../conn.h"
#include "../ext/ext.h"
#include "../limits.h"
#include "../tunables.h"
#include "version.h"

/**
 * xprt_rdma_props_init - choose our properties
 * @conn: connection that is being established
 *
 * v2 draft section 4.2. Only the size of our Receives ever changes (Transport
 * Characteristics draft section 4.1).
 *
 * Context: process, a CM event.
 */
void xprt_rdma_props_init(struct xprt_rdma_conn *conn)
{
	struct rpcrdma_props *own = &conn->properties.own;

	rpcrdma_props_default(own);
	own->recv_size = conn->recvs.size;
	own->reverse = RPCRDMA2_RVREQSUP_GENL;
	own->remote_inv = READ_ONCE(xprt_rdma_remote_invalidation);
	own->read_replies = xprt_rdma_pulled_offer(conn);
	own->htypes = own->read_replies ? BIT(RPCRDMA2_DONE) : 0;
	own->nochange = RPCRDMA_PROPS_ALL;
	if (conn->properties.on)
		xprt_rdma_properties_first(conn);
}

static void xprt_rdma_props_set_send_size(struct xprt_rdma_conn *conn)
{
	WRITE_ONCE(conn->sizes.inline_send,
		   clamp(conn->peer.props.recv_size, RPCRDMA2_RECV_MIN,
			 XPRT_RDMA_INLINE_MAX));
}

/**
 * xprt_rdma_props_set_peer - apply the peer's properties
 * @conn: connection without RPCs in flight
 * @props: the peer's properties, or the defaults
 *
 * v2 draft section 4.2.1: we send nothing longer than the peer's Receive Buffer
 * Size.
 *
 * Context: completion handler.
 */
void xprt_rdma_props_set_peer(struct xprt_rdma_conn *conn,
			      const struct rpcrdma_props *props)
{
	conn->peer.props = *props;
	xprt_rdma_props_set_send_size(conn);
	/* Each message names the handle that may be invalidated (section 3.3). */
	conn->peer.remote_inv = true;
}

/**
 * xprt_rdma_props_update - apply a new value of one of the peer's properties
 * @conn: connection
 * @now: the peer's properties, one of which is new
 * @which: the new property, as an enum rpcrdma_prop_mask
 *
 * Transport Characteristics draft section 4.4. Only the size of the peer's
 * Receives and its support of remote invalidation have an effect.
 *
 * Context: completion handler.
 */
void xprt_rdma_props_update(struct xprt_rdma_conn *conn,
			    const struct rpcrdma_props *now, u32 which)
{
	if (which == RPCRDMA_PROPS_RBSIZ) {
		conn->peer.props.recv_size = now->recv_size;
		xprt_rdma_props_set_send_size(conn);
	} else if (which == RPCRDMA_PROPS_REMOTE_INV) {
		conn->peer.props.remote_inv = now->remote_inv;
		WRITE_ONCE(conn->peer.remote_inv, now->remote_inv);
	}
}
