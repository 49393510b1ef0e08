// SPDX-License-Identifier: GPL-2.0-only
/* Sending a transport error in answer to a message of the reverse direction. */

#include "../conn.h"
#include "../limits.h"
#include "../stats.h"
#include "version.h"
#include "../verbs/verbs.h"

#include <trace/events/xprtrdma.h>

/**
 * xprt_rdma_error_send - answer a message of the reverse direction with an
 * error
 * @conn: connection whose version is known
 * @xid: XID of the message
 * @code: reason, an enum rpcrdma2_errcode; version 1 reports any as ERR_CHUNK
 * @value: depends on @code, as that of struct xprt_rdma_fault
 *
 * RFC 5666 section 4.2, v2 draft section 5.3.3. If the error cannot be sent, the
 * connection ends: otherwise, the peer would wait for an answer.
 *
 * Context: process, including completion handlers.
 */
void xprt_rdma_error_send(struct xprt_rdma_conn *conn, __be32 xid, u32 code,
			  u32 value)
{
	struct rpcrdma_encoder enc;
	u8 msg[48];
	int len;

	rpcrdma_encode_init(&enc, msg, sizeof(msg));
	rpcrdma_encode_error(&enc, xid, conn->ver->number, XPRT_RDMA_BC_SLOTS,
			     code, 0, value);
	len = rpcrdma_encode_finish(&enc);
	xprt_rdma_count(errors_sent);
	trace_xprtrdma_error_sent(conn->r_xprt, xid, code);
	if (unlikely(xprt_rdma_control_msg_send(conn, msg, len)))
		xprt_rdma_conn_lost(conn);
}
