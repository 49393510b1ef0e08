// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transport properties: RDMA2_CONNPROP, from and to the requester (v2 draft
 * sections 4 and 5.3.4).
 *
 * The requester's first property set applies until the requester announces a
 * change (ext/properties.c); missing properties have their defaults. Later sets
 * are checked and answered, but have no effect.
 *
 * The server sends its properties only in answer to the requester's. A
 * requester that begins with a call may have only one Receive, which it needs
 * for the reply (section 7). It assumes the defaults, and the server's Receives
 * are never smaller.
 *
 * These messages need no credit. They use the Receives that are posted beyond
 * the grant (SVC_RDMA_RECV_SPARE). Each answer counts as a reply for
 * throttling, so a requester that does not receive the answers is also
 * throttled.
 */

#include "../counters.h"
#include "../ext/ext.h"
#include "../limits.h"
#include "../message/message.h"
#include "../tunables.h"
#include "../verbs/verbs.h"
#include "version.h"

/* v2 draft section 4.2.1: never send longer messages, however small this is. */
static void svc_rdma_props_apply(struct svc_rdma_conn *conn,
				 const struct rpcrdma_props *props)
{
	conn->peer.props = *props;
	WRITE_ONCE(conn->peer.read_replies,
		   conn->caps.advertise && props->read_replies);
	WRITE_ONCE(conn->peer.longest, clamp(props->recv_size, RPCRDMA2_RECV_MIN,
					     SVC_RDMA_SEND_MAX));
}

/**
 * svc_rdma_props_update - apply a new value of one of a requester's properties
 * @conn: connection
 * @now: the requester's properties, one of which is new
 * @which: the new property, as an enum rpcrdma_prop_mask
 *
 * Transport Characteristics draft section 4.4.
 *
 * Context: any.
 */
void svc_rdma_props_update(struct svc_rdma_conn *conn,
			   const struct rpcrdma_props *now, u32 which)
{
	svc_rdma_props_apply(conn, now);
	if (which == RPCRDMA_PROPS_REMOTE_INV)
		WRITE_ONCE(conn->peer.remote_inv,
			   conn->caps.invalidate && now->remote_inv);
}

/**
 * svc_rdma_props_begin - choose our properties
 * @conn: connection whose Receives have the size that version 2 uses
 *
 * Only the Receive Buffer Size may change (ext/properties.c).
 *
 * Context: any.
 */
void svc_rdma_props_begin(struct svc_rdma_conn *conn)
{
	struct rpcrdma_props *own = &conn->properties.own;

	rpcrdma_props_default(own);
	own->recv_size = svc_rdma_receive_buffer_size;
	own->read_replies = conn->caps.advertise;
	own->nochange = RPCRDMA_PROPS_ALL & ~RPCRDMA_PROPS_NOCHANGE;
	if (conn->caps.advertise)
		own->htypes |= BIT(RPCRDMA2_DONE);
	if (conn->properties.on)
		svc_rdma_properties_first(conn);
}

static void svc_rdma_props_send(struct svc_rdma_conn *conn, __be32 xid)
{
	struct svc_rdma_send_ctx *send;
	struct rpcrdma_encoder enc;

	send = svc_rdma_send_get(conn);
	if (!send) {
		svc_rdma_conn_close(conn, RPCRDMA_CAUSE(MEMORY, SEND));
		return;
	}
	rpcrdma_encode_init(&enc, send->buf, svc_rdma_send_room(send));
	rpcrdma_encode_fixed(&enc, xid, RPCRDMA_VERSION_2, 0,
			     RPCRDMA2_CONNPROP);
	rpcrdma_encode_word(&enc, RPCRDMA2_F_RESPONSE);
	rpcrdma_props_encode(&enc, &conn->properties.own);
	svc_rdma_count(connprops_sent);
	svc_rdma_send_answer(send, rpcrdma_encode_finish(&enc));
}

/**
 * svc_rdma_props_receive - apply a requester's properties, and answer
 * @conn: connection
 * @recv: RDMA2_CONNPROP; the caller keeps the Receive context
 *
 * Context: process; does not wait for room in the Send Queue.
 * Return: 0; or RPCRDMA_EPROP if a property is malformed. In that case, nothing
 * was applied and no answer was sent.
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
	if (!conn->peer.known)
		svc_rdma_props_apply(conn, &props);
	conn->peer.known = true;
	if (!(hdr->flags & RPCRDMA2_F_RESPONSE))
		svc_rdma_props_send(conn, hdr->xid);
	return 0;
}
