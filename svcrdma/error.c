// SPDX-License-Identifier: GPL-2.0-only
/*
 * RDMA_ERROR: answers to messages that cannot be served (RFC 8166 section
 * 4.5). An error uses up the credit of the message it answers, like a reply.
 */

#include "svcrdma.h"
#include <trace/events/svcrdma.h>

/*
 * The version of an error is ours, which every requester that speaks to this
 * responder can decode: RFC 5666 section 4.2 wants any value that is valid at
 * the receiver. What the requester sent may not be valid anywhere.
 */
static int encode_error(struct svc_rdma_send *send,
			const struct rpcrdma_hdr *hdr, int status)
{
	struct svc_rdma_conn *conn = send->conn;
	struct rpcrdma_encoder enc;

	rpcrdma_encode_init(&enc, send->buf, conn->send_size);
	rpcrdma_encode_fixed(&enc, hdr->xid, conn->version,
			     READ_ONCE(conn->grant), RPCRDMA_ERROR);
	if (status == RPCRDMA_EVERSION) {
		rpcrdma_encode_err_vers(&enc, RPCRDMA_VERSION_1,
					RPCRDMA_VERSION_1);
		svc_rdma_count(err_vers_sent);
	} else {
		rpcrdma_encode_err_chunk(&enc);
		svc_rdma_count(err_chunk_sent);
	}
	svc_rdma_count(errors_sent);
	return rpcrdma_encode_finish(&enc);
}

/**
 * svc_rdma_error_send - send an error with a Send context at hand
 * @send: Send context without Writes; not the caller's any more
 * @hdr: header of the message that is answered
 * @status: error of the decoder
 *
 * Context: process; may wait for room in the Send Queue.
 * Return: 0, or a negative errno if the connection is being closed.
 */
int svc_rdma_error_send(struct svc_rdma_send *send,
			const struct rpcrdma_hdr *hdr, int status)
{
	struct svc_rdma_conn *conn = send->conn;
	u32 xid = be32_to_cpu(hdr->xid);
	int ret;

	ret = svc_rdma_send_post(send, encode_error(send, hdr, status));
	trace_svc_rdma_reply_error(&conn->xprt, xid, status);
	return ret;
}

/**
 * svc_rdma_error_reply - answer a message with an error
 * @conn: connection
 * @hdr: header of the message, of which at least the XID is known
 * @status: error of the decoder
 *
 * Context: process; may wait for room in the Send Queue.
 */
void svc_rdma_error_reply(struct svc_rdma_conn *conn,
			  const struct rpcrdma_hdr *hdr, int status)
{
	struct svc_rdma_send *send;

	send = svc_rdma_send_get(conn);
	if (!send) {
		svc_rdma_conn_close(conn);
		return;
	}
	svc_rdma_error_send(send, hdr, status);
}
