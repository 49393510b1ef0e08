// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages about changes of transport properties: RDMA2_REQPROP, RDMA2_RESPROP
 * and RDMA2_UPDPROP, to the requester (Transport Characteristics draft sections
 * 4.2 to 4.4).
 *
 * These messages need no credit. The requester has Receives for one of each
 * kind: prop_change.c sees to it that it never gets more.
 */

#include "../counters.h"
#include "../message/message.h"
#include "../verbs/verbs.h"
#include "version.h"
#include <trace/events/svcrdma.h>

/* Return: NULL if there is no memory, and the connection is being closed. */
static struct svc_rdma_send_ctx *
svc_rdma_prop_message_begin(struct svc_rdma_conn *conn,
			    struct rpcrdma_encoder *enc, __be32 xid, u32 type)
{
	struct svc_rdma_send_ctx *send = svc_rdma_send_get(conn);
	bool response = type == RPCRDMA2_RESPROP;

	if (!send) {
		svc_rdma_conn_close(conn, SVC_RDMA_CAUSE(MEMORY, SEND));
		return NULL;
	}
	rpcrdma_encode_init(enc, send->buf, svc_rdma_send_room(send));
	rpcrdma_encode_fixed(enc, xid, RPCRDMA_VERSION_2,
			     svc_rdma_credits(conn), type);
	rpcrdma_encode_word(enc, response ? RPCRDMA2_F_RESPONSE : 0);
	return send;
}

/* The answer to an enormous request may be too long for a tiny Receive. */
static void svc_rdma_prop_message_end(struct svc_rdma_send_ctx *send,
				      const struct rpcrdma_encoder *enc)
{
	struct svc_rdma_conn *conn = send->conn;
	int len = rpcrdma_encode_finish(enc);

	if (len >= 0) {
		svc_rdma_send_post(send, len);
		return;
	}
	svc_rdma_send_put(send);
	svc_rdma_conn_close(conn, SVC_RDMA_CAUSE(PROTOCOL, PROPERTIES));
}

/**
 * svc_rdma_reqprop_send - ask the requester to change its Receive Buffer Size
 * @conn: connection
 * @xid: XID that the answer will have
 * @size: bytes; 0: send an empty set of properties
 *
 * Transport Characteristics draft section 4.2.
 *
 * Context: process; does not wait for room in the Send Queue.
 */
void svc_rdma_reqprop_send(struct svc_rdma_conn *conn, __be32 xid, u32 size)
{
	struct rpcrdma_props props = { .recv_size = size };
	struct svc_rdma_send_ctx *send;
	struct rpcrdma_encoder enc;

	send = svc_rdma_prop_message_begin(conn, &enc, xid, RPCRDMA2_REQPROP);
	if (!send)
		return;
	rpcrdma_reqprop_encode(&enc, &props, size ? RPCRDMA_PROPS_RBSIZ : 0);
	svc_rdma_count(reqprops_sent);
	trace_svc_rdma_prop_request(&conn->xprt, xid, size);
	svc_rdma_prop_message_end(send, &enc);
}

/**
 * svc_rdma_resprop_send - answer a request to change properties
 * @conn: connection
 * @hdr: the request
 * @done: bit N is set if property N has the requested value
 * @pending: bit N is set if property N will have it; others are rejected
 *
 * Transport Characteristics draft section 4.3.
 *
 * Context: process; does not wait for room in the Send Queue.
 */
void svc_rdma_resprop_send(struct svc_rdma_conn *conn,
			   const struct rpcrdma_hdr *hdr, u32 done, u32 pending)
{
	struct svc_rdma_send_ctx *send;
	struct rpcrdma_encoder enc;

	send = svc_rdma_prop_message_begin(conn, &enc, hdr->xid,
					   RPCRDMA2_RESPROP);
	if (!send)
		return;
	rpcrdma_resprop_encode(&enc, hdr->props_count, done, pending);
	trace_svc_rdma_prop_answer(&conn->xprt, hdr->xid, hdr->props_count,
				   done, pending);
	svc_rdma_prop_message_end(send, &enc);
}

/**
 * svc_rdma_updprop_send - tell the requester our Receive Buffer Size
 * @conn: connection
 * @xid: any XID
 * @size: bytes
 * @pendclr: the requester's request for that is no longer pending
 *
 * Transport Characteristics draft section 4.4.
 *
 * Context: process; does not wait for room in the Send Queue.
 */
void svc_rdma_updprop_send(struct svc_rdma_conn *conn, __be32 xid, u32 size,
			   bool pendclr)
{
	struct rpcrdma_props props = { .recv_size = size };
	struct svc_rdma_send_ctx *send;
	struct rpcrdma_encoder enc;

	send = svc_rdma_prop_message_begin(conn, &enc, xid, RPCRDMA2_UPDPROP);
	if (!send)
		return;
	rpcrdma_updprop_encode(&enc, &props, RPCRDMA_PROPS_RBSIZ, pendclr);
	svc_rdma_count(updprops_sent);
	trace_svc_rdma_prop_update_sent(&conn->xprt, xid, size, pendclr);
	svc_rdma_prop_message_end(send, &enc);
}
