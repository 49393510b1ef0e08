// SPDX-License-Identifier: GPL-2.0-only
/*
 * Initial assumptions about the requester of a connection, and initial limits
 * of messages. They apply until the requester's first messages arrive.
 */

#include "../message/message.h"
#include "../tunables.h"
#include "version.h"

/**
 * svc_rdma_peer_said - apply the requester's CM private message
 * @conn: connection that is being accepted
 * @priv: private message, or the defaults if there was none
 *
 * The first message may have any version that is allowed now, so the first
 * Receives are large enough for all of these versions.
 *
 * Context: any.
 */
void svc_rdma_peer_said(struct svc_rdma_conn *conn,
			const struct rpcrdma_private *priv)
{
	u32 size = conn->caps.v1_recv;

	rpcrdma_props_default(&conn->peer.props);
	conn->peer.hint = priv->hint;
	conn->peer.highest = clamp_t(u32, READ_ONCE(svc_rdma_max_version),
				     RPCRDMA_VERSION_1, RPCRDMA_VERSION_2);
	/* A peer with another draft's version 2 gets ERR_VERS. */
	if (priv->hint == RPCRDMA_HINT_V1 || priv->hint == RPCRDMA_HINT_V2_OTHER)
		conn->peer.highest = RPCRDMA_VERSION_1;
	conn->peer.remote_inv = conn->caps.invalidate && priv->remote_inv;
	if (conn->peer.highest > RPCRDMA_VERSION_1)
		size = max(size, svc_rdma_receive_buffer_size);
	conn->peer.longest = min(conn->caps.v1_recv, priv->recv_size);
	svc_rdma_recvs_set_size(conn, size);
}
