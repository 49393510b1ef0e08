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

/*
 * A message before calls are sent, or after the connection was lost. Returns
 * false if it is to be handled like any other.
 */
static bool xprt_rdma_early_receive(struct xprt_rdma_recv_ctx *recv, u32 len)
{
	struct xprt_rdma_conn *conn = recv->conn;
	int rc;

	if (!conn->ver) {
		rc = xprt_rdma_negotiate_reply(conn, &recv->hdr, recv->buf.data, len);
		if (!rc)
			xprt_rdma_conn_change_state(conn, xprt_rdma_version_next_state(conn), 0);
		else if (rc != -EAGAIN)
			xprt_rdma_conn_change_state(conn, XPRT_RDMA_FAILED, rc);
	} else if (READ_ONCE(conn->life.state) != XPRT_RDMA_CONFIGURING) {
		return false;
	} else if (xprt_rdma_conf_reply(conn, &recv->hdr, recv->buf.data, len)) {
		xprt_rdma_conn_change_state(conn, XPRT_RDMA_CONNECTED, 0);
	} else {
		xprt_rdma_count(messages_ignored);
	}
	xprt_rdma_recv_put(recv);
	return true;
}

const struct xprt_rdma_conn_ops xprt_rdma_control_ops = {
	.receive	= xprt_rdma_dispatch,
	.early		= xprt_rdma_early_receive,
	.call		= xprt_rdma_bc_receive,
	.invalidated	= xprt_rdma_reply_process,
};
