// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages that arrive before calls may be sent: the answers to the offer of a
 * version and to CONF_RDMA. Also the upward calls of lower layers.
 *
 * Errors: any other message is dropped. One that arrives after the connection
 * was lost is handled like any other.
 */

#include "../conn.h"
#include "../stats.h"
#include "control.h"
#include "../ext/ext.h"
#include "../callback/callback.h"
#include "../version/version.h"
#include "../message/message.h"
#include "../verbs/verbs.h"

/* A message on a connection that has no version yet. */
static void xprt_rdma_early_offer(struct xprt_rdma_recv_ctx *recv, u32 len)
{
	struct xprt_rdma_conn *conn = recv->conn;
	enum xprt_rdma_state to;
	int rc;

	rc = xprt_rdma_negotiate_reply(conn, &recv->hdr, recv->buf.data, len);
	to = rc ? XPRT_RDMA_FAILED : xprt_rdma_version_next_state(conn);
	if (rc != -EAGAIN)
		xprt_rdma_conn_change_state(conn, to, rc);
	xprt_rdma_recv_put(recv);
}

/* A message on a connection whose peer has not answered CONF_RDMA. */
static void xprt_rdma_early_conf(struct xprt_rdma_recv_ctx *recv, u32 len)
{
	struct xprt_rdma_conn *conn = recv->conn;

	if (xprt_rdma_conf_reply(conn, &recv->hdr, recv->buf.data, len))
		xprt_rdma_conn_change_state(conn, XPRT_RDMA_CONNECTED, 0);
	else
		xprt_rdma_count(messages_ignored);
	xprt_rdma_recv_put(recv);
}

/*
 * A message before calls are sent, or after the connection was lost. Returns
 * false if it is to be handled like any other.
 */
static bool xprt_rdma_early_receive(struct xprt_rdma_recv_ctx *recv, u32 len)
{
	if (!recv->conn->ver)
		xprt_rdma_early_offer(recv, len);
	else if (READ_ONCE(recv->conn->life.state) == XPRT_RDMA_CONFIGURING)
		xprt_rdma_early_conf(recv, len);
	else
		return false;
	return true;
}

const struct xprt_rdma_conn_ops xprt_rdma_control_ops = {
	.receive	= xprt_rdma_dispatch,
	.early		= xprt_rdma_early_receive,
	.call		= xprt_rdma_bc_receive,
	.invalidated	= xprt_rdma_reply_process,
};
