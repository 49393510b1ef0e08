// SPDX-License-Identifier: GPL-2.0-only
/*
 * RDMA_ERROR: answers to messages that cannot be served (RFC 8166 section 4.5,
 * v2 draft section 5.3.3). Like a reply, an error uses up the credit of the
 * message that it answers. So the message's Receive is returned before the
 * error is posted.
 */

#include "../counters.h"
#include "../version_ops.h"
#include "message.h"
#include <trace/events/svcrdma.h>

/**
 * svc_rdma_error_send - send an error
 * @send: Send context without Writes; the caller no longer owns it
 * @recv: message to be answered, with its fault; it is put back
 *
 * The version field of the error is the connection's version, or 1 before that
 * is known. It is not copied from the faulty message, whose version may not
 * exist: RFC 5666 section 4.2 requires a version that is valid at the receiver.
 *
 * Context: process; does not wait for room in the Send Queue.
 * Return: 0, or a negative errno if the connection is being closed.
 */
int svc_rdma_error_send(struct svc_rdma_send_ctx *send,
			struct svc_rdma_recv_ctx *recv)
{
	const struct svc_rdma_fault *fault = &recv->fault;
	struct svc_rdma_conn *conn = send->conn;
	struct rpcrdma_encoder enc;
	int len;

	trace_svc_rdma_error(&conn->xprt, recv->hdr.xid, fault->code,
			     fault->index, fault->value);
	rpcrdma_encode_init(&enc, send->buf, svc_rdma_send_room(send));
	rpcrdma_encode_error(&enc, recv->hdr.xid,
			     svc_rdma_version_of(conn)->number ?: RPCRDMA_VERSION_1,
			     0, fault->code, fault->index, fault->value);
	len = rpcrdma_encode_finish(&enc);
	svc_rdma_count(errors_sent);
	if (fault->code == RPCRDMA2_ERR_VERS)
		svc_rdma_count(err_vers_sent);
	svc_rdma_traffic_add(&conn->traffic.errors, 1);
	svc_rdma_recv_put(conn, recv);
	return svc_rdma_send_answer(send, len);
}
