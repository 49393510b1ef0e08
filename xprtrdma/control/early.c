// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages that arrive before calls may be sent: the answers to an offer of
 * version 2 and to CONF_RDMA. Also the functions that lower layers call.
 *
 * Errors: any other message is dropped. A message that arrives after the
 * connection was lost is handled as usual.
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
 * Handle a message that arrives before calls are sent. Returns false if the
 * message is to be handled as usual, because the connection was lost.
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
