// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transport properties: RDMA2_CONNPROP, from and to the requester.
 *
 * v2 draft sections 4 and 5.3.4. The requester's first set counts, and what is
 * not in it has its default. It does not change after that: another set is
 * looked at and answered, and has no effect.
 *
 * No credit covers these messages. They use the Receives that are posted
 * beyond the grant (SVC_RDMA_RECV_SPARE), and each answer is a reply like
 * others: a requester that does not take it is not listened to any more.
 */

#include "../counters.h"
#include "../limits.h"
#include "../message/message.h"
#include "../verbs/verbs.h"
#include "version.h"
#include <trace/events/svcrdma.h>

/*
 * Every endpoint has Receive buffers of 1024 bytes, because that is how much
 * it may be sent before anything is known about it (section 5.3.4).
 */
static void svc_rdma_props_apply(struct svc_rdma_conn *conn,
				 const struct rpcrdma_props *props)
{
	conn->peer = *props;
	WRITE_ONCE(conn->read_replies,
		   conn->can_advertise && props->read_replies);
	WRITE_ONCE(conn->send_size, clamp(props->recv_size,
					  RPCRDMA2_FIRST_MAX,
					  SVC_RDMA_SEND_MAX));
}

/**
 * svc_rdma_props_receive - take a requester's properties, and answer
 * @conn: connection
 * @recv: RDMA2_CONNPROP; stays the caller's
 *
 * Context: process; does not wait for room in the Send Queue.
 * Return: 0, or RPCRDMA_EPROP if a property is malformed; nothing was taken
 * and no answer sent then.
 */
int svc_rdma_props_receive(struct svc_rdma_conn *conn,
			   struct svc_rdma_recv_ctx *recv)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;
	struct rpcrdma_props props;
	int ret;

	svc_rdma_count(connprops_received);
	ret = rpcrdma_props_decode(&props, hdr);
	if (ret)
		return ret;
	trace_svc_rdma_props(&conn->xprt, hdr->xid, &props);
	if (!test_and_set_bit(SVC_RDMA_PROPS_KNOWN, &conn->flags))
		svc_rdma_props_apply(conn, &props);
	if (!(hdr->flags & RPCRDMA2_F_RESPONSE))
		svc_rdma_props_send(conn, hdr->xid);
	return 0;
}

/* What the requester need not be told is not sent: it has its default. */
static int svc_rdma_props_encode(struct svc_rdma_send_ctx *send, __be32 xid)
{
	struct svc_rdma_conn *conn = send->conn;
	struct rpcrdma_encoder enc;
	struct rpcrdma_props ours;

	rpcrdma_props_default(&ours);
	ours.recv_size = READ_ONCE(conn->recv_size);
	ours.read_replies = conn->can_advertise;
	ours.htypes = conn->can_advertise ? BIT(RPCRDMA2_DONE) : 0;
	trace_svc_rdma_props_sent(&conn->xprt, xid, &ours);
	rpcrdma_encode_init(&enc, send->buf, svc_rdma_send_room(send));
	rpcrdma_encode_fixed(&enc, xid, RPCRDMA_VERSION_2,
			     svc_rdma_credits(conn), RPCRDMA2_CONNPROP);
	rpcrdma_encode_word(&enc, RPCRDMA2_F_RESPONSE);
	rpcrdma_props_encode(&enc, &ours);
	return rpcrdma_encode_finish(&enc);
}

/**
 * svc_rdma_props_send - tell a requester our properties
 * @conn: connection
 * @xid: of the message that this answers, or precedes the reply to
 *
 * Context: process; does not wait for room in the Send Queue.
 */
void svc_rdma_props_send(struct svc_rdma_conn *conn, __be32 xid)
{
	struct svc_rdma_send_ctx *send;

	set_bit(SVC_RDMA_PROPS_SENT, &conn->flags);
	send = svc_rdma_send_get(conn);
	if (!send) {
		svc_rdma_conn_close(conn);
		return;
	}
	svc_rdma_count(connprops_sent);
	svc_rdma_send_post(send, svc_rdma_props_encode(send, xid));
}
